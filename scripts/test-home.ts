import { lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { homedir, tmpdir, userInfo } from "node:os";
import { join } from "node:path";

/** Agents' folders in a home folder. */
const FOLDERS: readonly string[] = [".agents", ".chibi", ".claude", ".hookline", ".jcli", ".jdata", ".omp", ".pi"];

/** Variables that move an agent's folder, or that show that an agent has started this process. */
const VARIABLES: readonly string[] = [
  "CHIBI_HOME",
  "CLAUDE_CONFIG_DIR",
  "HOOKLINE_HOME",
  "HOOKLINE_RUN_ID",
  "J_DATA_PATH",
  "PI_CODING_AGENT_DIR",
];

/**
 * Gives this process and those that it starts an empty home folder, and a compile cache for Node unless they have one.
 * Returns a function that ends this: it removes the folder and returns each agent's file in `real` that was added,
 * changed or removed meanwhile, because tests must not touch those.
 */
export function takeHome(real: readonly string[] = realHomes()): () => string[] {
  const before = filesOf(real);
  const own = mkdtempSync(join(tmpdir(), "hookline-home-"));
  Object.assign(process.env, { HOME: own, USERPROFILE: own });
  for (const name of VARIABLES) delete process.env[name];
  const compiled = mkdtempSync(join(tmpdir(), "hookline-compiled-"));
  process.env["NODE_COMPILE_CACHE"] ??= compiled;
  return () => {
    for (const folder of [own, compiled]) rmSync(folder, { recursive: true, force: true });
    const after = filesOf(real);
    return [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path));
  };
}

let leave: (() => string[]) | undefined;

/** Called by vitest before the tests. */
export function setup(): void {
  leave = takeHome();
}

/** Called by vitest after the tests: fails a run that has changed the real home folder. */
export function teardown(): void {
  const touched = leave?.() ?? [];
  if (touched.length > 0) throw new Error(strayed(touched));
}

/** Returns the error about changed files, and what to do about it. */
export function strayed(touched: readonly string[]): string {
  return `Changed in the real home folder during the run:\n${touched.map((path) => `  ${path}`).join("\n")}\nFind the test that gives its program no HOME. If another program has written these files, run the tests again.`;
}

/** Returns the home folder from the environment, and the one from the system's list of users. */
function realHomes(): string[] {
  return [...new Set([homedir(), userInfo().homedir])];
}

/** Returns the files in the agents' folders, each with its size and time. */
function filesOf(homes: readonly string[]): Map<string, string> {
  const folders = homes.flatMap((home) => FOLDERS.map((folder) => join(home, folder)));
  return new Map(folders.flatMap((folder) => below(folder)));
}

function below(folder: string): [string, string][] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return [[folder, ""], ...entries.map((entry) => stamped(join(entry.parentPath, entry.name)))];
  } catch {
    // The folder does not exist: most agents are not installed.
    return [];
  }
}

function stamped(path: string): [string, string] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return [path, stats?.isFile() ? `${stats.size} ${stats.mtimeMs}` : ""];
}
