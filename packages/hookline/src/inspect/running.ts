import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import type { RecordingBytes } from "@hookline/runtime/past";
import type { InspectedSource } from "./api.ts";
import { factsOf } from "./facts.ts";
import { type FileBytes, openFile } from "./file-bytes.ts";
import { type FullMoment, type ParsedLine, RecordingFile } from "./moment-file.ts";
import { type Breathe, Reading } from "./reading.ts";
import { sessionTitle } from "./session-title.ts";
import type { Opened, SourceList } from "./sources.ts";

/** A session that ran or runs in this terminal. */
export interface RunningSession {
  readonly session: string;
  /** The session's title while it runs. */
  readonly title: string;
  /** The session's own file, if it is kept. */
  readonly sessionFile?: string | undefined;
  /** The path of the session's recording; the file may not exist yet. */
  readonly path: string;
  /** Returns how much is being recorded now, such as `all`; undefined if nothing is. */
  level?(): InspectedSource["level"] | undefined;
  /** The session's moments from before it was recorded, in order. Grows until a recording begins. */
  readonly before: readonly FullMoment[];
}

/** The folder of the running session, and the other sources in it. */
export interface RunningParts {
  readonly cwd: string;
  readonly others: SourceList;
  readonly breathe: Breathe;
}

/** Lists the running session, then those that ran in this terminal before it, then the other sources. */
export class RunningList implements SourceList {
  readonly #parts: RunningParts;
  /** The sessions by their ids; the running one is last. */
  readonly #shown = new Map<string, Shown>();

  constructor(first: RunningSession, parts: RunningParts) {
    this.#parts = parts;
    this.goOn(first);
  }

  get open(): string {
    return this.#current.id;
  }

  /** Records that the terminal has switched to another session, or back to an earlier one. */
  goOn(session: RunningSession): void {
    const shown = this.#shown.get(session.session) ?? new Shown(session, this.#parts);
    this.#shown.delete(session.session);
    this.#shown.set(session.session, shown);
  }

  async list(): Promise<readonly InspectedSource[]> {
    const shown = [...this.#shown.values()].reverse();
    const others = await this.#parts.others.list();
    return [
      ...shown.map((one) => one.source(one === this.#current)),
      ...others.filter(({ session }) => session === undefined || !this.#shown.has(session)),
    ];
  }

  async find(id: string): Promise<Opened | undefined> {
    const shown = [...this.#shown.values()].find((one) => one.id === id);
    if (shown === undefined) return this.#parts.others.find(id);
    const isCurrent = (): boolean => shown === this.#current;
    return {
      source: () => shown.source(isCurrent()),
      reading: shown.reading,
      goneOn: () => (isCurrent() ? undefined : this.#current.id),
    };
  }

  close(): void {
    for (const shown of this.#shown.values()) shown.close();
  }

  get #current(): Shown {
    return [...this.#shown.values()].at(-1) as Shown;
  }
}

/** A session that ran or runs in this terminal, as a source of the inspector, with its recording. */
class Shown {
  readonly id = randomBytes(9).toString("base64url");
  readonly reading: Reading;
  readonly #session: RunningSession;
  readonly #cwd: string;
  readonly #bytes: LateBytes;

  constructor(session: RunningSession, { cwd, breathe }: RunningParts) {
    const { path, before } = session;
    this.#session = session;
    this.#cwd = cwd;
    this.#bytes = new LateBytes(path);
    const file = new RunningMoments(before, this.#bytes, path);
    this.reading = new Reading(file, this.#bytes, breathe);
  }

  source(live: boolean): InspectedSource {
    const { path, session, title, sessionFile } = this.#session;
    const level = this.#session.level?.();
    const { mtimeMs = Date.now() } = statSync(path, { throwIfNoEntry: false }) ?? {};
    return {
      id: this.id,
      kind: "running",
      ...(level !== undefined && { level }),
      title: (live || sessionFile === undefined ? undefined : sessionTitle(sessionFile)) ?? title,
      session,
      cwd: this.#cwd,
      changed: Math.round(mtimeMs),
      bytes: this.#bytes.size,
      live,
      did: this.reading.index.did,
    };
  }

  close(): void {
    this.#bytes.close();
  }
}

/** A file that is opened as soon as it exists. */
class LateBytes implements RecordingBytes {
  readonly #path: string;
  #file: FileBytes | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  get size(): number {
    return this.#opened()?.size() ?? 0;
  }

  read(into: Uint8Array, from: number): number {
    return this.#opened()?.read(into, from) ?? 0;
  }

  close(): void {
    this.#file?.close();
  }

  #opened(): FileBytes | undefined {
    if (this.#file === undefined && statSync(this.#path, { throwIfNoEntry: false }) !== undefined)
      this.#file = openFile(this.#path);
    return this.#file;
  }
}

/** Divides the space between two bytes into positions for unrecorded moments. More moments are not shown. */
const MOST_REMEMBERED = 2 ** 16;

/** A session's recording, into which the moments that were not recorded are inserted. */
class RunningMoments extends RecordingFile {
  readonly #before: readonly FullMoment[];
  /** The size of the recording when it was opened, in bytes. The moments in `#before` happened after these bytes. */
  readonly #from: number;
  #told = 0;

  constructor(before: readonly FullMoment[], bytes: LateBytes, path: string) {
    super(bytes, path);
    this.#before = before;
    this.#from = bytes.size;
  }

  override get isWhole(): boolean {
    return false;
  }

  override *lines(): Generator<ParsedLine, void> {
    for (const passed of super.lines()) {
      // Unrecorded moments go before the next header, because moments after it are numbered from 1 again.
      if ("at" in passed && passed.at >= this.#from) yield* this.#remembered();
      yield passed;
    }
    if (this.at >= this.#from) yield* this.#remembered();
  }

  override momentAt(at: number, later?: readonly number[]): FullMoment {
    return this.#rememberedAt(at) ?? super.momentAt(at, later);
  }

  override partAt(at: number): FullMoment {
    return this.#rememberedAt(at) ?? super.partAt(at);
  }

  #rememberedAt(at: number): FullMoment | undefined {
    const place = Math.round((at - this.#first) * MOST_REMEMBERED) - 1;
    return at < this.#from && !Number.isInteger(at) ? this.#before[place] : undefined;
  }

  /** The byte before `#from`. Unrecorded moments get positions between these two bytes, at which no line begins. */
  get #first(): number {
    return this.#from - 1;
  }

  *#remembered(): Generator<ParsedLine, void> {
    while (this.#told < Math.min(this.#before.length, MOST_REMEMBERED - 1)) {
      this.#told += 1;
      const { scene, edits, ...moment } = this.#before[this.#told - 1] as FullMoment;
      const facts = factsOf({ ...moment, agent: scene.agent, editors: [...new Set(edits.map(({ hook }) => hook))] });
      const at = this.#first + this.#told / MOST_REMEMBERED;
      yield { kind: "moment", at, line: 0, own: 0, facts };
    }
  }
}
