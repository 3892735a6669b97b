import { describe, expect, test } from "vitest";
import { invalidArguments, type ProviderCall, type ProviderRequest } from "../../src/provider/provider.ts";
import type { Script, ScriptReply } from "../../src/provider/reply.ts";
import { classifyFailure } from "../../src/provider/retry.ts";
import { createScriptProvider, scriptModel } from "../../src/provider/script.ts";
import { ask, collect, deltas, said, user } from "./collect.ts";

const scripted = (...replies: ScriptReply[]) => createScriptProvider({ replies }, "demo.yaml");

describe("which reply is taken", () => {
  const tool = { name: "bash", description: "", parameters: { type: "object" as const } };
  const result = {
    role: "toolResult" as const,
    toolCallId: "call_1",
    toolName: "bash",
    content: [{ type: "text" as const, text: "exit 1" }],
    isError: true,
    timestamp: 1,
  };
  type Asked = readonly [string | ProviderRequest, ProviderCall["purpose"]?];
  const cases: readonly {
    name: string;
    script: Script;
    asked: readonly (string | Asked)[];
    said: readonly string[];
  }[] = [
    {
      name: "replies come in the order of the file, each once",
      script: { replies: [{ text: "one" }, { text: "two" }] },
      asked: ["a", "b"],
      said: ["one", "two"],
    },
    {
      name: "a repeating reply is never used up",
      script: { replies: [{ text: "one" }, { text: "again", repeat: true }] },
      asked: ["a", "b", "c", "d"],
      said: ["one", "again", "again", "again"],
    },
    {
      name: "a reply with a condition is taken only on a match, before the next in order",
      script: {
        replies: [{ text: "one" }, { when: { lastUserMatches: "review" }, text: "reviewed" }, { text: "two" }],
      },
      asked: ["a", "please review", "b"],
      said: ["one", "reviewed", "two"],
    },
    {
      name: "a reply with a condition is used up as well",
      script: {
        replies: [
          { when: { lastUserMatches: "^x$" }, text: "match" },
          { text: "plain", repeat: true },
        ],
      },
      asked: ["x", "x", "y"],
      said: ["match", "plain", "plain"],
    },
    {
      name: "the first of several matches wins",
      script: {
        replies: [
          { when: { lastUserMatches: "a" }, text: "first" },
          { when: { lastUserMatches: "b" }, text: "second" },
        ],
      },
      asked: ["ab", "ab"],
      said: ["first", "second"],
    },
    {
      name: "all parts of a condition must hold",
      script: {
        replies: [
          { when: { lastUserMatches: "go", tool: "bash" }, text: "with tool" },
          { text: "plain", repeat: true },
        ],
      },
      asked: ["go", [ask("go", { tools: [tool] })]],
      said: ["plain", "with tool"],
    },
    {
      name: "conditions see the system prompt, the last tool result, the purpose and the number of the request",
      script: {
        replies: [
          { when: { systemMatches: "poet" }, text: "system" },
          { when: { lastResultMatches: "exit [1-9]" }, text: "result" },
          { when: { purpose: "summary" }, text: "summary" },
          { when: { request: 4 }, text: "fourth" },
        ],
      },
      asked: [[ask("a", { systemPrompt: "a poet" })], [ask([user("a"), result])], ["a", "summary"], "a"],
      said: ["system", "result", "summary", "fourth"],
    },
    {
      name: "summaries take from the same list as turns, hooks from their own",
      script: { replies: [{ text: "one" }, { text: "two" }], hookReplies: [{ text: "hook" }] },
      asked: [
        ["a", "summary"],
        ["a", "hook"],
        ["a", "turn"],
      ],
      said: ["one", "hook", "two"],
    },
  ];
  test.each(cases)("$name", async ({ script, asked, said: expected }) => {
    const provider = createScriptProvider(script, "demo.yaml");
    const heard: string[] = [];
    for (const one of asked) {
      const [request, purpose] = typeof one === "string" ? [one] : one;
      const call = purpose === undefined ? {} : { purpose };
      const { message } = await collect(provider, typeof request === "string" ? ask(request) : request, call);
      heard.push(said(message));
    }
    expect(heard).toEqual(expected);
  });

  test("an alias in the file counts as a reply of its own", async () => {
    const same = { text: "same" };
    const provider = scripted(same, same);
    await collect(provider, ask());
    expect((await collect(provider, ask())).ended).toBe("done");
  });

  test("a script that runs out is an error with the number of the request and of the replies, and is not retried", async () => {
    const provider = scripted({ text: "one" }, { text: "two" });
    await collect(provider, ask());
    await collect(provider, ask());
    const { message, ended } = await collect(provider, ask());
    expect(ended).toBe("error");
    expect(message.errorMessage).toBe(
      'The script demo.yaml has no reply left for request 3: "replies" has 2 entries, 2 used. ' +
        'Add a reply, or "repeat: true" to the last one.',
    );
    expect(classifyFailure(message)).toBe("final");
  });

  test("a hook's request without hookReplies says which list is empty", async () => {
    const { message } = await collect(scripted({ text: "one" }), ask(), { purpose: "hook" });
    expect(message.errorMessage).toContain('"hookReplies" has 0 entries');
  });
});

describe("what a reply sends", () => {
  test("thinking, text and tool calls arrive as blocks in pieces", async () => {
    const provider = scripted({
      thinking: "Hm, let me see.",
      text: "I will look at the files.",
      toolCalls: [{ name: "bash", arguments: { command: "ls -la" } }],
    });
    const { events, types, message } = await collect(provider, ask());
    expect(types[0]).toBe("start");
    const order = types.filter((type) => !type.endsWith("_delta"));
    expect(order.slice(1)).toEqual([
      "thinking_start",
      "thinking_end",
      "text_start",
      "text_end",
      "toolcall_start",
      "toolcall_end",
      "done",
    ]);
    const text = deltas(events, "text_delta");
    expect(text.length).toBeGreaterThan(2);
    expect(text.join("")).toBe("I will look at the files.");
    const json = deltas(events, "toolcall_delta");
    expect(JSON.parse(json.join(""))).toEqual({ command: "ls -la" });
    expect(message.content).toEqual([
      { type: "thinking", thinking: "Hm, let me see." },
      { type: "text", text: "I will look at the files." },
      { type: "toolCall", id: "call_1", name: "bash", arguments: { command: "ls -la" } },
    ]);
    expect(message.stopReason).toBe("toolUse");
  });

  test("the pieces of a text are whole characters and lose nothing", async () => {
    const text = "  Grüße 👩‍👩‍👧 \n\n\tund 日本語のとても長い文章です。ここで終わり 🏁  ";
    const { events } = await collect(scripted({ text }), ask());
    const pieces = deltas(events, "text_delta");
    expect(pieces.join("")).toBe(text);
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
  });

  test("a reply without text is an empty message", async () => {
    const { message, types } = await collect(scripted({}), ask());
    expect(types).toEqual(["start", "done"]);
    expect(message.content).toEqual([]);
  });

  test.each([
    ["{broken", "{broken"],
    ['{"a": 1,}', '{"a": 1,}'],
    ["[1, 2]", "[1, 2]"],
    ["null", "null"],
  ])("argumentsRaw %s is kept as it is and marked", async (argumentsRaw, kept) => {
    const calls = [
      { name: "bash", argumentsRaw, id: "bad" },
      { name: "bash", arguments: { a: 1 }, id: "good" },
    ];
    const { message } = await collect(scripted({ toolCalls: calls }), ask());
    expect([...invalidArguments(message)]).toEqual([["bad", kept]]);
    expect(message.content).toMatchObject([{ arguments: {} }, { arguments: { a: 1 } }]);
  });

  test("argumentsRaw with a valid object is parsed and not marked", async () => {
    const { message } = await collect(scripted({ toolCalls: [{ name: "x", argumentsRaw: ' {"b" : 2}' }] }), ask());
    expect(invalidArguments(message).size).toBe(0);
    expect(message.content).toMatchObject([{ arguments: { b: 2 } }]);
  });

  test("ids of calls do not repeat those of the session", async () => {
    const call = { name: "bash" };
    const first = await collect(scripted({ toolCalls: [call, call] }), ask());
    const second = await collect(scripted({ toolCalls: [call] }), ask([user("a"), first.message]));
    const ids = [...first.message.content, ...second.message.content].map((block) => ("id" in block ? block.id : ""));
    expect(ids).toEqual(["call_1", "call_2", "call_3"]);
  });

  test("usage is that of the reply, priced by the model", async () => {
    const usage = { input: 1200, output: 12, cacheRead: 100 };
    const { message } = await collect(scripted({ text: "a", usage }), ask());
    expect(message.usage).toMatchObject({ input: 1200, output: 12, cacheRead: 100, cacheWrite: 0, totalTokens: 1312 });
    expect(message.usage.cost.total).toBeCloseTo((1200 + 24 + 50) / 1e6, 12);
  });

  test("usage that is not given is estimated from the request and the reply", async () => {
    const { message } = await collect(scripted({ text: "x".repeat(40) }), ask("y".repeat(400)));
    expect(message.usage.input).toBe(Math.ceil((400 + "You are a test.".length) / 4));
    expect(message.usage.output).toBe(10);
  });

  test.each(["stop", "length", "toolUse"] as const)("stopReason %s is taken over", async (stopReason) => {
    const { message } = await collect(scripted({ text: "a", stopReason }), ask());
    expect(message.stopReason).toBe(stopReason);
  });
});

describe("failures", () => {
  test("an error reply ends the stream with status and text", async () => {
    const provider = scripted({ error: { status: 529, message: "overloaded" } });
    const { types, message } = await collect(provider, ask());
    expect(types).toEqual(["error"]);
    expect(message).toMatchObject({ stopReason: "error", errorMessage: "529 overloaded", content: [] });
    expect(classifyFailure(message)).toBe("transient");
  });

  test("an error after text keeps the text", async () => {
    const { types, message } = await collect(scripted({ text: "half", error: { message: "terminated" } }), ask());
    expect(types).toContain("text_delta");
    expect(message).toMatchObject({ stopReason: "error", errorMessage: "terminated" });
    expect(said(message)).toBe("half");
  });

  test("an abort while streaming ends with what had arrived", async () => {
    const controller = new AbortController();
    const provider = scripted({ text: "one two three four", tokensPerSecond: 0.01 });
    let aborted: string | undefined;
    for await (const event of provider.stream(ask(), { signal: controller.signal })) {
      if (event.type === "text_delta") controller.abort();
      if (event.type === "error") aborted = `${event.reason} ${said(event.error)}`;
    }
    expect(aborted).toBe("aborted one");
  });

  test("an abort ends the wait before a reply", async () => {
    const controller = new AbortController();
    const stream = collect(scripted({ text: "late", delayMs: 1e9 }), ask(), { signal: controller.signal });
    controller.abort();
    expect((await stream).message).toMatchObject({ stopReason: "aborted", content: [] });
  });

  test("a request that is aborted before it starts uses no reply up", async () => {
    const provider = scripted({ text: "one" });
    const { message } = await collect(provider, ask(), { signal: AbortSignal.abort() });
    expect(message.stopReason).toBe("aborted");
    expect(said((await collect(provider, ask())).message)).toBe("one");
  });

  test("a hook that throws on the wire is an error of the request", async () => {
    const onWire = () => Promise.reject(new Error("no such body"));
    const { message } = await collect(scripted({ text: "one" }), ask(), { onWire });
    expect(message.errorMessage).toBe("no such body");
  });
});

describe("what hooks see", () => {
  test("the body has the chat-completions shape, and conditions are tested on its replacement", async () => {
    const provider = scripted({ when: { lastUserMatches: "secret" }, text: "leaked" }, { text: "safe" });
    const bodies: any[] = [];
    const request = ask("my secret", {
      tools: [{ name: "bash", description: "Runs", parameters: { type: "object" } }],
      extra: { top_k: 3 },
      temperature: 0.5,
    });
    const { message } = await collect(provider, request, {
      onWire: (body: any) => {
        bodies.push(body);
        return { ...body, messages: [{ role: "user", content: "my ******" }] };
      },
    });
    expect(said(message)).toBe("safe");
    expect(bodies).toMatchObject([
      {
        model: "test-1",
        messages: [
          { role: "system", content: "You are a test." },
          { role: "user", content: "my secret" },
        ],
        tools: [{ type: "function", function: { name: "bash" } }],
        temperature: 0.5,
        top_k: 3,
      },
    ]);
  });

  test("headers and response are reported, in this order: headers, body, response", async () => {
    const seen: string[] = [];
    await collect(scripted({ text: "a" }), ask(), {
      onHeaders: (headers) => {
        seen.push("headers");
        return headers;
      },
      onWire: () => void seen.push("body"),
      onResponse: ({ status }) => void seen.push(`response ${status}`),
    });
    expect(seen).toEqual(["headers", "body", "response 200"]);
  });
});

test("the model of a script is what the script says it is", () => {
  const model = scriptModel({ replies: [], model: { id: "small", contextWindow: 1000 } }, "demo.yaml");
  expect(model).toMatchObject({
    id: "small",
    api: "script",
    provider: "script",
    contextWindow: 1000,
    maxTokens: 16_384,
  });
});
