import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isFields } from "@hookline/ground";
import type { Message } from "@hookline/runtime";
import {
  type Branch,
  type Moment,
  type MomentLine,
  type RecognisedSource,
  RecordingWriter,
} from "@hookline/runtime/past";
import { projectPath } from "../session/context.ts";
import { type FileBytes, openFile } from "./file-bytes.ts";
import { type FullMoment, type MomentFile, type ParsedLine, RecordingFile } from "./moment-file.ts";
import type { Breathe } from "./reading.ts";

/** How many moments are read before other work gets a turn. */
const AT_ONCE = 200;
const CONTEXT = "model.context";

/**
 * The session file of an agent as a file of moments. The moments are written to a private temporary file; the messages
 * of requests are read from the session's own file when needed.
 */
export class SessionCopy {
  readonly bytes: FileBytes;
  readonly file: MomentFile;
  readonly #folder: string;
  readonly #fd: number;
  readonly #moments: Iterator<Moment> | AsyncIterator<Moment>;
  readonly #writer: RecordingWriter;
  readonly #written: Written = { lines: [], branches: new Map(), damaged: [], torn: false };
  readonly #cwd: string;
  /** The session's own file. */
  readonly session: FileBytes;
  #isClosed = false;
  #read = 0;

  /** Opens the session's file and creates the empty copy. Throws file system errors. */
  constructor(source: RecognisedSource) {
    const { session, cwd = "", path, reader } = source;
    this.#cwd = cwd;
    this.session = openFile(path);
    this.#folder = mkdtempSync(join(tmpdir(), "hookline-inspect-"));
    const copy = join(this.#folder, "session.jsonl");
    this.#fd = openSync(copy, "wx", 0o600);
    const sink = { write: (line: string) => writeFileSync(this.#fd, Buffer.from(line)) };
    this.#writer = new RecordingWriter(sink, { session, cwd, hookline: "", level: "all", t: 0 });
    const moments = reader.moments({ path, skip: () => {}, follows: true });
    this.#moments = Symbol.iterator in moments ? moments[Symbol.iterator]() : moments[Symbol.asyncIterator]();
    this.bytes = openFile(copy);
    this.file = new SessionMoments(this.bytes, path, this.#written);
  }

  /** How many bytes of the session's file have certainly been copied; lines after these may be copied, too. */
  get read(): number {
    return this.#read;
  }

  /** Copies the new lines of the session. */
  async grow(breathe: Breathe): Promise<void> {
    const { lines, branches, damaged } = this.#written;
    const size = this.session.size();
    for (let read = 1; !this.#isClosed; read++) {
      if (read % AT_ONCE === 0) await breathe();
      const { value: moment, done } = await this.#moments.next();
      if (done === true || this.#isClosed) return;
      if (moment.event === "") {
        if (moment.notAsked === undefined) break;
        damaged.push(moment.line);
        continue;
      }
      const n = this.#writer.moment(lineOf(moment, this.#cwd));
      lines.push(moment.line);
      if (moment.event === CONTEXT && moment.branch !== undefined) branches.set(n, moment.branch);
    }
    this.#read = size;
    this.#written.torn = isTorn(this.session);
  }

  /** Removes the copy. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    void this.#moments.return?.();
    closeSync(this.#fd);
    this.bytes.close();
    this.session.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

interface Written {
  /** The number of the line in the session's file, for each moment. */
  readonly lines: number[];
  /** The positions of each request's messages in the session's file. The key is the number of the request's moment. */
  readonly branches: Map<number, Branch>;
  /** The numbers of the lines that could not be read. */
  readonly damaged: number[];
  /** Whether the last line of the session's file is cut in the middle. */
  torn: boolean;
}

/** Whether a file ends within a line. A last `}` counts as the line's end, because some writers omit the line break. */
function isTorn(file: FileBytes): boolean {
  const last = new Uint8Array(1);
  const count = file.read(last, Math.max(0, file.size() - 1));
  return count > 0 && last[0] !== LF && last[0] !== BRACE;
}

const LF = 10;
const BRACE = 125;

/**
 * Converts a moment of a session to a line without hooks, because a session does not record them. The messages of a
 * request are left out and read later.
 */
function lineOf({ t, event, payload, scene }: Moment, cwd: string): Omit<MomentLine, "v" | "n"> {
  const { model, context } = scene;
  const shown =
    event === CONTEXT && payload !== undefined
      ? Object.fromEntries(Object.keys(payload).flatMap((name) => (name === "messages" ? [] : [[name, payload[name]]])))
      : payload;
  return {
    t,
    event,
    scene: {
      cwd: scene.cwd ?? cwd,
      ...(model !== undefined && { model }),
      ...(context !== undefined && { context }),
    },
    ...(shown !== undefined && { payload: shown }),
    hooks: [],
    edits: [],
    outcome: {},
    ms: 0,
  };
}

/** The moments of the copy, with line numbers from the session's own file and the messages of requests. */
class SessionMoments extends RecordingFile {
  readonly #written: Written;
  readonly #places = new Map<number, number>();
  #toldDamage = 0;

  constructor(copy: FileBytes, path: string, written: Written) {
    super(copy, path);
    this.#written = written;
  }

  override get torn(): boolean {
    return this.#written.torn;
  }

  override get isWhole(): boolean {
    return true;
  }

  override *lines(): Generator<ParsedLine, void> {
    const { lines, damaged } = this.#written;
    for (; this.#toldDamage < damaged.length; this.#toldDamage++)
      yield { kind: "damaged", line: damaged[this.#toldDamage] as number, problem: "it is not a line of a session" };
    for (const passed of super.lines()) {
      if (passed.kind !== "moment") {
        yield passed;
        continue;
      }
      this.#places.set(passed.at, passed.own);
      yield { ...passed, line: lines[passed.own - 1] ?? 0 };
    }
  }

  override momentAt(at: number): FullMoment {
    const moment = super.momentAt(at);
    const branch = this.#written.branches.get(this.#places.get(at) ?? 0);
    if (branch === undefined || !isFields(moment.payload)) return moment;
    const messages = projectPath(branch.entries() as never).messages as readonly Message[];
    return { ...moment, payload: { ...moment.payload, messages } };
  }
}
