import { describe, expect, test } from "vitest";
import type { Conversation, ConversationPart } from "../../src/inspect/api.ts";
import { folderForTest, GUARD, moment, REWRITER, writeRecording } from "./recorded.ts";
import { served } from "./served.ts";

const user = (text: string): object => ({ role: "user", content: [{ type: "text", text }], timestamp: 1 });
const answered = (id: string, answer: unknown) => ({
  id,
  lane: "x",
  source: `${id}:1`,
  pass: 1 as const,
  status: "answered" as const,
  ms: 1,
  answer,
});
const edit = (hook: string, field: string, values: object = {}) => ({
  hook,
  lane: "x",
  field,
  pass: 1 as const,
  ...values,
});

async function conversation(moments: Parameters<typeof writeRecording>[1], n: number): Promise<Conversation> {
  const server = await served([writeRecording(folderForTest(), moments)]);
  return (await server.get(`/api/sources/ID/conversation/${n}`)).json;
}

const marked = ({ parts }: Conversation): Partial<ConversationPart>[] =>
  parts.filter(({ change }) => change !== undefined);

describe("what the model was sent", () => {
  test("has each part of a hook marked as that hook's: injected, removed and rewritten, in text, messages and tools", async () => {
    const [first, second, third] = [user("first"), user("second"), user("third")];
    const shown = await conversation(
      [
        moment("agent.before-start", {
          payload: { systemPrompt: "You are an agent." },
          hooks: [answered("rules", { systemPrompt: "You are an agent. Be kind." })],
          edits: [edit("rules", "systemPrompt", { from: "You are an agent.", to: "You are an agent. Be kind." })],
          outcome: { systemPrompt: "You are an agent. Be kind." },
        }),
        moment("tools.select", {
          payload: {
            tools: [
              { name: "find", description: "finds" },
              { name: "read", description: "reads" },
            ],
          },
          hooks: [answered("no-find", { exclude: ["find"] })],
          outcome: { exclude: ["find"] },
        }),
        moment("model.context", {
          payload: { messages: [first, second, third], systemPrompt: "You are an agent. Be kind.", model: "m" },
          hooks: [answered("cutter", { messages: [first, user("2nd"), user("extra")] })],
          edits: [
            edit("cutter", "messages", { from: [first, second, third], to: [first, user("2nd"), user("extra")] }),
          ],
          outcome: { messages: [first, user("2nd"), user("extra")] },
          scene: { cwd: "/work", model: "m" },
        }),
        moment("model.request", {
          payload: {
            request: {
              systemPrompt: "You are an agent. Be kind.",
              messages: [first, user("2nd"), user("extra")],
              tools: [{ name: "read", description: "reads" }],
            },
          },
        }),
      ],
      4,
    );
    expect(shown.request?.n).toBe(3);
    expect(shown.model).toBe("m");
    expect(marked(shown)).toMatchObject([
      { role: "system", text: " Be kind.", by: ["rules"], change: "added", at: 1 },
      { role: "tools", tool: "find", by: ["no-find"], change: "removed", at: 2 },
      { role: "user", text: "2nd", by: ["cutter"], change: "rewritten", before: "second" },
      { role: "user", text: "extra", by: ["cutter"], change: "rewritten", before: "third" },
    ]);
    expect(shown.parts.find(({ text }) => text === "first")?.change).toBeUndefined();
  });

  test("has messages that hooks took out or put in between, and none marked where nobody did anything", async () => {
    const all = [user("a"), user("b"), user("c")];
    const dropped = await conversation(
      [
        moment("model.context", {
          payload: { messages: all, systemPrompt: "s" },
          hooks: [answered("drop", { messages: [all[0], all[2]] })],
          edits: [edit("drop", "messages")],
          outcome: { messages: [all[0], all[2]], inject: [user("at the end")] },
        }),
      ],
      1,
    );
    expect(marked(dropped)).toMatchObject([
      { text: "b", by: ["drop"], change: "removed" },
      { text: "at the end", by: ["drop"], change: "added" },
    ]);
    const plain = await conversation([moment("model.context", { payload: { messages: all, systemPrompt: "s" } })], 1);
    expect(marked(plain)).toEqual([]);
    expect(plain.parts.map(({ text }) => text)).toEqual(["s", "a", "b", "c"]);
  });

  test("marks what hooks did to earlier prompts and results, and what stands in place of a refused one", async () => {
    const result = (toolCallId: string, text: string): object => {
      return { role: "toolResult", toolCallId, toolName: "bash", content: [{ type: "text", text }], isError: false };
    };
    const shown = await conversation(
      [
        moment("prompt.before", {
          payload: { text: "[today] fix it" },
          hooks: [answered(REWRITER, undefined)],
          edits: [edit(REWRITER, "user_input")],
          outcome: { text: "[today] fix it", additionalContext: ["Mind the gap."] },
          redacted: ["payload.text"],
        }),
        moment("tool.before", {
          payload: { toolCallId: "c1", tool: "bash", args: {} },
          hooks: [answered(GUARD, { block: true, reason: "not here" })],
          outcome: { decision: "deny", reason: "not here" },
        }),
        moment("tool.after", {
          payload: { toolCallId: "c2", tool: "bash", args: {}, content: [{ type: "text", text: "[removed]" }] },
          hooks: [answered(GUARD, undefined)],
          edits: [edit(GUARD, "content")],
          outcome: { content: [{ type: "text", text: "[removed]" }] },
          redacted: ["payload.content"],
        }),
        moment("model.context", {
          payload: {
            systemPrompt: "",
            messages: [
              user("[today] fix it"),
              { role: "custom", content: "<system-reminder>\nMind the gap.\n</system-reminder>" },
              result("c1", "Refused: not here"),
              result("c2", "[removed]"),
              result("c3", "[removed]"),
            ],
          },
        }),
      ],
      4,
    );
    expect(marked(shown)).toMatchObject([
      { text: "[today] fix it", by: [REWRITER], change: "rewritten", at: 1 },
      { by: [REWRITER], change: "added", at: 1 },
      { text: "Refused: not here", by: [GUARD], change: "added", at: 2 },
      { text: "[removed]", by: [GUARD], change: "rewritten", at: 3 },
    ]);
  });

  test("tells what is new by the session's messages where the request itself was redacted", async () => {
    const said = [user("one"), user("two")];
    const shown = await conversation(
      [
        ...said.map((message) => moment("message.end", { payload: { message } })),
        moment("model.context", {
          payload: { messages: [user("one"), user("2"), user("secret hint")], systemPrompt: "s" },
          hooks: [{ ...answered("hints", undefined) }],
          edits: [edit("hints", "messages")],
          outcome: { messages: [user("one"), user("2"), user("secret hint")] },
          redacted: ["payload.messages"],
        }),
      ],
      3,
    );
    expect(marked(shown)).toMatchObject([
      { text: "2", by: ["hints"], change: "rewritten", before: "two" },
      { text: "secret hint", by: ["hints"], change: "added" },
    ]);
    expect(shown.missing.join(" ")).toContain("The original is not kept");
  });

  test("says that there is no request where there is none", async () => {
    const shown = await conversation([moment("session.start")], 1);
    expect(shown).toMatchObject({ parts: [], requests: [], missing: ["This source has no request to a model."] });
  });
});
