import { type FSWatcher, watch } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { lookAt, textAt } from "@hookline/ground/system";

/** The branch of a folder's repository, kept up to date while it is watched. */
export class GitBranch {
  readonly #head: string | undefined;
  readonly #listeners = new Set<() => void>();
  #watcher: FSWatcher | undefined;
  #name: string | null | undefined;

  constructor(cwd: string) {
    this.#head = headOf(cwd);
  }

  /** The branch's name, `detached`, or null outside a repository. */
  get name(): string | null {
    if (this.#name === undefined) this.#name = this.#read();
    return this.#name;
  }

  /** Calls `changed` when another branch is checked out; returns a function that stops watching. */
  watch(changed: () => void): () => void {
    this.#listeners.add(changed);
    this.#begin();
    return () => this.#listeners.delete(changed);
  }

  close(): void {
    this.#watcher?.close();
    this.#listeners.clear();
  }

  #begin(): void {
    if (this.#watcher !== undefined || this.#head === undefined) return;
    try {
      // git replaces the file by renaming another one, so the file's folder is watched.
      this.#watcher = watch(dirname(this.#head), { persistent: false }, (_, name) => {
        if (name !== null && name !== "HEAD") return;
        const now = this.#read();
        if (now === this.#name) return;
        this.#name = now;
        for (const listener of [...this.#listeners]) listener();
      });
      this.#watcher.on("error", () => this.#watcher?.close());
    } catch {
      // If the folder cannot be watched, the name stays as it was read at the start.
    }
  }

  #read(): string | null {
    if (this.#head === undefined) return null;
    const text = textOr(this.#head, undefined)?.trim();
    if (text === undefined) return null;
    return text.startsWith("ref: refs/heads/") ? text.slice("ref: refs/heads/".length) : "detached";
  }
}

/**
 * Returns the file that names the checked-out branch. In a linked worktree, `.git` is a file with the path of its
 * folder.
 */
function headOf(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const git = join(folder, ".git");
    const { kind } = lookAt(git);
    if (kind === "folder") return join(git, "HEAD");
    if (kind === "file") {
      const [, target] = /^gitdir: (.*)$/m.exec(textOr(git, "")) ?? [];
      return target === undefined ? undefined : join(resolve(folder, target.trim()), "HEAD");
    }
    if (dirname(folder) === folder) return undefined;
  }
}

function textOr<T>(path: string, otherwise: T): string | T {
  try {
    return textAt(path);
  } catch {
    return otherwise;
  }
}
