import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Diagnostic } from "../../../ground/src/error/diagnostic.ts";
import { systemClock } from "../../../ground/src/time/system-clock.ts";
import { catalog } from "../../../runtime/src/catalog/catalog.ts";
import type { Found, Surroundings } from "../../../runtime/src/dialect/dialect.ts";
import { Background } from "../../../runtime/src/hook/background.ts";
import { Contributions } from "../../../runtime/src/hook/contribution.ts";
import { Instance } from "../../../runtime/src/hook/instance.ts";
import { Registry } from "../../../runtime/src/hook/registry.ts";
import type { TextCache } from "../../../runtime/src/port/cache.ts";
import { privateFiles } from "../../../runtime/src/session/private-files.ts";
import { chibi } from "../../src/chibi/hooks/index.ts";
import { Bench } from "./bench.ts";

const schema = (name: string, hooks: readonly string[], description = "d") =>
  JSON.stringify({ name, description, hooks });

/** A plugin whose schema stands in a file, so that it can change while the plugin's bytes stay. */
const indirect = '#!/bin/bash\nif [[ "$1" == "--schema" ]]; then echo asked >> "$HOME/asked"; cat "$HOME/schema"; fi\n';

/** A session of one's own making: loads every plugin of a bench over one cache. */
async function load(bench: Bench, cache: TextCache) {
  const diagnostics: Diagnostic[] = [];
  const registry = new Registry(chibi.lanes, catalog, (diagnostic) => diagnostics.push(diagnostic));
  const contributions = new Contributions(["chibi"]);
  const shared = new Map<string, unknown>();
  const nothing = undefined as never;
  const around: Surroundings = {
    scan: bench.scan(),
    scene: { sessionId: "s", cwd: bench.cwd },
    services: {},
    contributions,
    transports: { process: bench.processes(), module: nothing, llm: nothing, http: nothing },
    clock: systemClock,
    background: new Background(systemClock),
    privateFiles,
    shared,
    cache,
  };
  const instances: Instance[] = [];
  for (const candidate of (chibi.discover(around.scan) as Found).candidates) {
    const instance = new Instance("chibi", candidate.source, registry);
    onTestFinished(() => instance.dispose());
    instances.push(instance);
    await chibi.load(candidate, instance, around);
  }
  const events = (): string[] => [...registry.all()].map(({ hook }) => `${hook.path.split("/").at(-1)}:${hook.event}`);
  const tools = (): string[] => [...contributions.all("tool").keys()];
  return {
    events,
    tools,
    diagnostics,
    instances,
    renewed: () => shared.get("chibi.renewals") as Promise<void> | undefined,
  };
}

function memory(): TextCache & { readonly kept: Map<string, string> } {
  const kept = new Map<string, string>();
  return { kept, get: (hash) => kept.get(hash), put: (hash, text) => void kept.set(hash, text) };
}

describe("loading a plugin", () => {
  test("registers its points and offers its tool; broken ones cost themselves and are named [chibi.edge.25, chibi.tools.7, chibi.register.1]", async () => {
    const bench = new Bench();
    bench.plugin("a", ["pre_tool", "nonsense"], "");
    bench.write("b", "#!/bin/bash\nexit 1\n");
    bench.write("c", "#!/bin/bash\necho Usage: c\n");
    bench.write("d", "#!/no/such/interpreter\n");
    bench.plugin("e", ["on_end"], "");
    const { session } = await bench.open();
    expect(session.report.sources.map(({ state, reason, events }) => [state, reason, events])).toEqual([
      ["runs", undefined, ["pre_tool"]],
      ["broken", "--schema ended with exit code 1", []],
      ["broken", "its answer to --schema cannot be used: it is not one valid JSON value", []],
      ["broken", expect.stringContaining("interpreter"), []],
      ["runs", undefined, ["on_end"]],
    ]);
    expect([...session.contributions.all("tool").keys()]).toEqual(["a", "e"]);
    expect(session.report.diagnostics.filter(({ code }) => code === "LOAD_FAILED")).toHaveLength(3);
  });

  test("runs --schema with that one argument and without protocol variables", async () => {
    const bench = new Bench();
    bench.write(
      "p",
      `#!/bin/bash\necho "$*|\${CHIBI_HOOK-}|\${CHIBI_TOOL_ARGS-}" > "$HOME/seen"\necho '${schema("p", [])}'\n`,
    );
    await bench.open({ env: { CHIBI_HOOK: "pre_tool", CHIBI_TOOL_ARGS: "{}" } });
    expect(bench.read("home/seen")).toBe("--schema||\n");
  });

  test("a project's plugin is not even asked for its schema before consent", async () => {
    const bench = new Bench();
    bench.write(join(bench.cwd, ".hookline", "plugins", "p"), '#!/bin/bash\ntouch "$HOME/ran"\n');
    const { createHookRuntime } = await import("../../../runtime/src/session/runtime.ts");
    const runtime = createHookRuntime({
      dialects: [chibi],
      home: bench.home,
      env: {},
      transports: { process: bench.processes() },
    });
    onTestFinished(() => runtime.close());
    const session = await runtime.open({ scene: { sessionId: "s", cwd: bench.cwd } });
    expect(session.report.sources).toMatchObject([{ state: "untrusted" }]);
    expect(() => bench.read("home/ran")).toThrow();
  });
});

describe("a remembered schema", () => {
  test("serves the next start, which asks again in the background", async () => {
    const bench = new Bench();
    const cache = memory();
    bench.write("p", indirect);
    bench.write(join(bench.home, "schema"), schema("p", ["pre_tool"]));
    expect((await load(bench, cache)).renewed()).toBeUndefined();
    expect(cache.kept.size).toBe(1);
    const next = await load(bench, cache);
    expect(next.events()).toEqual(["p:pre_tool"]);
    await next.renewed();
    expect(bench.read("home/asked")).toBe("asked\nasked\n");
    expect(next.events()).toEqual(["p:pre_tool"]);
  });

  test("that has changed takes effect: what is gone goes, what is new comes, what stays keeps its place", async () => {
    const bench = new Bench();
    const cache = memory();
    bench.write("a", indirect);
    bench.plugin("b", ["pre_tool", "on_end"], "");
    bench.write(join(bench.home, "schema"), schema("old", ["pre_tool", "on_start"]));
    await load(bench, cache);
    bench.write(join(bench.home, "schema"), schema("old", ["pre_tool", "on_end"], "new words"));
    const next = await load(bench, cache);
    expect(next.events()).toEqual(["a:pre_tool", "b:pre_tool", "a:on_start", "b:on_end"]);
    await next.renewed();
    expect(next.events().sort()).toEqual(["a:on_end", "a:pre_tool", "b:on_end", "b:pre_tool"]);
    expect(next.events().slice(0, 2)).toEqual(["a:pre_tool", "b:pre_tool"]);
    expect((await load(bench, cache)).events()).toEqual(["a:pre_tool", "b:pre_tool", "a:on_end", "b:on_end"]);
  });

  test("whose tool has another name offers the new one", async () => {
    const bench = new Bench();
    const cache = memory();
    bench.write("p", indirect);
    bench.write(join(bench.home, "schema"), schema("old", []));
    await load(bench, cache);
    bench.write(join(bench.home, "schema"), schema("new", []));
    const next = await load(bench, cache);
    expect(next.tools()).toEqual(["old"]);
    await next.renewed();
    expect(next.tools()).toEqual(["new"]);
  });

  test("stays in force where the plugin gives none any more, and that is reported", async () => {
    const bench = new Bench();
    const cache = memory();
    bench.write("p", indirect);
    bench.write(join(bench.home, "schema"), schema("p", ["pre_tool"]));
    await load(bench, cache);
    rmSync(join(bench.home, "schema"));
    const next = await load(bench, cache);
    await next.renewed();
    expect(next.events()).toEqual(["p:pre_tool"]);
    expect(next.diagnostics).toMatchObject([{ code: "LOAD_FAILED", severity: "warning" }]);
  });

  test("is not that of a plugin whose bytes have changed", async () => {
    const bench = new Bench();
    const cache = memory();
    bench.plugin("p", ["pre_tool"], "");
    await load(bench, cache);
    bench.plugin("p", ["on_end"], "");
    const next = await load(bench, cache);
    expect(next.events()).toEqual(["p:on_end"]);
    expect(next.renewed()).toBeUndefined();
  });

  test("that cannot be read is asked for again", async () => {
    const bench = new Bench();
    const cache = memory();
    bench.plugin("p", ["pre_tool"], "");
    await load(bench, cache);
    const [[key, kept] = ["", ""]] = cache.kept;
    const withoutEntries = kept.replace('"entries":[', '"entries":1,"was":[');
    const withoutReads = kept.replace('"reads":{', '"reads":null,"was":{');
    expect(new Set([kept, withoutEntries, withoutReads]).size).toBe(3);
    for (const damaged of ["damaged", "[]", "null", withoutEntries, withoutReads]) {
      cache.kept.set(key, damaged);
      const next = await load(bench, cache);
      expect(next.events()).toEqual(["p:pre_tool"]);
      expect(next.renewed()).toBeUndefined();
      expect(cache.kept.get(key)).toBe(kept);
    }
  });

  test("is in one file with those of the folder; a plugin that is gone leaves it, one that came is added", async () => {
    const bench = new Bench();
    const cache = memory();
    for (const name of ["a", "b", "c"]) bench.plugin(name, ["pre_tool"], "");
    await load(bench, cache);
    rmSync(join(bench.plugins, "b"));
    bench.plugin("d", ["on_end"], "");
    const next = await load(bench, cache);
    expect(next.events()).toEqual(["a:pre_tool", "c:pre_tool", "d:on_end"]);
    expect(cache.kept.size).toBe(1);
    const names = [...cache.kept.values()].flatMap((text) => Object.keys(JSON.parse(text)));
    expect(names.map((path) => path.split("/").at(-1))).toEqual(["a", "c", "d"]);
  });

  test("comes with what the plugin's bytes say of how it takes its data", async () => {
    const bench = new Bench();
    const cache = memory();
    bench.plugin("env", ["pre_tool"], 'echo "$CHIBI_HOOK_DATA" >/dev/null');
    bench.plugin("old", ["pre_tool"], "cat /dev/stdin >/dev/tty");
    await load(bench, cache);
    const answers = Object.entries(JSON.parse([...cache.kept.values()].join("")) as Record<string, { reads: object }>);
    expect(answers.map(([path, { reads }]) => [path.split("/").at(-1), reads])).toEqual([
      ["env", { hookVariable: true, toolVariable: false, stdin: false, terminal: false }],
      ["old", { hookVariable: false, toolVariable: false, stdin: true, terminal: true }],
    ]);
  });

  test("that was wrong in part is wrong at every start", async () => {
    const bench = new Bench();
    const cache = memory();
    bench.plugin("p", ["pre_tool", "pre_tol"], "");
    for (let time = 0; time < 2; time++) {
      const { diagnostics, events, renewed } = await load(bench, cache);
      await renewed();
      expect(events()).toEqual(["p:pre_tool"]);
      expect(diagnostics).toMatchObject([{ code: "UNKNOWN_HOOK_EVENT" }]);
    }
  });

  test("is not read again once the session is over", async () => {
    const bench = new Bench();
    const cache = memory();
    bench.write("p", indirect);
    bench.write(join(bench.home, "schema"), schema("p", ["pre_tool"]));
    await load(bench, cache);
    bench.write(join(bench.home, "schema"), schema("p", ["on_end"]));
    const next = await load(bench, cache);
    for (const instance of next.instances) instance.dispose();
    await next.renewed();
    expect(next.events()).toEqual([]);
    expect(next.diagnostics).toEqual([]);
  });
});
