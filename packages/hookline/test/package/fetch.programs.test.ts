import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Workplace } from "../support/cli.ts";
import { Sources } from "../support/sources.ts";

const EXTENSION = `import { word } from "dependency";
import { VERSION } from "@earendil-works/pi-coding-agent";
export default (pi) => pi.on("input", () => ({ action: "transform", text: word + " " + typeof VERSION }));
`;

let place: Workplace;
let sources: Sources;

beforeEach(() => {
  place = new Workplace();
  sources = new Sources(place);
  place.write("script.json", JSON.stringify({ replies: [{ text: "heard" }] }));
});

afterEach(() => {
  sources.close();
  place.remove();
});

const manifest = { type: "module", dependencies: { dependency: "1.2.3" }, pi: { extensions: ["./lib/own.ts"] } };
const withPeer = { ...manifest, peerDependencies: { "@earendil-works/pi-coding-agent": "*" } };
const hooks = { scripts: { postinstall: "touch ../../../../ran" } };

async function published() {
  const dependency = {
    bytes: sources.packed("dependency", { main: "index.js" }, { "index.js": "exports.word = 'said';" }),
  };
  const own = sources.packed(
    "@scope/own",
    { ...withPeer, ...hooks },
    { "lib/own.ts": EXTENSION, "lib/other.ts": "broken(" },
  );
  return sources.registry({
    dependency: { ...dependency, manifest: { main: "index.js" } },
    "@scope/own": { bytes: own, manifest: { ...withPeer, ...hooks, hasInstallScript: true } },
  });
}

const prompt = ["--script", "script.json", "--mode", "json", "-p", "typed"];

test("a package of npm that the command line names is fetched once, with what it needs, and no script of it runs", async () => {
  const env = await published();
  const first = await place.run(["-e", "npm:@scope/own", ...prompt], { env });
  expect(first.out).toContain("Fetched npm:@scope/own (1.2.3); none of its scripts was run.");
  expect(first.out).toContain('"text":"said string"');
  const prefix = join(place.home, ".hookline/packages/npm/@scope+own@latest");
  expect(existsSync(join(prefix, "ran"))).toBe(false);
  expect(existsSync(join(prefix, "node_modules/@earendil-works"))).toBe(false);
  sources.close();
  const second = await place.run(["-e", "npm:@scope/own", ...prompt], { env });
  expect([second.code, second.err]).toEqual([0, ""]);
  expect(second.out).toContain('"text":"said string"');
  expect(second.out).not.toContain("Fetched");
});

test("a package that is not as it was fetched does not run, and the report says which file", async () => {
  const env = await published();
  const fetched = await place.run(["packages", "fetch", "npm:@scope/own@1.2.3", "--json"], { env });
  const { root, version, files } = JSON.parse(fetched.out).fetched[0];
  expect([version, Object.keys(files).sort()]).toEqual(["1.2.3", ["lib/other.ts", "lib/own.ts", "package.json"]]);
  writeFileSync(join(root, "lib/other.ts"), "export {};");
  const ran = await place.run(["-e", "npm:@scope/own@1.2.3", ...prompt], { env });
  expect(ran.err).toContain("lib/other.ts has changed since it was fetched");
  expect([ran.code, ran.out]).toEqual([1, ""]);
  await place.run(["packages", "fetch", "npm:@scope/own@1.2.3"], { env });
  expect((await place.run(["-e", "npm:@scope/own@1.2.3", ...prompt], { env })).out).toContain('"text":"said string"');
});

test("packages of the settings are fetched when a person says so, and their own limits hold", async () => {
  const env = await published();
  const extensions = ["lib/*.ts", "!lib/other.ts"];
  place.write("~/.pi/agent/settings.json", JSON.stringify({ packages: [{ source: "npm:@scope/own", extensions }] }));
  const before = await place.run(prompt, { env });
  expect(before.err).toContain("it has not been fetched");
  expect(before.err).toContain("hookline packages fetch npm:@scope/own");
  expect([before.code, before.out]).toEqual([1, ""]);
  const listed = await place.run(["hooks", "list", "--strict"], { env });
  expect([listed.code, listed.out]).toEqual([1, expect.stringMatching(/^broken .*@scope\/own/m)]);
  expect(listed.out).toMatch(/it has not been fetched\. Run `hookline packages fetch npm:@scope\/own`\.$/m);
  expect((await place.run(["doctor"], { env })).out).toMatch(/BROKEN +hooks .*@scope\/own/);
  const fetched = await place.run(["packages", "fetch"], { env });
  expect([fetched.code, fetched.out]).toEqual([0, expect.stringContaining("npm:@scope/own  1.2.3")]);
  expect((await place.run(prompt, { env })).out).toContain('"text":"said string"');
});

test("a project's list is untrusted until it is approved, and then counts as a hook that must be there", async () => {
  const env = await published();
  place.write(".pi/settings.json", JSON.stringify({ packages: ["npm:@scope/own"] }));
  const before = await place.run(prompt, { env });
  expect([before.code, before.out]).toEqual([0, expect.stringContaining('"text":"typed"')]);
  expect((await place.run(["trust", "approve", "--yes"], { env })).code).toBe(0);
  const after = await place.run(prompt, { env });
  expect([after.code, after.out]).toEqual([1, ""]);
  expect(after.err).toContain("hookline packages fetch npm:@scope/own");
  expect((await place.run(["packages", "fetch"], { env })).code).toBe(0);
  expect((await place.run(prompt, { env })).code).toBe(0);
});

test("a package that cannot be had ends the run, unless a person goes on with the others", async () => {
  const env = await sources.registry({});
  place.write("own.ts", `export default (pi) => pi.on("input", () => ({ action: "transform", text: "own" }));`);
  const named = ["-e", "npm:nobody-has-this", "-e", "own.ts"];
  expect(await place.run([...named, ...prompt], { env })).toMatchObject({ code: 1, out: "" });
  const ran = await place.run([...named, "--allow-broken-hooks", ...prompt], { env });
  expect(ran.err).toContain("npm:nobody-has-this is not run: it could not be fetched");
  expect(ran.out).toContain('"text":"own"');
});

test("a package of git is fetched at its ref, without a manifest from its folder of extensions", async () => {
  const text = (word: string) =>
    `export default (pi) => pi.on("input", () => ({ action: "transform", text: "${word}" }));`;
  const url = await sources.repository(
    { "package.json": "{}", "extensions/one.ts": text("old") },
    { "extensions/one.ts": text("new") },
  );
  const ran = await place.run(["-e", `pi:${url}@v1`, ...prompt]);
  expect(ran.out).toContain('"text":"old"');
  expect((await place.run(["-e", url, ...prompt])).out).toContain('"text":"new"');
});

test("a package brings its skills and templates along, unless no hooks are loaded", async () => {
  place.write("pack/package.json", JSON.stringify({ pi: { extensions: ["own.ts"], skills: ["./how"] } }));
  place.write("pack/own.ts", "export default () => {};");
  place.write("pack/how/bake/SKILL.md", "---\nname: bake\ndescription: how to bake\n---\nHeat the oven.\n");
  place.write("pack/prompts/greet.md", "---\ndescription: greets\n---\nSay hello to $1.");
  const ask = (...more: string[]) =>
    place.run(["-e", "./pack", ...more, "--script", "script.json", "--mode", "json", "-p", "/skill:bake", "/greet me"]);
  place.write("script.json", JSON.stringify({ replies: [{ text: "heard", repeat: true }] }));
  const { out } = await ask();
  expect(out).toContain("Heat the oven.");
  expect(out).toContain('"text":"Say hello to me."');
  const without = (await ask("--no-hooks")).out;
  expect(without).toContain('"text":"/skill:bake"');
  expect(without).toContain('"text":"/greet me"');
});
