import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { globOf } from "@hookline/runtime/command";
import { joined } from "./args.ts";
import type { Discard, Push } from "./effect.ts";
import { files, type Grounds, isAtRisk, isBelow, isWithin, type Loss, listed, lossOf, stateOf } from "./loss.ts";
import { whatIs } from "./places.ts";
import { type Entry, Repositories, type Repository } from "./repository.ts";

/** Finds out what git commands would discard from a repository. */
export class Discards {
  readonly #on: Grounds;
  readonly #repositories: Repositories;

  constructor(on: Grounds, repositories: Repositories) {
    this.#on = on;
    this.#repositories = repositories;
  }

  /** Returns what one discard would lose; `folder` is where the command runs. */
  async of(repository: Repository, folder: string, discard: Discard): Promise<Loss | undefined> {
    switch (discard.what) {
      case "edits":
      case "index":
      case "untracked":
        return this.#discardedFiles(repository, folder, discard);
      case "checkout":
        return this.#checkedOut(repository, folder, discard.words, discard.isForced);
      case "move":
        return this.#moved(repository, discard.ref, discard.to, discard.isHard);
      case "branch":
      case "ref":
        return this.#refsGone(
          repository,
          discard.names.map((name) =>
            discard.what === "branch" ? `refs/heads/${name.replace(/^refs\/heads\//, "")}` : name,
          ),
        );
      case "replaced":
        return this.#replaced(repository, folder, discard);
      case "left":
        return this.#left(repository, []);
      case "tag": {
        const known = (await repository.ask("tag", "--list"))?.split("\n") ?? discard.names;
        const gone = discard.names.filter((name) => name === "" || known.includes(name));
        return gone.length === 0
          ? undefined
          : lossOf(
              `take ${gone.length === 1 ? "the tag" : "the tags"} ${listed(gone)} away`,
              gone,
              stateOf(repository),
              "Make another tag beside it.",
            );
      }
      case "stash": {
        const list = await repository.ask("stash", "list", "--format=%gd %s");
        const entries = (list ?? "").split("\n").filter((line) => line !== "");
        const number = /(\d+)/.exec(discard.entry)?.[1];
        const lost =
          discard.entry === "all" || number === undefined
            ? entries
            : entries.filter((line) => line.startsWith(`stash@{${number}} `));
        return lost.length === 0
          ? undefined
          : lossOf(
              `delete ${lost.length} ${lost.length === 1 ? "entry" : "entries"} of the stash: ${listed(lost)}`,
              lost,
              stateOf(repository),
              "Apply it, or keep it as a branch: `git stash branch NAME`.",
            );
      }
      case "unreachable": {
        const { isInReflog } = discard;
        const list = isInReflog ? await repository.ask("rev-list", "--reflog", "--max-count=20", "--not", "--all") : "";
        const more =
          list === ""
            ? await repository.ask(
                ...["fsck", "--unreachable", "--connectivity-only", "--no-progress"],
                ...(isInReflog ? ["--no-reflogs"] : []),
              )
            : list;
        const lost = (more ?? "unknown").split("\n").filter((line) => line !== "" && !/^unreachable tree/.test(line));
        return lost.length === 0
          ? undefined
          : lossOf(
              `delete ${lost.length} ${lost.length === 1 ? "commit or file" : "commits or files"} that ${isInReflog ? "only the reflog" : "no ref"} holds`,
              lost,
              stateOf(repository),
              "Leave them to `git gc`, which keeps them for two weeks.",
            );
      }
      case "resolutions": {
        // During a merge, git keeps in AUTO_MERGE the tree that the merge produced, with its conflicts.
        const changed = await repository.ask("diff", "--name-only", "-z", "AUTO_MERGE");
        const names = (changed ?? "").split("\0").filter((name) => name !== "");
        return names.length === 0
          ? undefined
          : lossOf(
              `discard how conflicts were resolved in ${listed(names)}, which exists nowhere else`,
              names,
              [files(names.map((name) => join(repository.top, name))), stateOf(repository)],
              "Commit it: `git commit`, or keep a copy of the files.",
            );
      }
      case "history":
        return lossOf(
          "rewrite the history of the repository",
          [repository.top],
          stateOf(repository),
          "Work on a clone.",
        );
      case "trees": {
        const { path: named, each } = discard;
        const paths =
          named === undefined ? await submodulesOf(repository) : [joined(folder, named, this.#on.home) ?? folder];
        for (const path of paths) {
          const own = whatIs(path) === "folder" ? await this.#repositories.at(path) : undefined;
          if (own === undefined || own.top === repository.top) continue;
          for (const one of each) {
            const lost = await this.of(own, own.top, one);
            if (lost !== undefined) return lost;
          }
        }
        return undefined;
      }
      case "push":
        return this.#pushed(repository, discard.remote, discard.push);
      case "hooks": {
        const hooks = await Repositories.hooksOf(repository);
        const skipped = existsSync(hooks) ? readdirSync(hooks).filter((name) => discard.names.includes(name)) : [];
        return skipped.length === 0
          ? undefined
          : {
              level: "ask",
              would: `skip the hooks ${listed(skipped)} of the repository`,
              evidence: skipped,
              instead: "Run it without `--no-verify`.",
              where: "elsewhere",
            };
      }
    }
  }

  async #discardedFiles(
    repository: Repository,
    folder: string,
    discard: Extract<Discard, { what: "edits" | "index" | "untracked" }>,
  ): Promise<Loss | undefined> {
    const isEntered =
      discard.what === "edits" &&
      whatIs(join(repository.top, ".gitmodules")) === "file" &&
      (await repository.ask("config", "--type=bool", "--get", "submodule.recurse"))?.trim() === "true";
    const inside = isEntered
      ? await this.of(repository, folder, { what: "trees", each: [{ ...discard, paths: "all" }] })
      : undefined;
    if (inside !== undefined) return inside;
    const entries = await repository.status();
    if (entries === undefined)
      return lossOf(
        "discard what the repository has, and git cannot say what that is",
        [repository.top],
        [files([repository.top]), stateOf(repository)],
      );
    const isNamed = (await this.#cleaned(repository, folder, discard)) ?? pathspec(repository, folder, discard.paths);
    // During a merge, the changes that git itself has staged are not lost: they are in the merged commits.
    const isForced =
      discard.what === "index" && discard.isForced === true && (await repository.commit("MERGE_HEAD")) === undefined;
    const discarded = entries.filter((entry) => {
      const { index, tree } = entry;
      if (!isNamed(entry.path)) return false;
      if (index === "?" || index === "!") {
        if (discard.what !== "untracked") return false;
        const isAsked = index === "?" ? discard.ignored !== "only" : discard.ignored !== "kept";
        return isAsked && isAtRisk(entry, repository.top, this.#on.rebuildable);
      }
      // A conflict in the index is not lost: both of its sides are in the merged commits.
      const isInConflict = index === "U" || tree === "U" || index + tree === "AA";
      if (discard.what === "index" && isInConflict) return false;
      if (discard.what === "index") return index !== " " && index !== "D" && tree !== "D" && (isForced || tree !== " ");
      const isEdited = tree !== " " && tree !== "D";
      const isStaged = index !== " " && index !== "D";
      return discard.what === "edits" && (isEdited || (discard.includesIndex && isStaged));
    });
    // git leaves what is in submodules alone, unless a setting says otherwise.
    const isSubmodule = ({ path }: Entry): boolean =>
      !path.endsWith("/") && whatIs(join(repository.top, path)) === "folder";
    const lost = isEntered ? discarded : discarded.filter((entry) => !isSubmodule(entry));
    if (lost.length === 0) return undefined;
    const names = lost.map(({ path }) => path);
    const what = discard.what === "untracked" ? "files" : discard.what === "index" ? "the staged state of" : "edits in";
    return lossOf(
      `discard ${what === "files" ? "" : `${what} `}${listed(names)} that exist${names.length === 1 && what === "files" ? "s" : ""} nowhere else`,
      names,
      discard.what === "index"
        ? stateOf(repository)
        : [files(names.map((name) => join(repository.top, name))), stateOf(repository)],
    );
  }

  /** Asks git which paths `git clean` would remove; `undefined` if it does not say, or another command removes them. */
  async #cleaned(
    repository: Repository,
    folder: string,
    discard: Discard,
  ): Promise<((path: string) => boolean) | undefined> {
    if (discard.what !== "untracked" || discard.clean === undefined) return undefined;
    const paths = discard.paths === "all" ? [] : discard.paths;
    const list = await repository.ask("-C", folder, "clean", "--dry-run", ...discard.clean, "--", ...paths);
    // A path in quotes has escapes.
    if (list === undefined || list.includes('"')) return undefined;
    const removed = Array.from(list.matchAll(/^Would remove (.*)$/gm), ([, path = ""]) =>
      (repository.inside(join(folder, path)) ?? path).replace(/\/$/, ""),
    );
    return (path) => removed.some((one) => isBelow(path, one));
  }

  /** Returns the loss of files that git does not track, in whose place a command writes those of a commit. */
  async #replaced(
    repository: Repository,
    folder: string,
    { commit: named, paths, isForced, isMerged = false }: Omit<Extract<Discard, { what: "replaced" }>, "what">,
  ): Promise<Loss | undefined> {
    const commit = await repository.commit(named);
    const base = isMerged ? (await repository.ask("merge-base", "HEAD", `${commit}`))?.trim() : undefined;
    if (commit === undefined || (isMerged && base === undefined)) return undefined;
    const isNamed = pathspec(repository, folder, paths);
    const entries = ((await repository.status()) ?? []).filter(
      (entry) =>
        (entry.index === "!" || (isForced && entry.index === "?")) &&
        isAtRisk(entry, repository.top, this.#on.rebuildable),
    );
    if (entries.length === 0) return undefined;
    const raw = ["--raw", "-z", "--no-abbrev", "--no-renames"];
    const list = await (base === undefined
      ? repository.ask("diff-index", "--cached", "--diff-filter=D", ...raw, commit)
      : repository.ask("diff-tree", "-r", "--diff-filter=A", ...raw, base, commit));
    const lost: string[] = [];
    for (const [, from = "", to = "", path = ""] of (list ?? "").matchAll(/:\d+ \d+ (\w+) (\w+) \w\0([^\0]+)\0/g)) {
      if (!isNamed(path)) continue;
      const inTheWay = entries.filter(
        (entry) => isWithin(entry.path, path) || isBelow(path, entry.path.replace(/\/$/, "")),
      );
      if (inTheWay.length === 0) continue;
      if (whatIs(join(repository.top, path)) === "file") {
        const own = (await repository.ask("hash-object", "--", path))?.trim();
        if (own !== (base === undefined ? from : to)) lost.push(path);
      } else lost.push(...inTheWay.map((entry) => entry.path).filter((one) => !one.endsWith("/")));
    }
    if (lost.length === 0) return undefined;
    return lossOf(
      `overwrite ${listed(lost)}, which exist${lost.length === 1 ? "s" : ""} nowhere else`,
      lost,
      files(lost.map((path) => join(repository.top, path))),
      "Keep a copy elsewhere first.",
    );
  }

  /** Returns the loss of the commits that only a detached HEAD reaches, if it moves to `kept` or goes away. */
  async #left(repository: Repository, kept: readonly string[]): Promise<Loss | undefined> {
    if ((await repository.branch()) !== undefined || (await repository.commit("HEAD")) === undefined) return undefined;
    const count = await repository.commitsOnlyIn("HEAD", [], kept);
    return count === 0
      ? undefined
      : lossOf(
          `leave ${count ?? "some"} ${count === 1 ? "commit" : "commits"} behind that no branch, tag or remote holds`,
          ["HEAD"],
          stateOf(repository),
          "Keep them first: `git branch NAME`.",
        );
  }

  async #checkedOut(
    repository: Repository,
    folder: string,
    words: readonly string[],
    isForced: boolean,
  ): Promise<Loss | undefined> {
    const [first = "", ...more] = words;
    const commit = first === "" ? "HEAD" : first === "-" ? "@{-1}" : first;
    const target = await repository.commit(commit);
    if (target !== undefined || first === "" || first === "-") {
      const paths = more.length === 0 || more.includes(".") ? "all" : more;
      const isOfFiles = more.length > 0;
      const edits = { what: "edits", paths, includesIndex: true } as const;
      return (
        (isOfFiles || isForced ? await this.#discardedFiles(repository, folder, edits) : undefined) ??
        (await this.#replaced(repository, folder, { commit, paths, isForced: isOfFiles || isForced })) ??
        (isOfFiles || target === undefined ? undefined : this.#left(repository, [target]))
      );
    }
    return this.#discardedFiles(repository, folder, { what: "edits", paths: words, includesIndex: false });
  }

  async #moved(repository: Repository, ref: string, to: string, isHard: boolean): Promise<Loss | undefined> {
    const branch = await repository.branch();
    const moved = ref === "HEAD" ? branch : ref.startsWith("refs/") ? ref : `refs/heads/${ref}`;
    const from = ref === "HEAD" ? "HEAD" : (moved ?? ref);
    if ((await repository.commit(from)) === undefined) return undefined;
    if (to === "?")
      return lossOf(`move ${ref} to a commit that is not known`, [to], stateOf(repository), "Write the commit out.");
    const target = await repository.commit(to);
    if (target === undefined) return undefined;
    const count = await repository.commitsOnlyIn(from, moved === undefined ? [] : [moved], [target]);
    if (count === 0) return undefined;
    return lossOf(
      `take ${count ?? "some"} ${count === 1 ? "commit" : "commits"} away that no other branch, tag or remote holds`,
      [from],
      stateOf(repository),
      `Keep them first: \`git branch kept-${isHard ? "before" : "old"}\`.`,
    );
  }

  async #refsGone(repository: Repository, refs: readonly string[]): Promise<Loss | undefined> {
    for (const ref of refs) {
      const loss = await this.#refGone(repository, ref, refs);
      if (loss !== undefined) return loss;
    }
    return undefined;
  }

  /** Returns the loss of a ref, if those of `all` go with it. */
  async #refGone(repository: Repository, ref: string, all: readonly string[]): Promise<Loss | undefined> {
    if (ref.endsWith("/*")) {
      const list = await repository.ask("for-each-ref", "--format=%(refname)", ref.slice(0, -2));
      for (const one of (list ?? "").split("\n").filter((line) => line !== "")) {
        const count = await repository.ask("rev-list", "--count", one, "--not", "--branches", "--tags");
        if (count !== undefined && Number(count) > 0)
          return lossOf(
            `forget ${one}, which holds ${Number(count)} commits that no branch here has`,
            [one],
            stateOf(repository),
            "Keep them first: `git branch NAME REMOTE/NAME`.",
          );
      }
      return undefined;
    }
    if (ref === "refs/heads/" || ref === "")
      return lossOf("delete a branch that is not known", [ref], stateOf(repository), "Write the name out.");
    if ((await repository.commit(ref)) === undefined) return undefined;
    if (/^refs\/remotes\/|^origin\//.test(ref)) return undefined;
    const current = await repository.branch();
    const isKept = current !== undefined && !all.includes(current);
    const count = await repository.commitsOnlyIn(ref, all, isKept ? ["HEAD"] : []);
    if (count === 0) return undefined;
    return lossOf(
      `delete ${ref.replace("refs/heads/", "the branch ")} with ${count ?? "some"} ${count === 1 ? "commit" : "commits"} that nothing else holds`,
      [ref],
      stateOf(repository),
      "Push the branch first, or use `git branch -d`.",
    );
  }

  async #pushed(
    repository: Repository,
    remote: string | undefined,
    { refs, how, isRewritten = false }: Push,
  ): Promise<Loss | undefined> {
    const name = remote === undefined || remote === "" ? "origin" : remote;
    const current = (await repository.branch())?.replace("refs/heads/", "");
    const loss = (would: string, evidence: readonly string[]): Loss => ({
      level: "ask",
      would,
      evidence,
      instead: "Push to a new branch, or use --force-with-lease on a branch of your own.",
      where: "elsewhere",
    });
    if (how === "mirror") return loss(`make ${name} equal to this repository, and delete what it has besides`, [name]);
    if (how === "delete") return loss(`delete ${listed(refs.length > 0 ? refs : ["branches"])} of ${name}`, refs);
    const pairs = (refs.length > 0 ? refs : [current ?? "HEAD"]).map((ref) => {
      const [from = "HEAD", to] = ref.replace(/^\+/, "").split(":");
      const source = from === "" ? "HEAD" : from;
      return {
        source,
        target: (to ?? (source === "HEAD" ? (current ?? "HEAD") : source)).replace(/^refs\/heads\//, ""),
      };
    });
    const main = (await repository.ask("symbolic-ref", "--quiet", `refs/remotes/${name}/HEAD`))?.trim();
    const isProtected = (branch: string): boolean =>
      main === `refs/remotes/${name}/${branch}` || this.#on.protectedBranches.some((glob) => glob.test(branch));
    for (const { source, target } of pairs) {
      const held = await this.#held(repository, name, target, how === "lease");
      if (held === "absent") continue;
      const isKept =
        !isRewritten &&
        held !== undefined &&
        (await repository.ask("merge-base", "--is-ancestor", held, source)) !== undefined;
      if (isKept) continue;
      if (how === "lease" && target !== "" && !isProtected(target)) continue;
      return loss(`rewrite the branch ${target} of ${name}, which others may have`, [target]);
    }
    return undefined;
  }

  /**
   * Returns the last commit of a remote's branch. Reads a remote in a local folder: `absent` if it lacks the branch.
   * For others returns the last fetched commit, which may be old, if `isKnownEnough`; else `undefined`.
   */
  async #held(
    repository: Repository,
    remote: string,
    branch: string,
    isKnownEnough: boolean,
  ): Promise<string | undefined> {
    const url = (await repository.ask("config", "--get", `remote.${remote}.url`))?.trim() ?? remote;
    const path = joined(repository.top, url.replace(/^file:\/\//, ""), this.#on.home);
    if (/^(?:file:\/\/|\.{0,2}\/|~)/.test(url) && path !== undefined && existsSync(path)) {
      const list = await repository.ask(
        "--git-dir",
        existsSync(join(path, ".git")) ? join(path, ".git") : path,
        "for-each-ref",
        "--format=%(objectname)",
        `refs/heads/${branch}`,
      );
      if (list !== undefined) return list.trim() === "" ? "absent" : list.trim();
    }
    return isKnownEnough ? repository.commit(`refs/remotes/${remote}/${branch}`) : undefined;
  }
}

/** Matches `git status` paths with the pathspecs of a git command that runs in a folder. */
function pathspec(repository: Repository, folder: string, paths: readonly string[] | "all"): (path: string) => boolean {
  const prefix = repository.inside(folder) ?? "";
  const isHere = (path: string): boolean => prefix === "" || isBelow(path, prefix);
  if (paths === "all") return isHere;
  const specs = paths.map((path) => specOf(path, prefix, repository));
  const named = specs.filter(({ isExcluded }) => !isExcluded);
  const excluded = specs.filter(({ isExcluded }) => isExcluded);
  // A pathspec of exclusions alone, such as `:!docs`, selects all other paths.
  const isNamed = (path: string): boolean =>
    named.length === 0 ? isHere(path) : named.some((one) => one.mayFit(path));
  return (path) => isNamed(path) && !excluded.some((one) => one.fits(path));
}

interface Spec {
  /** Whether the pathspec excludes paths, as `:!docs` does. */
  readonly isExcluded: boolean;
  fits(path: string): boolean;
  /** Whether the pathspec matches a path or, if that is a folder, anything in it. */
  mayFit(path: string): boolean;
}

/** Reads a pathspec with its magic: `:/x` and `:(top)x`, `:!x` and `:(exclude)x`, `:(icase)x`, `:(literal)x`. */
function specOf(written: string, prefix: string, repository: Repository): Spec {
  const [magic = "", long, short = ""] = /^:(?:\(([^)]*)\)|([/!^]+):?|(?=:))/.exec(written) ?? [];
  const words = new Set((long ?? "").split(",").map((word) => word.trim().replace(/:.*/, "")));
  const plain = written.slice(magic.length);
  const from = words.has("top") || short.includes("/") ? "" : prefix;
  const path = plain.startsWith("/")
    ? (repository.inside(plain) ?? plain)
    : (joined(`/${from}`, plain, "/") ?? plain).slice(1);
  const caseOf = (text: string): string => (words.has("icase") ? text.toLowerCase() : text);
  const whole = caseOf(path);
  const glob = words.has("literal") || !/[*?[]/.test(whole) ? undefined : globOf(whole, "any");
  const isAny = words.has("attr");
  return {
    isExcluded: words.has("exclude") || /[!^]/.test(short),
    fits: (one) => !isAny && (isWithin(caseOf(one), whole) || glob?.test(caseOf(one)) === true),
    mayFit: (one) => isAny || isBelow(caseOf(one), whole) || glob?.test(caseOf(one)) === true,
  };
}

/** Returns the folders of the submodules that a repository lists. */
async function submodulesOf(repository: Repository): Promise<readonly string[]> {
  const listed = await repository.ask("config", "--file", ".gitmodules", "--get-regexp", "path$");
  return (listed ?? "").split("\n").map((line) => join(repository.top, line.replace(/^\S+ ?/, "")));
}
