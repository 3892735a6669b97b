import { describe, expect, test } from "vitest";
import type { EventName } from "../../../runtime/src/catalog/catalog.ts";
import { on, openExtensions, openHooks, settle, user } from "./kit.ts";

const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: {} };
const reply = {
  role: "assistant",
  content: [],
  api: "a",
  provider: "p",
  model: "m",
  usage,
  stopReason: "stop",
  timestamp: 2,
};

const told: readonly (readonly [cites: string, name: string, of: EventName, payload: object, event: object])[] = [
  ["omp.event.15", "agent_start", "agent.start", {}, {}],
  ["omp.event.16", "agent_end", "agent.end", { messages: [user("a")] }, { messages: [user("a")] }],
  ["omp.event.17", "turn_start", "turn.start", { turnIndex: 0, timestamp: 5 }, { turnIndex: 0, timestamp: 5 }],
  [
    "omp.event.18",
    "turn_end",
    "turn.end",
    { turnIndex: 0, message: reply, toolResults: [] },
    { turnIndex: 0, message: reply, toolResults: [] },
  ],
  [
    "omp.event.20",
    "auto_compaction_start",
    "compact.auto-start",
    { trigger: "threshold" },
    { reason: "threshold", action: "context-full" },
  ],
  [
    "omp.event.21",
    "auto_compaction_end",
    "compact.auto-end",
    { aborted: true, willRetry: false, errorMessage: "e" },
    { aborted: true, willRetry: false, errorMessage: "e", action: "context-full" },
  ],
  [
    "omp.event.22",
    "auto_retry_start",
    "retry.start",
    { attempt: 1, maxAttempts: 3, delayMs: 10, errorMessage: "e" },
    { attempt: 1, maxAttempts: 3, delayMs: 10, errorMessage: "e" },
  ],
  [
    "omp.event.23",
    "auto_retry_end",
    "retry.end",
    { success: false, attempt: 3, finalError: "e" },
    { success: false, attempt: 3, finalError: "e" },
  ],
  ["omp.event.24", "ttsr_triggered", "rule.triggered", { rules: [{ name: "r" }] }, { rules: [{ name: "r" }] }],
  [
    "omp.event.25",
    "todo_reminder",
    "todo.reminder",
    { todos: [{ content: "t" }], attempt: 1, maxAttempts: 3 },
    { todos: [{ content: "t" }], attempt: 1, maxAttempts: 3 },
  ],
];

const start = { prompt: "p", systemPrompt: "base" };

describe.each([
  ["HookAPI", openHooks],
  ["ExtensionAPI", openExtensions],
])("a run of the agent in %s", (_, open) => {
  test.each(told)("[%s] %s tells and takes no answer", async (_cites, name, of, payload, event) => {
    const seen: unknown[] = [];
    await using opened = await open([
      on(name, (given) => {
        seen.push(given);
        return { messages: [], entries: [], cancel: true };
      }),
    ]);
    expect((await opened.session.emit(of, payload as never)).answer).toEqual({});
    expect(seen).toEqual([{ type: name, ...event }]);
  });

  test("handlers that only listen are awaited one after the other", async () => {
    const asked: string[] = [];
    const slow = (name: string) => async () => {
      await settle();
      asked.push(name);
    };
    await using opened = await open([on("agent_start", slow("a"), slow("b"))]);
    await opened.session.emit("agent.start", {});
    expect(asked).toEqual(["a", "b"]);
  });

  const messages = [
    user("keep"),
    { ...user("debug"), role: "custom" as const, customType: "debug-only", display: true },
  ];
  const context = { messages, systemPrompt: "s" };

  test("[omp.event.19, omp.context.1, omp.context.2, omp.context.3, omp.conflict.3, omp.mutate.1] messages are handed on, and the last list goes to the model", async () => {
    const seen: unknown[] = [];
    await using opened = await open([
      on("context", (event) => ({ messages: event.messages.filter((m: any) => m.role !== "custom") })),
      on("context", (event) => {
        seen.push(event.messages);
        return { messages: [...event.messages, user("more")] };
      }),
    ]);
    const { answer } = await opened.session.emit("model.context", context);
    expect(seen).toEqual([[user("keep")]]);
    expect(answer).toEqual({ messages: [user("keep"), user("more")] });
    expect(context.messages).toHaveLength(2);
  });

  test.each([
    ["nothing", undefined, {}],
    ["the same messages", { messages }, {}],
    ["an empty list", { messages: [] }, { messages: [] }],
    ["a bare list", [user("x")], {}],
    ["null", { messages: null }, {}],
    ["messages without a role", { messages: [{ content: "x" }] }, {}],
  ])("[omp.context.4] a context handler that returns %s", async (_name, answered, expected) => {
    await using opened = await open([on("context", () => answered)]);
    expect((await opened.session.emit("model.context", context)).answer).toEqual(expected);
  });

  test("messages may be edited in place, the conversation itself stays as it is", async () => {
    await using opened = await open([
      on("context", (event) => {
        event.messages[0].content = "edited";
        event.messages.pop();
      }),
    ]);
    const { answer } = await opened.session.emit("model.context", context);
    expect(answer).toEqual({ messages: [user("edited")] });
    expect(messages[0]).toEqual(user("keep"));
  });

  test("a list that was made unusable in place is not applied", async () => {
    await using opened = await open([on("context", (event) => void event.messages.push("text"))]);
    expect((await opened.session.emit("model.context", context)).answer).toEqual({});
    expect(opened.codes()).toEqual(["HOOK_BAD_ANSWER"]);
  });

  test("[omp.error.3] a context handler that fails leaves the messages so far", async () => {
    await using opened = await open([
      on(
        "context",
        () => ({ messages: [user("a")] }),
        () => {
          throw new Error("x");
        },
        (event) => ({ messages: [...event.messages, user("c")] }),
      ),
    ]);
    const { answer } = await opened.session.emit("model.context", context);
    expect(answer).toEqual({ messages: [user("a"), user("c")] });
    expect(opened.codes()).toEqual(["HOOK_THREW", "FAILED_OPEN"]);
  });

  test("[omp.event.14] a message is completed before it enters the conversation", async () => {
    await using opened = await open([on("before_agent_start", () => ({ message: { customType: "t", content: "c" } }))]);
    const { answer } = await opened.session.emit("agent.before-start", start);
    expect(answer.messages?.flat()).toEqual([
      {
        role: "custom",
        customType: "t",
        content: "c",
        display: false,
        attribution: "agent",
        timestamp: expect.any(Number),
      },
    ]);
  });

  test.each([
    ["text alone", "hello", { customType: "custom-message", content: "hello", display: true, attribution: "agent" }],
    [
      "a person's own",
      { customType: "t", content: "c", display: true, details: { n: 1 }, attribution: "user" },
      { customType: "t", content: "c", display: true, details: { n: 1 }, attribution: "user" },
    ],
    ["content of the wrong kind", { customType: "t", content: 7 }, { customType: "t", content: "", display: false }],
  ])("a message given as %s", async (_name, message, expected) => {
    await using opened = await open([on("before_agent_start", () => ({ message }))]);
    const { answer } = await opened.session.emit("agent.before-start", start);
    expect(answer.messages?.flat()).toMatchObject([expected]);
  });
});

describe("before_agent_start", () => {
  const say = (content: string) => () => ({ message: { customType: "t", content, display: true } });

  test("[omp.conflict.4, omp.mutate.3] in HookAPI the first message counts and all handlers run", async () => {
    const asked: unknown[] = [];
    await using opened = await openHooks([
      on("before_agent_start", () => {
        throw new Error("x");
      }),
      on("before_agent_start", say("one"), (event) => {
        asked.push(event);
        return say("two")();
      }),
    ]);
    const { answer } = await opened.session.emit("agent.before-start", start);
    expect(answer.messages?.flat()).toMatchObject([{ content: "one" }]);
    expect(asked).toEqual([{ type: "before_agent_start", prompt: "p" }]);
  });

  test("in ExtensionAPI every message counts, and the system prompt is a list that is handed on", async () => {
    const seen: unknown[] = [];
    await using opened = await openExtensions([
      on(
        "before_agent_start",
        (event) => ({ ...say("one")(), systemPrompt: [...event.systemPrompt, "a"] }),
        async (event, ctx) => {
          await settle();
          seen.push(event.systemPrompt, ctx.getSystemPrompt());
          return { ...say("two")(), systemPrompt: event.systemPrompt.join("|") };
        },
        (event) => void seen.push(event.systemPrompt),
      ),
    ]);
    const { answer } = await opened.session.emit("agent.before-start", start);
    expect(answer.messages?.flat()).toMatchObject([{ content: "one" }, { content: "two" }]);
    expect(seen).toEqual([["base", "a"], ["base", "a"], ["base|a"]]);
    expect(answer.systemPrompt).toBe("base|a");
  });

  test("systemPromptAppend is added behind the prompt, an echo changes nothing", async () => {
    await using opened = await openExtensions([
      on(
        "before_agent_start",
        () => ({ systemPromptAppend: "arr" }),
        (event) => ({ systemPrompt: event.systemPrompt }),
      ),
    ]);
    expect((await opened.session.emit("agent.before-start", start)).answer).toEqual({ systemPrompt: "base\n\narr" });
    await using echo = await openExtensions([
      on("before_agent_start", (event) => ({ systemPrompt: event.systemPrompt })),
    ]);
    expect((await echo.session.emit("agent.before-start", start)).answer).toEqual({});
  });

  test("images are shown", async () => {
    const seen: { images?: unknown }[] = [];
    const images = [{ type: "image" as const, data: "", mimeType: "image/png" }];
    await using opened = await openHooks([on("before_agent_start", (event) => void seen.push(event))]);
    await opened.session.emit("agent.before-start", { ...start, images });
    expect(seen[0]?.images).toEqual(images);
  });
});
