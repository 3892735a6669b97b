import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { BUNDLES } from "../../../../scripts/build.ts";

const src = fileURLToPath(new URL("../../src/", import.meta.url));

/** The files that a file brings along without anybody asking: everything but what is imported when it runs. */
async function reachedBy(entry: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [src + entry],
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    conditions: ["hookline-source"],
    outdir: "out",
    write: false,
    metafile: true,
    logLevel: "silent",
    external: ["esbuild", "@earendil-works/pi-agent-core"],
  });
  const reached = new Set<string>();
  const visit = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const { path: next, kind } of metafile.inputs[path]?.imports ?? [])
      if (kind === "import-statement" || kind === "require-call") visit(next);
  };
  visit(Object.keys(metafile.inputs).find((path) => path.endsWith(`src/${entry}`)) as string);
  return [...reached];
}

test("providing modules loads none of them", async () => {
  const reached = await reachedBy("lent/modules.ts");
  expect(reached.map((path) => path.replace(/.*\/src\//, ""))).toEqual(["lent/modules.ts"]);
});

test("the agent's services load neither pi-tui nor the whole of pi-ai", async () => {
  const reached = await reachedBy("start/lending.ts");
  expect(reached.filter((path) => /pi-tui|pi-ai\/dist\/(compat|index|providers\/all)\.js|typebox/.test(path))).toEqual(
    [],
  );
});

test("what extensions usually need of pi-ai loads without the clients and the catalogue", async () => {
  const reached = await reachedBy("lent/ai.ts");
  expect(reached.filter((path) => path.includes("node_modules"))).toEqual([]);
});

const TELEMETRY = /src\/telemetry\/|src\/otel\/|@opentelemetry/;

test("the command line and print mode do not load pi-tui, only the screen does; none loads telemetry", async () => {
  for (const entry of ["cli/run.ts", "mode/print.ts", "mode/rpc/rpc.ts"]) {
    const reached = await reachedBy(entry);
    expect(reached.filter((path) => /pi-tui|highlight\.js|src\/tui\//.test(path))).toEqual([]);
    expect(reached.filter((path) => TELEMETRY.test(path))).toEqual([]);
  }
  const screen = await reachedBy("mode/interactive/interactive.ts");
  expect(screen.some((path) => path.includes("pi-tui"))).toBe(true);
  expect(screen.filter((path) => path.includes("highlight.js") || TELEMETRY.test(path))).toEqual([]);
});

test("what extensions import of pi-coding-agent loads neither pi-agent-core nor components", async () => {
  for (const entry of ["lent/coding-agent.ts", "start/lending.ts"]) {
    const reached = await reachedBy(entry);
    expect(reached.filter((path) => /pi-agent-core|pi-tui/.test(path))).toEqual([]);
  }
});

test("the built-in tools do not load pi-tui", async () => {
  const reached = await reachedBy("lent/tools.ts");
  expect(reached.filter((path) => path.includes("pi-tui"))).toEqual([]);
});

test("the part of telemetry that records does not load the part that sends", async () => {
  const reached = await reachedBy("telemetry/telemetry.ts");
  expect(reached.some((path) => path.includes("@opentelemetry/api"))).toBe(true);
  expect(reached.filter((path) => /@opentelemetry\/(?:sdk-metrics|exporter|otlp)/.test(path))).toEqual([]);
});

test("what telemetry loads is 0.7 MB at most", async () => {
  const { metafile } = await build({
    ...BUNDLES.hookline,
    entryPoints: [`${src}telemetry/telemetry.ts`, `${src}telemetry/worker.ts`],
    outdir: "out",
    write: false,
    metafile: true,
  });
  const bytes = Object.values(metafile.outputs).reduce((sum, output) => sum + output.bytes, 0);
  expect(bytes).toBeLessThanOrEqual(700_000);
  expect(Object.keys(metafile.inputs).filter((path) => /sdk-node|grpc/.test(path))).toEqual([]);
});
