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

/** A row for each git subcommand, whose `read` returns what the subcommand may discard. */
const ROWS: Readonly<Record<string, Row>> = {
  reset: {
    read: ({ flags, operands, behind }) => {
      const isHard = flags.has("hard");
      const commit = operands.length > behind.length ? textOf(operands[0]) : "HEAD";
      if (flags.has("soft")) return [];
      if (isHard) return [ALL_EDITS, { what: "move", ref: "HEAD", to: commit === "" ? "?" : commit, isHard: true }];
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
      if (flags.has("b") || flags.has("orphan")) return [];
      const branch: Discard[] =
        created === undefined
          ? []
          : [{ what: "move", ref: textOf(created), to: textOf(operands[0]) || "HEAD", isHard: false }];
      if (flags.has("pathspec-from-file")) return [ALL_EDITS];
      if (behind.length > 0)
        return [{ what: "edits", paths: pathsIn(behind), includesIndex: operands.length > behind.length }];
      if (texts.includes("--") || flags.has("p") || flags.has("patch"))
        return texts.includes("--") ? [] : [{ what: "edits", paths: "all", includesIndex: false }];
      return [...branch, { what: "checkout", words: listed(operands), isForced }];
    },
  },
  switch: {
    takes: "cC create force-create conflict orphan",
    read: ({ flags, valued, operands }) => {
      const created = valued.get("C") ?? valued.get("force-create");
      return [
        ...(created === undefined
          ? []
          : [{ what: "move", ref: textOf(created), to: textOf(operands[0]) || "HEAD", isHard: false } as const]),
        ...(flags.has("f") || flags.has("force") || flags.has("discard-changes") ? [ALL_EDITS] : []),
      ];
    },
  },
  restore: {
    takes: "s source pathspec-from-file conflict",
    read: ({ flags, operands }) => {
      const isStaged = flags.has("S") || flags.has("staged");
      const isTree = flags.has("W") || flags.has("worktree") || !isStaged;
      const paths = flags.has("pathspec-from-file") ? "all" : pathsIn(operands);
      return isTree
        ? [{ what: "edits", paths, includesIndex: isStaged || flags.has("s") || flags.has("source") }]
        : [{ what: "index", paths }];
    },
  },
  clean: {
    takes: "e exclude",
    read: ({ flags, operands }) => {
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
  reflog: { read: (_, [sub]) => (sub === "expire" || sub === "delete" ? [{ what: "unreachable" }] : []) },
  gc: {
    read: ({ flags, valued }) =>
      flags.has("prune") && /^(?:now|all)$/.test(textOf(valued.get("prune"))) ? [{ what: "unreachable" }] : [],
  },
  prune: { read: ({ flags }) => (flags.has("n") || flags.has("dry-run") ? [] : [{ what: "unreachable" }]) },
  "filter-branch": { read: () => [{ what: "history" }] },
  "filter-repo": { read: ({ flags }) => (flags.has("dry-run") || flags.has("analyze") ? [] : [{ what: "history" }]) },
  replace: { read: ({ flags }) => (flags.has("d") || flags.has("l") ? [] : [{ what: "history" }]) },
  worktree: {
    read: ({ flags, operands }, [sub]) =>
      sub === "remove" && (flags.has("f") || flags.has("force"))
        ? [{ what: "worktree", path: textOf(operands[1]) }]
        : [],
  },
  submodule: {
    read: ({ flags, operands }, texts) =>
      texts.includes("deinit") && (flags.has("f") || flags.has("force") || flags.has("all"))
        ? flags.has("all")
          ? [{ what: "worktree" }]
          : listed(operands.slice(1)).map((path) => ({ what: "worktree", path }) as const)
        : texts.includes("update") && (flags.has("f") || flags.has("force"))
          ? [{ what: "worktree", isKept: true }]
          : [],
  },
  "checkout-index": {
    read: ({ flags }) =>
      flags.has("f") || flags.has("force") ? [{ what: "edits", paths: "all", includesIndex: false }] : [],
  },
  "read-tree": {
    read: ({ flags }) =>
      flags.has("reset") || flags.has("u") ? [ALL_EDITS] : flags.has("empty") ? [{ what: "index", paths: "all" }] : [],
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
  pull: { takes: "jo depth upload-pack refmap", read: fetched },
  remote: {
    read: ({ flags, operands }, [sub]) =>
      /^(?:remove|rm)$/.test(sub ?? "") && flags.size === 0
        ? [{ what: "ref", names: [`refs/remotes/${textOf(operands[1])}/*`] }]
        : [],
  },
  merge: ENDED,
  rebase: ENDED,
  "cherry-pick": ENDED,
  revert: ENDED,
  am: ENDED,
  notes: { read: (_, [sub]) => (sub === "remove" || sub === "prune" ? [{ what: "history" }] : []) },
  lfs: { read: (_, [sub]) => (sub === "prune" ? [{ what: "history" }] : []) },
};

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
  return row === undefined ? [] : row.read(argsOf(words, row.takes), words.map(textOf));
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
