import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
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
