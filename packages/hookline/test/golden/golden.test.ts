import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { catalog } from "@hookline/runtime/internal";
import { describe, expect, test } from "vitest";
import { startBench } from "../agent/bench.ts";
import { Recorder } from "./record.ts";
import type { Scenario } from "./scenario.ts";

const folder = fileURLToPath(new URL("scenarios/", import.meta.url));
const names = readdirSync(folder)
  .filter((name) => name.endsWith(".ts"))
  .map((name) => name.slice(0, -3))
  .sort();

describe("the events of a run come in the order of the catalog", () => {
  test.each(names)("%s", async (name) => {
    const { scenario }: { scenario: Scenario } = await import(`./scenarios/${name}.ts`);
    const bench = await startBench(scenario);
    const recorder = new Recorder(bench.hooks);
    await scenario.run(bench, recorder);
    await bench.close();
    await expect(recorder.text).toMatchFileSnapshot(`${folder}${name}.txt`);
  });
});

/** Heard before there is a session that a recorder could listen to, and shown elsewhere. */
const SHOWN_ELSEWHERE: Readonly<Record<string, string>> = {
  "project.trust": "test/start/project-trust.test.ts",
  "mcp.elicit": "test/mcp/mcp.programs.test.ts",
  "mcp.elicited": "test/mcp/mcp.programs.test.ts",
  "mcp.notification": "test/mcp/mcp.programs.test.ts",
  "mcp.change": "test/mcp/mcp.programs.test.ts",
  notify: "test/tui/notify.test.ts",
  "config.change": "test/agent/config-change.test.ts",
};

test("together they show every event of the catalog", () => {
  const heard = new Set(
    names.flatMap((name) => readFileSync(`${folder}${name}.txt`, "utf8").match(/^ *[a-z]+(?:\.[a-z-]+)?/gm) ?? []),
  );
  const shown = new Set([...heard].map((name) => name.trim()));
  const missing = [...catalog.keys()].filter((name) => !shown.has(name));
  expect(missing).toEqual(Object.keys(SHOWN_ELSEWHERE));
});
