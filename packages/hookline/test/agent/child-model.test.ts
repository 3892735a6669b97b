import { expect, test } from "vitest";
import { writtenModel } from "../../src/agent/child-model.ts";
import type { Model } from "../../src/provider/provider.ts";
import type { ModelRegistry } from "../../src/provider/registry.ts";
import { Desk } from "../authors/desk.ts";
import { runAgent } from "../support/running.ts";

const models = ["claude-3-7-sonnet-2025", "claude-sonnet-4-5", "claude-sonnet-4-10", "claude-opus-4-1", "gpt-5"].map(
  (id) => ({ provider: "one", id }) as Model,
);
const registry = {
  names: ["one"],
  find: (provider: string, id: string) => models.find((model) => model.provider === provider && model.id === id),
  composed: () => ({ models }),
  unlisted: () => undefined,
  isKeyed: () => true,
  hasConfiguredAuth: () => true,
} as unknown as ModelRegistry;
const [, , , opus] = models as [Model, Model, Model, Model];

test("a model is found by its name or by a short name's kind, otherwise it is the parent's", () => {
  const chosen = (...written: (string | undefined)[]) => writtenModel(written, opus, registry)?.id;
  expect(chosen("gpt-5")).toBe("gpt-5");
  expect(chosen("one/gpt-5")).toBe("gpt-5");
  expect(chosen("sonnet")).toBe("claude-sonnet-4-10");
  expect(chosen("opus")).toBe("claude-opus-4-1");
  expect(chosen("inherit")).toBe("claude-opus-4-1");
  expect(chosen("none, nobody/none, sonnet")).toBe("claude-sonnet-4-10");
  expect(chosen(undefined, "gpt-5")).toBe("gpt-5");
  expect(chosen("haiku")).toBeUndefined();
  expect(chosen(undefined)).toBeUndefined();
});

test("a missing model is reported once, and the sub-agent uses its parent's", async () => {
  const desk = new Desk();
  desk.write("~/.claude/agents/a.md", "---\nname: a\ndescription: Does it.\nmodel: haiku\n---\nDo it.\n");
  const task =
    '  - toolCalls: [{ name: task, arguments: { subagent_type: a, description: do, prompt: Do it } }]\n  - text: "Did it."\n';
  await using running = await runAgent(desk, { replies: `${task}${task}  - text: "Done."\n` });
  const { agent } = running.assembled;
  const told: string[] = [];
  agent.listen((event) => event.type === "notice" && told.push(event.text));
  expect((await agent.prompt("Go")).kind).toBe("answered");
  expect(told).toEqual(["Sub-agent a: there is no model haiku with a key here, so it has script/script."]);
  await agent.prompt("/agents");
  expect(running.shown.join("\n")).toMatch(
    /Sub-agents of this session\n {2}a: do · done · \d+ s\n {2}a: do · done · \d+ s\n\nAgents that the model may start\n {2}general-purpose: .*built in\)\n {2}a: Does it\. \(model: haiku; .*agents\/a\.md\)/,
  );
});
