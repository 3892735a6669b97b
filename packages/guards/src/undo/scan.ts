import { closeSync, constants, fstatSync, openSync, readFileSync, readlinkSync, type Stats } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { type ByteText, pathOf, under } from "./bytes.ts";
import { ignoredAmong, mayConvert } from "./ignored.ts";
import { type IndexEntry, readIndex } from "./index-file.ts";
import { type LinkedFolders, linkObjects, namesIn, statsOf, UNSURE_MS } from "./links.ts";
import { hasCode, NoUndo } from "./no-undo.ts";
import { FILE, FOLDER, LINK, type ObjectStore, type TreeEntry } from "./objects.ts";
import { isRebuildable } from "./rebuildable.ts";
import { gitDirOf, type Repository } from "./repository.ts";

/** A file that a checkpoint leaves out, and why. */
export interface LeftOut {
  readonly path: ByteText;
  readonly why: "big" | "rebuildable" | "excluded" | "unreadable";
}

/** A file in the last scan: size, times, inode, object id. The times show whether it was written since. */
export type KnownFile = readonly [size: number, mtimeMs: number, ctimeMs: number, inode: number, oid: string];

/** The memory of earlier scans of a project. If it is lost, more files are read again. */
export interface Memory {
  files: Record<ByteText, KnownFile>;
  linked: LinkedFolders;
  /** Whether each path is ignored, with the state of the ignore files (`key`) for which that holds. */
  ignored: Record<ByteText, readonly [key: string, isIgnored: boolean]>;
}

/** Options of a scan. */
export interface ScanOptions {
  readonly root: ByteText;
  readonly shadow: string;
  readonly store: ObjectStore;
  readonly memory: Memory;
  /** Length of object ids in bytes: 20 or 32. */
  readonly hashLength: number;
  /** The project's repository; `undefined` outside of one. */
  readonly repository: Repository | undefined;
  readonly isIncluded: (path: ByteText) => boolean;
  readonly isExcluded: (path: ByteText) => boolean;
  /** Whether undo must not touch a path: a work tree elsewhere, a lock, or hookline's own folder. */
  readonly isForeign: (path: ByteText, isInRepository: boolean) => boolean;
  /** Whether the root is not a project but a repository's own folder, such as `.git`. */
  readonly isRepository: boolean;
  /** Returns the folder of the shadow repository into which an object store is linked. */
  readonly linkedTo: (store: ByteText) => ByteText;
  readonly deadline: number;
  readonly now: () => number;
  readonly maxFiles: number;
}

/** The state of a folder as a tree object, and what the scan left out of it. */
export interface Scanned {
  readonly tree: string;
  readonly files: number;
  readonly leftOut: readonly LeftOut[];
  /** The git object stores that were linked into the shadow repository, as paths relative to the root. */
  readonly stores: readonly ByteText[];
  /** Whether some git objects are only in the repository itself, because they could not be linked or copied. */
  readonly isBorrowing: boolean;
}

/** Ignored files larger than this many bytes are left out. */
const MAX_IGNORED = 1024 * 1024;
/** All files larger than this many bytes are left out. */
export const MAX_FILE = 32 * 1024 * 1024;
/** Time in ms after which a scan yields to other tasks. */
const SLICE_MS = 12;

/** Matches the temporary names of a restore. */
export const TEMPORARY = /^\.hookline-undo-[0-9a-f]{12}$/;

/** Facts about a folder that a scan also applies to its entries, such as its repository and ignore files. */
interface Around {
  /** `top`: a repository's own folder, such as `.git`. `inside`: below it. `media`: its folder of Git LFS files. */
  readonly git: "top" | "inside" | "media" | undefined;
  /** Names each ignore file that applies to the entries, by inode, size and times: if one changes, so does this. */
  readonly ignoring: string;
  readonly hasAttributes: boolean;
  readonly index: (() => ReadonlyMap<ByteText, IndexEntry>) | undefined;
  /** The folder to which the paths in the index are relative. */
  readonly top: ByteText;
}

interface Folder {
  readonly mode: number;
  readonly name: ByteText;
  readonly entries: (TreeEntry | Folder)[];
}

interface Candidate {
  readonly path: ByteText;
  readonly stats: Stats;
  readonly name: ByteText;
  readonly parent: Folder;
  readonly around: Around;
}

/** Reads a folder and writes its state as a tree object, including repositories and ignored files. */
export async function scan(options: ScanOptions): Promise<Scanned> {
  return new Scan(options).run();
}

class Scan {
  readonly #o: ScanOptions;
  readonly #leftOut: LeftOut[] = [];
  readonly #stores: ByteText[] = [];
  readonly #files: Record<ByteText, KnownFile> = Object.create(null) as Record<ByteText, KnownFile>;
  #seeds: { readonly file: Candidate; readonly oid: string }[] = [];
  #waiting: Candidate[] = [];
  #count = 0;
  #isBorrowing = false;
  #turn = performance.now();

  constructor(options: ScanOptions) {
    this.#o = options;
  }

  async run(): Promise<Scanned> {
    const { root, store, memory } = this.#o;
    const stats = statsOf(root);
    if (stats === undefined) throw new NoUndo("The project's folder is gone.");
    const top: Folder = { mode: FOLDER, name: "", entries: [] };
    const git = this.#o.isRepository ? "inside" : undefined;
    const outer: Around = { git, ignoring: "", hasAttributes: false, index: undefined, top: "" };
    try {
      await this.#folder("", top, outer);
      while (this.#waiting.length > 0) await this.#decide();
      this.#seed();
    } catch (error) {
      // Keeps what was read before the error, so that the next scan does not read these files again.
      memory.files = { ...memory.files, ...this.#files };
      throw error;
    }
    memory.files = this.#files;
    return {
      tree: this.#tree(top, store),
      files: this.#count,
      leftOut: this.#leftOut,
      stores: this.#stores,
      isBorrowing: this.#isBorrowing,
    };
  }

  readonly #check = (): void => {
    if (this.#o.now() > this.#o.deadline)
      throw new NoUndo(
        "No undo here: the checkpoint was not done within its time limit. Exclude large folders from it.",
        { is: "late" },
      );
  };

  async #folder(path: ByteText, folder: Folder, outer: Around): Promise<void> {
    this.#check();
    if (performance.now() - this.#turn > SLICE_MS) {
      await setImmediate();
      this.#turn = performance.now();
    }
    const names = this.#names(path);
    const around = this.#aroundOf(path, names, outer);
    for (const name of names) {
      const inner = under(path, name);
      if (TEMPORARY.test(name) || this.#o.isForeign(inner, around.git !== undefined)) continue;
      const stats = statsOf(this.#absolute(inner));
      if (stats === undefined) continue;
      if (++this.#count > this.#o.maxFiles)
        throw new NoUndo(`No undo here: the folder has over ${this.#o.maxFiles.toLocaleString("en")} files.`, {
          is: "big",
        });
      const candidate: Candidate = { path: inner, stats, name, parent: folder, around };
      if (this.#o.isExcluded(inner)) this.#leave(inner, "excluded");
      else if (stats.isDirectory()) {
        if (name === "objects" && (around.git === "top" || around.git === "media")) this.#link(inner, folder, stats);
        else if (around.git === undefined && isRebuildable(name, names) && !this.#o.isIncluded(inner))
          this.#waiting.push(candidate);
        else await this.#enter(candidate);
      } else if (stats.isFile() || stats.isSymbolicLink()) {
        if (stats.size > MAX_FILE && !this.#o.isIncluded(inner)) this.#leave(inner, "big");
        else if (stats.size > MAX_IGNORED && around.git === undefined && !this.#o.isIncluded(inner))
          this.#waiting.push(candidate);
        else this.#file(candidate);
      }
    }
  }

  async #enter({ path, name, stats, parent, around }: Candidate): Promise<void> {
    const folder: Folder = { mode: FOLDER | (stats.mode & 0o7777), name, entries: [] };
    const isMedia = around.git === "top" && /^(?:lfs|annex)$/.test(name);
    const git = name === ".git" ? "inside" : isMedia ? "media" : around.git === undefined ? undefined : "inside";
    try {
      await this.#folder(path, folder, { ...around, git });
      parent.entries.push(folder);
    } catch (error) {
      if (!hasCode(error, "EACCES", "EPERM")) throw error;
      this.#leave(path, "unreadable");
    }
  }

  /** Returns the facts that a folder passes on to its entries. They depend on its names, such as `.git`. */
  #aroundOf(path: ByteText, names: readonly ByteText[], outer: Around): Around {
    const has = (name: ByteText): boolean => names.includes(name);
    const isRepository = has("HEAD") && has("objects") && has("refs");
    if (outer.git === "media") return outer;
    if (isRepository && (outer.git !== undefined || path === "")) return { ...outer, git: "top" };
    if (outer.git !== undefined) return { ...outer, git: "inside" };
    const ignoring = has(".gitignore")
      ? `${outer.ignoring}|${this.#stateOf(under(path, ".gitignore"))}`
      : outer.ignoring;
    let hasAttributes = outer.hasAttributes || has(".gitattributes");
    if (!has(".git")) return { ...outer, ignoring, hasAttributes };
    let index: ReadonlyMap<ByteText, IndexEntry> | undefined;
    const gitDir = path === "" ? this.#o.repository?.gitDir : gitDirOf(this.#absolute(under(path, ".git")));
    const commonDir = this.#commonDirOf(path);
    const read = (): ReadonlyMap<ByteText, IndexEntry> => {
      index ??= gitDir === undefined ? new Map() : readIndex(`${gitDir}/index`, this.#o.hashLength);
      return index;
    };
    hasAttributes ||= commonDir === undefined || mayConvert(commonDir);
    const exclude = commonDir === undefined ? "" : this.#stateOf(`${commonDir}/info/exclude`, "");
    return { git: undefined, ignoring: `${ignoring}|${exclude}`, hasAttributes, index: read, top: path };
  }

  /** Asks git which of the waiting files and folders are ignored. Leaves those out, unless git tracks them. */
  async #decide(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    const { memory, shadow, deadline, now } = this.#o;
    const unknown = waiting.filter(({ path, around }) => memory.ignored[path]?.[0] !== around.ignoring);
    // A repository in the project has ignore files of its own; those around it do not count.
    for (const [top, candidates] of Map.groupBy(unknown, ({ around }) => around.top)) {
      const commonDir = this.#commonDirOf(top);
      if (commonDir === undefined) continue;
      const below = new Map(candidates.map((candidate) => [belowTop(candidate.path, top), candidate]));
      const place = { shadow, project: this.#absolute(top), commonDir, timeoutMs: deadline - now() };
      const ignored = ignoredAmong([...below.keys()], place);
      if (ignored === undefined) continue;
      for (const [name, { path, around }] of below) memory.ignored[path] = [around.ignoring, ignored.has(name)];
    }
    this.#check();
    for (const candidate of waiting) {
      const { path, stats, around } = candidate;
      // Without a repository nothing is ignored, but a waiting folder has a name such as `node_modules`: leave it out.
      const isWithout = stats.isDirectory() && this.#commonDirOf(around.top) === undefined;
      const isIgnored = memory.ignored[path]?.[1] ?? isWithout;
      if (isIgnored && !isTracked(path, around)) this.#leave(path, stats.isDirectory() ? "rebuildable" : "big");
      else if (stats.isDirectory()) await this.#enter(candidate);
      else this.#file(candidate);
    }
  }

  /** Returns the folder with the configuration of the repository whose top folder this is; `undefined` if it is none. */
  #commonDirOf(top: ByteText): ByteText | undefined {
    return top === "" ? this.#o.repository?.commonDir : gitDirOf(this.#absolute(under(top, ".git")));
  }

  #file(file: Candidate): void {
    const { path, stats, around } = file;
    const known = this.#o.memory.files[path];
    if (known !== undefined && isSame(known, stats)) this.#take(file, known[4]);
    else {
      const entry = around.hasAttributes ? undefined : around.index?.().get(belowTop(path, around.top));
      if (entry !== undefined && stats.isFile() && isClean(entry, stats)) this.#seeds.push({ file, oid: entry.oid });
      else this.#read(file);
    }
  }

  /** Uses git's object for an unchanged file if both have the same size: git has not converted it. */
  #seed(): void {
    if (this.#seeds.length === 0) return;
    const timeoutMs = this.#o.deadline - this.#o.now();
    const sizes = this.#o.store.sizes([...new Set(this.#seeds.map(({ oid }) => oid))], timeoutMs);
    for (const { file, oid } of this.#seeds)
      if (sizes.get(oid) === file.stats.size) this.#take(file, oid);
      else this.#read(file);
    this.#seeds = [];
  }

  #read(file: Candidate): void {
    this.#check();
    const { path, stats } = file;
    try {
      const at = pathOf(this.#absolute(path));
      if (stats.isSymbolicLink()) this.#take(file, this.#o.store.put("blob", readlinkSync(at, "buffer")));
      else this.#take(file, this.#o.store.put("blob", contentOf(at)));
    } catch (error) {
      if (hasCode(error, "EACCES", "EPERM")) this.#leave(path, "unreadable");
      else if (!hasCode(error, "ENOENT", "ELOOP", "EINVAL", "ENOTDIR")) throw error;
    }
  }

  #take({ path, stats, name, parent }: Candidate, oid: string): void {
    const { size, mtimeMs, ctimeMs, ino } = stats;
    parent.entries.push({ mode: stats.isFile() ? FILE | (stats.mode & 0o7777) : LINK, name, oid });
    if (Math.max(mtimeMs, ctimeMs) < this.#o.now() - UNSURE_MS) this.#files[path] = [size, mtimeMs, ctimeMs, ino, oid];
  }

  /** Hard-links a git object store into the shadow repository. The tree gets an empty folder in its place. */
  #link(path: ByteText, parent: Folder, stats: Stats): void {
    const from = this.#absolute(path);
    const isWhole = linkObjects(from, this.#o.linkedTo(path), { linked: this.#o.memory.linked, check: this.#check });
    if (!isWhole) this.#isBorrowing = true;
    this.#stores.push(path);
    parent.entries.push({ mode: FOLDER | (stats.mode & 0o7777), name: "objects", entries: [] });
  }

  #leave(path: ByteText, why: LeftOut["why"]): void {
    this.#leftOut.push({ path, why });
  }

  #tree(folder: Folder, store: ObjectStore): string {
    const entries = folder.entries.map((entry) =>
      "oid" in entry ? entry : { mode: entry.mode, name: entry.name, oid: this.#tree(entry, store) },
    );
    return store.putTree(entries);
  }

  #names(path: ByteText): ByteText[] {
    return namesIn(this.#absolute(path));
  }

  #absolute(path: ByteText): ByteText {
    return path === "" ? this.#o.root : `${this.#o.root === "/" ? "" : this.#o.root}/${path}`;
  }

  #stateOf(path: ByteText, folder = `${this.#o.root}/`): string {
    try {
      const stats = statsOf(`${folder}${path}`);
      return stats === undefined ? "" : `${stats.ino}.${stats.size}.${stats.mtimeMs}.${stats.ctimeMs}`;
    } catch (error) {
      if (hasCode(error, "EACCES")) return "";
      throw error;
    }
  }
}

function contentOf(path: string | Buffer): Buffer {
  // The file may have been replaced by a link, which must not be followed, or by a pipe, which must not block.
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!fstatSync(file).isFile()) return Buffer.alloc(0);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function isSame([size, mtimeMs, ctimeMs, inode]: KnownFile, stats: Stats): boolean {
  return size === stats.size && mtimeMs === stats.mtimeMs && ctimeMs === stats.ctimeMs && inode === stats.ino;
}

/** Whether a file is unchanged according to git's index. */
function isClean(entry: IndexEntry, stats: Stats): boolean {
  return (
    !entry.isUnsure &&
    entry.size === stats.size &&
    entry.inode === stats.ino % 2 ** 32 &&
    Math.abs(entry.mtimeMs - stats.mtimeMs) < 0.01 &&
    Math.abs(entry.ctimeMs - stats.ctimeMs) < 0.01
  );
}

/** Whether git tracks a file, or a file in a folder. */
function isTracked(path: ByteText, { index, top }: Around): boolean {
  const name = belowTop(path, top);
  const entries = index?.() ?? new Map<ByteText, IndexEntry>();
  if (entries.has(name)) return true;
  for (const entry of entries.keys()) if (entry.startsWith(`${name}/`)) return true;
  return false;
}

function belowTop(path: ByteText, top: ByteText): ByteText {
  return top === "" ? path : path.slice(top.length + 1);
}
