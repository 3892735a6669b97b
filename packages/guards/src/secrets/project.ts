import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  type Stats,
  statSync,
} from "node:fs";
import { join, resolve } from "node:path";
import type { SettingsOf } from "../settings.ts";
import type { PathTest } from "./files.ts";
import { hostsOfWord } from "./outward.ts";
import { SecretNames } from "./redact.ts";
import { loadSecrets, type Secrets } from "./secrets.ts";

const MAX_BYTES = 1_000_000;
const MAX_FOLDERS = 400;
const MAX_FILES = 200;
const MAX_DEPTH = 3;

const ENV_FILE = /^\.env|\.env$|^\.dev\.vars$/;
/** Matches folders that are not searched for `.env` files. */
const LEFT_OUT = /^(?:\.|node_modules$|vendor$|target$|dist$|build$|out$|venv$|coverage$)/;

interface Folder {
  readonly depth: number;
  stamp: string;
}

/** Finds `.env` files with secret values in folders and below them. */
export class EnvFiles {
  readonly #isSecret: PathTest;
  readonly #folders: Map<string, Folder>;
  /** The stamp of each file when it was last read (see `stampOf`), by path. */
  readonly #files = new Map<string, string>();

  /** `roots` are the folders to search, nearest first. */
  constructor(roots: readonly string[], isSecret: PathTest) {
    this.#isSecret = isSecret;
    this.#folders = new Map(roots.map((root) => [root, { depth: 0, stamp: "" }]));
  }

  /** Returns the texts of the files that are new or have changed since the last call. */
  changed(): string[] {
    // The loop also visits folders that are added meanwhile.
    for (const [path, folder] of this.#folders) {
      const stamp = stampOf(statOf(path));
      if (stamp !== "" && stamp === folder.stamp) continue;
      folder.stamp = stamp;
      this.#list(path, folder.depth);
    }
    return [...this.#files.keys()].flatMap((path) => this.#read(path));
  }

  #list(folder: string, depth: number): void {
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      const isNew = !this.#folders.has(path) && this.#folders.size < MAX_FOLDERS;
      if (entry.isDirectory()) {
        if (isNew && depth < MAX_DEPTH && !LEFT_OUT.test(entry.name))
          this.#folders.set(path, { depth: depth + 1, stamp: "" });
      } else if (
        ENV_FILE.test(entry.name) &&
        this.#isSecret(path) &&
        !this.#files.has(path) &&
        this.#files.size < MAX_FILES
      )
        this.#files.set(path, "");
    }
  }

  /** Returns a file's text if it has changed. Only regular files are read, since reading a pipe would block. */
  #read(path: string): string[] {
    const before = statOf(path);
    const stamp = stampOf(before);
    if (before?.isFile() !== true || (stamp !== "" && stamp === this.#files.get(path))) return [];
    let descriptor: number | undefined;
    try {
      descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      const stat = fstatSync(descriptor);
      if (!stat.isFile() || stat.size > MAX_BYTES) return [];
      this.#files.set(path, stampOf(stat));
      return [readFileSync(descriptor, "utf8")];
    } catch {
      return [];
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** The coarsest resolution of file times, in ms. */
const SAME_TIME_MS = 50;

/** Returns a stamp that changes with a file or folder; empty if it has just changed and may change again unnoticed. */
function stampOf(stat: Stats | undefined): string {
  if (stat === undefined || Date.now() - stat.ctimeMs < SAME_TIME_MS) return "";
  return [stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join();
}

/** Returns the hosts of the git remotes of a folder's repository. */
export function remoteHosts(folder: string): string[] {
  for (let at = folder; ; at = resolve(at, "..")) {
    const text = configOf(join(at, ".git"));
    if (text !== undefined)
      return [...text.matchAll(/^[ \t]*(?:push)?url[ \t]*=[ \t]*(\S+)/gim)].flatMap(([, url = ""]) => hostsOfWord(url));
    if (at === resolve(at, "..")) return [];
  }
}

/** Returns the configuration of a repository; for a linked work tree, that of its main repository. */
function configOf(git: string): string | undefined {
  try {
    if (statSync(git).isDirectory()) return readFileSync(join(git, "config"), "utf8");
    const [, to = ""] = /^gitdir: (.+)$/m.exec(readFileSync(git, "utf8")) ?? [];
    return readFileSync(join(resolve(git, "..", to).replace(/\/worktrees\/[^/]+$/, ""), "config"), "utf8");
  } catch {
    return undefined;
  }
}

/** Returns a folder and its parents up to another folder. */
function foldersUp(folder: string, top: string): readonly string[] {
  if (folder === top || !folder.startsWith(`${top}/`)) return [...new Set([folder, top])];
  return [folder, ...foldersUp(resolve(folder, ".."), top)];
}

/** Shared by the process, so that guards of one session use the same name for a secret. */
const names = new SecretNames();

/** The secrets of a project, kept up to date. */
export interface Opened {
  readonly secrets: Secrets;
  /** Returns the current secrets, after reading the files that have changed. */
  now(): Secrets;
}

/**
 * Loads the secrets of a folder and its project: values of `.env` files and of this process's variables, and the
 * repository's hosts.
 */
export async function openSecrets(
  settings?: SettingsOf<"secrets">,
  folder: string = process.cwd(),
  project: string = folder,
): Promise<Opened> {
  const secrets = await loadSecrets({ settings, env: process.env, hosts: remoteHosts(folder), names });
  const files = new EnvFiles(foldersUp(folder, project), (path) => secrets.read(path) !== undefined);
  const now = (): Secrets => {
    secrets.learn(files.changed());
    return secrets;
  };
  now();
  return { secrets, now };
}
