import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, extname, join } from "node:path";
import { type Entry, pathOf, type Repository } from "./list.ts";

/** A home folder and a project for one entry. */
export interface Place extends Disposable {
  readonly home: string;
  readonly project: string;
  readonly etc: string;
  /** The folder of the entry's own files, which their texts refer to. */
  readonly own: string;
}

/** Checks out a repository at its commit from a clone, bare or not; returns the folder. */
export function unpack({ repository, commit }: Repository, clones: string, into: string): string {
  const named = join(clones, repository.replace("/", "+"));
  const git = [join(named, "repo"), join(named, ".git"), named].find((path) => existsSync(join(path, "HEAD")));
  if (git === undefined) throw new Error(`${named} is no clone of ${repository}; clone it there.`);
  const folder = join(into, repository.replace("/", "+"));
  mkdirSync(folder, { recursive: true });
  const run = (args: readonly string[], input = ""): Buffer => {
    const done = spawnSync("git", ["--git-dir", git, ...args], { input, maxBuffer: 2 ** 30 });
    if (done.status !== 0) throw new Error(`${git} does not have ${commit}: ${done.stderr}`);
    return done.stdout;
  };
  // A snapshot may lack large files, such as pictures.
  const blobs = String(run(["ls-tree", "-rz", commit]))
    .split("\0")
    .filter((line) => line.includes(" blob "));
  const ids = blobs.map((line) => line.slice(12, 52));
  const known = String(run(["cat-file", "--batch-check"], `${ids.join("\n")}\n`)).split("\n");
  const absent = blobs
    .filter((_, i) => known[i]?.endsWith(" missing"))
    .map((line) => `:(exclude,literal)${line.slice(53)}`);
  const archive = run(["archive", commit, "--", ".", ...absent]);
  const { status, stderr } = spawnSync("tar", ["-x", "-C", folder], { input: archive });
  if (status !== 0) throw new Error(`${repository} could not be unpacked: ${stderr}`);
  return folder;
}

/** Sets an entry up as its users have it: as an installed plugin, as a project, or as settings. */
export function placeEntry(entry: Entry, { repository, commit }: Repository, unpacked: string): Place {
  const base = realpathSync.native(mkdtempSync(join(tmpdir(), "hookline-third-party-")));
  const [home, project, etc] = ["home", "project", "etc"].map((name) => join(base, name)) as [string, string, string];
  for (const folder of [home, project, etc]) mkdirSync(folder, { recursive: true });
  const from = join(unpacked, pathOf(entry));
  const put = (path: string, value: object): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`);
  };
  let own = join(project, ".claude");
  if (entry.plugin !== undefined) {
    own = placePlugin(entry.plugin, { repository, commit }, join(home, ".claude/plugins"), put);
    cpSync(from, own, { recursive: true });
    put(join(home, ".claude/settings.json"), { enabledPlugins: { [idOf(entry.plugin, repository)]: true } });
  } else if (entry.project !== undefined && entry.home === true)
    cpSync(join(from, ".claude"), join(home, ".claude"), { recursive: true });
  else if (entry.project !== undefined) cpSync(from, project, { recursive: true });
  else if (entry.script !== undefined) {
    const { event = "", matcher } = entry;
    const handler = { type: "command", command: `python3 '${from}'` };
    put(join(own, "settings.json"), { hooks: { [event]: [{ matcher, hooks: [handler] }] } });
  } else {
    if (entry.home === true) own = join(home, ".claude");
    mkdirSync(join(own, "hooks"), { recursive: true });
    cpSync(from, join(own, "settings.json"));
    const stem = basename(from, extname(from));
    for (const name of readdirSync(dirname(from)))
      if (name !== basename(from) && basename(name, extname(name)) === stem)
        cpSync(join(dirname(from), name), join(own, "hooks", name));
  }
  furnish(project);
  return { home, project, etc, own, [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }) };
}

type Put = (path: string, value: object) => void;

/**
 * Sets a plugin up. One that is a whole repository is installed into the cache; one of several is in the folder of its
 * marketplace.
 */
function placePlugin(
  path: string,
  { repository, commit }: Pick<Repository, "repository" | "commit">,
  plugins: string,
  put: Put,
): string {
  const [name = "", marketplace = ""] = idOf(path, repository).split("@");
  const version = commit.slice(0, 12);
  if (path === ".") {
    const own = join(plugins, "cache", marketplace, name, version);
    const record = { scope: "user", installPath: own, version, gitCommitSha: commit };
    put(join(plugins, "installed_plugins.json"), { version: 2, plugins: { [`${name}@${marketplace}`]: [record] } });
    return own;
  }
  const folder = join(plugins, "marketplaces", marketplace);
  put(join(plugins, "known_marketplaces.json"), { [marketplace]: { installLocation: folder } });
  const entry = { name, source: `./${path}` };
  put(join(folder, ".claude-plugin/marketplace.json"), { name: marketplace, plugins: [entry] });
  return join(folder, path);
}

function idOf(path: string, repository: string): string {
  return `${path === "." ? basename(repository) : basename(path)}@${repository.split("/")[0]}`;
}

/** Creates a repository with a few files that hooks expect. */
function furnish(project: string): void {
  const texts: Readonly<Record<string, string>> = {
    "notes.txt": "Rivers run to the sea.\n",
    ".env": "TOKEN=none\n",
    "src/app.js": "export const rivers = 1;\n",
    "src/app.py": "rivers = 1\n",
  };
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    if (!existsSync(join(project, path))) writeFileSync(join(project, path), text);
  }
  const identity = ["-c", "user.name=A Person", "-c", "user.email=person@example.org"];
  for (const args of [
    ["init", "-q", "-b", "main"],
    ["add", "-A"],
    [...identity, "commit", "-q", "-m", "Begin"],
  ])
    spawnSync("git", args, { cwd: project });
  writeFileSync(join(project, "src/app.js"), `${readFileSync(join(project, "src/app.js"), "utf8")}// more\n`);
}
