import { execFile } from "node:child_process";
import { isAbsolute, join, relative, resolve } from "node:path";
import { LIST_FILTERS, quietOptions } from "../quiet-git.ts";

/** Runs git and returns its output; `undefined` if it failed. Throws if it took too long: then nothing is known. */
export type Git = (folder: string, args: readonly string[]) => Promise<string | undefined>;

const LONGEST = 16_000_000;

/** Returns a function that runs git without changing the repository or starting programs that it configures. */
export function quietGit(timeoutMs: number): Git {
  const env: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(process.env)) if (!name.startsWith("GIT_")) env[name] = value;
  Object.assign(env, { GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0", GIT_NO_LAZY_FETCH: "1", LC_ALL: "C" });
  const filters = new Map<string, Promise<string | undefined>>();
  const run: Git = (folder, args) =>
    new Promise((resolve, reject) => {
      const options = { cwd: folder, env, timeout: timeoutMs, maxBuffer: LONGEST, killSignal: "SIGKILL" } as const;
      execFile("git", [...args], options, (error, stdout) =>
        error?.signal === options.killSignal
          ? reject(new Error(`git gave no answer within ${timeoutMs} ms`))
          : resolve(error === null ? stdout : undefined),
      );
    });
  return async (folder, args) => {
    let own = filters.get(folder);
    if (own === undefined) filters.set(folder, (own = run(folder, LIST_FILTERS)));
    return run(folder, [...quietOptions(await own), ...args]);
  };
}

/** One line of `git status`: the state in the index and in the work tree, and the path below the top folder. */
export interface Entry {
  readonly index: string;
  readonly tree: string;
  readonly path: string;
}

/** A repository, whose state is read only on demand. */
export class Repository {
  readonly top: string;
  readonly #git: Git;
  #status: Promise<readonly Entry[] | undefined> | undefined;

  constructor(top: string, git: Git) {
    this.top = top;
    this.#git = git;
  }

  /** Runs git in the top folder. */
  ask(...args: readonly string[]): Promise<string | undefined> {
    return this.#git(this.top, args);
  }

  /**
   * Returns all differences from the last commit, also untracked and ignored files, and submodules at another commit;
   * `undefined` if git cannot tell.
   */
  status(): Promise<readonly Entry[] | undefined> {
    const how = ["--porcelain=v1", "-z", "--no-renames", "-uall", "--ignored=matching", "--ignore-submodules=dirty"];
    this.#status ??= this.ask("status", ...how).then((text) =>
      text
        ?.split("\0")
        .filter((line) => line !== "")
        .map((line) => ({ index: line[0] ?? " ", tree: line[1] ?? " ", path: line.slice(3) })),
    );
    return this.#status;
  }

  /** Counts the commits of `from` that no `kept` commit, tag, remote branch or branch outside of `moved` reaches. */
  async commitsOnlyIn(
    from: string,
    moved: readonly string[],
    kept: readonly string[] = [],
  ): Promise<number | undefined> {
    // An `--exclude` in front of `--branches` takes a branch's short name.
    const without = moved.map((ref) => `--exclude=${ref.replace(/^refs\/heads\//, "")}`);
    const list = await this.ask(
      "rev-list",
      "--count",
      from,
      "--not",
      ...kept,
      ...without,
      "--branches",
      "--tags",
      "--remotes",
    );
    return list === undefined ? undefined : Number(list);
  }

  async commit(name: string): Promise<string | undefined> {
    if (name === "" || name.startsWith("-")) return undefined;
    return (await this.ask("rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`))?.trim();
  }

  /** Returns the full name of the current branch; `undefined` if there is none. */
  async branch(): Promise<string | undefined> {
    return (await this.ask("symbolic-ref", "--quiet", "HEAD"))?.trim();
  }

  /** Returns a path relative to the top folder, as `status` writes it; empty for the top folder itself. */
  inside(path: string): string | undefined {
    const inner = relative(this.top, path);
    return inner.startsWith("..") || isAbsolute(inner) ? undefined : inner;
  }
}

/** Finds repositories and keeps one object for each. */
export class Repositories {
  readonly #git: Git;
  readonly #known = new Map<string, Promise<Repository | undefined>>();
  readonly #tops = new Map<string, Repository>();

  constructor(git: Git) {
    this.#git = git;
  }

  /** Returns the repository of an existing folder. */
  at(folder: string): Promise<Repository | undefined> {
    const known = this.#known.get(folder);
    if (known !== undefined) return known;
    const found = this.#git(folder, ["rev-parse", "--show-toplevel"]).then((text) => {
      const top = text?.replace(/\n$/, "");
      if (top === undefined || top === "") return undefined;
      const one = this.#tops.get(top) ?? new Repository(top, this.#git);
      this.#tops.set(top, one);
      return one;
    });
    this.#known.set(folder, found);
    return found;
  }

  /** Returns the repository that git uses in a folder. One without a work tree is identified by its own folder. */
  async workedOn(folder: string): Promise<Repository | undefined> {
    const own = await this.at(folder);
    if (own !== undefined) return own;
    const found = (await this.#git(folder, ["rev-parse", "--absolute-git-dir"]))?.replace(/\n$/, "");
    return found === undefined || found === "" ? undefined : new Repository(found, this.#git);
  }

  /** Returns the folder of the git hooks that a repository runs. */
  static async hooksOf(repository: Repository): Promise<string> {
    const set = (await repository.ask("config", "--local", "--get", "core.hooksPath"))?.trim();
    const common = (await repository.ask("rev-parse", "--git-common-dir"))?.trim() ?? ".git";
    return resolve(repository.top, set === undefined || set === "" ? join(common, "hooks") : set);
  }
}
