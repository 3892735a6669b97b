import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Workplace } from "../support/cli.ts";
import { Sources } from "../support/sources.ts";

let place: Workplace;
let sources: Sources;

beforeEach(() => {
  place = new Workplace();
  sources = new Sources(place);
});

afterEach(() => {
  sources.close();
  place.remove();
});

/** A guard in hookline's own format that refuses a command. */
const guard = (word: string): string => `import { guard } from "@hookline/runtime/guard";
export default guard({
  name: "no-${word}",
  on: "tool.before",
  tools: ["bash"],
  run: ({ args }) => (args.command.includes("${word}") ? { deny: "no ${word}" } : undefined),
  cases: [{ args: { command: "${word}" }, expect: "deny" }],
});
`;
const manifest = { type: "module", hookline: { guards: ["./guard.ts"] } };
const scripts = { preinstall: "touch ../../../ran", install: "touch ../../../ran", postinstall: "touch ../../../ran" };

function version(number: string, word: string, more: object = {}) {
  const about = { ...manifest, scripts, ...more };
  const bytes = sources.packed("no-word", { version: number, ...about }, { "guard.ts": guard(word) });
  return { version: number, bytes, manifest: { ...about, hasInstallScript: true } };
}

const fires = (command: string, env: Readonly<Record<string, string>> = {}) =>
  place.run(["hooks", "fire", "tool.before", "--payload", "-", "--json"], {
    env,
    stdin: JSON.stringify({ tool: "bash", args: { command } }),
  });
const list = (path = "~/.hookline/settings.json") =>
  JSON.parse(readFileSync(path.startsWith("~") ? join(place.home, path.slice(2)) : join(place.project, path), "utf8"))
    .packages;

test("a package of npm is added in its exact version, with its integrity, and its guard decides", async () => {
  const env = await sources.registry({ "no-word": version("1.0.0", "publish") });
  const added = await place.run(["packages", "add", "npm:no-word", "--json"], { env });
  expect(added.err).toBe("");
  const { source, integrity, root, parts } = JSON.parse(added.out).added;
  expect([source, parts]).toEqual(["npm:no-word@1.0.0", ["guard guard.ts"]]);
  expect(integrity).toMatch(/^sha512-/);
  expect(list()).toEqual(["npm:no-word@1.0.0"]);
  expect(JSON.parse(readFileSync(join(root, "../../fetched.json"), "utf8")).integrity).toBe(integrity);
  expect(existsSync(join(place.home, ".hookline/packages/npm/ran"))).toBe(false);
  expect(JSON.parse((await fires("npm publish")).out).outcome).toMatchObject({
    decision: "deny",
    reason: "no publish",
  });
  const rows = JSON.parse((await place.run(["packages", "--json"])).out).packages;
  expect(rows).toMatchObject([{ source, state: "there", version: "1.0.0", integrity, of: "hookline" }]);
});

test("a newer version shows what differs, and replaces the old one only after a yes", async () => {
  const env = await sources.registry({ "no-word": version("1.0.0", "publish") });
  await place.run(["packages", "add", "npm:no-word@1.0.0"], { env });
  const needs = { dependencies: { dependency: "1.2.3" } };
  const dependency = { bytes: sources.packed("dependency", { main: "index.js" }, { "index.js": "" }), manifest: {} };
  sources.publish("dependency", dependency);
  sources.publish("no-word", version("1.1.0", "push", needs));
  const asked = await place.run(["packages", "add", "npm:no-word"], { env });
  expect([asked.code, asked.err]).toEqual([1, expect.stringContaining("Nothing was changed. Add `--yes`")]);
  expect(asked.out).toContain("npm:no-word@1.0.0 → npm:no-word@1.1.0");
  expect(asked.out).toMatch(/^- {3}name: "no-publish",$\n^\+ {3}name: "no-push",$/m);
  expect(asked.out).toMatch(/^\+ dependency@1\.2\.3 sha512-/m);
  expect(list()).toEqual(["npm:no-word@1.0.0"]);
  expect(JSON.parse((await fires("npm publish")).out).outcome).toMatchObject({ decision: "deny" });
  const agreed = await place.run(["packages", "add", "npm:no-word", "--yes"], { env });
  expect([agreed.code, list()]).toEqual([0, ["npm:no-word@1.1.0"]]);
  expect(JSON.parse((await fires("npm publish")).out).outcome ?? {}).toEqual({});
  expect(JSON.parse((await fires("git push")).out).outcome).toMatchObject({ decision: "deny" });
  expect(existsSync(join(place.home, ".hookline/packages/npm/no-word@1.0.0"))).toBe(false);
});

test("other bytes under a version that was added before are refused, and nothing changes", async () => {
  const env = await sources.registry({ "no-word": version("1.0.0", "publish") });
  await place.run(["packages", "add", "npm:no-word@1.0.0"], { env });
  sources.publish("no-word", version("1.0.0", "harmless"));
  const cold = { ...env, npm_config_cache: join(place.top, "npm-cold") };
  for (const command of [
    ["packages", "add", "npm:no-word@1.0.0", "--yes"],
    ["packages", "fetch"],
  ]) {
    const again = await place.run(command, { env: cold });
    expect([again.code, again.err]).toEqual([
      1,
      expect.stringContaining("the registry has other bytes for npm:no-word@1.0.0"),
    ]);
  }
  expect(JSON.parse((await fires("npm publish")).out).outcome).toMatchObject({ decision: "deny" });
});

test("a package of git is added at its whole commit, with its dependencies in the versions of its lock", async () => {
  const dependency = {
    bytes: sources.packed("dependency", { main: "index.js" }, { "index.js": "exports.word = 'publish';" }),
    manifest: { main: "index.js" },
  };
  const env = await sources.registry({ dependency });
  const text = guard("publish")
    .replace('"publish"', "word")
    .replace("import", 'import { word } from "dependency";\nimport');
  const about = { name: "tools", version: "0.0.0", ...manifest, scripts, dependencies: { dependency: "^1.0.0" } };
  place.write("../lock/package.json", JSON.stringify(about));
  await promisify(execFile)("npm", ["install", "--package-lock-only", "--ignore-scripts"], {
    cwd: join(place.top, "lock"),
    env: { ...process.env, ...env },
  });
  const lock = readFileSync(join(place.top, "lock/package-lock.json"), "utf8");
  const url = await sources.repository({
    "package.json": JSON.stringify(about),
    "package-lock.json": lock,
    "guard.ts": text,
  });
  // The lock, not the range, says which version is fetched.
  sources.publish("dependency", { ...dependency, version: "1.9.0" });
  const added = await place.run(["packages", "add", `${url}@v1`, "--json"], { env });
  expect(added.err).toBe("");
  const { source, root } = JSON.parse(added.out).added;
  expect(source).toMatch(/@[0-9a-f]{40}$/);
  expect(list()).toEqual([source]);
  expect(JSON.parse(readFileSync(join(root, "../node_modules/dependency/package.json"), "utf8")).version).toBe("1.2.3");
  expect(JSON.parse((await fires("npm publish")).out).outcome).toMatchObject({ decision: "deny" });
  const loose = lock.replace(/"integrity": "[^"]*"/, '"license": "MIT"');
  writeFileSync(join(place.top, "origin/work/package-lock.json"), loose);
  execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e@x", "commit", "-qam", "loose"], {
    cwd: join(place.top, "origin/work"),
  });
  execFileSync("git", ["push", "-q", join(place.top, "origin/me/tools"), "HEAD"], {
    cwd: join(place.top, "origin/work"),
  });
  execFileSync("git", ["update-server-info"], { cwd: join(place.top, "origin/me/tools") });
  const refused = await place.run(["packages", "add", url, "--yes"], { env });
  expect([refused.code, refused.err]).toEqual([
    1,
    expect.stringContaining("its lock file names node_modules/dependency without an integrity"),
  ]);
});

test("a project's package is fetched into it, needs an approval for its bytes, and its lock holds in another home", async () => {
  const env = await sources.registry({ "no-word": version("1.0.0", "publish") });
  const added = await place.run(["packages", "add", "npm:no-word", "--project"], { env });
  expect([added.code, list(".hookline/settings.json")]).toEqual([0, ["npm:no-word@1.0.0"]]);
  expect(JSON.parse((await fires("npm publish")).out).outcome ?? {}).toEqual({});
  expect((await place.run(["trust", "approve", "--lock", "--yes"])).code).toBe(0);
  expect(JSON.parse((await fires("npm publish")).out).outcome).toMatchObject({ decision: "deny" });
  // A colleague: the same files of the project but what is fetched, at another place, in another home.
  const [home, project] = [join(place.top, "home2"), join(place.top, "deeper/project2")];
  mkdirSync(home);
  cpSync(place.project, project, { recursive: true, filter: (path) => !path.includes(".hookline/packages") });
  const second = Object.assign(Object.create(place), { home, project }) as Workplace;
  const before = await second.run(["--frozen", "hooks", "--strict"]);
  expect([before.code, before.out + before.err]).toEqual([1, expect.stringContaining("has not been fetched")]);
  const fetched = await second.run(["--frozen", "packages", "fetch"], { env });
  expect([fetched.code, fetched.err]).toEqual([0, ""]);
  const fires2 = () =>
    second.run(["--frozen", "hooks", "fire", "tool.before", "--payload", "-", "--json"], {
      stdin: JSON.stringify({ tool: "bash", args: { command: "npm publish" } }),
    });
  expect((await second.run(["--frozen", "hooks", "--strict"])).code).toBe(0);
  expect(JSON.parse((await fires2()).out).outcome).toMatchObject({ decision: "deny" });
  // Other bytes, with a record that agrees with them.
  const prefix = join(project, ".hookline/packages/npm/no-word@1.0.0");
  const path = join(prefix, "node_modules/no-word/guard.ts");
  writeFileSync(path, readFileSync(path, "utf8").replace('includes("publish")', 'includes("never")'));
  const record = JSON.parse(readFileSync(join(prefix, "fetched.json"), "utf8"));
  record.files["guard.ts"] = createHash("sha256").update(readFileSync(path)).digest("hex");
  writeFileSync(join(prefix, "fetched.json"), JSON.stringify(record));
  const changed = await second.run(["--frozen", "hooks", "--strict"]);
  expect([changed.code, changed.out + changed.err]).toEqual([1, expect.stringMatching(/guard\.ts/)]);
});

test("a folder is used where it lies, and a project takes none from outside", async () => {
  place.write("own/package.json", JSON.stringify(manifest));
  place.write("own/guard.ts", guard("publish"));
  const added = await place.run(["packages", "add", "./own"]);
  expect([added.code, list()]).toEqual([0, [join(place.project, "own")]]);
  expect(JSON.parse((await fires("npm publish")).out).outcome).toMatchObject({ decision: "deny" });
  expect((await place.run(["packages", "remove", "./own"])).code).toBe(0);
  expect(JSON.parse((await fires("npm publish")).out).outcome ?? {}).toEqual({});
  expect((await place.run(["packages", "add", "./own", "--project"])).code).toBe(0);
  expect(list(".hookline/settings.json")).toEqual(["./own"]);
  place.write("../elsewhere/package.json", JSON.stringify(manifest));
  place.write("../elsewhere/guard.ts", guard("publish"));
  const outside = await place.run(["packages", "add", "../elsewhere", "--project"]);
  expect([outside.code, outside.err]).toEqual([1, expect.stringContaining("is outside this project")]);
});

test("pi's own list is shown and left alone", async () => {
  place.write("~/.pi/agent/npm/node_modules/of-pi/package.json", JSON.stringify({ pi: { extensions: ["./own.ts"] } }));
  place.write("~/.pi/agent/npm/node_modules/of-pi/own.ts", "export default () => {};");
  const settings = place.write("~/.pi/agent/settings.json", JSON.stringify({ packages: ["npm:of-pi", "npm:absent"] }));
  const before = readFileSync(settings, "utf8");
  const rows = JSON.parse((await place.run(["packages", "--json"])).out).packages;
  expect(rows).toMatchObject([
    { source: "npm:of-pi", of: "pi", state: "there", parts: ["pi extension own.ts"] },
    { source: "npm:absent", of: "pi", state: "missing" },
  ]);
  const removed = await place.run(["packages", "remove", "of-pi"]);
  expect([removed.code, removed.err]).toEqual([1, expect.stringContaining("names it, which is pi's")]);
  expect(readFileSync(settings, "utf8")).toBe(before);
});

test("what cannot be added says why, and leaves no list behind", async () => {
  const env = await sources.registry({ empty: { bytes: sources.packed("empty", {}, { "a.txt": "" }), manifest: {} } });
  const says = async (source: string, ...more: string[]) => {
    const ran = await place.run(["packages", "add", source, ...more], { env });
    expect(ran.code, ran.out).toBe(1);
    return ran.err;
  };
  expect(await says("no-word")).toBe(
    "no-word is neither a folder nor the name of a package to fetch. For a package of npm write npm:no-word.\n",
  );
  expect(await says("npm:")).toContain('"npm:" names no package');
  expect(await says("npm:nobody-has-this")).toMatch(/could not be added: .*404/s);
  expect(await says("npm:empty")).toContain("npm:empty@1.2.3 has nothing to run: its package.json lists no files");
  expect(await says("git:127.0.0.1:9/me/tools")).toContain("could not be added");
  place.write("plain/file.txt", "");
  expect(await says("./plain")).toContain("plain has nothing to run");
  expect((await place.run(["packages", "remove", "no-wrod"])).err).toContain("No list has the package no-wrod.");
  expect((await place.run(["packages", "add"])).code).toBe(2);
  expect(existsSync(join(place.home, ".hookline/settings.json"))).toBe(false);
});
