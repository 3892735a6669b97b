import { hash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { LoadedFile } from "../../src/port/module.ts";
import { createModuleTransport } from "../../src/transport/module/transport.ts";
import { exportsOf, failureOf, Project } from "./project.ts";

const transport = createModuleTransport();

const sha256Of = (text: string): string => hash("sha256", text);

describe("transform", () => {
  test("a syntax error tells file, line and column", async () => {
    using project = new Project({ "a.ts": 'import "./b";', "b.ts": "const fine = 1;\n\nconst broken = @;\n" });
    const failure = failureOf(await transport.load(project.call("a.ts")));
    expect(failure).toMatchObject({ phase: "transform", file: project.path("b.ts"), line: 3, column: 17 });
    expect(failure.message).toBe('Expected identifier but found ";"');
  });

  test("broken JSON tells its place", async () => {
    using project = new Project({
      "a.ts": 'import data from "./data.json"; export default data',
      "data.json": '{\n  "x": 1\n  "y": 2\n}',
    });
    const failure = failureOf(await transport.load(project.call("a.ts")));
    expect(failure).toMatchObject({ phase: "transform", file: project.path("data.json"), line: 3 });
  });

  test("one broken file of several loads fails alone", async () => {
    using project = new Project({ "a.ts": "export default 1", "b.ts": "export default (", "c.ts": "export default 3" });
    const reports = await Promise.all(["a.ts", "b.ts", "c.ts"].map((name) => transport.load(project.call(name))));
    expect(reports.map(({ ok }) => ok)).toEqual([true, false, true]);
  });

  test("a transformer that cannot start is a failure of the file, not of the caller", async () => {
    const broken = { version: "broken", transform: () => Promise.reject(new Error("esbuild is not installed")) };
    using project = new Project({ "a.ts": "export default 1" });
    const failure = failureOf(await createModuleTransport({ transformer: broken }).load(project.call("a.ts")));
    expect(failure).toMatchObject({
      phase: "transform",
      file: project.path("a.ts"),
      message: "esbuild is not installed",
    });
  });
});

describe("resolve", () => {
  test.for([
    "./nowhere",
    "not-installed",
    "@scope/not-installed/deep",
    "#not-mapped",
    "bun:ffi",
    "https://example.invalid/a.js",
  ])("an import of %s that finds nothing names itself and its importer", async (specifier) => {
    using project = new Project({
      "a.ts": 'export * from "./b"',
      "b.ts": `// first line\nimport value from '${specifier}';\nexport default value;`,
    });
    const failure = failureOf(await transport.load(project.call("a.ts")));
    expect(failure).toMatchObject({ phase: "resolve", file: project.path("b.ts"), line: 2 });
    expect(failure.message).toBe(
      `Cannot find "${specifier}", which ${project.path("b.ts")} imports; install it beside the file or correct the name.`,
    );
  });

  test("nothing is run when an import is missing", async () => {
    using project = new Project({
      "a.ts": 'import "./effect"; import "./nowhere"',
      "effect.ts": "globalThis.process.emit('hookline-test-effect')",
    });
    let effects = 0;
    const count = () => effects++;
    process.on("hookline-test-effect" as never, count);
    failureOf(await transport.load(project.call("a.ts")));
    process.off("hookline-test-effect" as never, count);
    expect(effects).toBe(0);
  });

  test("a `require` that finds nothing is a failure to resolve unless it is caught", async () => {
    using project = new Project({ "a.cjs": 'module.exports = require("./nowhere")' });
    expect(failureOf(await transport.load(project.call("a.cjs")))).toMatchObject({
      phase: "resolve",
      file: project.path("a.cjs"),
    });
  });

  test("a host that fails to provide is told with its message", async () => {
    using project = new Project({ "a.ts": 'import { x } from "host"; export default x' });
    const call = {
      ...project.call("a.ts"),
      provides: () => true,
      provide: () => Promise.reject(new Error("no such bundle")),
    };
    expect(failureOf(await transport.load(call))).toMatchObject({
      phase: "resolve",
      message: '"host" could not be provided: no such bundle',
    });
  });
});

describe("read", () => {
  test("an entry that is not there is a failure to read", async () => {
    using project = new Project();
    expect(failureOf(await transport.load(project.call("none.ts")))).toMatchObject({
      phase: "read",
      file: project.path("none.ts"),
    });
  });

  test("reading runs nothing and running uses what was read", async () => {
    using project = new Project({
      "a.ts": 'import { b } from "./b"; export default b;',
      "b.ts": "export const b = 'first'",
    });
    const module = await transport.read(project.call("a.ts"));
    if (!module.ok) throw new Error(module.message);
    expect(module.files.map(({ path }) => path)).toEqual([project.path("a.ts"), project.path("b.ts")]);
    project.write({ "a.ts": "throw new Error('changed')", "b.ts": "throw new Error('changed')" });
    expect(exportsOf(await module.run())["default"]).toBe("first");
    expect(exportsOf(await module.run())["default"]).toBe("first");
  });
});

describe("what is admitted", () => {
  const SOURCES = {
    "a.ts": 'import { b } from "./b"; export default b; export const later = () => import("./c");',
    "b.ts": "export const b = 'fine'",
    "c.ts": "export const c = 'fine'",
  };
  const except =
    (path: string, refused: string[]) =>
    (file: LoadedFile): boolean => {
      if (file.path !== path) return true;
      refused.push(file.sha256);
      return false;
    };

  test.for(["a.ts", "b.ts"])("a file that is not is never run, nor is what imports it: %s", async (name) => {
    using project = new Project(SOURCES);
    const refused: string[] = [];
    const admits = except(project.path(name), refused);
    const failure = failureOf(await transport.load({ ...project.call("a.ts"), admits }));
    expect(failure).toMatchObject({ phase: "read", file: project.path(name) });
    expect(refused).toEqual([sha256Of(SOURCES[name as "a.ts"])]);
  });

  test("a file that only an import() names is judged as well, and costs that import alone", async () => {
    using project = new Project(SOURCES);
    const admits = except(project.path("c.ts"), []);
    const { default: b, later } = exportsOf(await transport.load({ ...project.call("a.ts"), admits }));
    expect(b).toBe("fine");
    await expect(later()).rejects.toThrow("is not what was approved");
  });

  test("an installed package is judged by its entry file", async () => {
    using project = new Project({
      "a.ts": 'import whole from "whole"; export default whole',
      "node_modules/whole/package.json": '{ "name": "whole", "main": "index.js" }',
      "node_modules/whole/index.js": "module.exports = 'whole'",
    });
    const entry = project.path("node_modules/whole/index.js");
    const failure = failureOf(await transport.load({ ...project.call("a.ts"), admits: except(entry, []) }));
    expect(failure.message).toContain(`${entry} is not what was approved`);
  });
});

describe("run", () => {
  test("a throw at the top level tells the line of the source", async () => {
    using project = new Project({
      "a.ts": 'import "./b";',
      "b.ts":
        "interface Erased {\n  x: number;\n}\n\nfunction fail(value: Erased): never {\n  throw new RangeError('no ' + value.x);\n}\nfail({ x: 1 });\n",
    });
    const failure = failureOf(await transport.load(project.call("a.ts")));
    expect(failure).toMatchObject({ phase: "run", message: "no 1", file: project.path("b.ts"), line: 6 });
    expect(failure.cause).toBeInstanceOf(RangeError);
  });

  test.for([
    ["a string", "throw 'text'", "text"],
    ["undefined", "throw undefined", "undefined"],
    [
      "a hostile object",
      "throw { get message() { throw 1 }, get stack() { throw 2 } }",
      "it threw a value that cannot be shown",
    ],
    ["an array of errors", "throw new AggregateError([new Error('inner')], 'outer')", "outer"],
  ] as const)("%s can be thrown", async ([, source, message]) => {
    using project = new Project({ "a.ts": source });
    expect(failureOf(await transport.load(project.call("a.ts")))).toMatchObject({ phase: "run", message });
  });

  test("a module that failed fails again for the next importer in the same load", async () => {
    using project = new Project({
      "a.ts":
        'export const tries = async () => { const seen = []; for (const _ of [1, 2]) await import("./b").catch((e) => seen.push(e)); return seen };',
      "b.ts": "throw new Error('once')",
    });
    const [first, second] = await exportsOf(await transport.load(project.call("a.ts")))["tries"]();
    expect(first.message).toBe("once");
    expect(second).toBe(first);
  });
});
