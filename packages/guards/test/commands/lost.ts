import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Fixture } from "./fixture.ts";

/** Names of files that a program makes again, which count for nothing. */
const MADE = /^(?:node_modules|dist|coverage|\.cache|__pycache__)$|\.(?:log|pyc|o)$/;

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === ".git" || entry.name === "origin.git" || MADE.test(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesIn(path) : lstatSync(path).isFile() ? [path] : [];
  });
}

function git(folder: string, ...args: readonly string[]): readonly string[] {
  const { stdout, status } = spawnSync("git", [...args], { cwd: folder, encoding: "utf8" });
  return status === 0 ? stdout.split("\n").filter((line) => line !== "") : [];
}

/** Everything that exists in a fixture: contents of files wherever they are, commits, and refs by name. */
export function everything({ root, project }: Fixture): ReadonlySet<string> {
  const all = new Set<string>();
  for (const path of filesIn(root)) {
    const text = readFileSync(path);
    if (text.length > 0) all.add(createHash("sha1").update(`blob ${text.length}\0`).update(text).digest("hex"));
  }
  for (const line of git(project, "ls-files", "--stage")) all.add(line.split(" ")[1] ?? "");
  // A stash counts by its contents: popping it loses its commits and nothing else.
  const kept = ["--branches", "--tags", "--remotes"];
  const contents = ["--objects", "--filter=object:type=blob", "--filter-provided-objects"];
  const stashes = git(project, "stash", "list", "--format=%H");
  for (const line of git(project, "rev-list", ...contents, ...kept, ...stashes)) all.add(line.split(" ")[0] ?? "");
  for (const line of git(project, "rev-list", ...kept)) all.add(line);
  for (const line of git(project, "tag", "--list")) all.add(`tag ${line}`);
  for (const line of git(join(root, "origin.git"), "for-each-ref", "--format=%(refname)")) all.add(`remote ${line}`);
  for (const line of git(join(root, "origin.git"), "rev-list", "--all")) all.add(`remote ${line}`);
  return all;
}

/**
 * Makes everything but one folder read-only, with devices that cannot be replaced: an ordinary user of a namespace may
 * still write in `/dev`. `$1` is the folder, `$2` an empty one for the devices.
 */
const APART = [
  'mount --bind "$1" "$1"',
  'mount -t tmpfs none "$2"',
  'for one in null zero full random urandom; do touch "$2/$one" && mount --bind "/dev/$one" "$2/$one" || exit 1; done',
  'mount --rbind "$2" /dev',
  "mount -o remount,bind,ro /",
].join(" && ");

/**
 * Runs a text of shell where it can write in one folder and reach nothing else; gives its exit code. Waits for what the
 * text leaves running too, since bash waits for no process substitution and for nothing behind `&`: all of it inherits a
 * pipe, and the pipe ends with the last of them.
 */
function runApart(root: string, cwd: string, text: string, env: Readonly<Record<string, string>>): number | null {
  const devices = mkdtempSync(join(tmpdir(), "guards-devices-"));
  try {
    const inside = `${APART} && cd "$4" && exec timeout -k 1 10 bash -c "$3"`;
    const words = ["-rmn", "sh", "-c", inside, "sh", root, devices, text, cwd];
    const stdio = ["ignore", "ignore", "ignore", "pipe"] as const;
    return spawnSync("unshare", words, { env, stdio: [...stdio], timeout: 30_000, killSignal: "SIGKILL" }).status;
  } finally {
    rmdirSync(devices);
  }
}

/**
 * Runs a command with bash in a fixture, where nothing else can be written and nothing can be reached, and returns what
 * existed before and does not after. `before` is everything in a copy that is the same.
 */
export function lostBy(command: string, fixture: Fixture, before = everything(fixture)): readonly string[] {
  const env = { PATH: process.env["PATH"] ?? "", HOME: fixture.home, GIT_TERMINAL_PROMPT: "0", GIT_EDITOR: "true" };
  runApart(fixture.root, fixture.project, command, env);
  const after = everything(fixture);
  return [...before].filter((one) => !after.has(one));
}

/** Whether this system can run a command where it can write and reach nothing else. */
export function canRun(): boolean {
  const root = mkdtempSync(join(tmpdir(), "guards-apart-"));
  try {
    const probe = "touch inside && ! touch /guards-probe && ! mv inside /dev/null && test -c /dev/null";
    return runApart(root, root, probe, { PATH: process.env["PATH"] ?? "" }) === 0;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
