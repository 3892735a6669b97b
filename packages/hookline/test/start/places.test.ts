import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { dialects } from "@hookline/integrations";
import { createHookRuntime, lockPath } from "@hookline/runtime/session";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemFiles } from "../../../ground/src/file/system-files.ts";
import { readProjectSettings } from "../../src/settings/project.ts";

let top: string;
beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "hookline-places-")));
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

const MODULE = "export default (api) => { api.on('tool_call', () => undefined); };\n";
const HOOKS = "stop:\n  - command: 'true'\n";

const claudeHook = (command: string): string =>
  JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } });

/** A file of hooks of each kind in a project's folder; only those of the session's own folder run. */
const HOOK_FILES: Readonly<Record<string, string>> = {
  ".claude/settings.local.json": claudeHook("true"),
  ".pi/extensions/guard.js": MODULE,
  ".omp/hooks/pre/guard.js": MODULE,
  ".jcli/hooks.yaml": HOOKS,
  ".hookline/hooks.yaml": HOOKS,
};

/** The same of a person, which run wherever a session starts. */
const OWN_FILES: Readonly<Record<string, string>> = {
  ".claude/settings.json": claudeHook("exit 0"),
  ".pi/agent/extensions/own.js": MODULE,
  ".omp/agent/hooks/pre/own.js": MODULE,
  ".jdata/agent/hooks.yaml": HOOKS,
};

function put(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** Everything that a folder may define; `id` is in the names of what its rules and settings say. */
function define(folder: string, id: string, hasLock: boolean): void {
  for (const [path, text] of Object.entries(HOOK_FILES)) put(folder, path, text);
  const permissions = { deny: [`Bash(deny-${id} *)`], ask: [`Bash(ask-${id} *)`] };
  put(folder, ".claude/settings.json", JSON.stringify({ permissions }));
  const settings = { required: [`required-${id}`], failClosed: [`closed-${id}`] };
  put(folder, ".hookline/settings.json", JSON.stringify(settings));
  if (hasLock) put(folder, "hookline.lock", '{"version":2,"dialects":[],"hooks":[]}');
}

/** Folders from the outermost to the innermost, by the ids of what they define. */
const LEVELS = ["outer", "project", "project/a", "project/a/b"] as const;

interface Tree {
  /** Markers, by folder. */
  readonly markers: Readonly<Record<string, string>>;
  /** The folder that the root must be, for a session in `project/a/b`. */
  readonly root: string;
  /** A folder above it whose marker does not count, since anybody may write there. */
  readonly open?: string;
}

/** `.hookline` is in every folder, so that without version control the nearest folder is the root. */
const TREES: Readonly<Record<string, Tree>> = {
  "git above": { markers: { project: ".git/HEAD" }, root: "project" },
  "Mercurial above": { markers: { project: ".hg/store" }, root: "project" },
  "Jujutsu above": { markers: { project: ".jj/repo" }, root: "project" },
  "a worktree or submodule": { markers: { project: ".git/HEAD", "project/a": ".git" }, root: "project/a" },
  "a repository in the session's folder": {
    markers: { project: ".git/HEAD", "project/a/b": ".git/HEAD" },
    root: "project/a/b",
  },
  "no version control": { markers: {}, root: "project/a/b" },
  "a folder that anybody may write": { markers: { project: ".git/HEAD" }, root: "project/a/b", open: "project" },
};

/** Folders in which a session starts, each with its real path. */
const STARTS: Readonly<Record<string, readonly [start: string, real: string]>> = {
  "the root": ["project", "project"],
  "a subfolder": ["project/a", "project/a"],
  "a folder below it": ["project/a/b", "project/a/b"],
  "a link to a subfolder": ["link", "project/a"],
  "the folder above": ["", ""],
  "the home": ["home", "home"],
  "the root of the file system": ["/", "/"],
};

/** Returns the folders whose rules count for a session according to the design, without asking the code. */
function counting(real: string, { markers, open }: Tree): string[] {
  const chain: string[] = [];
  for (let folder = real; folder !== "." && folder !== "" && folder !== "/"; folder = dirname(folder)) {
    // The session's own folder counts, whoever may write there.
    if (folder === open && folder !== real) break;
    chain.push(folder);
  }
  const root = chain.find((folder) => markers[folder] !== undefined);
  // Each folder has files of hookline's own, so that the nearest is the root where no version control is.
  return root === undefined ? chain.slice(0, 1) : chain.slice(0, chain.indexOf(root) + 1);
}

interface Cell {
  readonly name: string;
  readonly is: unknown;
  readonly must: unknown;
}

async function cellsOf(tree: Tree, [start, real]: readonly [string, string], base: string): Promise<Cell[]> {
  const home = join(base, "home");
  const cwd = start === "/" ? "/" : join(base, start);
  const runtime = createHookRuntime({
    dialects,
    runUnapprovedProjectHooks: true,
    env: { PATH: process.env["PATH"], HOME: home },
    home,
    hooklineHome: join(home, ".hookline"),
  });
  const session = await runtime.open({ scene: { sessionId: "s", cwd }, onDiagnostic: () => {} });
  const settings = readProjectSettings(cwd, join(home, ".hookline"), home);
  const said = [...session.report.diagnostics, ...settings.diagnostics].map(({ message }) => message).join("\n");
  const runs = new Set(
    session.report.sources.filter(({ state }) => state === "runs").map(({ path }) => realpathSync(path)),
  );
  const cells: Cell[] = [];
  const counts = counting(real, tree);
  for (const level of LEVELS) {
    const folder = join(base, level);
    const [isHere, isInProject] = [level === real, counts.includes(level)];
    for (const path of Object.keys(HOOK_FILES)) {
      // A marker that is not used is named, and with it what is in it.
      const isMarker = level === tree.open && real.startsWith(`${level}/`) && path.startsWith(".hookline/");
      const full = join(folder, path);
      const isNamed = [full, dirname(full), dirname(dirname(full))].some(
        (one) => said.includes(`${one} `) || said.includes(`${one}:`),
      );
      cells.push({
        name: `${level}/${path}`,
        is: runs.has(full) ? "runs" : isNamed ? "is named" : "is not seen",
        must: isHere ? "runs" : isInProject || isMarker ? "is named" : "is not seen",
      });
    }
    const id = basename(level);
    for (const rule of ["deny", "ask"] as const) {
      const call = { toolCallId: "c1", tool: "bash", args: { command: `${rule}-${id} x` } };
      const { answer } = await session.emit("tool.before", call);
      cells.push({
        name: `${rule} rule of ${level}`,
        is: answer.decision ?? "none",
        must: isInProject ? rule : "none",
      });
    }
    for (const key of ["required", "failClosed"] as const) {
      const file = `${key === "required" ? "required" : "closed"}-${id}`;
      const isHeld =
        settings.settings[key]?.includes(join(folder, file)) === true ||
        (start === "link" && settings.settings[key]?.some((one) => one.endsWith(`/${file}`)) === true);
      cells.push({ name: `${key} of ${level}`, is: isHeld, must: isInProject });
    }
  }
  for (const path of Object.keys(OWN_FILES))
    cells.push({ name: `~/${path}`, is: runs.has(join(home, path)), must: true });
  const found = lockPath(cwd, systemFiles, home);
  const isFound = systemFiles.stat(found) !== undefined;
  cells.push({
    name: "the lock",
    is: isFound ? dirname(realpathSync(found)).slice(base.length + 1) : "none",
    must: counts.includes("project") ? "project" : "none",
  });
  await session.close();
  await runtime.close();
  return cells;
}

test("the same hooks run from wherever a session starts, and each that does not count is named", async () => {
  const wrong: string[] = [];
  let count = 0;
  for (const [treeName, tree] of Object.entries(TREES)) {
    const base = join(top, String(Object.keys(TREES).indexOf(treeName)));
    for (const level of LEVELS) define(join(base, level), basename(level), level === "project");
    for (const [folder, marker] of Object.entries(tree.markers)) put(join(base, folder), marker, "gitdir: elsewhere\n");
    for (const [path, text] of Object.entries(OWN_FILES)) put(join(base, "home"), path, text);
    symlinkSync(join(base, "project/a"), join(base, "link"));
    if (tree.open !== undefined) chmodSync(join(base, tree.open), 0o777);
    for (const [startName, start] of Object.entries(STARTS)) {
      for (const { name, is, must } of await cellsOf(tree, start, base)) {
        count++;
        if (is !== must)
          wrong.push(`${treeName}, from ${startName}: ${name}: ${String(is)} instead of ${String(must)}`);
      }
    }
  }
  expect(wrong).toEqual([]);
  expect(count).toBe(2009);
});
