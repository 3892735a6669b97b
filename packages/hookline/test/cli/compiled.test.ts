import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const source = pathToFileURL(join(import.meta.dirname, "../../src/cli/compiled.ts")).href;
const SCRIPT = `(function (from, load, url) {
  "use strict";
  function called(x) { return { x: x + from[0].y, more: load("./more.mjs"), url }; }
  return { called };
})`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookline-compiled-"));
  writeFileSync(join(folder, "s.js"), SCRIPT);
  writeFileSync(join(folder, "more.mjs"), "export const z = 3;");
  writeFileSync(
    join(folder, "main.mjs"),
    `import { runCompiled } from ${JSON.stringify(source)};
     const url = new URL("./s.js", import.meta.url).href;
     const { called } = runCompiled(url, "h1", [{ y: 2 }], (name) => import(name));
     const { x, more, url: own } = called(1);
     console.log(JSON.stringify({ x, z: (await more).z, own: own === url }));`,
  );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const cache = () => join(folder, "cache");

/** Runs it in a process of its own; gives what it printed. */
function run(cacheFolder = cache()): unknown {
  const program = `process.getBuiltinModule("node:module").enableCompileCache(${JSON.stringify(cacheFolder)});
    await import(${JSON.stringify(pathToFileURL(join(folder, "main.mjs")).href)});`;
  const args = ["--conditions=hookline-source", "--input-type=module", "-e", program];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

function kept(): string[] {
  const all = readdirSync(cache(), { recursive: true, encoding: "utf8" });
  return all.filter((path) => path.includes("hookline-")).map((path) => join(cache(), path));
}

const answer = { x: 3, z: 3, own: true };

test("a script runs the same without a cache, with one, and with a damaged one", () => {
  expect(run()).toEqual(answer);
  const [path = "", ...others] = kept();
  expect(others).toEqual([]);
  const first = readFileSync(path);
  // What has run is in it, which Node's own cache leaves out.
  expect(first.length).toBeGreaterThan(SCRIPT.length);

  expect(run()).toEqual(answer);
  expect(readFileSync(path).equals(first)).toBe(true);

  for (const bad of [
    Buffer.alloc(0),
    Buffer.from("no cache"),
    Buffer.concat([first.subarray(0, 40), Buffer.alloc(99)]),
  ]) {
    writeFileSync(path, bad);
    expect(run()).toEqual(answer);
    expect(readFileSync(path).length).toBeGreaterThan(SCRIPT.length);
  }
  expect(kept()).toEqual([path]);
});

test("hookline's own folder keeps the newer half above the limit, and no other folder loses anything", () => {
  for (const [name, left] of [
    ["compiled", 500],
    ["other", 1000],
  ] as const) {
    const own = join(folder, name);
    const old = join(own, "v1.0.0-x64");
    mkdirSync(old, { recursive: true });
    for (let at = 0; at < 1000; at++) writeFileSync(join(old, `old-${at}`), "");
    for (let at = 0; at < 500; at++) utimesSync(join(old, `old-${at}`), 1, 1);
    expect(run(own)).toEqual(answer);
    const names = readdirSync(old);
    expect([name, names.length >= left - 5 && names.length <= left]).toEqual([name, true]);
    if (left < 1000) expect(names.filter((one) => Number(one.slice("old-".length)) < 500)).toEqual([]);
  }
});

test("a script runs if nothing can be cached", () => {
  const text = `await import(${JSON.stringify(pathToFileURL(join(folder, "main.mjs")).href)});`;
  const args = ["--conditions=hookline-source", "--input-type=module", "-e", text];
  expect(JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }))).toEqual(answer);
});
