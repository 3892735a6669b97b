import { randomBytes } from "node:crypto";
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { type ByteText, pathOf, shownPath, under } from "./bytes.ts";
import { changesBetween, type Tree, type TreeChange } from "./changes.ts";
import { namesIn, statsOf } from "./links.ts";
import { hasCode, NoUndo } from "./no-undo.ts";
import { isFolder, LINK, type ObjectStore, TYPE } from "./objects.ts";
import { TEMPORARY } from "./scan.ts";

/** The changes that a restore makes in one folder. */
export interface Plan {
  readonly root: ByteText;
  /** Files to write, and folders to create. */
  readonly written: readonly TreeChange[];
  readonly modes: readonly TreeChange[];
  /** Entries to remove: newer ones with `removesNew`, and entries of `.git` that the checkpoint does not have. */
  readonly removed: readonly TreeChange[];
  /** Entries that are newer than the checkpoint and stay. */
  readonly kept: readonly TreeChange[];
  /** Object stores whose objects are all in the shadow repository, so that a store can be removed with its contents. */
  readonly stores: ReadonlySet<ByteText>;
}

/** Plans the changes that turn a folder's current state into another. */
export function planOf(
  root: ByteText,
  trees: { readonly now: Tree; readonly target: Tree },
  options: {
    readonly store: ObjectStore;
    readonly isInRepository: boolean;
    readonly isWanted: (path: ByteText) => boolean;
    readonly removesNew: boolean;
    readonly stores: readonly ByteText[];
  },
): Plan {
  const changes = changesBetween(trees.now, trees.target, options).filter(({ path }) => options.isWanted(path));
  const gone = changes.filter(({ kind }) => kind === "deleted");
  const isRemoved = ({ repository }: TreeChange): boolean => repository === "shared" || options.removesNew;
  return {
    root,
    written: changes.filter(({ kind }) => kind === "added" || kind === "changed"),
    modes: changes.filter(({ kind }) => kind === "mode"),
    removed: gone.filter(isRemoved),
    kept: gone.filter((change) => !isRemoved(change)),
    stores: new Set(options.stores),
  };
}

/** Whether a plan has no changes. */
export function isIdle({ written, modes, removed }: Plan): boolean {
  return written.length + modes.length + removed.length === 0;
}

/**
 * Carries out a plan. First all contents are written beside the project's files, so that a full disk or a damaged
 * checkpoint ends the restore before anything has changed; then each file is put in place by a rename. Entries that are
 * in no checkpoint are moved aside, never overwritten.
 *
 * Returns the new paths of what was moved aside.
 */
export function carryOut(plan: Plan, store: ObjectStore): ByteText[] {
  return new Restore(plan, store).run();
}

/**
 * Lets the person read and enter what a state has and a later change of mode has closed. Otherwise a restore would take
 * it for something that no checkpoint has.
 */
export function reopen(
  root: ByteText,
  { tree, stores, store }: { readonly tree: string; readonly stores: readonly ByteText[]; readonly store: ObjectStore },
): void {
  const within = (folder: ByteText, oid: string): void => {
    for (const entry of store.tree(oid)) {
      const path = under(folder, entry.name);
      if ((entry.mode & TYPE) !== LINK && isOpened(path, entry.mode) && isFolder(entry.mode)) within(path, entry.oid);
    }
  };
  const all = (path: ByteText): void => {
    if (isOpened(path, 0o500) && statsOf(path)?.isDirectory() === true)
      for (const name of namesIn(path)) all(under(path, name));
  };
  within(root, tree);
  for (const path of stores) all(under(root, path));
}

/** Whether a path can be read, and entered if it is a folder, after its owner's missing permissions were added. */
function isOpened(path: ByteText, mode: number): boolean {
  const stats = statsOf(path);
  if (stats === undefined) return false;
  const needed = stats.isDirectory() ? 0o500 : stats.isFile() ? 0o400 : 0;
  if ((needed & ~stats.mode) === 0) return true;
  try {
    accessSync(pathOf(path), stats.isDirectory() ? constants.R_OK | constants.X_OK : constants.R_OK);
  } catch {
    if ((needed & mode & ~stats.mode) === 0) return false;
    chmodSync(pathOf(path), (stats.mode & 0o7777) | (needed & mode));
  }
  return true;
}

/** Removes what a killed restore has left in a folder. */
export function clearStages(root: ByteText): void {
  for (const name of namesIn(root))
    if (TEMPORARY.test(name)) rmSync(pathOf(under(root, name)), { recursive: true, force: true });
}

class Restore {
  readonly #plan: Plan;
  readonly #store: ObjectStore;
  readonly #stage: ByteText;
  readonly #aside: ByteText[] = [];
  readonly #folders = new Set<ByteText>();
  /** The modes that folders get at the end of the restore. A later mode of the same folder replaces an earlier one. */
  readonly #modes = new Map<ByteText, number>();

  constructor(plan: Plan, store: ObjectStore) {
    this.#plan = plan;
    this.#store = store;
    this.#stage = under(plan.root, `.hookline-undo-${randomBytes(6).toString("hex")}`);
  }

  run(): ByteText[] {
    const { written, modes, removed } = this.#plan;
    const files = written.filter(({ after }) => after !== undefined && !isFolder(after.mode));
    this.#folderFor(this.#stage, () => mkdirSync(pathOf(this.#stage), { mode: 0o700 }));
    try {
      this.#writeAll(files);
      // Removed files may be in the way of written ones, and a folder's contents must be removed before the folder.
      for (const { path, before } of [...removed].reverse())
        this.#remove(path, before !== undefined && isFolder(before.mode));
      const numbers = new Map(files.map((change, at) => [change, at]));
      for (const change of written) this.#place(change, numbers.get(change) ?? -1);
      for (const { path, after } of modes) this.#setMode(path, after?.mode ?? 0);
    } finally {
      rmSync(pathOf(this.#stage), { recursive: true, force: true });
      for (const [path, mode] of [...this.#modes].reverse())
        if (statsOf(path)?.isDirectory() === true) chmodSync(pathOf(path), mode & 0o7777);
    }
    return this.#aside;
  }

  /** Writes the contents of all files into the temporary folder, each under its position in the list. */
  #writeAll(files: readonly TreeChange[]): void {
    const places = new Map<string, number[]>();
    for (const [at, { after }] of files.entries()) {
      const oid = after?.oid ?? "";
      places.set(oid, [...(places.get(oid) ?? []), at]);
    }
    for (const [oid, content] of this.#store.blobs(places.keys()))
      for (const at of places.get(oid) ?? []) {
        const path = pathOf(`${this.#stage}/${at}`);
        const mode = files[at]?.after?.mode ?? 0;
        if ((mode & TYPE) === LINK) symlinkSync(content, path);
        else {
          writeFileSync(path, content, { flag: "wx", mode: 0o600 });
          chmodSync(path, mode & 0o7777);
        }
      }
  }

  #place({ path, before, after }: TreeChange, at: number): void {
    const absolute = this.#absolute(path);
    this.#checkFolder(dirname(absolute));
    const stats = statsOf(absolute);
    const isWanted = after !== undefined && isFolder(after.mode);
    if (stats?.isDirectory() === true && !isWanted) this.#emptied(absolute);
    else if (stats !== undefined && before === undefined && !stats.isDirectory()) this.#moveAside(absolute);
    else if (stats !== undefined && isWanted && !stats.isDirectory())
      this.#folderFor(absolute, () => unlinkSync(pathOf(absolute)));
    if (!isWanted) {
      this.#folderFor(absolute, () => renameSync(pathOf(`${this.#stage}/${at}`), pathOf(absolute)));
      return;
    }
    if (statsOf(absolute) === undefined) this.#folderFor(absolute, () => mkdirSync(pathOf(absolute), { mode: 0o700 }));
    this.#modes.set(absolute, after.mode);
  }

  /**
   * Moves a folder out of the way of a file. Keeps its contents, which are newer than the checkpoint, under a new name.
   */
  #emptied(absolute: ByteText): void {
    if (namesIn(absolute).length > 0) this.#moveAside(absolute);
    else this.#folderFor(absolute, () => rmdirSync(pathOf(absolute)));
  }

  #moveAside(absolute: ByteText): void {
    let to = `${absolute}.before-undo`;
    for (let count = 2; statsOf(to) !== undefined; count += 1) to = `${absolute}.before-undo-${count}`;
    this.#folderFor(absolute, () => renameSync(pathOf(absolute), pathOf(to)));
    this.#aside.push(to);
  }

  #remove(path: ByteText, isFolderThere: boolean): void {
    const absolute = this.#absolute(path);
    if (statsOf(dirname(absolute))?.isDirectory() !== true) return;
    try {
      if (this.#plan.stores.has(path)) rmSync(pathOf(absolute), { recursive: true, force: true });
      else this.#folderFor(absolute, () => (isFolderThere ? rmdirSync : unlinkSync)(pathOf(absolute)));
    } catch (error) {
      // A folder with files that are in no checkpoint stays; so does an entry that is gone or has been replaced.
      if (!hasCode(error, "ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR", "EISDIR", "EPERM")) throw error;
    }
  }

  #setMode(path: ByteText, mode: number): void {
    const absolute = this.#absolute(path);
    if (isFolder(mode)) this.#modes.set(absolute, mode);
    else if (statsOf(absolute)?.isFile() === true) chmodSync(pathOf(absolute), mode & 0o7777);
  }

  /** Runs `act`, which changes the folder of a path. Makes a folder without write permission writable until the end. */
  #folderFor(path: ByteText, act: () => void): void {
    try {
      act();
    } catch (error) {
      const folder = dirname(path);
      const stats = statsOf(folder);
      if (!hasCode(error, "EACCES") || stats === undefined) throw error;
      if (!this.#modes.has(folder)) this.#modes.set(folder, stats.mode);
      chmodSync(pathOf(folder), stats.mode | 0o700);
      act();
    }
  }

  /** Refuses to write through a link that has replaced a folder. */
  #checkFolder(folder: ByteText): void {
    if (this.#folders.has(folder) || folder.length < this.#plan.root.length) return;
    this.#checkFolder(dirname(folder));
    if (statsOf(folder)?.isDirectory() !== true)
      throw new NoUndo(`${shownPath(folder)} is not a folder any more; nothing more was restored. Run the undo again.`);
    this.#folders.add(folder);
  }

  #absolute(path: ByteText): ByteText {
    return under(this.#plan.root, path);
  }
}
