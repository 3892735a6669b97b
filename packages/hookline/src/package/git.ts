import { mkdirSync, rmSync } from "node:fs";
import { devNull } from "node:os";
import { dirname } from "node:path";
import type { packages } from "@hookline/integrations";
import type { Programs } from "./programs.ts";

type GitSource = Extract<packages.PackageSource, { kind: "git" }>;

/** Matches the person's git settings that are used: proxies, certificates and credentials. All others are ignored. */
const OF_THE_PERSON = /^(?:http|credential)\./;

/** Makes each git call use no settings file, no template, no program but git's own, and no protocol that runs one. */
const CLOSED: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: devNull,
  GIT_ATTR_NOSYSTEM: "1",
  GIT_ALLOW_PROTOCOL: "https:http:ssh:git",
  // Nobody can be asked for a password, so git must not prompt.
  GIT_TERMINAL_PROMPT: "0",
  GIT_SSH_COMMAND: "ssh -o BatchMode=yes",
};

const OVERRIDDEN: readonly Setting[] = [
  ["core.hooksPath", devNull],
  ["core.fsmonitor", "false"],
  ["core.attributesFile", devNull],
  ["core.askPass", ""],
  ["submodule.recurse", "false"],
  ["fetch.recurseSubmodules", "false"],
];

type Setting = readonly [name: string, value: string];

/**
 * Puts the files of a commit into the folder `root`, and returns the commit's name. The repository is fetched with the
 * person's proxies, certificates and credentials, and checked out without any settings, so that it cannot choose a
 * filter, hook or helper. Submodules are left out.
 */
export async function fetchGit({ url, ref }: GitSource, root: string, programs: Programs): Promise<string> {
  const folder = dirname(root);
  const repository = `${root}.git`;
  await refuseOldGit(programs, folder);
  const settings = [...(await personsSettings(programs, folder)), ...OVERRIDDEN];
  await programs.run(
    ["git", "clone", "--quiet", "--bare", "--template=", "--no-recurse-submodules", "--", url, repository],
    folder,
    environment(folder, settings),
  );
  mkdirSync(root);
  const inside = (...args: string[]): Promise<string> =>
    programs.run(
      ["git", `--git-dir=${repository}`, `--work-tree=${root}`, ...args],
      folder,
      environment(folder, OVERRIDDEN),
    );
  const commit = (await inside("rev-parse", "--verify", `${ref ?? "HEAD"}^{commit}`)).trim();
  await inside("checkout", "--quiet", "--force", "--detach", commit);
  rmSync(repository, { recursive: true, force: true });
  return commit;
}

/** Throws if git is too old: before 2.32 it cannot be told to ignore a person's settings. */
async function refuseOldGit(programs: Programs, folder: string): Promise<void> {
  const text = await programs.run(["git", "--version"], folder, environment(folder, []));
  const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/.exec(text) ?? [];
  if (Number(major) * 1000 + Number(minor) < 2032)
    throw new Error(`${text.trim()} is too old to fetch packages safely; install git 2.32 or newer`);
}

async function personsSettings(programs: Programs, folder: string): Promise<Setting[]> {
  const env = { GIT_CEILING_DIRECTORIES: dirname(folder) };
  const found: Setting[] = [];
  for (const scope of ["--system", "--global"]) {
    // git fails if the system or the person has no settings file; then there is nothing to read.
    const text = await programs
      .run(["git", "config", scope, "--includes", "--null", "--list"], folder, env)
      .catch(() => "");
    for (const line of text.split("\0")) {
      const [name = "", ...value] = line.split("\n");
      // git reads a setting without a value as true.
      if (OF_THE_PERSON.test(name)) found.push([name, value.length === 0 ? "true" : value.join("\n")]);
    }
  }
  return found;
}

function environment(folder: string, settings: readonly Setting[]): Record<string, string> {
  const pairs = settings.flatMap(([name, value], i) => [
    [`GIT_CONFIG_KEY_${i}`, name],
    [`GIT_CONFIG_VALUE_${i}`, value],
  ]);
  return {
    ...CLOSED,
    GIT_CEILING_DIRECTORIES: dirname(folder),
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(pairs),
  };
}
