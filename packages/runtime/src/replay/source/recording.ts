import { linesOf } from "../../record/lines.ts";
import { openBytes, Reader, type RecordedMoment } from "../../record/read.ts";
import { Resolver, recordOf } from "../../record/resolve.ts";
import type { Branch, BranchEntry, Moment, Recorded, ShadowRun, SourceReader, SourceStream } from "../moment.ts";
import { unreadable } from "./calls.ts";
import { firstObjects, textIn } from "./lines.ts";

/** Reads recordings of hookline: every event as the host had it, the hooks that were asked, and their answers. */
export const recordingSource: SourceReader = {
  recognise(first) {
    const header = firstObjects(first).find(({ kind }) => kind === "recording");
    if (header === undefined) return undefined;
    const cwd = textIn(header["cwd"]);
    return {
      kind: "recording",
      session: textIn(header["session"]) ?? "",
      ...(cwd !== undefined && { cwd }),
      decided: true,
      ...(header["level"] === "log" && { isLog: true }),
    };
  },
  moments: (stream) => momentsOf(stream),
};

function* momentsOf({ path, passed }: SourceStream): Generator<Moment, void> {
  const file = openBytes(path, passed);
  try {
    const reader = new Reader(file, path);
    const said = new Conversation(path);
    for (const moment of reader.read()) {
      yield momentOf(moment, said);
      if (moment.event === SPOKEN) said.add(moment);
    }
    const { unreadable: bad, torn } = reader.skipped;
    for (let n = 0; n < bad + (torn ? 1 : 0); n++) yield unreadable(0);
  } finally {
    file.close();
  }
}

const SPOKEN = "message.end";

function momentOf(moment: RecordedMoment, said: Conversation): Moment {
  const { line, t, event, scene, payload, header } = moment;
  // A log has only the value that matchers see, such as the tool's name, which is not enough to ask hooks about.
  const isKept = header !== undefined && header.level !== "log";
  return {
    line,
    t,
    event,
    payload: isKept ? (payload as Moment["payload"]) : undefined,
    scene,
    recorded: recordedOf(moment),
    branch: said.branch,
  };
}

/** Returns the recorded parts of a moment. Answers of hooks in shadow are separate, because they had no effect. */
function recordedOf({ hooks, edits, outcome, asked, redacted = [], partial = [], ms }: RecordedMoment): Recorded {
  const runs: Recorded["hooks"][number][] = [];
  const shadow: ShadowRun[] = [];
  for (const { id, lane, status, answer, ms: took = 0, problem, shadow: isShadow, would } of hooks) {
    if (status === "asked") continue;
    const run = { hook: id, lane, status, answer, ms: took, ...(problem !== undefined && { problem }) };
    if (isShadow === true) shadow.push({ ...run, ...(would !== undefined && { would }) });
    else runs.push(run);
  }
  return {
    answer: outcome as Recorded["answer"],
    hooks: runs,
    shadow,
    edits: edits as Recorded["edits"],
    ...(asked !== undefined && { asked }),
    redacted,
    partial,
    ms,
  };
}

/**
 * The messages of a recording up to the present moment. They are read from the file when a branch's entries are first
 * needed; later ones are added one by one.
 */
class Conversation {
  readonly #path: string;
  #size = 0;
  #leafId: string | null = null;
  #entries: BranchEntry[] | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  add({ line, t, payload }: RecordedMoment): void {
    const before = this.#leafId;
    this.#size = line;
    this.#leafId = `line-${line}`;
    this.#entries?.push(entryOf(line, before, t, payload));
  }

  /** The branch is identified by the line of its last message. */
  get branch(): Branch {
    const [size, leafId] = [this.#size, this.#leafId];
    return { size, leafId, entries: () => this.#read(size) };
  }

  #read(size: number): readonly BranchEntry[] {
    this.#entries ??= entriesUpTo(this.#path, this.#size);
    const after = this.#entries.findIndex(({ id }) => Number(id.slice("line-".length)) > size);
    return after === -1 ? [...this.#entries] : this.#entries.slice(0, after);
  }
}

function entryOf(line: number, parentId: string | null, t: number, payload: unknown): BranchEntry {
  const { message } = payload as { readonly message?: unknown };
  return { type: "message", id: `line-${line}`, parentId, timestamp: new Date(t).toISOString(), message };
}

/** Reads the messages of a file from its beginning up to a line. */
function entriesUpTo(path: string, last: number): BranchEntry[] {
  const file = openBytes(path);
  const resolver = new Resolver(file);
  const entries: BranchEntry[] = [];
  let shift = 0;
  try {
    for (const { text = "", at, number } of linesOf(file)) {
      if (number > last) break;
      const line = recordOf(text);
      if (line?.["kind"] === "recording" && typeof line["at"] === "number") shift = at - line["at"];
      if (line?.["event"] !== SPOKEN) continue;
      try {
        const { t, payload } = resolver.resolve(line, { before: at, shift }) as RecordedMoment;
        entries.push(entryOf(number, entries.at(-1)?.id ?? null, t, payload));
      } catch {
        // A line that cannot be read has already been counted.
      }
    }
    return entries;
  } finally {
    file.close();
  }
}
