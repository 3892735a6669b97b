import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { createModuleTransport } from "../../src/transport/module/transport.ts";
import { exportsOf, Project } from "./project.ts";

const transport = createModuleTransport();

async function load(
  files: Record<string, string>,
  provided = {},
  entry = Object.keys(files)[0] ?? "",
): Promise<Record<string, any>> {
  using project = new Project(files);
  return exportsOf(await transport.load(project.call(entry, provided)));
}

describe("TypeScript", () => {
  test("types are erased, also those imported without `type` from a package that is not installed", async () => {
    const { default: factory } = await load({
      "a.ts": `
        import type { ExtensionAPI } from "not-installed-a";
        import { type Theme, HookAPI } from "not-installed-b";
        import Whole from "not-installed-c";
        import { Shape } from "./shape";
        export type { Shape };
        const shape: Shape = { sides: 3 };
        export default function (pi: ExtensionAPI & HookAPI & Whole, theme?: Theme) { return [shape.sides, pi satisfies unknown]; }`,
      "shape.ts": "export interface Shape { sides: number }",
    });
    expect(factory("pi")).toEqual([3, "pi"]);
  });

  test("enums, parameter properties, namespaces and abstract classes work", async () => {
    const { Level, Point, Names } = await load({
      "a.ts": `
        export enum Level { Low, High = 5, Text = "t" }
        abstract class Base { constructor(protected readonly x: number) {} abstract sum(): number }
        export class Point extends Base { constructor(x: number, private y: number) { super(x) } sum() { return this.x + this.y } }
        export namespace Names { export const first = "a"; export namespace Inner { export const second = first + "b" } }
        declare const never: string; declare module "x" { export type Y = 1 }`,
    });
    expect([Level.High, Level[0], Level.Text]).toEqual([5, "Low", "t"]);
    expect(new Point(2, 3).sum()).toBe(5);
    expect(Names.Inner.second).toBe("ab");
  });

  test("a tsx file, a generic arrow function and a hashbang line are read", async () => {
    const { make, id } = await load({
      "a.ts":
        '#!/usr/bin/env node\nimport { make } from "./view";\nexport const id = <T>(x: T) => x;\nexport { make };',
      "view.tsx":
        "const React = { createElement: (tag: string, props: unknown, ...rest: string[]) => [tag, ...rest] };\nexport const make = () => <b>text</b>;",
    });
    expect(id(make())).toEqual(["b", "text"]);
  });

  test("modules are strict, scripts without imports and exports are not", async () => {
    const { strict, sloppy } = await load({
      "a.ts":
        'import sloppy from "./b.cjs"; export { sloppy }; export const strict = (function (this: unknown) { return this })();',
      "b.cjs": "module.exports = (function () { with ({ found: this }) { return found === globalThis } })()",
    });
    expect([strict, sloppy]).toEqual([undefined, true]);
  });
});

describe("imports", () => {
  test("extensionless, .js for .ts, index and JSON imports resolve", async () => {
    const { all } = await load({
      "a.ts": `
        import { one } from "./one";
        import { two } from "./two.js";
        import { three } from "./three";
        import { four } from "./lib/../four.mjs";
        import { dotted } from "./name.service";
        import data, { nested } from "./data.json" with { type: "json" };
        import again from "./data";
        import prompt from "./prompt.md";
        import { up } from "./lib/deep/up";
        export const all = [one, two, three, four, dotted, data.nested.deep, nested.deep, again === data, prompt, up];`,
      "one.ts": "export const one = 1",
      "two.ts": "export const two = 2",
      "three/index.ts": "export const three = 3",
      "four.mts": "export const four = 4",
      "name.service.ts": "export const dotted = 5",
      "data.json": '{ "nested": { "deep": 6 } }',
      "prompt.md": "# Title\n",
      "lib/deep/up.ts": 'export { three as up } from "../.."; export const here = 1; import "..";',
      "lib/index.ts": "export {}",
      "index.ts": 'export * from "./three"',
    });
    expect(all).toEqual([1, 2, 3, 4, 5, 6, 6, true, "# Title\n", 3]);
  });

  test("a file is run once per load and again in the next load", async () => {
    using project = new Project({
      "a.ts":
        'import { state } from "./state"; import { other } from "./other"; export const same = state === other; export { state };',
      "other.ts": 'import { state } from "./state.js"; export const other = state;',
      "state.ts": "export const state = { count: 0 }; state.count++;",
    });
    const first = exportsOf(await transport.load(project.call("a.ts")));
    const second = exportsOf(await transport.load(project.call("a.ts")));
    expect([first["same"], first["state"].count, second["state"].count]).toEqual([true, 1, 1]);
    expect(second["state"]).not.toBe(first["state"]);
  });

  test("two entries that are loaded at once do not share a helper", async () => {
    using project = new Project({
      "a.ts": 'export { state as default } from "./state"',
      "b.ts": 'export { state as default } from "./state"',
      "state.ts": "export const state = {}",
    });
    const [a, b] = (await Promise.all(["a.ts", "b.ts"].map((name) => transport.load(project.call(name))))).map(
      exportsOf,
    );
    expect(a?.["default"]).toEqual({});
    expect(a?.["default"]).not.toBe(b?.["default"]);
  });

  test("changing exports are seen live, and in a cycle functions work before their file has run", async () => {
    const { read, early } = await load({
      "a.ts": `
        import { count, up, early } from "./b";
        export const name = "a";
        export function hoisted() { return "hoisted" }
        export const read = () => [up(), count];
        export { early };`,
      "b.ts": `
        import * as a from "./a";
        import { hoisted } from "./a";
        export let count = 0;
        export const up = () => { count++; return a.name };
        export const early = [hoisted(), (() => { try { return a.name } catch (error) { return (error as Error).name } })()];`,
    });
    expect(read()).toEqual(["a", 1]);
    expect(read()).toEqual(["a", 2]);
    expect(early).toEqual(["hoisted", "ReferenceError"]);
  });

  test("a cycle with CommonJS sees what is exported in the end", async () => {
    const { default: make } = await load({
      "a.cjs": 'const { later } = require("./b"); module.exports = () => later(); module.exports.value = 1;',
      "b.ts": 'import make, { value } from "./a.cjs"; export const later = () => [typeof make, value];',
    });
    expect(make()).toEqual(["function", 1]);
  });

  test("`export *` leaves out the default, names its namespace and lets local names win", async () => {
    const exports = await load({
      "a.ts": 'export * from "./b"; export * as b from "./b"; export const shared = "a"',
      "b.ts": 'export default 1; export const shared = "b"; export const own = 2',
    });
    expect(exports).toEqual(expect.objectContaining({ shared: "a", own: 2 }));
    expect(exports).not.toHaveProperty("default");
    expect([exports["b"].default, exports["b"].shared]).toEqual([1, "b"]);
  });

  test("a symbolic link is followed before its relative imports", async () => {
    using project = new Project({
      "real/a.ts": 'export { b } from "./b"; export const file = import.meta.filename',
      "real/b.ts": "export const b = 1",
    });
    const { symlinkSync } = await import("node:fs");
    symlinkSync(project.path("real/a.ts"), project.path("link.ts"));
    const report = await transport.load(project.call("link.ts"));
    expect(exportsOf(report)).toEqual(expect.objectContaining({ b: 1, file: project.path("real/a.ts") }));
    expect(report.ok && report.files[0]?.path).toBe(project.path("real/a.ts"));
  });

  test("files are listed once with their hashes, entry first, and data files too", async () => {
    using project = new Project({
      "a.ts": 'import "./b"; import "./c.json"; import("./later")',
      "b.ts": 'import "./c.json"',
      "c.json": "{}",
      "later.ts": "",
    });
    const report = await transport.load(project.call("a.ts"));
    const files = report.ok ? report.files : [];
    expect(files.map(({ path }) => path.slice(project.folder.length + 1))).toEqual([
      "a.ts",
      "b.ts",
      "c.json",
      "later.ts",
    ]);
    expect(files[2]?.sha256).toBe("44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
  });
});

describe("what the host provides", () => {
  const provided = { "@pi/ai": { Type: { String: () => "string" }, default: "whole" }, bun: { file: 1 } };

  test("values come from the host under every form of import", async () => {
    const { all } = await load(
      {
        "a.ts": `
          import whole, { Type } from "@pi/ai";
          import * as space from "@pi/ai";
          import { file } from "bun";
          import { inner } from "./b";
          export { Type as Again } from "@pi/ai";
          export const all = async () => [whole, Type.String(), Object.keys(space).sort(), file, inner === Type, (await import("@pi/ai")).Type === Type];`,
        "b.ts": 'const { Type } = require("@pi/ai"); export const inner = Type;',
      },
      provided,
    );
    expect(await all()).toEqual(["whole", "string", ["Type", "default"], 1, true, true]);
  });

  test("a name that a provided module lacks is undefined and told once", async () => {
    using project = new Project({
      "a.ts":
        'import missingDefault, { Gone as G, Type } from "bun"; import { Gone } from "bun"; import "./b"; export const all = [missingDefault, G, Gone, Type];',
      "b.ts": 'export { Gone } from "bun"; import * as all from "bun"; export const free = (all as any).NotTold;',
    });
    const call = project.call("a.ts", provided);
    const { all } = exportsOf(await transport.load(call));
    expect(all).toEqual([undefined, undefined, undefined, undefined]);
    expect(call.missing).toEqual(["a.ts: bun default", "a.ts: bun Gone", "a.ts: bun Type", "b.ts: bun Gone"]);
  });

  test("names in strings, templates and comments are not taken for imports", async () => {
    using project = new Project({
      "a.ts": [
        "export const text = `",
        'import { nothing } from "bun";',
        'export * from "./nowhere";',
        "`;",
        "/*",
        'import { nothing } from "bun";',
        "*/",
        "export const regex = /import { x } from 'bun'/;",
        `export const call = 'import("./nowhere")';`,
      ].join("\n"),
    });
    const call = project.call("a.ts", provided);
    expect(exportsOf(await transport.load(call))["text"]).toContain("nowhere");
    expect(call.missing).toEqual([]);
  });

  test("a specifier that the host declines in the end is resolved as usual", async () => {
    using project = new Project({ "a.ts": 'export { sep } from "node:path"' });
    const call = { ...project.call("a.ts"), provides: () => true, provide: () => undefined };
    expect(exportsOf(await transport.load(call))["sep"]).toBe("/");
  });
});

describe("a module's surroundings", () => {
  test("import.meta tells the file's place", async () => {
    using project = new Project({
      "a.ts": `
        const { url, dirname, filename } = import.meta;
        export const all = [url, dirname, filename, import.meta.resolve("./b"), import.meta.resolve("fs"), typeof (import.meta as any).nothing];`,
      "b.ts": "",
    });
    const { all } = exportsOf(await transport.load(project.call("a.ts")));
    const url = (name: string) => pathToFileURL(project.path(name)).href;
    expect(all).toEqual([url("a.ts"), project.folder, project.path("a.ts"), url("b.ts"), "node:fs", "undefined"]);
  });

  test("__dirname, __filename and require are there, and a module may declare them itself", async () => {
    using project = new Project({
      "a.ts":
        'export * from "./own"; export const given = [__dirname, __filename, require("./c.cjs"), require.resolve("./c.cjs")];',
      "own.ts": `
        import { createRequire } from "node:module";
        import { dirname } from "node:path";
        import { fileURLToPath } from "node:url";
        const __filename = fileURLToPath(import.meta.url);
        const __dirname = dirname(__filename);
        const require = createRequire(import.meta.url);
        const module = 1, exports = 2;
        export const own = [__dirname, __filename, require("./c.cjs"), require("./c"), module, exports];`,
      "c.cjs": "module.exports = 'c'",
    });
    const { own, given } = exportsOf(await transport.load(project.call("a.ts")));
    expect(given).toEqual([project.folder, project.path("a.ts"), "c", project.path("c.cjs")]);
    expect(own).toEqual([project.folder, project.path("own.ts"), "c", "c", 1, 2]);
  });

  test("createRequire finds what the host provides and the load's own files", async () => {
    const { all } = await load(
      {
        "a.ts": `
          import { createRequire } from "module";
          import { state } from "./state";
          const need = createRequire(import.meta.url);
          require("@pi/ai");
          export const all = [need("@pi/ai").x, need("./state").state === state, need("node:path").sep];`,
        "state.ts": "export const state = {}",
      },
      { "@pi/ai": { x: 1 } },
    );
    expect(all).toEqual([1, true, "/"]);
  });

  test("builtins are given whole and by name", async () => {
    const { all } = await load({
      "a.ts": `
        import fs, { readFileSync } from "node:fs";
        import * as path from "path";
        import EventEmitter, { once } from "events";
        import assert from "node:assert";
        export const all = [fs.readFileSync === readFileSync, { ...path }.sep, new EventEmitter().listenerCount("x"), typeof once, typeof assert.ok, typeof path.default.join];`,
    });
    expect(all).toEqual([true, "/", 0, "function", "function", "function"]);
  });
});

describe("CommonJS", () => {
  test("a function as module.exports is the default export", async () => {
    const exports = await load({
      "a.js": "module.exports = function factory(pi) { return pi }; module.exports.extra = 1",
    });
    expect([exports["default"]("pi"), exports["extra"]]).toEqual(["pi", 1]);
  });

  test("`exports.default` with __esModule is the default export", async () => {
    const exports = await load({
      "a.cjs": 'Object.defineProperty(exports, "__esModule", { value: true }); exports.default = () => 1;',
    });
    expect(exports["default"]()).toBe(1);
  });

  test("CommonJS and ES modules import each other", async () => {
    const { all } = await load({
      "a.ts":
        'import make, { named } from "./b.cjs"; import equals = require("./d"); export const all = [make().value, named, equals.d];',
      "b.cjs":
        'const { value } = require("./c"); module.exports = () => ({ value }); module.exports.named = this === module.exports ? 0 : 2',
      "c.ts": 'export const value: string = "c"',
      "d.ts": "const d = { d: 4 }; export = d",
    });
    expect(all).toEqual(["c", 2, 4]);
  });

  test("`require` in a try block can miss", async () => {
    const { found } = await load({
      "a.ts":
        'export let found = "none"; try { found = require("not-installed") } catch (error) { found = (error as any).code }',
    });
    expect(found).toBe("MODULE_NOT_FOUND");
  });

  test("a bundle that carries its own helpers keeps them", async () => {
    const helpers =
      "var __create = Object.create;\nvar __defProp = Object.defineProperty;\nvar __getProtoOf = Object.getPrototypeOf;\n" +
      'var __toESM = (mod) => __defProp(__create(__getProtoOf(mod)), "own", { value: mod });\n';
    const { default: script } = await load({
      "a.js": `${helpers}var path = __toESM(require("path"));\nmodule.exports = () => path.own.sep`,
    });
    expect(script()).toBe("/");
    const { all } = await load({
      "a.js": `${helpers}import * as b from "./b.js"; export const all = async () => [b.x, (await import("./b.js")).x, __toESM({}).own];`,
      "b.js": "export const x = 1;",
    });
    expect(await all()).toEqual([1, 1, {}]);
  });
});

describe("dynamic import", () => {
  test("relative, computed, awaited and conditional specifiers go through the same module map", async () => {
    using project = new Project({
      "a.ts": `
        import { state } from "./state";
        const pick = async () => "./state";
        let name = "./state";
        export const all = async () => {
          const before = import(name);
          name = "./nowhere";
          const found = [await import("./state"), await before, await import(await pick()), await import(\`./\${"state"}.js\`), await import(name === "" ? "./x" : "./state.ts")];
          return found.every((module) => module.state === state);
        };
        export const data = async () => (await import("./d.json", { with: { type: "json" } })).default.x;
        export const node = async () => (await import("node:path")).sep + (await import("path")).default.sep;
        export const cjs = async () => (await import("./c.cjs")).default;`,
      "state.ts": "export const state = {}",
      "d.json": '{ "x": 1 }',
      "c.cjs": "module.exports = 3",
    });
    const { all, data, node, cjs } = exportsOf(await transport.load(project.call("a.ts")));
    expect([await all(), await data(), await node(), await cjs()]).toEqual([true, 1, "//", 3]);
  });

  test("what fails is a rejection, and a query makes another module", async () => {
    using project = new Project({
      "a.ts": 'export const get = (name: string) => import(name); export const literal = () => import("./broken");',
      "broken.ts": 'throw new Error("broken on purpose")',
      "b.ts": "export const b = {}",
    });
    const { get, literal } = exportsOf(await transport.load(project.call("a.ts")));
    await expect(literal()).rejects.toThrow("broken on purpose");
    await expect(get("./nowhere")).rejects.toThrow(`Cannot find "./nowhere", which ${project.path("a.ts")} imports`);
    await expect(get("not-installed")).rejects.toThrow('Cannot find "not-installed"');
    const [plain, again, other] = [await get("./b"), await get(project.path("b.ts")), await get("./b.ts?again")];
    expect(again.b).toBe(plain.b);
    expect(other.b).not.toBe(plain.b);
  });

  test("a file that changed on disk is run with the bytes that were read", async () => {
    using project = new Project({
      "a.ts": 'export const later = () => import("./b");',
      "b.ts": 'export const b = "read"',
    });
    const { later } = exportsOf(await transport.load(project.call("a.ts")));
    project.write({ "b.ts": 'export const b = "changed"' });
    expect((await later()).b).toBe("read");
  });

  test("an entry in a folder with spaces and brackets loads", async () => {
    const { default: path } = await load({ [join("my (own) dir", "a b.ts")]: "export default import.meta.filename" });
    expect(path).toMatch(/my \(own\) dir\/a b\.ts$/);
  });
});
