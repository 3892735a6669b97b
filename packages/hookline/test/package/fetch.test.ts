import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Workplace } from "../support/cli.ts";

const EXTENSION = `import { word } from "dependency";
import { VERSION } from "@earendil-works/pi-coding-agent";
export default (pi) => pi.on("input", () => ({ action: "transform", text: word + " " + typeof VERSION }));
`;

let place: Workplace;
const servers: Server[] = [];

beforeEach(() => {
  place = new Workplace();
  place.write("script.json", JSON.stringify({ replies: [{ text: "heard" }] }));
});

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  place.remove();
});

/** Packs a package as the registry would have it. */
function packed(name: string, manifest: object, files: Readonly<Record<string, string>>): Buffer {
  const folder = `../packed/${name.replace("/", "+")}`;
  place.write(`${folder}/package.json`, JSON.stringify({ name, version: "1.2.3", ...manifest }));
  for (const [path, text] of Object.entries(files)) place.write(`${folder}/${path}`, text);
  const env = { ...process.env, npm_config_cache: join(place.top, "npm"), HOME: place.home };
  const full = join(place.project, folder);
  const out = execFileSync("npm", ["pack", "--json", "--offline"], { cwd: full, env, encoding: "utf8" });
  return readFileSync(join(full, (JSON.parse(out) as { filename: string }[])[0]?.filename as string));
}

/** A registry on loopback with these packages; gives its address. */
async function registry(tarballs: Readonly<Record<string, { readonly bytes: Buffer; readonly manifest: object }>>) {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "/").slice(1);
    const name = path.replace(/\/-\/.*$/, "");
    const found = tarballs[name];
    if (found === undefined) return void response.writeHead(404).end("{}");
    if (path !== name) return void response.end(found.bytes);
    const integrity = `sha512-${createHash("sha512").update(found.bytes).digest("base64")}`;
    const dist = { tarball: `${url}/${name}/-/package.tgz`, integrity };
    const version = { name, version: "1.2.3", ...found.manifest, dist };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ name, "dist-tags": { latest: "1.2.3" }, versions: { "1.2.3": version } }));
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { npm_config_registry: url, npm_config_cache: join(place.top, "npm"), npm_config_audit: "false" };
}

const manifest = { type: "module", dependencies: { dependency: "1.2.3" }, pi: { extensions: ["./lib/own.ts"] } };
const withPeer = { ...manifest, peerDependencies: { "@earendil-works/pi-coding-agent": "*" } };
const hooks = { scripts: { postinstall: "touch ../../../../ran" } };

async function published() {
  const dependency = { bytes: packed("dependency", { main: "index.js" }, { "index.js": "exports.word = 'said';" }) };
  const own = packed("@scope/own", { ...withPeer, ...hooks }, { "lib/own.ts": EXTENSION, "lib/other.ts": "broken(" });
  return registry({
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
  for (const server of servers.splice(0)) server.close();
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
  expect(ran.err).toContain("lib/other.ts is not as it was fetched");
  expect(ran.out).toContain('"text":"typed"');
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
  const fetched = await place.run(["packages", "fetch"], { env });
  expect([fetched.code, fetched.out]).toEqual([0, expect.stringContaining("npm:@scope/own  1.2.3")]);
  expect((await place.run(prompt, { env })).out).toContain('"text":"said string"');
});

test("a package that cannot be had is reported, and the others run", async () => {
  const env = await registry({});
  place.write("own.ts", `export default (pi) => pi.on("input", () => ({ action: "transform", text: "own" }));`);
  const ran = await place.run(["-e", "npm:nobody-has-this", "-e", "own.ts", ...prompt], { env });
  expect(ran.err).toContain("npm:nobody-has-this is not run: it could not be fetched");
  expect(ran.out).toContain('"text":"own"');
});

test("a package of git is fetched at its ref, without a manifest from its folder of extensions", async () => {
  const source = join(place.top, "origin/me/tools");
  mkdirSync(join(source, "extensions"), { recursive: true });
  const text = (word: string) =>
    `export default (pi) => pi.on("input", () => ({ action: "transform", text: "${word}" }));`;
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e@x", ...args], { cwd: source, stdio: "ignore" });
  writeFileSync(join(source, "package.json"), "{}");
  writeFileSync(join(source, "extensions/one.ts"), text("old"));
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "old");
  git("tag", "v1");
  writeFileSync(join(source, "extensions/one.ts"), text("new"));
  git("commit", "-qam", "new");
  place.write("~/.gitconfig", `[url "file://${join(place.top, "origin")}/"]\n  insteadOf = https://example.test/\n`);
  const ran = await place.run(["-e", "pi:git:example.test/me/tools@v1", ...prompt]);
  expect(ran.out).toContain('"text":"old"');
  expect((await place.run(["-e", "https://example.test/me/tools", ...prompt])).out).toContain('"text":"new"');
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
