import { spawnSync } from "node:child_process";
import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { LIST_FILTERS, quietOptions } from "../quiet-git.ts";

/** The state of a project's files at one moment, for comparing two moments. */
export interface Snapshot {
  /** The commit that is checked out; absent outside of a repository and before the first commit. */
  readonly commit?: string;
  /** Each file that differs from the commit or, outside of a repository, each file, with a summary of its state. */
  readonly files: ReadonlyMap<string, string>;
}

const GIT_MS = 20_000;
const MAX_FILES = 20_000;
const LEFT_OUT = /^(?:\.|node_modules$|__pycache__$|vendor$|target$|dist$|build$|out$|venv$|coverage$)/;

/** Takes a snapshot of a folder: in a repository the differences from the commit, else every file, up to 20,000. */
export function lookAt(root: string): Snapshot {
  const top = git(root, ["rev-parse", "--show-toplevel"])?.replace(/\n$/, "");
  const status = git(root, ["status", "--porcelain=v2", "--branch", "-z", "-uall", "--ignore-submodules=dirty", "."]);
  if (status === undefined) return { files: walked(root) };
  const fields = status.split("\0");
  const [, commit = ""] = /^# branch\.oid ([0-9a-f]+)$/m.exec(fields.join("\n")) ?? [];
  const paths = fields.flatMap((field, at) => {
    // The old name of a renamed file is a separate field.
    if (fields[at - 1]?.startsWith("2 ") === true) return [field];
    const [, path] = /^(?:1(?: \S+){7}|2(?: \S+){8}|u(?: \S+){9}|\?) (.+)$/s.exec(field) ?? [];
    return path === undefined ? [] : [path];
  });
  // git's paths are relative to the repository's top folder; the result is relative to the project.
  const own = paths.map((path) => relative(realpathSync.native(root), join(top ?? root, path)));
  const files = new Map(own.map((path) => [path, stampOf(join(root, path))]));
  return { ...(commit !== "" && { commit }), files };
}

/** Returns the files that differ between two snapshots. */
export function changedBetween(root: string, before: Snapshot, after: Snapshot): string[] {
  const paths = new Set([...before.files.keys(), ...after.files.keys()]);
  const changed = [...paths].filter((path) => before.files.get(path) !== after.files.get(path));
  if (before.commit === after.commit || before.commit === undefined || after.commit === undefined) return changed;
  const names = git(root, ["diff", "--name-only", "--relative", "-z", before.commit, after.commit])?.split("\0") ?? [];
  return [...new Set([...changed, ...names.filter((name) => name !== "")])];
}

/** Runs git without programs from the repository's configuration; `undefined` outside of a repository. */
function git(root: string, args: readonly string[]): string | undefined {
  return run(root, [...quietOptions(run(root, LIST_FILTERS)), ...args]);
}

function run(root: string, args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync("git", [...args], {
    cwd: root,
    env: { ...process.env, GIT_OPTIONAL_LOCKS: "0", LC_ALL: "C" },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    timeout: GIT_MS,
    killSignal: "SIGKILL",
    maxBuffer: 2 ** 28,
  });
  return status === 0 ? stdout : undefined;
}

function walked(root: string): Map<string, string> {
  const files = new Map<string, string>();
  const folders = [""];
  for (const folder of folders)
    for (const entry of entriesOf(join(root, folder))) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !LEFT_OUT.test(entry.name)) folders.push(path);
      else if (!entry.isDirectory() && files.size < MAX_FILES) files.set(path, stampOf(join(root, path)));
    }
  return files;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function stampOf(path: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = lstatSync(path);
    return [ino, size, mtimeMs, ctimeMs].join();
  } catch {
    return "gone";
  }
}
