import { describe, expect, test } from "vitest";
import { createModuleTransport } from "../../src/transport/module/transport.ts";
import { exportsOf, failureOf, Project } from "./project.ts";

const transport = createModuleTransport();

describe("top-level await", () => {
  test("a file is waited for, before those that import it", async () => {
    using project = new Project({
      "a.ts": `
        import type { Erased } from "not-installed";
        import { value, bump } from "./b";
        import { Type } from "@pi/ai";
        import helper from "./c.cjs";
        export let count: number = await Promise.resolve(value);
        for await (const more of [1, 2]) count += more;
        export default function factory(pi: Erased) { count++; return [pi, count, Type, helper, text, bump(), value]; }
        export { value as "renamed value" };
        export class Kept { readonly inner = await Promise.resolve(1) as never }
        const text = \`
import { nothing } from "./nowhere";
\`;`.replace("readonly inner = await Promise.resolve(1) as never", "static x = 1"),
      "b.ts":
        'import { setTimeout } from "node:timers/promises"; export let value = 0; await setTimeout(1); value = 10; export const bump = () => ++value;',
      "c.cjs": "module.exports = 'c'",
    });
    const exports = exportsOf(await transport.load(project.call("a.ts", { "@pi/ai": { Type: "host" } })));
    expect(exports["default"]("pi")).toEqual([
      "pi",
      14,
      "host",
      "c",
      '\nimport { nothing } from "./nowhere";\n',
      11,
      11,
    ]);
    expect([exports["count"], exports["renamed value"], exports["Kept"].x]).toEqual([14, 11, 1]);
  });

  test("dynamic imports, re-exports and import.meta work in it", async () => {
    using project = new Project({
      "a.ts": `
        export * from "./b";
        const { b } = await import("./b");
        const name = "./b";
        export const same = (await import(name)).b === b;
        export const file = import.meta.filename;
        export const own = "a";`,
      "b.ts": 'export const b = {}; export const own = "b";',
    });
    const exports = exportsOf(await transport.load(project.call("a.ts")));
    expect(exports).toMatchObject({ same: true, file: project.path("a.ts"), b: {}, own: "a" });
  });

  test("it is run anew by each load, and can be unloaded like any other", async () => {
    using project = new Project({ "a.ts": "export const state = await Promise.resolve({});" });
    const report = await transport.load(project.call("a.ts"));
    expect(report).toMatchObject({ ok: true, unloadable: true });
    const first = exportsOf(report);
    const second = exportsOf(await transport.load(project.call("a.ts")));
    expect(second["state"]).not.toBe(first["state"]);
  });

  test("a rejection fails the load with its place", async () => {
    using project = new Project({
      "a.ts": 'import "./b"',
      "b.ts": "type Erased = 1;\n\nawait Promise.resolve();\nthrow new Error('after the await');\n",
    });
    expect(failureOf(await transport.load(project.call("a.ts")))).toMatchObject({
      phase: "run",
      message: "after the await",
      file: project.path("b.ts"),
      line: 4,
    });
  });

  test("a missing name of a provided module is told", async () => {
    using project = new Project({
      "a.ts": 'import { Gone } from "@pi/ai"; export default await Promise.resolve(Gone);',
    });
    const call = project.call("a.ts", { "@pi/ai": {} });
    expect(exportsOf(await transport.load(call))["default"]).toBeUndefined();
    expect(call.missing).toEqual(["a.ts: @pi/ai Gone"]);
  });

  test("importers in a cycle do not wait for each other", async () => {
    using project = new Project({
      "a.ts":
        'import { b } from "./b"; export const a = await Promise.resolve("a"); export const read = () => [a, b()];',
      "b.ts": 'import { a } from "./a"; export const b = () => a; await null;',
    });
    expect(exportsOf(await transport.load(project.call("a.ts")))["read"]()).toEqual(["a", "a"]);
  });

  test("two dynamic imports of one file wait for the same run", async () => {
    using project = new Project({
      "a.ts": 'export const both = () => Promise.all([import("./b"), import("./b")]);',
      "b.ts":
        "export let runs = 0; runs++; await new Promise((resolve) => setImmediate(resolve)); export const done = true;",
    });
    const [first, second] = await exportsOf(await transport.load(project.call("a.ts")))["both"]();
    expect([first.runs, first.done, second === first]).toEqual([1, true, true]);
  });

  test("a `require` of it says that it must be imported", async () => {
    using project = new Project({
      "a.cjs": 'module.exports = () => require("./b")',
      "b.ts": "export const b = await 1;",
    });
    const { default: need } = exportsOf(await transport.load(project.call("a.cjs")));
    expect(need).toThrow(`${project.path("b.ts")} has a top-level await; import() it instead of requiring it.`);
  });
});
