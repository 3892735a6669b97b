import { describe, expect, test } from "vitest";
import { selectModel, selectThinking } from "../../src/agent/select.ts";
import type { Model } from "../../src/provider/provider.ts";
import { levelFor, levelsOf } from "../../src/provider/thinking.ts";
import { startBench } from "./bench.ts";

describe("levels of thinking", () => {
  const model = (given: Partial<Model>): Model => ({ reasoning: true, ...given }) as Model;

  test.each([
    [{ reasoning: false }, ["off"]],
    [{}, ["off", "minimal", "low", "medium", "high"]],
    [{ thinkingLevelMap: { xhigh: "x" } }, ["off", "minimal", "low", "medium", "high", "xhigh"]],
    [{ thinkingLevelMap: { off: null, minimal: null, max: "most" } }, ["low", "medium", "high", "max"]],
  ] as const)("of %j are %j", (given, levels) => {
    expect(levelsOf(model(given))).toEqual(levels);
  });

  test("one that a model does not have becomes the next higher one, otherwise the next lower one", () => {
    expect(levelFor(model({}), "xhigh")).toBe("high");
    expect(levelFor(model({ thinkingLevelMap: { medium: null } }), "medium")).toBe("high");
    expect(levelFor(model({ thinkingLevelMap: { off: null } }), "off")).toBe("minimal");
    expect(levelFor(model({ reasoning: false }), "high")).toBe("off");
  });

  test("a model that can think starts at medium, or at what the session or the flag says; a change of models keeps the level", async () => {
    const bench = await startBench({ replies: () => ({ text: "ok" }), reasoning: true });
    const { agent } = bench;
    expect(agent.core.thinking).toBe("medium");
    await selectThinking(agent, "max");
    expect(agent.core.thinking).toBe("high");
    await agent.prompt("Hi");
    const path = agent.core.store.getSessionFile() as string;
    await selectModel(agent, { ...agent.core.model, id: "dull", reasoning: false }, "set");
    expect(agent.core.thinking).toBe("off");
    await selectModel(agent, { ...agent.core.model, id: "keen", reasoning: true }, "set");
    expect(agent.core.thinking).toBe("off");
    await bench.close();
    expect((await bench.again(["--session", path])).agent.core.thinking).toBe("off");
    expect((await bench.again(["--thinking", "low"])).agent.core.thinking).toBe("low");
  });
});
