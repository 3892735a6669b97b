import type { Payload } from "@hookline/runtime";
import { expect, test } from "vitest";
import { cycleModel } from "../../src/agent/select.ts";
import { type BenchOptions, sentTo, startBench } from "./bench.ts";

const start = (more: Partial<BenchOptions> = {}) => startBench({ replies: [{ text: "ok", repeat: true }], ...more });

test("a hook can prevent a person, a client or another hook from changing the model", async () => {
  const { agent, hooks } = await start();
  const asked: Payload<"model.before-select">[] = [];
  hooks.on("model.before-select", (event) => {
    asked.push(event);
    return { decision: "deny", reason: "too dear" };
  });
  expect(await agent.prompt("/model loop/other")).toEqual({
    kind: "failed",
    error: "The model is still loop/model: too dear",
  });
  await expect(cycleModel(agent)).rejects.toThrow("too dear");
  const other = agent.registry.find("loop", "other");
  expect(await agent.services.models?.set({ ...(other ?? agent.core.model) })).toBe(false);
  expect(agent.core.model.id).toBe("model");
  expect(asked.map(({ source, model, previousModel }) => [source, model.id, previousModel?.id])).toEqual([
    ["set", "other", "model"],
    ["cycle", "other", "model"],
    ["set", "other", "model"],
  ]);
});

test("no hook is asked if the model stays, or if a session restores its own", async () => {
  const { agent, hooks } = await start();
  await agent.prompt("/model loop/other");
  await agent.prompt("Hello");
  const file = agent.core.store.getSessionFile();
  await agent.prompt("/new");
  await agent.prompt("/model loop/model");
  let count = 0;
  hooks.on("model.before-select", () => {
    count += 1;
    return { decision: "deny" };
  });
  await agent.prompt("/model loop/model");
  await agent.prompt(`/resume ${file}`);
  expect(agent.core.model.id).toBe("other");
  expect(count).toBe(0);
});

test("a hook can have the person asked; without a person it is a denial, and the strictest hook counts", async () => {
  const silent = await start();
  silent.hooks.on("model.before-select", () => ({ decision: "ask", reason: "It costs more." }));
  await silent.agent.prompt("/model loop/other");
  expect(silent.agent.core.model.id).toBe("model");

  const questions: string[] = [];
  const ui = { confirm: async (title: string, text: string) => questions.push(`${title} ${text}`) > 0 };
  const asked = await start({ mode: "rpc", ui });
  asked.hooks.on("model.before-select", () => ({ decision: "ask", reason: "It costs more." }));
  asked.hooks.on("model.before-select", () => ({ decision: "allow" }));
  await asked.agent.prompt("/model loop/other");
  expect(questions).toEqual(["Change the model to loop/other? It costs more."]);
  expect(asked.agent.core.model.id).toBe("other");
});

test("what hooks add when another model is selected is in the next request, before the prompt", async () => {
  const { agent, hooks, server } = await start();
  hooks.on("model.select", ({ model }) => ({ additionalContext: `now ${model.id}` }));
  await agent.prompt("/model loop/other");
  await agent.prompt("Hello");
  expect(sentTo(server, 0).at(-2)).toContain("now other");
  expect(sentTo(server, 0).at(-1)).toBe("user: Hello");
});
