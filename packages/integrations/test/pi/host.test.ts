import { describe, expect, it } from "vitest";
import { host } from "../../src/pi/host/index.ts";
import { asked } from "../hosts/host-hooks.ts";

describe("pi behind the bridge", () => {
  it("reports a session that was forked, new or resumed, after its start", async () => {
    const { session, say } = await asked(host);
    const told: unknown[] = [];
    session.on("session.start", ({ reason }) => void told.push(["start", reason]));
    session.on("session.branch", (payload) => void told.push(["branch", payload]));
    session.on("session.switch", (payload) => void told.push(["switch", payload]));
    await say("session_start", { reason: "startup" });
    await say("session_start", { reason: "fork", previousSessionFile: "a.jsonl" });
    await say("session_start", { reason: "resume", previousSessionFile: "b.jsonl" });
    await say("session_start", { reason: "reload" });
    expect(told).toEqual([
      ["start", "startup"],
      ["start", "fork"],
      ["branch", { previousSessionFile: "a.jsonl" }],
      ["start", "resume"],
      ["switch", { reason: "resume", previousSessionFile: "b.jsonl" }],
      ["start", "reload"],
    ]);
  });

  it("asks before it moves in the session's tree, and tells where it is then", async () => {
    const { session, say } = await asked(host);
    const seen: unknown[] = [];
    session.on("session.before-tree", ({ preparation }) => {
      seen.push(preparation);
      return { summary: { summary: "what was left" }, customInstructions: "be short", label: "left" };
    });
    session.on("session.tree", (payload) => void seen.push(payload));
    const preparation = { targetId: "1", oldLeafId: "2" };
    expect(await say("session_before_tree", { preparation })).toEqual({
      returns: { summary: { summary: "what was left" }, customInstructions: "be short", label: "left" },
    });
    const moved = { newLeafId: "1", oldLeafId: "2", fromExtension: false };
    expect(await say("session_tree", moved)).toEqual({});
    expect(seen).toEqual([preparation, moved]);
    session.on("session.before-tree", () => ({ cancel: true }));
    expect(await say("session_before_tree", { preparation })).toMatchObject({ returns: { cancel: true } });
  });

  it("tells which model and which level of thinking were chosen; what hooks add goes with the next prompt", async () => {
    const { session, say } = await asked(host);
    const seen: unknown[] = [];
    session.on("model.select", ({ model, source }) => {
      seen.push([(model as { id: string }).id, source]);
      return { additionalContext: "mind the smaller window" };
    });
    session.on("thinking.select", (payload) => void seen.push(payload));
    const model = { id: "m2", provider: "p", name: "M2" };
    expect(await say("model_select", { model, source: "set" })).toEqual({});
    await say("thinking_level_select", { level: "high", previousLevel: "off" });
    expect(seen).toEqual([["m2", "set"], { level: "high", previousLevel: "off" }]);
    const run = { prompt: "go on", systemPrompt: "S" };
    expect(await say("before_agent_start", run)).toMatchObject({
      returns: { message: { content: "mind the smaller window" } },
    });
    expect(await say("before_agent_start", run)).toEqual({});
  });
});

it("asks about a run that an extension starts by its message, which has no prompt", async () => {
  const { session, say } = await asked(host);
  const prompts: string[] = [];
  session.on("agent.before-start", ({ prompt }) => void prompts.push(prompt));
  const content = [{ type: "text", text: "a notice" }];
  await say("before_agent_start", { messageType: "custom", message: { customType: "x", content }, systemPrompt: "" });
  await say("before_agent_start", { messageType: "custom", message: { customType: "x", content: "plain" } });
  await say("before_agent_start", { prompt: "typed" });
  expect(prompts).toEqual(["a notice", "plain", "typed"]);
});
