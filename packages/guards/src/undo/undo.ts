import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { readSettings, type SettingsOf } from "../settings.ts";
import { type ByteText, bytesOf, pathOf, shownPath } from "./bytes.ts";
import { changesBetween, entryAt, listedChanges, type Tree, toldChanges } from "./changes.ts";
import { gitOutput } from "./git.ts";
import { matcherOf } from "./glob.ts";
import { returnObjects, statsOf } from "./links.ts";
import { locked } from "./lock.ts";
import { toldLosses } from "./losses.ts";
import { asNoUndo, NoUndo } from "./no-undo.ts";
import { ObjectStore } from "./objects.ts";
import { prune } from "./prune.ts";
import { type CheckpointRecord, Records, type RootState } from "./records.ts";
import { foreignIn, isWithin, type Repository, real, repositoryOf } from "./repository.ts";
import { carryOut, clearStages, isIdle, type Plan, planOf, reopen } from "./restore.ts";
import { type Memory, type Scanned, scan } from "./scan.ts";

/** Options of an undo: the project and its surroundings. */
export interface UndoOptions {
  /** A folder of the project. In a repository, undo covers the whole work tree. */
  readonly project: string;
  /** hookline's home, in which checkpoints are kept. */
  readonly home: string;
  readonly settings?: SettingsOf<"undo">;
  /** Time limit of a checkpoint in ms; 2,000 by default. */
  readonly timeLimitMs?: number;
  /** The most files that a project may have; 200,000 by default. */
  readonly maxFiles?: number;
  /** The person's home folder: undo covers neither it nor a folder above it. Default: `os.homedir()`. */
  readonly personHome?: string;
  /** Returns the time in epoch ms. */
  readonly now?: () => number;
}

/** The reason why something was not done, as a sentence. */
export interface Refusal {
  readonly because: string;
  /** `late`: the time limit was reached. `big`: the project has too many files. */
  readonly is?: "late" | "big" | undefined;
}

/** A new checkpoint, or the last one if nothing has changed since. */
export interface Made {
  readonly checkpoint: CheckpointRecord;
  readonly isNew: boolean;
}

/** Something that a call would lose: files by absolute path or relative to the project, or a repository's own state. */
export type Loss =
  | { readonly kind: "files"; readonly paths: readonly string[] }
  | { readonly kind: "repository"; readonly folder: string }
  | { readonly kind: "elsewhere" };

/** Options of a restore. */
export interface RestoreOptions {
  /** Restores only these files and folders, relative to the project. */
  readonly files?: readonly string[];
  /** Whether files newer than the checkpoint are deleted. */
  readonly removesNew?: boolean;
}

/** The result of a restore. */
export interface Restored {
  /** The checkpoint that was made before the restore; an `undo` of it restores that state. */
  readonly before: number;
  readonly plans: readonly Plan[];
  /** The new paths of files that are in no checkpoint and were moved aside. */
  readonly aside: readonly string[];
}

const CHECKPOINT_MS = 2_000;
/** Time limit of a restore in ms, longer than a checkpoint's because a person waits for it. */
const RESTORE_MS = 60_000;

/**
 * Opens the checkpoints of a project. Throws `NoUndo` with a sentence if there can be no undo: in a home folder, above
 * it, in `/`, or if the project's folder cannot be read.
 */
export function openUndo(options: UndoOptions): Undo {
  try {
    return new Undo(options);
  } catch (error) {
    throw asNoUndo(error, "No undo here");
  }
}

/** Takes, compares and restores the checkpoints of a project. */
export class Undo {
  /** The folder that undo covers: the top of the repository, or the project's folder. */
  readonly root: ByteText;
  readonly settings: SettingsOf<"undo">;
  readonly #records: Records;
  readonly #home: ByteText;
  readonly #repository: Repository | undefined;
  readonly #store: ObjectStore;
  readonly #o: UndoOptions;
  readonly #now: () => number;
  #memories: Record<ByteText, Memory> | undefined;
  #generation = -1;
  readonly #alternates = new Set<ByteText>();
  /** The state at the last report of losses, and the number of the newest checkpoint at that time. */
  #told: { readonly after: number; readonly tree: Tree } | undefined;

  constructor(options: UndoOptions) {
    this.#o = options;
    this.#now = options.now ?? Date.now;
    this.settings = options.settings ?? readSettings("undo").settings;
    const project = real(bytesOf(resolve(options.project)));
    this.#home = real(bytesOf(resolve(options.home)));
    const personHome = real(bytesOf(options.personHome ?? homedir()));
    const found = repositoryOf(project);
    const isFit = (folder: ByteText): boolean => ![personHome, this.#home].some((home) => isWithin(home, folder));
    // A repository around the home folder usually holds settings; then only the project's own folder is covered.
    const repository = found !== undefined && isFit(found.top) ? found : undefined;
    // If `.git` was deleted, earlier checkpoints still show which folder contained it.
    const known = repository?.top === project ? undefined : this.#knownAbove(project, repository?.top);
    this.#repository = known === undefined ? repository : known.repository;
    this.root = known?.at ?? repository?.top ?? project;
    if (!isFit(this.root))
      throw new NoUndo(
        `No undo here: ${shownPath(this.root)} is a home folder or contains one. Work in a folder of its own.`,
      );
    this.#records = new Records(options.home, this.root);
    const hashLength = this.#repository?.hashLength ?? this.#records.hashLength() ?? 20;
    this.#store = new ObjectStore(this.#records.folder, hashLength);
  }

  /**
   * Takes a checkpoint. If nothing has changed since the last one, that gets the new label. `label` says what is about
   * to happen.
   *
   * Never throws: if it is not possible, the result says why.
   */
  async checkpoint(label: string): Promise<Made | Refusal> {
    return this.#refusing("No undo here: the checkpoint could not be made", this.#limitMs, async (deadline) => {
      const made = await this.#take({ label }, deadline);
      this.prune();
      return made;
    });
  }

  /** Returns the checkpoints, newest first. */
  list(): CheckpointRecord[] {
    return this.#records
      .numbers()
      .reverse()
      .flatMap((number) => this.#records.read(number) ?? []);
  }

  /** Returns the checkpoint that an undo without a number restores: the last that differs from the current state. */
  async latest(): Promise<CheckpointRecord | Refusal> {
    return this.#refusing("The project could not be read", RESTORE_MS, async (deadline) => {
      const [newest, ...others] = this.list();
      const now = await this.#roots(deadline);
      const differs = (record: CheckpointRecord): boolean => !isSame(record.roots, now.roots);
      const from = newest?.undoneTo === undefined ? Number.POSITIVE_INFINITY : newest.undoneTo;
      const all = newest === undefined ? [] : [newest, ...others];
      const found = all.find((record) => record.undoneTo === undefined && record.number <= from && differs(record));
      if (found === undefined) throw new NoUndo("Nothing to undo: no checkpoint differs from what is there.");
      return found;
    });
  }

  /** Returns the changes since a checkpoint: as sentences, as a line for each file, and as changed lines in files. */
  async diff(number: number): Promise<{ told: string[]; files: string[]; lines: string } | Refusal> {
    return this.#refusing("The project could not be compared", RESTORE_MS, async (deadline) => {
      const record = this.#get(number);
      const now = await this.#roots(deadline);
      const [before, after] = [record.roots[0]?.tree, now.roots[0]?.tree];
      const changes = changesBetween(before, after, { store: this.#store });
      this.#store.flush();
      const args = ["diff", "--no-ext-diff", "--no-textconv", "--no-renames", "--no-color"];
      const output = gitOutput([...args, `${before}`, `${after}`, "--", ".", ":(exclude,glob)**/.git/**"], {
        gitDir: this.#records.folder,
        timeoutMs: RESTORE_MS,
      });
      return {
        told: toldChanges(changes, {
          before,
          after,
          store: this.#store,
          shadow: this.#records.folder,
          timeoutMs: RESTORE_MS,
        }),
        files: listedChanges(changes.filter(({ repository }) => repository === undefined)),
        lines: output?.toString() ?? "",
      };
    });
  }

  /** Describes in sentences what was lost since a checkpoint and is not committed. Each loss is reported only once. */
  async lostSince(number: number): Promise<string[] | Refusal> {
    return this.#refusing("The project could not be compared", this.#limitMs, async (deadline) => {
      const { roots, leftOut } = await this.#roots(deadline);
      const after = roots[0]?.tree;
      const timeoutMs = deadline - this.#now();
      const lostFrom = (before: Tree): string[] => {
        const compared = { before, after, store: this.#store, shadow: this.#records.folder, timeoutMs };
        const changes = changesBetween(before, after, compared);
        // A path that the comparison left out, such as a file that has become too big, is still there.
        return toldLosses(
          changes.filter(({ path }) => !leftOut.some((one) => isWithin(path, one.path))),
          compared,
        );
      };
      const checkpoint = this.#get(number).roots[0]?.tree;
      const told = this.#told;
      this.#told = { after: this.#records.numbers().at(-1) ?? 0, tree: after };
      try {
        return lostFrom(told === undefined || told.after < number ? checkpoint : told.tree);
      } catch (error) {
        // `prune` may have removed the objects of the last reported state: they are in no checkpoint.
        if (!(error instanceof NoUndo)) throw error;
        return lostFrom(checkpoint);
      }
    });
  }

  /** Returns what a restore would do: a plan for each folder. */
  async plan(number: number, options: RestoreOptions = {}): Promise<readonly Plan[] | Refusal> {
    return this.#refusing("The project could not be compared", RESTORE_MS, async (deadline) =>
      this.#plans(this.#get(number), await this.#roots(deadline), options),
    );
  }

  /**
   * Returns the checkpoints that differ from the current state, newest first, each with what a restore would do. That
   * is computed on demand, and throws `NoUndo` if the checkpoint has been dropped meanwhile.
   */
  async offers(): Promise<
    readonly { readonly checkpoint: CheckpointRecord; readonly plans: () => readonly Plan[] }[] | Refusal
  > {
    return this.#refusing("The project could not be compared", RESTORE_MS, async (deadline) => {
      const now = await this.#roots(deadline);
      this.#store.flush();
      return this.list().flatMap((checkpoint) =>
        isSame(checkpoint.roots, now.roots) ? [] : [{ checkpoint, plans: () => this.#plans(checkpoint, now, {}) }],
      );
    });
  }

  /**
   * Restores a checkpoint, after making one of the current state. Newer files stay, unless `removesNew` is set. Nothing
   * is lost if the restore is killed: both checkpoints stay, so it can be repeated or undone.
   */
  async restore(number: number, options: RestoreOptions = {}): Promise<Restored | Refusal> {
    return this.#refusing("Not restored", RESTORE_MS, async (deadline) => {
      const target = this.#get(number);
      for (const { root, tree, stores } of target.roots) {
        mkdirSync(pathOf(root), { recursive: true });
        reopen(root, { tree, stores, store: this.#store });
        const lock = [`${root}/.git/index.lock`, `${root}/index.lock`].find((path) => statsOf(path) !== undefined);
        if (lock !== undefined)
          throw new NoUndo(`Not restored: git is working here. If none runs any more, remove ${shownPath(lock)}.`);
      }
      const made = await this.#take({ label: `undo to ${number}`, undoneTo: number }, deadline);
      const plans = this.#plans(target, made.checkpoint, options);
      const aside: ByteText[] = [];
      if (options.files === undefined)
        for (const { root, stores } of target.roots)
          for (const path of stores) returnObjects(this.#linkedTo(root, path), `${root}/${path}`);
      for (const plan of plans) {
        if (!isIdle(plan)) aside.push(...carryOut(plan, this.#store));
      }
      return { before: made.checkpoint.number, plans, aside: aside.map(shownPath) };
    });
  }

  /**
   * Returns why a checkpoint cannot restore something that would be lost; `undefined` if it can. Without a number, uses
   * the last checkpoint that was not made by an undo. Call it right after `checkpoint`.
   */
  covers(loss: Loss, number?: number): Refusal | undefined {
    const last = this.list().find((one) => (number === undefined ? one.undoneTo === undefined : one.number === number));
    if (last === undefined) return { because: "there is no checkpoint" };
    if (loss.kind === "elsewhere") return { because: "it is not in the project" };
    if (loss.kind === "repository") {
      const folder = this.#realOf(loss.folder);
      if (!last.roots.some(({ root }) => isWithin(folder, root)))
        return { because: "the repository is not in the project" };
      return last.isBorrowing ? { because: "its objects could not be copied" } : undefined;
    }
    for (const path of loss.paths) {
      const refusal = this.#coversFile(last, this.#realOf(path), path);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  /** Drops the checkpoints over the limits. Returns how many. */
  prune(): number {
    return prune(this.#records, { store: this.#store, settings: this.settings, nowMs: this.#now() });
  }

  /**
   * Returns the folder, or a parent below `top`, that was a repository in a checkpoint; the one with the latest. Without
   * `top`, also the folder if it was none. `repository` is that repository if it was outside of the folder.
   */
  #knownAbove(
    folder: ByteText,
    top: ByteText | undefined,
  ): { readonly at: ByteText; readonly repository: Repository | undefined } | undefined {
    let latest:
      | { readonly at: ByteText; readonly atMs: number; readonly repository: Repository | undefined }
      | undefined;
    for (let at = folder; at !== dirname(at); at = dirname(at)) {
      const records = new Records(this.#o.home, at);
      let atMs = 0;
      let roots: readonly RootState[] | undefined;
      for (const number of records.numbers().reverse()) {
        const record = records.read(number);
        atMs ||= record?.atMs ?? 0;
        const [first, ...others] = record?.roots ?? [];
        if (others.length === 0 && (first?.stores.length ?? 0) === 0) continue;
        roots = record?.roots;
        break;
      }
      if ((roots !== undefined || (at === folder && top === undefined)) && atMs > (latest?.atMs ?? 0)) {
        const [gitDir, commonDir = gitDir] = (roots ?? []).slice(1).map(({ root }) => root);
        const hashLength = records.hashLength() ?? 20;
        const isElsewhere = gitDir !== undefined && commonDir !== undefined;
        latest = { at, atMs, repository: isElsewhere ? { top: at, gitDir, commonDir, hashLength } : undefined };
      }
      if (at === top) break;
    }
    return latest?.at === top ? undefined : latest;
  }

  #coversFile(last: CheckpointRecord, path: ByteText, written: string): Refusal | undefined {
    const root = last.roots.find((one) => isWithin(path, one.root));
    if (root === undefined) return { because: `${written} is not in the project` };
    const below = path === root.root ? "" : path.slice(root.root.length + 1);
    const left = last.leftOut.find(
      (one) => isWithin(below, one.path) || (one.why !== "rebuildable" && (below === "" || isWithin(one.path, below))),
    );
    if (left !== undefined && !(left.why === "rebuildable" && left.path === below))
      return { because: `${shownPath(left.path)} is not in the checkpoint (${left.why})` };
    if (left !== undefined || below === "" || entryAt(root.tree, below, this.#store) !== undefined) return undefined;
    return statsOf(path) === undefined ? undefined : { because: `${written} is not in the checkpoint` };
  }

  #realOf(path: string): ByteText {
    const absolute = bytesOf(resolve(this.#o.project, path));
    const parent = real(absolute.slice(0, absolute.lastIndexOf("/")) || "/");
    return `${parent === "/" ? "" : parent}/${absolute.slice(absolute.lastIndexOf("/") + 1)}`.replace(/(.)\/$/, "$1");
  }

  #get(number: number): CheckpointRecord {
    const record = this.#records.read(number);
    if (record === undefined)
      throw new NoUndo(`There is no checkpoint ${number}. \`hookline undo --list\` shows them.`);
    return record;
  }

  async #take(what: { readonly label: string; readonly undoneTo?: number }, deadline: number): Promise<Made> {
    const taken = await this.#roots(deadline);
    const last = this.#records.numbers().at(-1) ?? 0;
    const record = this.#records.read(last);
    const isUndo = what.undoneTo !== undefined || record?.undoneTo !== undefined;
    if (!isUndo && record !== undefined && isSame(record.roots, taken.roots)) {
      // Equal trees do not show which files were left out, so the record may need an update.
      const checkpoint = { ...record, ...taken, label: what.label, atMs: this.#now() };
      const isKnown = JSON.stringify({ ...checkpoint, atMs: record.atMs }) === JSON.stringify(record);
      if (!isKnown) this.#records.write(checkpoint);
      return { checkpoint, isNew: false };
    }
    const checkpoint: CheckpointRecord = { number: last + 1, ...what, atMs: this.#now(), ...taken };
    this.#store.flush();
    this.#records.write(checkpoint);
    this.#records.writeMemories(this.#memories ?? {});
    return { checkpoint, isNew: true };
  }

  /** Reads the state of the project, and of the parts of its repository that are in other folders. */
  async #roots(deadline: number): Promise<Omit<CheckpointRecord, "number" | "label" | "atMs">> {
    const { generation } = this.#records.state();
    if (generation !== this.#generation) {
      this.#memories = this.#records.memories();
      this.#store.forget();
      this.#generation = generation;
    }
    const repository = this.#repository;
    const elsewhere = [repository?.gitDir, repository?.commonDir].filter(
      (folder): folder is ByteText =>
        folder !== undefined && !isWithin(folder, this.root) && statsOf(folder)?.isDirectory() === true,
    );
    const folders = [this.root, ...new Set(elsewhere)];
    const roots: RootState[] = [];
    const scans: Scanned[] = [];
    for (const root of folders) {
      clearStages(root);
      const one = await this.#scan(root, deadline);
      scans.push(one);
      roots.push({ root, tree: one.tree, stores: one.stores });
    }
    return {
      roots,
      files: scans.reduce((sum, { files }) => sum + files, 0),
      leftOut: scans[0]?.leftOut ?? [],
      isBorrowing: scans.some(({ isBorrowing }) => isBorrowing),
    };
  }

  async #scan(root: ByteText, deadline: number): Promise<Scanned> {
    const memories = (this.#memories ??= {});
    const memory = (memories[root] ??= { files: {}, linked: {}, ignored: {} });
    // A file may be named like something that each object inherits, such as `constructor`.
    for (const part of Object.values(memory)) Object.setPrototypeOf(part, null);
    const repository = this.#repository;
    const isForeign = foreignIn(root, this.root);
    // The common folder of a linked work tree also has the main work tree's own files, such as HEAD. They are left out.
    const isShared = root !== this.root && root === repository?.commonDir && root !== repository.gitDir;
    const isNotShared = (path: ByteText): boolean =>
      isShared && !/^(?:refs|packed-refs|objects|logs|reftable)(?:\/|$)/.test(path.replace(/^logs\/(?!refs)/, "-"));
    const scanned = scan({
      root,
      shadow: this.#records.folder,
      store: this.#store,
      memory,
      hashLength: this.#store.hashLength,
      repository,
      isRepository: root !== this.root,
      isIncluded: matcherOf(this.settings.include),
      isExcluded: root === this.root ? matcherOf(this.settings.exclude) : () => false,
      isForeign: (path, isInRepository) => isForeign(path, isInRepository) || isNotShared(path),
      linkedTo: (store) => this.#linkedTo(root, store),
      deadline,
      now: this.#now,
      maxFiles: this.#o.maxFiles ?? 200_000,
    });
    try {
      return await scanned;
    } catch (error) {
      // Saves what was read before the error, so that the next scan does not read it again.
      if (error instanceof NoUndo) {
        this.#store.flush();
        this.#records.writeMemories(memories);
      }
      throw error;
    }
  }

  #linkedTo(root: ByteText, store: ByteText): ByteText {
    const name = createHash("sha256").update(`${root}/${store}`, "latin1").digest("hex").slice(0, 16);
    const folder = `${bytesOf(resolve(this.#records.folder))}/links/${name}`;
    if (!this.#alternates.has(folder)) this.#records.addAlternate(folder);
    this.#alternates.add(folder);
    return folder;
  }

  #plans(
    target: CheckpointRecord,
    now: Pick<CheckpointRecord, "roots" | "isBorrowing">,
    { files, removesNew = false }: RestoreOptions,
  ): Plan[] {
    const wanted = files?.map((file) => this.#realOf(file));
    return target.roots.flatMap(({ root, tree }, at) => {
      // A restore of certain files leaves the repository's folders outside of the project alone.
      if (wanted !== undefined && at > 0) return [];
      const isWanted = (path: ByteText): boolean =>
        wanted === undefined || wanted.some((one) => isWithin(`${root}/${path}`, one) || isParent(path, root, one));
      const current = now.roots.find((one) => one.root === root);
      const stores = now.isBorrowing ? [] : (current?.stores ?? []);
      const plan = planOf(
        root,
        { now: current?.tree, target: tree },
        { store: this.#store, isInRepository: at > 0, isWanted, removesNew, stores },
      );
      if (wanted !== undefined && isIdle(plan) && plan.kept.length === 0)
        this.#checkNamed(files ?? [], wanted, tree, root);
      return [plan];
    });
  }

  #checkNamed(files: readonly string[], wanted: readonly ByteText[], tree: string, root: ByteText): void {
    const unknown = files.find((_, at) => {
      const path = wanted[at] ?? "";
      return (
        !isWithin(path, root) ||
        (path !== root && entryAt(tree, path.slice(root.length + 1), this.#store) === undefined)
      );
    });
    if (unknown !== undefined) throw new NoUndo(`Not restored: the checkpoint has no ${unknown}.`);
  }

  /** The time limit in ms for a checkpoint or comparison, for which a tool call waits. */
  get #limitMs(): number {
    return this.#o.timeLimitMs ?? CHECKPOINT_MS;
  }

  /** Runs work under the lock and the time limit; returns file system errors as a sentence. */
  async #refusing<T>(what: string, limitMs: number, work: (deadline: number) => Promise<T>): Promise<T | Refusal> {
    const deadline = this.#now() + limitMs;
    try {
      this.#records.create(this.root, this.#store.hashLength);
      return await locked(join(this.#records.folder, "lock"), { deadline, now: this.#now }, () => work(deadline));
    } catch (error) {
      const { message, is } = asNoUndo(error, what);
      return { because: message, ...(is !== undefined && { is }) };
    }
  }
}

/** Whether a path is a wanted path or one of its parent folders, which must exist before it is restored. */
function isParent(path: ByteText, root: ByteText, wanted: ByteText): boolean {
  return isWithin(wanted, `${root}/${path}`);
}

function isSame(some: readonly RootState[], others: readonly RootState[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ root, tree }, at) => others[at]?.root === root && others[at]?.tree === tree)
  );
}
