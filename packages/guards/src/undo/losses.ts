import { type Compared, committedIn, refsOf, type TreeChange, told } from "./changes.ts";
import { isFolder } from "./objects.ts";

/**
 * Describes in sentences what a call removed that the last commit does not have: deleted files, discarded edits,
 * branches, tags and stash entries. Content that it overwrote by new content, moved or stashed is not a loss.
 */
export function toldLosses(changes: readonly TreeChange[], compared: Compared): string[] {
  const { before, after, store } = compared;
  const [old, now] = [refsOf(before, store), refsOf(after, store)];
  const gone = [...old.keys()].filter((ref) => !now.has(ref) && ref !== "HEAD");
  const refs = gone.map(
    (ref) => `Deleted ${ref.replace(/^refs\/heads\//, "branch ").replace(/^refs\/tags\//, "tag ")}.`,
  );
  const isStashed = [...now.keys()].some((ref) => ref.startsWith("stash entry") && !old.has(ref));
  const files = changes.filter(
    ({ repository, before: was }) => repository === undefined && was !== undefined && !isFolder(was.mode),
  );
  if (isStashed || files.length === 0) return refs;
  const elsewhere = new Set(changes.flatMap(({ after: made }) => made?.oid ?? []));
  const [committed, committedNow] = [committedIn(old, compared), committedIn(now, compared)];
  const isLost = ({ before: was }: TreeChange): boolean =>
    !committed.has(was?.oid ?? "") && !elsewhere.has(was?.oid ?? "");
  const deleted = files.filter((change) => change.kind === "deleted" && isLost(change));
  const discarded = files.filter(
    (change) => change.kind === "changed" && isLost(change) && committedNow.has(change.after?.oid ?? ""),
  );
  const which = committed.size === 0 ? "" : "that git did not have";
  return [...told("Deleted", deleted, which), ...told("Discarded edits in", discarded, ""), ...refs];
}
