/** A file, folder or pattern that a command names. */
export interface NamedPath {
  /** An absolute path, or the word as written if it is computed, such as `$DIR/x`. */
  readonly path: string;
  readonly isKnown: boolean;
  /** Whether the shell expands the path to matching files. */
  readonly isPattern: boolean;
}

/** Files that a search such as `find` finds below its starting folders. */
export interface Search {
  readonly roots: readonly NamedPath[];
  /** Patterns of base names, one of which must match; empty for all files. */
  readonly names: readonly string[];
  /** Patterns of paths to leave out. */
  readonly without: readonly string[];
  readonly onlyEmpty: boolean;
}

/** Something that a git command may discard from a repository. */
export type Discard =
  | { readonly what: "edits"; readonly paths: readonly string[] | "all"; readonly includesIndex: boolean }
  /** Staged content of files that were edited after staging. `isForced`: of all staged files, except in a merge. */
  | { readonly what: "index"; readonly paths: readonly string[] | "all"; readonly isForced?: boolean }
  /** `clean`: the options of a `git clean` that lists the same files. */
  | {
      readonly what: "untracked";
      readonly paths: readonly string[] | "all";
      readonly ignored: "kept" | "too" | "only";
      readonly clean?: readonly string[];
    }
  /** Ignored files, and untracked ones if forced, in whose place files of `commit` are written or merged. */
  | {
      readonly what: "replaced";
      readonly commit: string;
      readonly paths: readonly string[] | "all";
      readonly isForced: boolean;
      readonly isMerged?: boolean;
    }
  | { readonly what: "move"; readonly ref: string; readonly to: string; readonly isHard: boolean }
  | { readonly what: "branch" | "tag" | "ref"; readonly names: readonly string[] }
  | { readonly what: "stash"; readonly entry: string | "all" }
  /** Objects that no ref reaches. `isInReflog`: also those that a reflog reaches. */
  | { readonly what: "unreachable"; readonly isInReflog: boolean }
  /** `left`: commits that a detached HEAD alone reaches. */
  | { readonly what: "history" | "resolutions" | "left" }
  /** Discards `each` of these in the work tree `path`; without `path`, in each submodule. */
  | { readonly what: "trees"; readonly path?: string; readonly each: readonly Discard[] }
  | { readonly what: "checkout"; readonly words: readonly string[]; readonly isForced: boolean }
  | { readonly what: "push"; readonly remote: string | undefined; readonly push: Push }
  | { readonly what: "hooks"; readonly names: readonly string[] };

/** A push that may remove something from a remote. */
export interface Push {
  readonly refs: readonly string[];
  readonly how: "force" | "lease" | "delete" | "mirror";
  /** Whether an earlier command, such as `git commit --amend`, replaces commits that the remote may have. */
  readonly isRewritten?: boolean;
}

/** One effect of a command that may lose something. */
export type Effect = { readonly by: string } & (
  | { readonly kind: "delete"; readonly targets: readonly NamedPath[]; readonly isRecursive: boolean }
  | { readonly kind: "overwrite"; readonly targets: readonly NamedPath[] }
  | { readonly kind: "write"; readonly targets: readonly NamedPath[] }
  | { readonly kind: "search"; readonly search: Search }
  | { readonly kind: "mode"; readonly targets: readonly NamedPath[] }
  | { readonly kind: "repository"; readonly folder: NamedPath; readonly discards: readonly Discard[] }
  /** A loss outside this machine's files; `loses` completes "`COMMAND` …". */
  | { readonly kind: "outside"; readonly loses: string; readonly instead?: string; readonly isRefused?: boolean }
  /** A computed program that may delete, as in `$X -rf .`, or unknown code that a program runs. */
  | { readonly kind: "unknown"; readonly word: string; readonly what: string }
);

type Each<E> = E extends unknown ? Omit<E, "by"> : never;

/** An effect without `by`, the command that causes it. */
export type Found = Each<Effect>;
