import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Workplace } from "../support/cli.ts";
import { Sources } from "../support/sources.ts";

/** A package and a project that try every way to have a program of theirs run while a package is fetched. */

const EXTENSION = `import { word } from "dependency";
export default (pi) => pi.on("input", () => ({ action: "transform", text: word }));
`;

let place: Workplace;
let sources: Sources;

beforeEach(() => {
  place = new Workplace();
  sources = new Sources(place);
  place.write("script.json", JSON.stringify({ replies: [{ text: "heard" }] }));
  mkdirSync(join(place.top, "marks"));
});

afterEach(() => {
  sources.close();
  place.remove();
});

/** A program that leaves a mark of this name. */
const marking = (name: string): string =>
  `#!/bin/sh\n[ "$1" = --version ] && echo git version 2.40.0\ntouch ${place.top}/marks/${name}\n`;
/** hookline itself runs in Node as well. */
const requiring = (name: string): string =>
  `if (/npm/.test(process.argv[1])) require("node:fs").writeFileSync("${place.top}/marks/${name}", "");`;
const marks = (): string[] => readdirSync(join(place.top, "marks"));

async function registryWithDependency(manifest: object = {}) {
  const bytes = sources.packed(
    "dependency",
    { main: "index.js", scripts: { install: `touch ${place.top}/marks/script` }, ...manifest },
    { "index.js": "exports.word = 'said';", ".npmrc": `git=\${PWD}/evil.sh\n` },
  );
  const about = { main: "index.js", hasInstallScript: true, scripts: { install: "x" }, ...manifest };
  return sources.registry({ dependency: { bytes, manifest: about } });
}

const npmrc = (where: string): string =>
  `git=${where}/git.sh\nscript-shell=${where}/shell.sh\nignore-scripts=false\nnode-options=--require ${where}/required.cjs\nregistry=http://127.0.0.1:9/\n`;

/** Returns files by which a repository may try to have something run. */
function hostileFiles(): Record<string, string> {
  return {
    ".npmrc": `git=\${PWD}/evil.sh\nscript-shell=\${PWD}/evil.sh\nignore-scripts=false\nregistry=http://127.0.0.1:9/\n`,
    "etc/npmrc": `git=\${PWD}/evil.sh\nregistry=http://127.0.0.1:9/\n`,
    "evil.sh": marking("package"),
    ".yarnrc": "yarn-path ./evil.sh\n",
    ".gitattributes": "* filter=evil\n",
    ".gitmodules": `[submodule "x"]\n  path = x\n  url = ext::sh -c touch% ${place.top}/marks/submodule\n`,
    "lib/own.ts": EXTENSION,
    "node_modules/.bin/git": marking("bin"),
  };
}

const package_ = (dependencies: object): string =>
  JSON.stringify({
    dependencies,
    pi: { extensions: ["./lib/own.ts"] },
    scripts: Object.fromEntries(["preinstall", "install", "postinstall", "prepare"].map((name) => [name, "./evil.sh"])),
    workspaces: ["packages/*"],
    packageManager: "npm@0.0.1",
    overrides: { dependency: "git+https://127.0.0.1:9/x" },
  });

/** Settings, folders and variables of a project in which a person stands, and a person's own settings that run programs. */
function hostilePlace(): Record<string, string> {
  const project = place.project;
  for (const name of ["git.sh", "shell.sh", "ssh.sh", "bin/git", "bin/npm", "node_modules/.bin/npm"])
    place.write(name, marking(`project-${name.replaceAll("/", "-")}`), "x");
  place.write("required.cjs", requiring("node-options"));
  place.write(".npmrc", npmrc(project));
  place.write("package.json", JSON.stringify({ packageManager: "npm@0.0.1", workspaces: ["**"] }));
  place.write(".git/HEAD", "ref: refs/heads/main\n");
  place.write(".git/config", `[core]\n  fsmonitor = ${project}/git.sh\n  sshCommand = ${project}/ssh.sh\n`);
  for (const name of ["git.sh", "shell.sh", "filter.sh", "template/hooks/post-checkout", "hooks/post-checkout"])
    place.write(`~/own/${name}`, marking(`home-${name.replaceAll("/", "-")}`), "x");
  place.write("~/own/required.cjs", requiring("home-node-options"));
  place.write("~/.npmrc", npmrc(`${place.home}/own`).replace(/registry.*\n/, ""));
  place.write(
    "~/.gitconfig",
    `[core]\n  fsmonitor = ~/own/git.sh\n  sshCommand = ~/own/git.sh\n  hooksPath = ~/own/hooks\n  gitProxy = ~/own/git.sh
[init]\n  templateDir = ~/own/template
[filter "evil"]\n  smudge = ${place.home}/own/filter.sh\n  process = ${place.home}/own/filter.sh\n  required = true
[url "http://127.0.0.1:9/elsewhere/"]\n  insteadOf = http://
[protocol "ext"]\n  allow = always
[submodule]\n  recurse = true
[http]\n  extraHeader = "X-Own: \\"of the person\\""\n`,
  );
  return {
    PATH: [
      ".",
      "node_modules/.bin",
      join(project, "bin"),
      join(project, "node_modules/.bin"),
      process.env["PATH"],
    ].join(delimiter),
    NODE_OPTIONS: `--require ${project}/required.cjs`,
    GIT_SSH_COMMAND: join(project, "ssh.sh"),
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "core.fsmonitor",
    GIT_CONFIG_VALUE_0: join(project, "git.sh"),
    GIT_EXEC_PATH: join(project, "bin"),
    GIT_TEMPLATE_DIR: join(place.home, "own/template"),
    npm_config_git: join(project, "git.sh"),
    NPM_CONFIG_SCRIPT_SHELL: join(project, "shell.sh"),
    npm_config_ignore_scripts: "false",
    NPM_CONFIG_USERCONFIG: join(project, ".npmrc"),
  };
}

const fetching = (url: string, env: Readonly<Record<string, string>>) => place.run(["packages", "fetch", url], { env });

test("nothing of a package, of the project or of anybody's settings runs while a package of git is fetched", async () => {
  const url = await sources.repository({ ...hostileFiles(), "package.json": package_({ dependency: "1.2.3" }) });
  const env = { ...hostilePlace(), ...(await registryWithDependency()) };
  const fetched = await fetching(url, env);
  expect([fetched.code, fetched.err]).toEqual([0, ""]);
  expect(marks()).toEqual([]);
  // The person's own network settings are used.
  expect(sources.heard.some((headers) => headers["x-own"] === '"of the person"')).toBe(true);
  const asked = ["-e", url, "--script", "script.json", "--mode", "json", "-p", "typed"];
  expect((await place.run(asked)).out).toContain('"text":"said"');
});

test.each([
  ["git+https://127.0.0.1:9/x.git"],
  ["github:me/other"],
  ["me/other"],
  ["file:./node_modules"],
  ["https://127.0.0.1:9/x.tgz"],
  ["npm:dependency@git+ssh://h/x"],
])("a dependency on %s is refused by name, before anything of it is asked for", async (version) => {
  const url = await sources.repository({ ...hostileFiles(), "package.json": package_({ other: version }) });
  const fetched = await fetching(url, { ...hostilePlace(), ...(await registryWithDependency()) });
  expect(fetched.code).toBe(1);
  expect(fetched.err).toContain(`it needs other from ${version}; only dependencies from npm's registry are fetched`);
  expect(marks()).toEqual([]);
  expect(existsSync(join(place.home, ".hookline/packages/git"))).toBe(true);
  expect(readdirSync(join(place.home, ".hookline/packages/git"), { recursive: true }).join()).not.toContain("tools");
});

test.each([["git+https://127.0.0.1:9/x.git"], ["file:../.."]])(
  "a dependency of a dependency on %s is not fetched either",
  async (version) => {
    const env = { ...hostilePlace(), ...(await registryWithDependency({ dependencies: { other: version } })) };
    const fetched = await fetching("npm:dependency", env);
    expect(fetched.code).toBe(1);
    expect(fetched.err).toContain("npm:dependency could not be fetched");
    expect(marks()).toEqual([]);
  },
);

test("npm asks with the credentials of the person's own file of settings", async () => {
  const { npm_config_registry, ...env } = await registryWithDependency();
  const host = npm_config_registry.replace("http:", "");
  place.write("~/.npmrc", `registry=${npm_config_registry}\n${host}/:_authToken=\${TOKEN_FOR_TEST}\n`);
  const fetched = await fetching("npm:dependency", { ...env, TOKEN_FOR_TEST: "of-the-person" });
  expect([fetched.code, fetched.err]).toEqual([0, ""]);
  expect(sources.heard.some(({ authorization }) => authorization === "Bearer of-the-person")).toBe(true);
});

test("what a project's settings name is fetched after a person's yes to that list, and a longer list asks again", async () => {
  const env = await registryWithDependency();
  const list = (...packages: string[]) => place.write(".pi/settings.json", JSON.stringify({ packages }));
  list("npm:dependency");
  place.write("~/.pi/agent/settings.json", JSON.stringify({ packages: ["npm:dependency@1.2.3"] }));
  const refused = await place.run(["packages", "fetch"], { env });
  expect(refused.code).toBe(1);
  expect(refused.err).toContain("nobody has approved that list");
  expect(refused.out).toContain("npm:dependency@1.2.3  1.2.3");
  expect(existsSync(join(place.home, ".hookline/packages/npm/dependency@latest"))).toBe(false);
  const inside = await place.run(["packages", "fetch", "--yes"], { env: { ...env, HOOKLINE_RUN_ID: "a" } });
  expect(inside.code).toBe(1);
  const agreed = await place.run(["packages", "fetch", "--yes"], { env });
  expect([agreed.code, agreed.err]).toEqual([0, ""]);
  place.write(".pi/settings.json", JSON.stringify({ packages: ["npm:dependency"], theme: "other" }));
  expect((await place.run(["packages", "fetch"], { env })).code).toBe(0);
  list("npm:dependency", "npm:another");
  expect((await place.run(["packages", "fetch"], { env })).err).toContain("npm:another could not be fetched");
  expect((await place.run(["packages", "fetch", "--frozen"], { env })).code).toBe(1);
});
