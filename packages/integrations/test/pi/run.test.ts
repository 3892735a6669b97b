import { describe, expect, test } from "vitest";
import { openWith, type TestFactory, text, user } from "./kit.ts";

const on =
  (event: string, handler: (event: any, ctx: any) => unknown): TestFactory =>
  (pi) =>
    pi.on(event, handler);
const reply = {
  role: "assistant",
  content: [text("done")],
  stopReason: "stop",
  timestamp: 2,
} as never;

describe("before_agent_start", () => {
  const prompt = { prompt: "hi", systemPrompt: "base" };
  const before = (handler: (event: any, ctx: any) => unknown): TestFactory => on("before_agent_start", handler);

  test("the system prompt is handed on from handler to handler [pi.before-agent-start.3]", async () => {
    const seen: string[] = [];
    await using opened = await openWith([
      before((event) => ({ systemPrompt: `${event.systemPrompt}[A]` })),
      before((event, ctx) => {
        seen.push(event.systemPrompt, ctx.getSystemPrompt());
        return { systemPrompt: `${event.systemPrompt}[B]` };
      }),
    ]);
    expect((await opened.session.emit("agent.before-start", prompt)).answer).toEqual({ systemPrompt: "base[A][B]" });
    expect(seen).toEqual(["base[A]", "base[A]"]);
  });

  test("without an answer the base prompt stays, whatever an earlier prompt got [pi.before-agent-start.4]", async () => {
    let first = true;
    await using opened = await openWith([
      before((event) => {
        if (!first) return undefined;
        first = false;
        return { systemPrompt: `${event.systemPrompt}!` };
      }),
    ]);
    expect((await opened.session.emit("agent.before-start", prompt)).answer).toEqual({ systemPrompt: "base!" });
    expect((await opened.session.emit("agent.before-start", prompt)).answer).toEqual({});
  });

  test("an empty system prompt is an answer", async () => {
    await using opened = await openWith([before(() => ({ systemPrompt: "" }))]);
    expect((await opened.session.emit("agent.before-start", prompt)).answer).toEqual({ systemPrompt: "" });
  });

  test("every message is kept, in order, each as a custom message [pi.before-agent-start.5, pi.before-agent-start.8]", async () => {
    const message = (customType: string, content: unknown, display: boolean) => ({ customType, content, display });
    await using opened = await openWith([
      before(() => ({ message: { ...message("a", "text", true), details: { any: "data" } } })),
      before(() => ({ message: message("b", [text("block")], false) })),
    ]);
    const { answer } = await opened.session.emit("agent.before-start", prompt);
    const at = { timestamp: expect.any(Number), role: "custom" };
    expect(answer.messages?.flat()).toEqual([
      { ...message("a", "text", true), details: { any: "data" }, ...at },
      { ...message("b", [text("block")], false), ...at },
    ]);
  });

  test("a message that is not displayed is added anyway [pi.before-agent-start.9]", async () => {
    await using opened = await openWith([
      before(() => ({ message: { customType: "quiet", content: "seen by the model", display: false } })),
    ]);
    const { answer } = await opened.session.emit("agent.before-start", prompt);
    expect(answer.messages?.flat()).toMatchObject([{ content: "seen by the model", display: false }]);
  });

  test("the event has prompt, images and systemPrompt [pi.before-agent-start.7]", async () => {
    const seen: unknown[] = [];
    const image = { type: "image" as const, data: "AA==", mimeType: "image/png" };
    await using opened = await openWith([before((event) => void seen.push(event))]);
    await opened.session.emit("agent.before-start", { ...prompt, images: [image] });
    expect(seen).toMatchObject([{ type: "before_agent_start", ...prompt, images: [image] }]);
  });

  test("a handler that throws is reported and stops nobody [pi.before-agent-start.11]", async () => {
    await using opened = await openWith([
      before(() => Promise.reject(new Error("boom"))),
      before((event) => ({ systemPrompt: `${event.systemPrompt}[B]` })),
    ]);
    expect((await opened.session.emit("agent.before-start", prompt)).answer).toEqual({ systemPrompt: "base[B]" });
    expect(opened.codes()).toEqual(["HOOK_THREW", "FAILED_OPEN"]);
  });

  test.each([
    { customType: "a" },
    { content: "a" },
    "text",
    { customType: 1, content: "a" },
    { customType: "a", content: 3 },
  ])("a message without type or content is left out and reported: %j", async (message) => {
    await using opened = await openWith([before(() => ({ message, systemPrompt: "kept" }))]);
    expect((await opened.session.emit("agent.before-start", prompt)).answer).toEqual({ systemPrompt: "kept" });
    expect(opened.codes()).toEqual(["HOOK_ODD_ANSWER"]);
  });
});

describe("events that only tell", () => {
  test("agent_start has nothing but its type, and what is returned is dropped [pi.agent.2, pi.agent.3]", async () => {
    const seen: unknown[] = [];
    await using opened = await openWith([
      on("agent_start", (event) => {
        seen.push(event);
        return { systemPrompt: "x", block: true };
      }),
    ]);
    expect((await opened.session.emit("agent.start", {})).answer).toEqual({});
    expect(seen).toEqual([{ type: "agent_start" }]);
    expect(opened.diagnostics).toEqual([]);
  });

  test("agent_end has the messages of the run [pi.agent.5]", async () => {
    const seen: any[] = [];
    await using opened = await openWith([on("agent_end", (event) => void seen.push(event))]);
    await opened.session.emit("agent.end", { messages: [user("hi")] });
    expect(seen).toEqual([{ type: "agent_end", messages: [user("hi")] }]);
  });

  test("agent_settled says whether the run was aborted", async () => {
    const seen: unknown[] = [];
    await using opened = await openWith([on("agent_settled", (event) => void seen.push(event))]);
    await opened.session.emit("agent.settled", { aborted: true });
    expect(seen).toEqual([{ type: "agent_settled", aborted: true }]);
  });

  test("the whole history is in ctx.sessionManager [pi.agent.7]", async () => {
    const seen: unknown[] = [];
    const sessionManager = { getBranch: () => ["u", "a"] };
    await using opened = await openWith([on("agent_end", (_, ctx) => void seen.push(ctx.sessionManager.getBranch()))], {
      services: { sessionManager },
    });
    await opened.session.emit("agent.end", { messages: [] });
    expect(seen).toEqual([["u", "a"]]);
  });

  test("turn_start has the turn's index and time [pi.turn.2]", async () => {
    const seen: unknown[] = [];
    await using opened = await openWith([on("turn_start", (event) => void seen.push(event))]);
    await opened.session.emit("turn.start", { turnIndex: 0, timestamp: 17 });
    expect(seen).toEqual([{ type: "turn_start", turnIndex: 0, timestamp: 17 }]);
  });

  test("handlers are awaited one after the other, across extensions", async () => {
    const order: string[] = [];
    const slow = (name: string) =>
      on("agent_start", async () => {
        order.push(`${name} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        order.push(`${name} ends`);
      });
    await using opened = await openWith([slow("A"), slow("B")]);
    await opened.session.emit("agent.start", {});
    expect(order).toEqual(["A begins", "A ends", "B begins", "B ends"]);
  });
});

describe("messages", () => {
  test.each(["user", "assistant", "toolResult", "custom"])(
    "message_start tells of %s messages [pi.message.2]",
    async (role) => {
      const seen: unknown[] = [];
      await using opened = await openWith([on("message_start", (event) => void seen.push(event))]);
      const message = { role, content: [], timestamp: 1 } as never;
      await opened.session.emit("message.start", { message });
      expect(seen).toEqual([{ type: "message_start", message }]);
    },
  );

  test("message_update has the partial message and the stream's event [pi.message.3]", async () => {
    const seen: unknown[] = [];
    await using opened = await openWith([on("message_update", (event) => void seen.push(event))]);
    await opened.session.emit("message.update", { message: reply, event: { type: "text_delta", delta: "d" } });
    expect(seen).toEqual([
      { type: "message_update", message: reply, assistantMessageEvent: { type: "text_delta", delta: "d" } },
    ]);
  });

  test("message_end has the final message [pi.message.4]", async () => {
    const seen: unknown[] = [];
    await using opened = await openWith([on("message_end", (event) => void seen.push(event))]);
    expect((await opened.session.emit("message.end", { message: reply })).answer).toEqual({});
    expect(seen).toEqual([{ type: "message_end", message: reply }]);
  });

  test("message_end replaces a message, and later handlers see the new one", async () => {
    const replace = (suffix: string) =>
      on("message_end", (event) => ({
        message: { ...event.message, content: [text(event.message.content[0].text + suffix)] },
      }));
    await using opened = await openWith([replace(" A"), replace(" B")]);
    const { answer } = await opened.session.emit("message.end", { message: reply });
    expect(answer.message).toMatchObject({ role: "assistant", content: [text("done A B")] });
  });

  test("a replaced message of another role is reported, ignored and not seen by the next handler", async () => {
    const seen: string[] = [];
    await using opened = await openWith([
      on("message_end", () => ({ message: user("mine") })),
      on("message_end", (event) => void seen.push(event.message.role)),
    ]);
    expect((await opened.session.emit("message.end", { message: reply })).answer).toEqual({});
    expect(seen).toEqual(["assistant"]);
    expect(opened.diagnostics[0]?.message).toContain("message_end handlers must return a message with the same role");
  });
});

describe("boundaries", () => {
  const turn = { turnIndex: 1, message: reply, toolResults: [] };
  const draft = { type: "custom", customType: "mark", data: 1 };

  test("turn_end has the turn's index, message and tool results [pi.turn.4]", async () => {
    const seen: unknown[] = [];
    await using opened = await openWith([on("turn_end", (event) => void seen.push(event))]);
    const toolResults = [
      { role: "toolResult", toolCallId: "1", toolName: "ls", content: [], isError: false, timestamp: 1 },
    ];
    await opened.session.emit("turn.end", { ...turn, toolResults: toolResults as never });
    expect(seen).toMatchObject([
      {
        type: "turn_end",
        turnIndex: 1,
        message: reply,
        toolResults,
        entries: [],
        continue: false,
        outcome: "completed",
        context: { canContinue: true },
      },
    ]);
  });

  test("each handler sees the entries proposed so far, and what it returns replaces them", async () => {
    const append = (customType: string) =>
      on("turn_end", (event) => ({ entries: [...event.entries, { ...draft, customType }], continue: true }));
    await using opened = await openWith([append("a"), append("b")]);
    const { answer } = await opened.session.emit("turn.end", turn);
    expect(answer).toEqual({
      entries: [
        { ...draft, customType: "a" },
        { ...draft, customType: "b" },
      ],
      continue: true,
    });
  });

  test.each([
    [[draft]],
    [[{ type: "custom_message", customType: "a", content: "b", display: true }]],
    [[{ type: "context_edit", targetId: "x", replacement: null }]],
    [[{ type: "compaction", summary: "s", firstKeptEntryId: null }]],
  ])("agent_before_settle takes %j", async (entries) => {
    await using opened = await openWith([on("agent_before_settle", () => ({ entries, continue: true }))]);
    const { answer } = await opened.session.emit("agent.before-settle", {
      entries: [],
      continue: false,
      canContinue: false,
      outcome: "completed",
    });
    expect(answer).toEqual({ entries, continue: true });
  });

  test.each([[[{ type: "custom" }]], [[{ type: "nonsense" }]], [[null]], ["text"]])(
    "entries that are none are left out and reported: %j",
    async (entries) => {
      await using opened = await openWith([on("turn_end", () => ({ entries, continue: true }))]);
      expect((await opened.session.emit("turn.end", turn)).answer).toEqual({ continue: true });
      expect(opened.codes()).toEqual(["HOOK_ODD_ANSWER"]);
    },
  );

  test("the outcome of an aborted reply is `aborted`", async () => {
    const seen: string[] = [];
    await using opened = await openWith([on("turn_end", (event) => void seen.push(event.outcome))]);
    await opened.session.emit("turn.end", {
      ...turn,
      message: { ...(reply as object), stopReason: "aborted" } as never,
    });
    expect(seen).toEqual(["aborted"]);
  });
});
