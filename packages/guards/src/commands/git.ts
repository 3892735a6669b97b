import type { CommandWord } from "@hookline/runtime/command";
import { type Args, argsOf, textOf } from "./args.ts";
import type { Discard } from "./effect.ts";

type Reader = (args: Args, texts: readonly string[]) => readonly Discard[];

interface Row {
  readonly takes?: string;
  readonly read: Reader;
}

const listed = (words: readonly CommandWord[]): readonly string[] => words.map(textOf);
const ALL_EDITS: Discard = { what: "edits", paths: "all", includesIndex: true };
const ALL_FILES: readonly Discard[] = [ALL_EDITS, { what: "untracked", paths: "all", ignored: "too" }];

/** Returns what a commit's files replace that git does not track. */
function replaced(commit: string, paths: readonly string[] | "all" = "all"): Discard {
  return { what: "replaced", commit, paths, isForced: true };
}

/** Returns what a merge of a commit replaces that git ignores. */
function merged(commit: string): Discard {
  return { what: "replaced", commit, paths: "all", isForced: false, isMerged: true };
}

/** Returns words as paths; `all` if there are none, or one is `.` or unknown, such as `$DIR`. */
function pathsIn(words: readonly CommandWord[]): readonly string[] | "all" {
  const texts = listed(words);
  return texts.length === 0 || texts.some((text) => text === "" || text === "." || text === ":/" || text === "*")
    ? "all"
    : texts;
}

/** Reads commands such as `merge` and `rebase`, whose `--abort` and `--skip` discard resolved conflicts. */
const ENDED: Row = {
  takes: "CFSXms onto",
  read: ({ flags }) => (flags.has("abort") || flags.has("skip") ? [{ what: "resolutions" }] : []),
};
/** Reads a subcommand that also writes files of the commits that it names. */
const MERGED: Row = {
  ...ENDED,
  read: (args, texts) => [...ENDED.read(args, texts), ...listed(args.operands).map(merged)],
};

/** A row for each git subcommand, whose `read` returns what the subcommand may discard. */
const ROWS: Readonly<Record<string, Row>> = {
  reset: {
    read: ({ flags, operands, behind }) => {
      const isHard = flags.has("hard");
      const commit = operands.length > behind.length ? textOf(operands[0]) : "HEAD";
      if (flags.has("soft")) return [];
      if (isHard)
        return [
          ALL_EDITS,
          { what: "move", ref: "HEAD", to: commit === "" ? "?" : commit, isHard: true },
          replaced(commit),
        ];
      if (flags.has("merge") || flags.has("keep"))
        return [
          { what: "index", paths: "all", isForced: flags.has("merge") },
          ...(flags.has("merge") ? [{ what: "resolutions" } as const] : []),
          { what: "move", ref: "HEAD", to: commit, isHard: true },
        ];
      return [{ what: "index", paths: pathsIn(behind.length > 0 ? behind : operands.slice(1)) }];
    },
  },
  checkout: {
    takes: "bB orphan conflict pathspec-from-file",
    read: ({ flags, valued, operands, behind }, texts) => {
      const created = valued.get("B");
      const isForced = flags.has("f") || flags.has("force");
      if (flags.has("orphan")) return [];
      if (flags.has("b")) return [{ what: "checkout", words: [textOf(operands[0]) || "HEAD"], isForced }];
      const branch: Discard[] =
        created === undefined
          ? []
          : [{ what: "move", ref: textOf(created), to: textOf(operands[0]) || "HEAD", isHard: false }];
      if (flags.has("pathspec-from-file")) return [ALL_EDITS];
      if (behind.length > 0) {
        const paths = pathsIn(behind);
        const isFromCommit = operands.length > behind.length;
        return [
          { what: "edits", paths, includesIndex: isFromCommit },
          ...(isFromCommit ? [replaced(textOf(operands[0]), paths)] : []),
        ];
      }
      if (texts.includes("--") || flags.has("p") || flags.has("patch"))
        return texts.includes("--") ? [] : [{ what: "edits", paths: "all", includesIndex: false }];
      return [...branch, { what: "checkout", words: listed(operands), isForced }];
    },
  },
  switch: {
    takes: "cC create force-create conflict orphan",
    read: ({ flags, valued, operands }) => {
      const created = valued.get("C") ?? valued.get("force-create");
      const to = textOf(operands[0]) || "HEAD";
      const isForced = ["f", "force", "discard-changes"].some((flag) => flags.has(flag));
      return [
        ...(created === undefined ? [] : [{ what: "move", ref: textOf(created), to, isHard: false } as const]),
        ...(flags.has("orphan") ? [] : [{ what: "checkout", words: [to], isForced } as const]),
      ];
    },
  },
  restore: {
    takes: "s source pathspec-from-file conflict",
    read: ({ flags, valued, operands }) => {
      const isStaged = flags.has("S") || flags.has("staged");
      const source = valued.get("s") ?? valued.get("source");
      const isTree = flags.has("W") || flags.has("worktree") || !isStaged;
      const paths = flags.has("pathspec-from-file") ? "all" : pathsIn(operands);
      return isTree
        ? [
            { what: "edits", paths, includesIndex: isStaged },
            ...(source === undefined ? [] : [replaced(textOf(source), paths)]),
          ]
        : [{ what: "index", paths }];
    },
  },
  clean: {
    takes: "e exclude",
    read: ({ flags, operands }, texts) => {
      if (
        ["n", "dry-run", "i", "interactive"].some((flag) => flags.has(flag)) ||
        !(flags.has("f") || flags.has("force"))
      )
        return [];
      return [
        {
          what: "untracked",
          paths: pathsIn(operands),
          ignored: flags.has("X") ? "only" : flags.has("x") ? "too" : "kept",
          clean: cleaned(flags, texts),
        },
      ];
    },
  },
  rm: {
    takes: " pathspec-from-file",
    read: ({ flags, operands }) => {
      if (flags.has("n") || flags.has("dry-run")) return [];
      const isForced = flags.has("f") || flags.has("force");
      if (flags.has("cached")) return isForced ? [{ what: "index", paths: pathsIn(operands) }] : [];
      return isForced ? [{ what: "edits", paths: pathsIn(operands), includesIndex: true }] : [];
    },
  },
  stash: {
    read: ({ operands }, texts) => {
      const sub = texts[0] ?? "push";
      if (sub === "clear") return [{ what: "stash", entry: "all" }];
      return sub === "drop" ? [{ what: "stash", entry: textOf(operands[1]) || "stash@{0}" }] : [];
    },
  },
  branch: {
    takes: "u set-upstream-to contains no-contains sort format points-at",
    read: ({ flags, operands }) => {
      const isForced = flags.has("f") || flags.has("force");
      if (flags.has("D") || ((flags.has("d") || flags.has("delete")) && isForced))
        return [{ what: flags.has("r") ? "ref" : "branch", names: listed(operands) }];
      const [from, to] = operands.map(textOf);
      if (flags.has("M") || flags.has("C") || ((flags.has("m") || flags.has("move") || flags.has("c")) && isForced))
        return [{ what: "branch", names: [to ?? from ?? ""].filter((name) => name !== "") }];
      return isForced && from !== undefined ? [{ what: "move", ref: from, to: to ?? "HEAD", isHard: false }] : [];
    },
  },
  tag: {
    takes: "mFun sort format contains points-at",
    read: ({ flags, operands }) => {
      if (flags.has("d") || flags.has("delete")) return [{ what: "tag", names: listed(operands) }];
      return flags.has("f") || flags.has("force") ? [{ what: "tag", names: listed(operands.slice(0, 1)) }] : [];
    },
  },
  "update-ref": {
    takes: "m",
    read: ({ flags, operands }) => {
      const [ref = "", to = ""] = listed(operands);
      if (flags.has("stdin")) return [{ what: "history" }];
      return flags.has("d") ? [{ what: "ref", names: [ref] }] : [{ what: "move", ref, to, isHard: false }];
    },
  },
  "symbolic-ref": { read: ({ flags, operands }) => (flags.has("d") ? [{ what: "ref", names: listed(operands) }] : []) },
  reflog: {
    read: (_, [sub]) => (sub === "expire" || sub === "delete" ? [{ what: "unreachable", isInReflog: true }] : []),
  },
  gc: {
    read: ({ flags, valued }) =>
      flags.has("prune") && /^(?:now|all)$/.test(textOf(valued.get("prune")))
        ? [{ what: "unreachable", isInReflog: false }]
        : [],
  },
  // Judged as if the reflogs had expired, as they have where `prune` is to have an effect.
  prune: {
    read: ({ flags }) => (flags.has("n") || flags.has("dry-run") ? [] : [{ what: "unreachable", isInReflog: true }]),
  },
  "filter-branch": { read: () => [{ what: "history" }] },
  "filter-repo": { read: ({ flags }) => (flags.has("dry-run") || flags.has("analyze") ? [] : [{ what: "history" }]) },
  replace: { read: ({ flags }) => (flags.has("d") || flags.has("l") ? [] : [{ what: "history" }]) },
  worktree: {
    read: ({ flags, operands }, [sub]) => {
      if (sub !== "remove") return [];
      // Without force, git refuses a work tree with edits or untracked files, but deletes ignored ones.
      const isForced = flags.has("f") || flags.has("force");
      const files = isForced ? ALL_FILES : [{ what: "untracked", paths: "all", ignored: "only" } as const];
      return [{ what: "trees", path: textOf(operands[1]), each: [...files, { what: "left" }] }];
    },
  },
  submodule: {
    read: ({ flags, operands }, texts) => {
      const isForced = flags.has("f") || flags.has("force");
      if (texts.includes("deinit") && flags.has("all")) return [{ what: "trees", each: ALL_FILES }];
      if (texts.includes("deinit") && isForced)
        return listed(operands.slice(1)).map((path) => ({ what: "trees", path, each: ALL_FILES }) as const);
      return texts.includes("update") && isForced ? [{ what: "trees", each: [ALL_EDITS] }] : [];
    },
  },
  "checkout-index": {
    read: ({ flags, operands }) =>
      flags.has("f") || flags.has("force")
        ? [
            {
              what: "edits",
              paths: flags.has("a") || flags.has("all") || flags.has("stdin") ? "all" : pathsIn(operands),
              includesIndex: false,
            },
          ]
        : [],
  },
  "read-tree": {
    read: ({ flags, operands }) => {
      if (flags.has("reset") || flags.has("u")) return [ALL_EDITS, ...listed(operands).map((one) => replaced(one))];
      const isOther = ["m", "n", "dry-run", "prefix"].some((flag) => flags.has(flag));
      return isOther ? [] : [{ what: "index", paths: "all" }];
    },
  },
  commit: {
    takes: "mFCct message file author date",
    read: ({ flags }) =>
      flags.has("n") || flags.has("no-verify") ? [{ what: "hooks", names: ["pre-commit", "commit-msg"] }] : [],
  },
  push: { takes: "o push-option receive-pack exec repo", read: pushed },
  // `git apply -R` on a pipe most often reverts the uncommitted edits, as in `git diff | git apply -R`.
  apply: {
    takes: "pC exclude include directory whitespace",
    read: ({ flags, operands }) =>
      (flags.has("R") || flags.has("reverse")) &&
      (operands.length === 0 || textOf(operands[0]) === "-") &&
      !["check", "stat", "numstat", "summary", "cached"].some((flag) => flags.has(flag))
        ? [{ what: "edits", paths: "all", includesIndex: false }]
        : [],
  },
  fetch: { takes: "jo depth upload-pack refmap", read: fetched },
  pull: {
    takes: "jo depth upload-pack refmap",
    read: (args) => {
      const [remote, ref] = args.operands.map(textOf);
      const commit = ref === undefined ? "@{upstream}" : `refs/remotes/${remote}/${ref}`;
      return [...fetched(args), merged(commit)];
    },
  },
  remote: {
    read: ({ flags, operands }, [sub]) =>
      /^(?:remove|rm)$/.test(sub ?? "") && flags.size === 0
        ? [{ what: "ref", names: [`refs/remotes/${textOf(operands[1])}/*`] }]
        : [],
  },
  merge: MERGED,
  rebase: {
    ...ENDED,
    read: (args, texts) => {
      const onto = args.valued.get("onto") ?? args.operands[0];
      const commit = onto === undefined ? "@{upstream}" : textOf(onto);
      return [...ENDED.read(args, texts), { what: "replaced", commit, paths: "all", isForced: false }];
    },
  },
  "cherry-pick": MERGED,
  revert: ENDED,
  am: ENDED,
  lfs: { read: (_, [sub]) => (sub === "prune" ? [{ what: "history" }] : []) },
};

/** Returns the options of a `git clean` with which its dry run lists the same files. */
function cleaned(flags: ReadonlySet<string>, texts: readonly string[]): readonly string[] {
  const patterns = texts.flatMap((text, at) => {
    const [, inner] = /^(?:-[a-zA-Z]*?e|--exclude(?:=|$))([\s\S]*)$/.exec(text) ?? [];
    return inner === undefined ? [] : [`--exclude=${inner === "" ? (texts[at + 1] ?? "") : inner}`];
  });
  const forces = texts.join(" ").match(/(?<= -[a-zA-Z]*|^-[a-zA-Z]*)f|--force/g) ?? [];
  const letters = ["d", "x", "X"].filter((one) => flags.has(one)).map((one) => `-${one}`);
  return [...letters, ...(forces.length > 1 ? ["-ff"] : []), ...patterns];
}

/** Returns the branches that a fetch overwrites by force. */
function fetched({ flags, operands }: Args): readonly Discard[] {
  const isForced = flags.has("f") || flags.has("force");
  return listed(operands.slice(1)).flatMap((ref): Discard[] => {
    const [, plus, to] = /^(\+?)[^:]*:([^:]+)$/.exec(ref) ?? [];
    return to !== undefined && !to.includes("*") && !to.startsWith("refs/remotes/") && (isForced || plus === "+")
      ? [{ what: "branch", names: [to.replace(/^refs\/heads\//, "")] }]
      : [];
  });
}

function pushed({ flags, operands }: Args): readonly Discard[] {
  const found: Discard[] = [];
  if (flags.has("n") || flags.has("dry-run")) return [];
  if (flags.has("no-verify")) found.push({ what: "hooks", names: ["pre-push"] });
  const [remote, ...refs] = listed(operands);
  const add = (how: "force" | "lease" | "delete" | "mirror", of: readonly string[]): void =>
    void found.push({ what: "push", remote, push: { refs: of, how } });
  const deleted = refs.filter((ref) => /^\+?:./.test(ref)).map((ref) => ref.replace(/^\+?:/, ""));
  const forced = refs.filter((ref) => /^\+[^:]/.test(ref)).map((ref) => ref.slice(1));
  if (flags.has("mirror") || flags.has("prune")) add("mirror", refs);
  else if (flags.has("d") || flags.has("delete")) add("delete", refs);
  else if (flags.has("f") || flags.has("force"))
    add(
      "force",
      refs.filter((ref) => !ref.startsWith(":")),
    );
  else if (flags.has("force-with-lease")) add("lease", refs);
  if (forced.length > 0) add("force", forced);
  if (deleted.length > 0) add("delete", deleted);
  return found;
}

/** Returns what a git command may discard; `words` are those after the subcommand. */
export function discardsOf(sub: string, words: readonly CommandWord[]): readonly Discard[] {
  const row = Object.hasOwn(ROWS, sub) ? ROWS[sub] : undefined;
  if (row === undefined) return [];
  const args = argsOf(words, row.takes);
  const found = row.read(args, words.map(textOf));
  const isEntered = args.flags.has("recurse-submodules");
  const hasEdits = found.some((one) => one.what === "edits" || (one.what === "checkout" && one.isForced));
  return isEntered && hasEdits ? [...found, { what: "trees", each: [ALL_EDITS] }] : found;
}

/** Splits a git command into its folder, its subcommand and the words after that. */
export function gitOf(words: readonly CommandWord[]): {
  readonly folders: readonly string[];
  readonly settings: readonly string[];
  readonly sub: string;
  readonly rest: readonly CommandWord[];
} {
  const folders: string[] = [];
  const settings: string[] = [];
  let at = 0;
  for (; at < words.length; at++) {
    const text = textOf(words[at]);
    if (!text.startsWith("-")) break;
    const next = textOf(words[at + 1]);
    if (text === "-C" || text === "--work-tree") folders.push(next);
    const apart = /^--work-tree=(.*)$/.exec(text)?.[1];
    if (apart !== undefined) folders.push(apart);
    if (text === "-c") settings.push(next);
    if (/^(?:-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--config-env)$/.test(text)) at += 1;
  }
  return { folders, settings, sub: textOf(words[at]), rest: words.slice(at + 1) };
}
