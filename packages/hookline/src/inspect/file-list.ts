import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { basename } from "node:path";
import { lockOwner } from "../session/lock.ts";
import type { Did, InspectedSource } from "./api.ts";
import { type FileBytes, openFile } from "./file-bytes.ts";
import { RecordingFile, TraceFile } from "./moment-file.ts";
import { type Breathe, Reading } from "./reading.ts";
import type { FoundFile } from "./recognise.ts";
import { ReplayFile } from "./replay-file.ts";
import { SessionCopy } from "./session-copy.ts";
import { firstPrompt, sessionTitle } from "./session-title.ts";
import type { Opened, SourceList } from "./sources.ts";

/** The maximum number of open files; the ones used last stay open. */
const MOST_OPEN = 16;
/** Files with more bytes than this are not read if only the counts of their hooks' actions are wanted. */
const MOST_COUNTED = 64_000_000;

interface OpenedFile extends Opened {
  /** Whether the file at the path is still the one that was opened. */
  isSame(): boolean;
  close(): void;
}

/** The function that finds the files for `FileList`, which file to open first, and a fleet's name. */
export interface FileListParts {
  /** Lists the files that exist now. */
  find(): readonly FoundFile[];
  /** The path of the file to open first. */
  readonly open?: string | undefined;
  /** The name of the fleet whose machines have sent the files. */
  readonly fleet?: string | undefined;
  readonly breathe: Breathe;
}

/** Sources that are files. Their ids do not reveal their paths. */
export class FileList implements SourceList {
  readonly #parts: FileListParts;
  readonly #ids = new Map<string, string>();
  readonly #titles = new Map<string, { readonly changed: number; readonly title: string }>();
  /** Counts of the hooks' actions in each file, and the file's last change when they were counted. */
  readonly #did = new Map<string, { readonly changed: number; readonly did: Did | undefined }>();
  #counting: Promise<void> | undefined;
  #isClosed = false;
  #files: readonly FoundFile[] = [];
  readonly #opened = new Map<string, Promise<OpenedFile>>();

  constructor(parts: FileListParts) {
    this.#parts = parts;
    this.#look();
  }

  get open(): string | undefined {
    return this.#parts.open === undefined ? undefined : this.#idOf(this.#parts.open);
  }

  get fleet(): string | undefined {
    return this.#parts.fleet;
  }

  async list(): Promise<readonly InspectedSource[]> {
    this.#look();
    this.#counting ??= this.#count().finally(() => {
      this.#counting = undefined;
    });
    return this.#files.map((file) => this.#sourceOf(file)).sort((a, b) => b.changed - a.changed);
  }

  async find(id: string): Promise<Opened | undefined> {
    const file = this.#files.find(({ path }) => this.#idOf(path) === id);
    if (file === undefined) return undefined;
    const known = await this.#opened.get(id);
    if (known?.isSame() === false) {
      known.close();
      this.#opened.delete(id);
    }
    const opened = this.#opened.get(id) ?? this.#openFile(file);
    this.#opened.delete(id);
    this.#opened.set(id, opened);
    for (const [oldest, one] of this.#opened) {
      if (this.#opened.size <= MOST_OPEN) break;
      this.#opened.delete(oldest);
      void one.then((old) => old.close());
    }
    return opened;
  }

  /** Closes all opened files, and removes the temporary copies that were made of sessions. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#counting;
    const opened = [...this.#opened.values()];
    this.#opened.clear();
    for (const one of opened) await one.then((file) => file.close()).catch(() => {});
  }

  /** Counts what hooks did in changed files, the newest first. The list does not wait for these counts. */
  async #count(): Promise<void> {
    const files = this.#files.map((file) => ({ file, source: this.#sourceOf(file) }));
    for (const { file, source } of files.sort((a, b) => b.source.changed - a.source.changed)) {
      const { id, kind, changed, bytes, live } = source;
      if (this.#isClosed) return;
      if ((kind !== "recording" && kind !== "trace") || bytes > MOST_COUNTED) continue;
      if (this.#did.get(file.path)?.changed === changed) continue;
      let did: Did | undefined;
      try {
        // A file that is being written stays open, so that only its new lines are read the next time.
        const isKept = live || this.#opened.has(id);
        const opened = isKept ? await this.find(id) : await this.#openFile(file);
        await opened?.reading?.update();
        did = opened?.reading?.index.did;
        if (!isKept) (opened as OpenedFile).close();
      } catch {
        // A file that cannot be read is reported when somebody opens it.
      }
      this.#did.set(file.path, { changed, did });
    }
  }

  #look(): void {
    this.#files = this.#parts.find();
  }

  #idOf(path: string): string {
    let id = this.#ids.get(path);
    if (id === undefined) this.#ids.set(path, (id = randomBytes(9).toString("base64url")));
    return id;
  }

  async #openFile(file: FoundFile): Promise<OpenedFile> {
    const { path, kind, session } = file;
    const source = (): InspectedSource => this.#sourceOf(file);
    if (kind === "session" && session !== undefined) {
      const copy = new SessionCopy(session);
      const { breathe } = this.#parts;
      const reading = new Reading(copy.file, copy.bytes, breathe, () => copy.grow(breathe));
      return { source, reading, isSame: () => isSameFile(path, copy.session, copy.read), close: () => copy.close() };
    }
    const bytes = openFile(path);
    const { close } = bytes;
    if (kind === "replay") {
      const replay = new ReplayFile(bytes);
      return { source, replay, isSame: () => isSameFile(path, bytes, 0), close };
    }
    const moments = kind === "trace" ? new TraceFile(bytes) : new RecordingFile(bytes, path);
    const reading = new Reading(moments, bytes, this.#parts.breathe);
    return { source, reading, isSame: () => isSameFile(path, bytes, moments.at), close };
  }

  #sourceOf(file: FoundFile): InspectedSource {
    const { path, kind, level, id: session, cwd, machine } = file;
    const { size = 0, mtimeMs = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
    const agent = file.session?.kind ?? file.host;
    const did = this.#did.get(path)?.did;
    return {
      id: this.#idOf(path),
      kind,
      ...(level !== undefined && { level }),
      ...(agent !== undefined && agent !== "hookline" && { agent }),
      ...(machine !== undefined && { machine }),
      title: this.#titleOf(file, mtimeMs),
      ...(session !== "" && { session }),
      ...(cwd !== undefined && { cwd }),
      changed: file.changed ?? Math.round(mtimeMs),
      bytes: size,
      live:
        kind === "recording"
          ? lockOwner(path) !== undefined
          : kind === "session" && agent === "hookline" && lockOwner(path) !== undefined,
      ...(did !== undefined && { did }),
    };
  }

  /**
   * Returns a title: the file's name, unless it only repeats the id, and the session's name or first prompt. If there
   * is neither, returns the id.
   */
  #titleOf({ path, kind, sessionFile, id, machine }: FoundFile, changed: number): string {
    const known = this.#titles.get(path);
    if (known?.changed === changed) return known.title;
    const file = kind === "session" ? path : sessionFile;
    const name = basename(path);
    const said =
      (file === undefined ? undefined : sessionTitle(file)) ?? (kind === "recording" ? firstPrompt(path) : undefined);
    const isNamed = kind !== "session" && machine === undefined && !name.includes(id || " ");
    const own = isNamed ? name : undefined;
    const title = [own, said].filter(Boolean).join(" · ") || id || name;
    this.#titles.set(path, { changed, title });
    return title;
  }
}

/** Whether the path still has the opened file, and the file still has everything that was read. */
function isSameFile(path: string, { identity, size }: FileBytes, read: number): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && `${stat.dev}:${stat.ino}` === identity && size() >= read;
}
