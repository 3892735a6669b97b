import { existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { Diagnostic } from "../../../ground/src/error/diagnostic.ts";
import type { Clock } from "../../../ground/src/time/clock.ts";
import { systemClock } from "../../../ground/src/time/system-clock.ts";
import { esbuildTransformer } from "../../src/transport/module/passes.ts";
import { createModuleTransport } from "../../src/transport/module/transport.ts";
import type { Transformer } from "../../src/transport/module/unit.ts";
import { exportsOf, failureOf, Project } from "./project.ts";

const SOURCES = {
  "a.ts":
    'import { b } from "./b"; import data from "./d.json"; export default (): string => b + data.x;\nexport function fail(): never { throw new Error("later") }',
  "b.ts": "export const b: string = 'b';",
  "d.json": '{ "x": 1 }',
};

class Counter implements Transformer {
  readonly version = esbuildTransformer.version;
  count = 0;

  transform(...source: Parameters<Transformer["transform"]>): ReturnType<Transformer["transform"]> {
    this.count++;
    return esbuildTransformer.transform(...source);
  }
}

function start(project: Project) {
  const transformer = new Counter();
  const diagnostics: Diagnostic[] = [];
  const transport = createModuleTransport({
    cacheDir: project.path("cache"),
    transformer,
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
  });
  const run = async (name = "a.ts") => exportsOf(await transport.load(project.call(name)))["default"]();
  return { transformer, diagnostics, transport, run };
}

/** The files of the cache. */
function entries(project: Project): string[] {
  const folder = project.path("cache");
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Returns the sizes of the cache's entries, in bytes. */
function sizes(project: Project): number[] {
  return entries(project).map((path) => statSync(path).size);
}

test("a warm start transforms nothing and runs the same", async () => {
  using project = new Project(SOURCES);
  const cold = start(project);
  expect([await cold.run(), cold.transformer.count]).toEqual(["b1", 2]);
  const warm = start(project);
  expect([await warm.run(), await warm.run(), warm.transformer.count]).toEqual(["b1", "b1", 0]);
  expect(entries(project)).toHaveLength(2);
  expect([...cold.diagnostics, ...warm.diagnostics]).toEqual([]);
});

test("changed bytes give the new result, and only they are transformed", async () => {
  using project = new Project(SOURCES);
  await start(project).run();
  project.write({ "b.ts": "export const b: string = 'new';" });
  const next = start(project);
  expect([await next.run(), next.transformer.count]).toEqual(["new1", 1]);
  project.write(SOURCES);
  const back = start(project);
  expect([await back.run(), back.transformer.count]).toEqual(["b1", 0]);
});

test("the same bytes under another name or loader are told apart", async () => {
  const source = "export default () => typeof (<T>(x: T) => x)";
  using project = new Project({ "a.ts": source, "b.mts": source, "c.js": source });
  const { run, transformer, transport } = start(project);
  expect([await run("a.ts"), await run("b.mts"), transformer.count]).toEqual(["function", "function", 1]);
  expect(failureOf(await transport.load(project.call("c.js"))).phase).toBe("transform");
});

test.for([
  ["cut short", (path: string) => truncateSync(path, 40)],
  ["emptied", (path: string) => truncateSync(path, 0)],
  ["changed in one byte of V8's data", (path: string) => flip(path, readFileSync(path).length - 200)],
  ["changed in one byte of the script", (path: string) => flip(path, 400)],
  ["replaced by text", (path: string) => writeFileSync(path, "not a cache entry ".repeat(50))],
] as const)("an entry that was %s is told, survived and replaced", async ([, damage]) => {
  using project = new Project(SOURCES);
  await start(project).run();
  for (const path of entries(project)) damage(path);
  const hurt = start(project);
  expect([await hurt.run(), hurt.transformer.count]).toEqual(["b1", 2]);
  expect(hurt.diagnostics.map(({ code, severity }) => [code, severity])).toEqual([
    ["UNREADABLE", "info"],
    ["UNREADABLE", "info"],
  ]);
  const healed = start(project);
  expect([await healed.run(), healed.transformer.count, healed.diagnostics]).toEqual(["b1", 0, []]);
});

test("a cache that cannot be written costs one diagnostic and no load", async () => {
  using project = new Project({ ...SOURCES, cache: "a file where the folder should be" });
  const { run, diagnostics } = start(project);
  expect([await run(), await run()]).toEqual(["b1", "b1"]);
  expect(diagnostics).toHaveLength(1);
  expect(diagnostics[0]?.message).toContain(`The module cache ${project.path("cache")}`);
});

test("without a cache folder nothing is written and each load transforms", async () => {
  using project = new Project(SOURCES);
  const transformer = new Counter();
  const transport = createModuleTransport({ transformer });
  for (const _ of [1, 2]) expect(exportsOf(await transport.load(project.call("a.ts")))["default"]()).toBe("b1");
  expect(transformer.count).toBe(4);
});

test("loads that run at once transform a shared file once", async () => {
  using project = new Project({ ...SOURCES, "c.ts": 'export { b as default } from "./b"' });
  const { transport, transformer } = start(project);
  await Promise.all(["a.ts", "c.ts", "a.ts"].map((name) => transport.load(project.call(name))));
  expect(transformer.count).toBe(3);
});

test("what is prepared is transformed beside each other, once, and is there for the loads that follow", async () => {
  using project = new Project(SOURCES);
  let running = 0;
  let widest = 0;
  const transformer: Transformer = {
    version: "slow",
    async transform(source, loader) {
      widest = Math.max(widest, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return esbuildTransformer.transform(source, loader);
    },
  };
  const counter = vi.spyOn(transformer, "transform");
  const transport = createModuleTransport({ transformer });
  const release = transport.prepare(["a.ts", "b.ts", "d.json", "gone.ts"].map((name) => project.path(name)));
  for (const _ of [1, 2]) expect(exportsOf(await transport.load(project.call("a.ts")))["default"]()).toBe("b1");
  expect([widest, counter.mock.calls.length]).toEqual([2, 2]);
  release();
  release();
  await transport.load(project.call("a.ts"));
  expect(counter).toHaveBeenCalledTimes(4);
});

test("a file that has changed since it was prepared is read anew", async () => {
  using project = new Project(SOURCES);
  const { transport, transformer } = start(project);
  const release = transport.prepare([project.path("b.ts")]);
  project.write({ "b.ts": "export const b: string = 'newer';" });
  expect(exportsOf(await transport.load(project.call("a.ts")))["default"]()).toBe("newer1");
  expect(transformer.count).toBe(3);
  release();
});

test("a prepared file that is broken costs only the load that needs it", async () => {
  using project = new Project({ ...SOURCES, "broken.ts": "export const = 1;" });
  const { transport } = start(project);
  const release = transport.prepare([project.path("broken.ts"), project.path("a.ts")]);
  expect(failureOf(await transport.load(project.call("broken.ts")))).toMatchObject({ phase: "transform", line: 1 });
  expect(exportsOf(await transport.load(project.call("a.ts")))["default"]()).toBe("b1");
  release();
});

test("what is prepared is cached when its loads are done, with the functions that were called by then", async () => {
  using project = new Project(SOURCES);
  await start(project).run();
  const unused = sizes(project);
  rmSync(project.path("cache"), { recursive: true });

  const { transport } = start(project);
  const release = transport.prepare([project.path("a.ts")]);
  const report = await transport.load(project.call("a.ts"));
  expect(exportsOf(report)["default"]()).toBe("b1");
  expect(existsSync(project.path("cache"))).toBe(false);
  release();
  expect(sizes(project)).toHaveLength(2);
  expect(Math.max(...sizes(project))).toBeGreaterThan(Math.max(...unused));
  const warm = start(project);
  expect([await warm.run(), warm.transformer.count, warm.diagnostics]).toEqual(["b1", 0, []]);
});

test("a failing module that was prepared is cached with the others", async () => {
  using project = new Project({ ...SOURCES, "c.ts": "throw new Error('always')" });
  const { transport } = start(project);
  const paths = ["a.ts", "c.ts"].map((name) => project.path(name));
  const [first, second] = [transport.prepare(paths), transport.prepare(paths)];
  failureOf(await transport.load(project.call("c.ts")));
  exportsOf(await transport.load(project.call("a.ts")));
  first();
  first();
  expect(existsSync(project.path("cache"))).toBe(false);
  second();
  expect(entries(project)).toHaveLength(3);
  // A later import waits for nobody.
  project.write({ "d.ts": "export default 1;" });
  exportsOf(await transport.load(project.call("d.ts")));
  expect(entries(project)).toHaveLength(4);
});

test("places in the source are known on a warm start too", async () => {
  using project = new Project(SOURCES);
  await start(project).run();
  const { transport } = start(project);
  const { fail } = exportsOf(await transport.load(project.call("a.ts")));
  let thrown: unknown;
  try {
    fail();
  } catch (error) {
    thrown = error;
  }
  expect(transport.position(thrown)).toMatchObject({ file: project.path("a.ts"), line: 2 });
});

test("a failing module is cached as well", async () => {
  using project = new Project({ "a.ts": "throw new Error('always')" });
  failureOf(await start(project).transport.load(project.call("a.ts")));
  const warm = start(project);
  expect(failureOf(await warm.transport.load(project.call("a.ts")))).toMatchObject({
    phase: "run",
    message: "always",
    line: 1,
  });
  expect(warm.transformer.count).toBe(0);
});

test("the cache's version names the esbuild that is installed", async () => {
  const { version } = await import("esbuild");
  expect(esbuildTransformer.version).toMatch(new RegExp(`^esbuild-${version.replaceAll(".", "\\.")}-\\d+$`));
});

test("the helpers that esbuild prints are known and cut", async () => {
  const source =
    'import d, * as n from "x"; export * from "y"; export const a = d + n.b; export const c = import("z");';
  const { script } = await esbuildTransformer.transform(source, "ts");
  const body = script.slice(script.indexOf("{"));
  expect(body).toContain("__toESM(require(");
  expect(body).not.toMatch(/var __/);
});

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

/** The processes of esbuild that this one has started, and that have not ended. */
function services(): number[] {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim();
  const isService = (pid: string): boolean => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--service=");
    } catch {
      return false;
    }
  };
  return children === "" ? [] : children.split(" ").filter(isService).map(Number);
}

test.skipIf(process.platform !== "linux")("esbuild's process may be ended from outside", async () => {
  await esbuildTransformer.transform("export {}", "ts");
  expect(services()).toHaveLength(1);
  process.kill(services()[0] as number, "SIGKILL");
  for (const source of ["export const a = 1", "export const b = 2"]) {
    expect((await esbuildTransformer.transform(source, "ts")).script).toContain(source.slice("export ".length));
  }
});

test.skipIf(process.platform !== "linux")("esbuild's process ends when nothing is left to transform", async () => {
  using project = new Project(SOURCES);
  const timers: (() => void)[] = [];
  const clock: Clock = {
    ...systemClock,
    timer(_ms, fire) {
      timers.push(fire);
      return { cancel: () => timers.splice(timers.indexOf(fire), 1), hold: () => {} };
    },
  };
  const transport = createModuleTransport({ clock });
  for (const _ of ["at the start", "after its process was ended"]) {
    expect(exportsOf(await transport.load(project.call("a.ts")))["default"]()).toBe("b1");
    expect([services().length, timers.length]).toEqual([1, 1]);
    timers.splice(0)[0]?.();
    await vi.waitUntil(() => services().length === 0, { timeout: 60_000 });
  }
});

test.skipIf(process.platform !== "linux")(
  "a host's own process of esbuild is left alone, and so is one at work",
  async () => {
    const esbuild = await import("esbuild");
    await esbuildTransformer.rest?.();
    await esbuild.stop();
    await vi.waitUntil(() => services().length === 0, { timeout: 60_000 });
    await esbuild.transform("1");
    const hosts = services();
    await esbuildTransformer.transform("export {}", "ts");
    await esbuildTransformer.rest?.();
    expect([hosts.length, services()]).toEqual([1, hosts]);
    await esbuild.stop();
    await vi.waitUntil(() => services().length === 0, { timeout: 60_000 });

    await esbuildTransformer.transform("export {}", "ts");
    const ours = services();
    const transforming = esbuildTransformer.transform("export const a = 1", "ts");
    await esbuildTransformer.rest?.();
    expect([ours.length, services()]).toEqual([1, ours]);
    expect((await transforming).script).toContain("a = 1");
    await esbuildTransformer.rest?.();
    await vi.waitUntil(() => services().length === 0, { timeout: 60_000 });
  },
);
