import { symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createModuleTransport } from "../../src/transport/module/transport.ts";
import { exportsOf, failureOf, Project } from "./project.ts";

const transport = createModuleTransport();

/** The files of a package under `node_modules`. */
function installed(name: string, manifest: object, files: Record<string, string>): Record<string, string> {
  const folder = `node_modules/${name}`;
  const entries = Object.entries(files).map(([file, text]) => [`${folder}/${file}`, text]);
  return {
    [`${folder}/package.json`]: JSON.stringify({ name, version: "1.0.0", ...manifest }),
    ...Object.fromEntries(entries),
  };
}

async function load(files: Record<string, string>, provided = {}): Promise<Record<string, any>> {
  using project = new Project(files);
  return exportsOf(await transport.load(project.call("a.ts", provided)));
}

describe("packages beside an extension", () => {
  test("CommonJS packages give their default and their names", async () => {
    const { all } = await load({
      ...installed(
        "ms",
        { main: "./lib/index" },
        { "lib/index.js": "module.exports = (text) => text.length; module.exports.unit = 'ms';" },
      ),
      "a.ts": `
        import ms, { unit } from "ms";
        import * as space from "ms";
        export const all = async () => [ms("12345"), unit, space.unit, require("ms") === ms, (await import("ms")).default === ms];`,
    });
    expect(await all()).toEqual([5, "ms", "ms", true, true]);
  });

  test("transpiled packages give `exports.default`, and names that Node cannot detect", async () => {
    const { all } = await load({
      ...installed(
        "babel",
        {},
        { "index.js": 'exports.__esModule = true; exports.default = "inner"; exports.named = 1;' },
      ),
      ...installed("spread", {}, { "index.js": "const all = { hidden: 2 }; module.exports = Object.assign({}, all);" }),
      "a.ts":
        'import inner, { named } from "babel"; import { hidden } from "spread"; export const all = [inner, named, hidden];',
    });
    expect(all).toEqual(["inner", 1, 2]);
  });

  test("ES module packages are taken by their `import` condition, with their subpaths", async () => {
    const exports = {
      ".": { types: "./index.d.ts", import: "./esm.js", require: "./broken.cjs" },
      "./sub/*": "./sub/*.js",
      "./sub/hidden": null,
      "./data.json": "./data.json",
    };
    const { all } = await load({
      ...installed(
        "@scope/esm",
        { type: "module", exports },
        {
          "esm.js": 'import { name } from "./name.js"; export default class Esm {}; export { name };',
          "name.js": 'export const name = "esm"; await null;',
          "broken.cjs": 'throw new Error("the wrong condition");',
          "sub/deep/x.js": "export const x = import.meta.url;",
          "data.json": '{ "y": 1 }',
        },
      ),
      "a.ts": `
        import Esm, { name } from "@scope/esm";
        import { x } from "@scope/esm/sub/deep/x";
        import data from "@scope/esm/data.json";
        export const all = [Esm.name, name, x.endsWith("/node_modules/@scope/esm/sub/deep/x.js"), data.y];`,
    });
    expect(all).toEqual(["Esm", "esm", true, 1]);
  });

  test.for(["@scope/esm/missing", "@scope/esm/closed", "@scope/esm/gone"])(
    "%s, which is not exported, is not found",
    async (specifier) => {
      using project = new Project({
        ...installed(
          "@scope/esm",
          { exports: { ".": "./index.js", "./closed": null, "./gone": "./gone.js" } },
          { "index.js": "", "missing.js": "", "closed.js": "" },
        ),
        "a.ts": `import "${specifier}"`,
      });
      const failure = failureOf(await transport.load(project.call("a.ts")));
      expect(failure).toMatchObject({ phase: "resolve", file: project.path("a.ts") });
      expect(failure.message).toContain(`"${specifier}"`);
    },
  );

  test("the nearest folder with the package counts, also from below", async () => {
    const { all } = await load({
      ...installed("near", {}, { "index.js": 'module.exports = "outer"' }),
      "lib/node_modules/near/index.js": 'module.exports = "inner"',
      "lib/b.ts": 'import near from "near"; export { near }',
      "a.ts": 'import outer from "near"; import { near } from "./lib/b"; export const all = [outer, near];',
    });
    expect(all).toEqual(["outer", "inner"]);
  });

  test("`#` imports of the extension's own manifest are files of the load", async () => {
    const { all } = await load({
      "package.json": JSON.stringify({
        name: "own",
        type: "module",
        imports: { "#lib/*": "./lib/*.ts", "#js": "./plain.js" },
      }),
      "lib/state.ts": "export const state = {}",
      "plain.js": 'export { state as plain } from "./lib/state.ts"',
      "a.ts":
        'import { state } from "#lib/state"; import { state as same } from "./lib/state"; import { plain } from "#js"; export const all = [state === same, plain === state];',
    });
    expect(all).toEqual([true, true]);
  });

  test("a package that ships TypeScript is run here, whatever its manifest says", async () => {
    const { all } = await load({
      ...installed(
        "typed",
        { exports: { ".": { import: "./src/index.ts" } } },
        { "src/index.ts": 'export * from "./level"', "src/level.ts": "export enum Level { Low = 3 }" },
      ),
      "a.ts": 'import { Level } from "typed"; export const all = [Level.Low, Level[3]];',
    });
    expect(all).toEqual([3, "Low"]);
  });

  test("a package that imports what only the host provides gets it", async () => {
    const { all } = await load(
      {
        ...installed(
          "helper-esm",
          { type: "module" },
          { "index.js": 'import { Type } from "@pi/ai"; export const esm = Type;' },
        ),
        ...installed("helper-cjs", {}, { "index.js": 'exports.cjs = require("@pi/ai").Type;' }),
        "a.ts": 'import { esm } from "helper-esm"; import { cjs } from "helper-cjs"; export const all = [esm, cjs];',
      },
      { "@pi/ai": { Type: "host" } },
    );
    expect(all).toEqual(["host", "host"]);
  });

  test("a package that lies behind a link is found", async () => {
    using project = new Project({
      "real/index.js": "module.exports = 1",
      "ext/a.ts": 'import linked from "linked"; export default linked',
      "ext/node_modules/x": "",
    });
    symlinkSync(project.path("real"), project.path("ext/node_modules/linked"));
    expect(exportsOf(await transport.load(project.call("ext/a.ts")))["default"]).toBe(1);
  });

  test("a package that throws while it is imported fails the load with its message", async () => {
    using project = new Project({
      ...installed("angry", {}, { "index.js": 'throw new Error("not on this platform")' }),
      "a.ts": 'import "angry"',
    });
    const failure = failureOf(await transport.load(project.call("a.ts")));
    expect(failure).toMatchObject({ phase: "run", file: project.path("a.ts") });
    expect(failure.message).toContain("not on this platform");
  });

  test("packages are not among the files of the load", async () => {
    using project = new Project({ ...installed("plain", {}, { "index.js": "" }), "a.ts": 'import "plain"' });
    const report = await transport.load(project.call("a.ts"));
    expect(report.ok && report.files.map(({ path }) => path)).toEqual([project.path("a.ts")]);
  });
});

test("an addon is handed to Node", async () => {
  using project = new Project({
    "addon.node": "not a library",
    "a.ts": 'import addon from "./addon.node"; export default addon',
  });
  const failure = failureOf(await transport.load(project.call("a.ts")));
  expect(failure).toMatchObject({ phase: "run", file: project.path("a.ts") });
  expect(failure.message).toContain("addon.node failed when it was imported");
});
