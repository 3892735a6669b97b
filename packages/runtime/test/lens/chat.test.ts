import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Message } from "../../src/catalog/message.ts";
import type { NeutralRequest } from "../../src/catalog/request.ts";
import { chatBody, putChat } from "../../src/lens/chat.ts";

const usage: any = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3, cost: {} };
const thinking = { type: "thinking", thinking: "hm", thinkingSignature: "sig" } as const;
const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const;
const said = (text: string) => ({ type: "text", text }) as const;
const toolCall = (id: string, args: Record<string, unknown> = { command: "ls" }) =>
  ({ type: "toolCall", id, name: "bash", arguments: args }) as const;
const assistant = (...content: any[]): Message =>
  ({
    role: "assistant",
    content,
    api: "a",
    provider: "p",
    model: "m",
    usage,
    stopReason: "stop",
    timestamp: 2,
  }) as const;
const result = (id: string, ...content: any[]): Message => ({
  role: "toolResult",
  toolCallId: id,
  toolName: "bash",
  content,
  details: { exitCode: 0 },
  isError: false,
  timestamp: 3,
});
const user = (content: any): Message => ({ role: "user", content, timestamp: 1 });

const request: NeutralRequest = {
  model: { id: "anthropic/claude-sonnet-4", provider: "openrouter", api: "openai-completions", contextWindow: 200_000 },
  systemPrompt: "be brief",
  messages: [
    user([said("look"), image]),
    assistant(thinking, said("I will"), toolCall("c1")),
    result("c1", said("a.txt"), image),
    user("thanks"),
  ],
  tools: [{ name: "bash", description: "runs", parameters: { type: "object" }, type: "builtin" }],
  temperature: 0.7,
  maxTokens: 1000,
  extra: { top_p: 0.9 },
};

const list = (of: NeutralRequest): any[] => structuredClone(chatBody(of)["messages"]) as any[];
const put = (messages: unknown, of = request): NeutralRequest => putChat({ messages }, of);

describe("the chat-completions view", () => {
  test("says what the request says", () => {
    expect(chatBody(request)).toEqual({
      model: "anthropic/claude-sonnet-4",
      messages: [
        { role: "system", content: "be brief" },
        {
          role: "user",
          content: [
            { type: "text", text: "look" },
            { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
          ],
        },
        {
          role: "assistant",
          content: "I will",
          tool_calls: [{ id: "c1", type: "function", function: { name: "bash", arguments: '{"command":"ls"}' } }],
        },
        { role: "tool", tool_call_id: "c1", content: "a.txt" },
        { role: "user", content: "thanks" },
      ],
      tools: [{ type: "function", function: { name: "bash", description: "runs", parameters: { type: "object" } } }],
      temperature: 0.7,
      max_tokens: 1000,
      top_p: 0.9,
    });
  });

  test("has no system message where there is no system prompt, and no key for what is not set", () => {
    const bare: NeutralRequest = { model: { id: "m", provider: "p" }, systemPrompt: "", messages: [], tools: [] };
    expect(chatBody(bare)).toEqual({ model: "m", messages: [], tools: [] });
  });

  test("shows messages of other roles as the user's", () => {
    const messages: Message[] = [
      { role: "custom", customType: "note", content: "n", display: true, timestamp: 1 },
      { role: "compactionSummary", summary: "s", tokensBefore: 5, timestamp: 1 },
      { role: "bashExecution", command: "ls", output: "o", cancelled: false, truncated: false, timestamp: 1 },
    ];
    expect(list({ ...request, systemPrompt: "", messages })).toEqual([
      { role: "user", content: "n" },
      { role: "user", content: "s" },
      { role: "user", content: "ls\no" },
    ]);
  });
});

describe("keys that have a place", () => {
  test.each([
    [{ model: "other" }, { model: { ...request.model, id: "other" } }],
    [{ temperature: 0.3 }, { temperature: 0.3 }],
    [{ max_tokens: 2000 }, { maxTokens: 2000 }],
    [
      { temperature: 0.3, max_tokens: 2000 },
      { temperature: 0.3, maxTokens: 2000 },
    ],
  ])("%j goes there", (patch, fields) => {
    expect(putChat(patch, request)).toEqual({ ...request, ...fields });
  });

  test("a value that the place cannot hold goes into the wire body as it is, and a later one takes it back out", () => {
    const none = putChat({ temperature: null, max_tokens: "many" }, request);
    expect(none.extra).toEqual({ top_p: 0.9, temperature: null, max_tokens: "many" });
    expect(chatBody(none)).toMatchObject({ temperature: null, max_tokens: "many" });
    const set = putChat({ temperature: 0.7, max_tokens: 5 }, none);
    expect(set).toEqual({ ...request, maxTokens: 5 });
  });
});

describe("keys without a place", () => {
  test("stop, tool_choice and everything unknown go into the wire body", () => {
    const patch = { stop: ["END"], tool_choice: "none", reasoning: { effort: "low" } };
    expect(putChat(patch, request).extra).toEqual({ top_p: 0.9, ...patch });
  });

  test("null is a value like any other", () => {
    expect(putChat({ stop: null }, request).extra).toEqual({ top_p: 0.9, stop: null });
  });

  test("a hostile key is a key", () => {
    const edited = putChat(JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}'), request);
    expect(Object.keys(edited.extra ?? {})).toEqual(["top_p", "__proto__", "constructor"]);
    expect(({} as any).polluted).toBeUndefined();
    expect((edited.extra as any).polluted).toBeUndefined();
  });
});

describe("messages", () => {
  test("an edited text leaves images, thinking and details where they are, and every other message the same object", () => {
    const messages = list(request);
    messages[3].content = "***";
    const edited = put(messages).messages;
    expect(edited[2]).toEqual({ ...request.messages[2], content: [said("***"), image] });
    for (const at of [0, 1, 3]) expect(edited[at]).toBe(request.messages[at]);
  });

  test("an edited reply keeps its thinking and its calls", () => {
    const messages = list(request);
    messages[2].content = "changed";
    expect(put(messages).messages[1]).toEqual(assistant(thinking, said("changed"), toolCall("c1")));
  });

  test("edited arguments change that call alone", () => {
    const messages = list(request);
    messages[2].tool_calls[0].function.arguments = '{"command":"pwd"}';
    expect(put(messages).messages[1]).toEqual(assistant(thinking, said("I will"), toolCall("c1", { command: "pwd" })));
  });

  test("arguments that are only written differently change nothing", () => {
    const messages = list(request);
    messages[2].tool_calls[0].function.arguments = '{ "command" : "ls" }';
    expect(put(messages).messages).toBe(request.messages);
  });

  test("an image may be taken away or added", () => {
    const messages = list(request);
    messages[1].content = [{ type: "text", text: "look" }];
    messages[4].content = [messages[4].content, image].map((part) =>
      part === image
        ? { type: "image_url", image_url: { url: "data:image/gif;base64,BBBB" } }
        : { type: "text", text: part },
    );
    const edited = put(messages).messages;
    expect(edited[0]).toEqual(user([said("look")]));
    expect(edited[3]).toEqual(user([said("thanks"), { type: "image", data: "BBBB", mimeType: "image/gif" }]));
  });

  test("messages may be removed, added and put in front; the rest stay the same objects", () => {
    const [system, , , , last] = list(request);
    const edited = put([
      system,
      { role: "user", content: "first" },
      last,
      { role: "assistant", content: "added" },
    ]).messages;
    expect(edited).toHaveLength(3);
    expect(edited[0]).toMatchObject({ role: "user", content: "first" });
    expect(edited[1]).toBe(request.messages[3]);
    expect(edited[2]).toMatchObject({
      role: "assistant",
      content: [said("added")],
      provider: "openrouter",
      model: request.model.id,
      api: "openai-completions",
      stopReason: "stop",
    });
  });

  test("a new call and its result know each other", () => {
    const call = { id: "c9", type: "function", function: { name: "read", arguments: '{"path":"a"}' } };
    const messages = [
      ...list(request),
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "c9", content: "text" },
    ];
    const edited = put(messages).messages.slice(-2);
    expect(edited).toMatchObject([
      { role: "assistant", content: [{ type: "toolCall", id: "c9", name: "read", arguments: { path: "a" } }] },
      { role: "toolResult", toolCallId: "c9", toolName: "read", content: [said("text")], isError: false },
    ]);
  });

  test("a result that moved within other edits is found by its call", () => {
    const [system, first, reply, done] = list(request);
    const edited = put([
      system,
      first,
      { role: "user", content: "a" },
      { role: "user", content: "b" },
      reply,
      { ...done, content: "X" },
    ]);
    expect(edited.messages.at(-1)).toEqual({ ...request.messages[2], content: [said("X"), image] });
  });

  test("the system message is the system prompt; further ones are joined to it, none is none", () => {
    const [, ...rest] = list(request);
    expect(put([{ role: "system", content: "new" }, ...rest])).toEqual({ ...request, systemPrompt: "new" });
    expect(put(rest)).toEqual({ ...request, systemPrompt: "" });
    const more = put([...list(request), { role: "developer", content: "and kind" }]);
    expect(more).toEqual({ ...request, systemPrompt: "be brief\n\nand kind" });
    expect(more.messages).toBe(request.messages);
  });

  test.each([
    ["a key that no message has", [{ role: "user", content: "x", name: "me" }]],
    ["a part with a key of a provider", [{ role: "user", content: [{ type: "text", text: "x", cache_control: {} }] }]],
    ["an image that is a link", [{ role: "user", content: [{ type: "image_url", image_url: { url: "https://x" } }] }]],
    ["an unknown role", [{ role: "function", content: "x" }]],
    [
      "arguments that are no JSON",
      [
        {
          role: "assistant",
          content: "",
          tool_calls: [{ id: "1", type: "function", function: { name: "x", arguments: "{" } }],
        },
      ],
    ],
    ["no list", "text"],
    ["a hole", [null]],
  ])("%s goes into the wire body as it was written", (_, messages) => {
    const edited = put(messages);
    expect(edited).toEqual({ ...request, extra: { ...request.extra, messages } });
    expect(chatBody(edited)["messages"]).toEqual(messages);
  });

  test("messages of other roles keep their facts when they are edited", () => {
    const custom: Message = {
      role: "custom",
      customType: "note",
      content: "n",
      display: true,
      details: 1,
      timestamp: 1,
    };
    const summary: Message = { role: "branchSummary", summary: "s", fromId: "x", timestamp: 7 };
    const of = { ...request, systemPrompt: "", messages: [custom, summary] };
    expect(
      put(
        [
          { role: "user", content: "N" },
          { role: "user", content: "S" },
        ],
        of,
      ).messages,
    ).toEqual([
      { ...custom, content: "N" },
      { role: "user", content: "S", timestamp: 7 },
    ]);
  });
});

describe("tools", () => {
  const shown = (): any[] => structuredClone(chatBody(request)["tools"]) as any[];

  test("an edited description keeps where the tool comes from; a new tool is a plugin's; a removed one is gone", () => {
    const [bash] = shown();
    bash.function.description = "careful";
    const added = { type: "function", function: { name: "new" } };
    expect(putChat({ tools: [added, bash] }, request).tools).toEqual([
      { type: "plugin", name: "new", description: "", parameters: { type: "object", properties: {} } },
      { ...request.tools[0], description: "careful" },
    ]);
    expect(putChat({ tools: [] }, request).tools).toEqual([]);
  });

  test("a tool that is no function goes into the wire body with the whole list", () => {
    const tools = [...shown(), { type: "web_search" }];
    const edited = putChat({ tools }, request);
    expect(edited).toEqual({ ...request, extra: { ...request.extra, tools } });
  });
});

describe("laws", () => {
  const text = fc.string({ maxLength: 12 });
  const args = fc.dictionary(fc.string({ minLength: 1, maxLength: 4 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 });
  const block = fc.oneof(text.map(said), fc.constant(image));
  const message: fc.Arbitrary<Message> = fc.oneof(
    text.map(user),
    fc.array(block, { maxLength: 3 }).map(user),
    fc
      .tuple(text, fc.array(fc.tuple(fc.uuid(), args), { maxLength: 2 }))
      .map(([words, calls]) => assistant(thinking, said(words), ...calls.map(([id, given]) => toolCall(id, given)))),
    fc
      .tuple(fc.constantFrom("c1", "c2"), fc.array(block, { maxLength: 2 }))
      .map(([id, content]) => result(id, ...content)),
  );
  const requests: fc.Arbitrary<NeutralRequest> = fc.record(
    {
      model: fc.record({ id: fc.string({ minLength: 1 }), provider: text }),
      systemPrompt: text,
      messages: fc.array(message, { maxLength: 6 }),
      tools: fc.constantFrom([], request.tools),
      temperature: fc.double({ noNaN: true, min: 0, max: 2 }),
      maxTokens: fc.integer({ min: 1 }),
      extra: fc.dictionary(fc.constantFrom("top_p", "stop", "seed", "temperature", "messages"), fc.jsonValue()),
    },
    { requiredKeys: ["model", "systemPrompt", "messages", "tools"] },
  );

  test("an echo is no edit: the request is the very object", () => {
    fc.assert(
      fc.property(requests, (of) => {
        expect(putChat(structuredClone(chatBody(of)), of)).toBe(of);
      }),
    );
  });

  test("what was written is shown", () => {
    fc.assert(
      fc.property(requests, requests, (of, other) => {
        const patch = structuredClone(chatBody(other));
        const shown = chatBody(putChat(patch, of));
        for (const key of Object.keys(patch)) expect([key, shown[key]]).toEqual([key, patch[key]]);
      }),
    );
  });

  test("writing twice is writing once", () => {
    fc.assert(
      fc.property(requests, requests, (of, other) => {
        const patch = chatBody(other);
        const once = putChat(patch, of);
        expect(putChat(patch, once)).toBe(once);
      }),
    );
  });

  test("whichever messages stay stay the same objects, in their order", () => {
    const unique = fc.uniqueArray(message, {
      selector: (one) => JSON.stringify(chatBody({ ...request, messages: [one] })),
      maxLength: 8,
    });
    fc.assert(
      fc.property(unique, fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }), (messages, stays) => {
        const of = { ...request, messages };
        const [system, ...shown] = list(of);
        const kept = put([system, ...shown.filter((_, at) => stays[at])], of).messages;
        const wanted = messages.filter((_, at) => stays[at]);
        expect(kept.length).toBe(wanted.length);
        for (const [at, one] of kept.entries()) expect(one).toBe(wanted[at]);
      }),
    );
  });
});
