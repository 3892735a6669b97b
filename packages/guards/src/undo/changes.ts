import { type ByteText, shownPath, under } from "./bytes.ts";
import { gitOutput } from "./git.ts";
import { FOLDER, isFolder, type ObjectStore, type TreeEntry, TYPE } from "./objects.ts";

/** A difference between two states of a folder. */
export interface TreeChange {
  readonly path: ByteText;
  readonly kind: "deleted" | "added" | "changed" | "mode";
  readonly before: TreeEntry | undefined;
  readonly after: TreeEntry | undefined;
  /** Whether the path is in a `.git` folder that both states have (`shared`), or only one (`single`). */
  readonly repository: "shared" | "single" | undefined;
}

/** The id of a state's tree; `undefined` if there was nothing. */
export type Tree = string | undefined;

/**
 * Returns the changes from the first to the second state, ordered by name and each folder before its entries. A folder
 * in only one of the states is one change, followed by a change for each of its entries.
 */
export function changesBetween(
  before: Tree,
  after: Tree,
  { store, isInRepository = false }: { readonly store: ObjectStore; readonly isInRepository?: boolean },
): TreeChange[] {
  const changes: TreeChange[] = [];
  const compare = (from: Tree, to: Tree, path: ByteText, outer: TreeChange["repository"]): void => {
    if (from === to) return;
    const [old, now] = [from, to].map(
      (tree) => new Map((tree === undefined ? [] : store.tree(tree)).map((e) => [e.name, e])),
    );
    for (const name of [...new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])].sort()) {
      const [one, other] = [old?.get(name), now?.get(name)];
      const inner = under(path, name);
      const isRepository = name === ".git" && [one, other].some((entry) => entry !== undefined && isFolder(entry.mode));
      const isShared = treeOf(one) !== undefined && treeOf(other) !== undefined;
      const repository = outer ?? (isRepository ? (isShared ? "shared" : "single") : undefined);
      const kind = kindOf(one, other);
      if (kind !== undefined) changes.push({ path: inner, kind, before: one, after: other, repository });
      compare(treeOf(one), treeOf(other), inner, repository);
    }
  };
  compare(before, after, "", isInRepository ? "shared" : undefined);
  return changes;
}

function treeOf(entry: TreeEntry | undefined): Tree {
  return entry !== undefined && isFolder(entry.mode) ? entry.oid : undefined;
}

function kindOf(before: TreeEntry | undefined, after: TreeEntry | undefined): TreeChange["kind"] | undefined {
  if (before === undefined) return "added";
  if (after === undefined) return "deleted";
  if ((before.mode & TYPE) !== (after.mode & TYPE)) return "changed";
  if ((before.mode & TYPE) !== FOLDER && before.oid !== after.oid) return "changed";
  return before.mode === after.mode ? undefined : "mode";
}

/** The states before and after a call, and the store of their objects. */
export interface Compared {
  readonly before: Tree;
  readonly after: Tree;
  readonly store: ObjectStore;
  readonly shadow: string;
  readonly timeoutMs: number;
}

/** Describes a call's changes in sentences for a person; none if nothing was lost or changed. */
export function toldChanges(changes: readonly TreeChange[], compared: Compared): string[] {
  const files = changes.filter(
    ({ repository, before, after }) => repository === undefined && !isOnlyFolder(before, after),
  );
  const [before, after] = [refsOf(compared.before, compared.store), refsOf(compared.after, compared.store)];
  const known = changes.length === 0 ? new Set<string>() : committedIn(before, compared);
  const isKnown = ({ before: was }: TreeChange): boolean => known.has(was?.oid ?? "");
  const of = (kind: TreeChange["kind"], isInGit?: boolean): TreeChange[] =>
    files.filter((change) => change.kind === kind && (isInGit === undefined || isKnown(change) === isInGit));
  return [
    ...told("Deleted", of("deleted", false), "that git did not have"),
    ...told("Deleted", of("deleted", true), "that the last commit has"),
    ...told("Changed", of("changed", false), "with edits that git did not have"),
    ...told("Changed", of("changed", true), "that the last commit has"),
    ...told("Changed the mode of", of("mode"), ""),
    ...told("Added", of("added"), ""),
    ...toldRefs(before, after),
  ];
}

/** Returns one line for each change, in the format of `git diff --name-status`. */
export function listedChanges(changes: readonly TreeChange[]): string[] {
  const LETTERS = { deleted: "D", added: "A", changed: "M", mode: "mode" };
  const shown = changes.filter(({ before, after, kind }) => kind === "mode" || !isOnlyFolder(before, after));
  return shown.map(({ kind, path, before, after }) =>
    kind === "mode"
      ? `mode ${octal(before)} -> ${octal(after)} ${shownPath(path)}`
      : `${LETTERS[kind]} ${shownPath(path)}`,
  );
}

function octal(entry: TreeEntry | undefined): string {
  return ((entry?.mode ?? 0) & 0o7777).toString(8).padStart(4, "0");
}

function isOnlyFolder(...entries: readonly (TreeEntry | undefined)[]): boolean {
  return entries.every((entry) => entry === undefined || isFolder(entry.mode));
}

const MOST_NAMED = 5;

/** Returns a sentence that names changed files; none if there are no such files. */
export function told(verb: string, changes: readonly TreeChange[], which: string): string[] {
  if (changes.length === 0) return [];
  const names = changes.slice(0, MOST_NAMED).map(({ path }) => shownPath(path));
  const more = changes.length - names.length;
  const list = names.join(", ") + (more > 0 ? ` and ${more} more` : "");
  return [`${verb} ${counted(changes.length, "file")}${which === "" ? "" : ` ${which}`}: ${list}.`];
}

/** Formats a number with its noun, in the plural unless it is one. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function toldRefs(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const short = (value: string): string =>
    shownPath(value.replace(/^ref: refs\/heads\//, "").replace(/^([0-9a-f]{10})[0-9a-f]+$/, "$1"));
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((ref) => {
    const [from, to] = [before.get(ref), after.get(ref)];
    const name = shownPath(ref.replace(/^refs\/heads\//, "branch ").replace(/^refs\/tags\//, "tag "));
    if (from === to) return [];
    if (from === undefined) return [`Added ${name}.`];
    return to === undefined
      ? [`Deleted ${name}, which was ${short(from)}.`]
      : [`Moved ${name} from ${short(from)} to ${short(to)}.`];
  });
}

/** Returns a tree's entry by its path. */
export function entryAt(tree: Tree, path: ByteText, store: ObjectStore): TreeEntry | undefined {
  let at: Tree = tree;
  let found: TreeEntry | undefined;
  for (const name of path.split("/")) {
    found = at === undefined ? undefined : store.tree(at).find((entry) => entry.name === name);
    at = treeOf(found);
  }
  return found;
}

function textAt(tree: Tree, path: ByteText, store: ObjectStore): Buffer {
  const entry = entryAt(tree, path, store);
  const [blob] = entry === undefined || isFolder(entry.mode) ? [] : store.blobs([entry.oid]);
  return blob?.[1] ?? Buffer.alloc(0);
}

/** Returns the ids of all files in the last commit; empty if there is none. */
export function committedIn(refs: ReadonlyMap<string, string>, { shadow, timeoutMs }: Compared): ReadonlySet<string> {
  const head = refs.get("HEAD") ?? "";
  const commit = head.startsWith("ref: ") ? refs.get(head.slice(5)) : head;
  if (commit === undefined || !/^[0-9a-f]{40,64}$/.test(commit)) return new Set();
  const listed = gitOutput(["ls-tree", "-r", "-z", commit], { gitDir: shadow, timeoutMs });
  return new Set(
    Array.from((listed?.toString("latin1") ?? "").matchAll(/(?:^|\0)\d+ blob ([0-9a-f]+)\t/g), ([, oid = ""]) => oid),
  );
}

/** Returns the refs of a project's repository, including HEAD and the stash entries. */
export function refsOf(tree: Tree, store: ObjectStore): ReadonlyMap<string, string> {
  const packed = textAt(tree, ".git/packed-refs", store).toString("latin1");
  const refs = new Map(
    Array.from(packed.matchAll(/^([0-9a-f]{40,64}) (\S+)$/gm), ([, oid = "", name = ""]) => [name, oid]),
  );
  const loose = (at: TreeEntry | undefined, path: string): void => {
    if (at === undefined) return;
    if (isFolder(at.mode)) for (const entry of store.tree(at.oid)) loose(entry, `${path}/${entry.name}`);
    else for (const [, content] of store.blobs([at.oid])) refs.set(path, content.toString("latin1").trim());
  };
  loose(entryAt(tree, ".git/refs", store), "refs");
  const head = textAt(tree, ".git/HEAD", store).toString("latin1").trim();
  if (head !== "") refs.set("HEAD", head);
  refs.delete("refs/stash");
  const stash = textAt(tree, ".git/logs/refs/stash", store).toString("latin1");
  for (const [, oid = "", title = ""] of stash.matchAll(/^\w+ (\w+) [^\t\n]*\t(.*)$/gm))
    refs.set(`stash entry "${title}"`, oid);
  return refs;
}
