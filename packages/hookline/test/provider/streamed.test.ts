import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createPiAiProvider } from "../../src/provider/pi-ai.ts";
import { invalidArguments, refusedCalls, type StreamEvent } from "../../src/provider/provider.ts";
import {
  ArgumentsText,
  endArguments,
  faultIn,
  isStreaming,
  startArguments,
} from "../../src/provider/streamed/arguments.ts";
import { type Loopback, type LoopbackReply, startLoopback } from "../support/loopback.ts";
import { ask, collect, testModel } from "./collect.ts";

/** Counts what pi-ai's own function is given to parse. */
const parsed = vi.hoisted(() => ({ times: 0, characters: 0 }));
vi.mock("@earendil-works/pi-ai/utils/json-parse", async (load) => {
  const real = await load<typeof import("@earendil-works/pi-ai/utils/json-parse")>();
  return {
    ...real,
    parseStreamingJson(text: string | undefined) {
      parsed.times += 1;
      parsed.characters += text?.length ?? 0;
      return real.parseStreamingJson(text);
    },
  };
});
const { parseStreamingJson } = await vi.importActual<typeof import("@earendil-works/pi-ai/utils/json-parse")>(
  "@earendil-works/pi-ai/utils/json-parse",
);

const provider = createPiAiProvider();
let server: Loopback | undefined;

beforeEach(() => Object.assign(parsed, { times: 0, characters: 0 }));

afterEach(async () => {
  vi.useRealTimers();
  await server?.close();
  server = undefined;
});

const apis = [
  ["openai-completions", "/v1"],
  ["anthropic-messages", ""],
  ["openai-responses", "/v1"],
  ["google-generative-ai", "/v1beta"],
] as const;

async function reply(api: string, path: string, script: LoopbackReply, look: (event: StreamEvent) => void = () => {}) {
  server = await startLoopback([script]);
  const model = testModel({ api, baseUrl: server.url + path });
  const looking = {
    ...provider,
    async *stream(...about: Parameters<typeof provider.stream>) {
      for await (const event of provider.stream(...about)) {
        look(event);
        yield event;
      }
    },
  };
  return collect(looking, ask("hi", { model }));
}

const lines = Array.from({ length: 1500 }, (_, i) => `line ${i} {"quoted": [${i}]} \\ Grüße 日本`);
const long = { path: "a.txt", content: lines.join("\n"), lines };

describe.each(apis)("over %s", (api, path) => {
  test("long arguments are parsed a few times, however many pieces they come in", async () => {
    const toolCalls = [{ id: "c", name: "write", arguments: long }];
    const { events, message } = await reply(api, path, { toolCalls });
    const pieces = events.filter(({ type }) => type === "toolcall_delta").length;
    if (api !== "google-generative-ai") expect(pieces).toBeGreaterThan(10_000);
    expect(message.content).toMatchObject([{ type: "toolCall", arguments: long }]);
    expect(Object.getOwnPropertyDescriptor(message.content[0], "arguments")).toMatchObject({ writable: true });
    expect(invalidArguments(message).size).toBe(0);
    const length = JSON.stringify(long).length;
    expect(parsed.times).toBeLessThanOrEqual(3);
    expect(parsed.characters).toBeLessThanOrEqual(3 * length);
  });

  test("a reader of each piece sees the arguments grow", async () => {
    const seen = new Set<{ content?: string }>();
    const toolCalls = [{ id: "c", name: "write", arguments: long }];
    const { message } = await reply(api, path, { toolCalls }, (event) => {
      if (!("partial" in event)) return;
      const [block] = event.partial.content;
      if (block?.type === "toolCall") seen.add(block.arguments);
    });
    expect(message.content).toMatchObject([{ arguments: long }]);
    if (api === "google-generative-ai") return;
    expect(seen.size).toBeGreaterThan(3);
    const contents = [...seen].map(({ content = "" }) => content);
    for (const content of contents) expect(long.content.startsWith(content)).toBe(true);
    expect(contents.some((content) => content !== "" && content !== long.content)).toBe(true);
  });

  test.each([1000, 20_000])("arguments %i levels deep are refused, and the rest is kept", async (depth) => {
    const argumentsRaw = `{"x":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    const toolCalls = [
      { id: "deep", name: "bash", argumentsRaw },
      { id: "good", name: "bash", arguments: { command: "ls" } },
    ];
    const { message, ended } = await reply(api, path, { text: "now", toolCalls }, (event) => {
      if ("partial" in event) structuredClone(event.partial);
    });
    expect(ended).toBe("done");
    expect([...refusedCalls(message)]).toEqual([[expect.stringContaining("deep"), "deep"]]);
    expect(message.content).toMatchObject([
      { type: "text", text: "now" },
      { type: "toolCall", arguments: {} },
      { type: "toolCall", arguments: { command: "ls" } },
    ]);
  });
});

test.each(apis.slice(0, 3))("over %s a broken line's arguments are what parsing it gives", async (api, path) => {
  const toolCalls = [{ id: "c", name: "write", arguments: { a: "x".repeat(3000), b: [1, 2, 3] } }];
  for (const fault of ["drop", "cut"] as const) {
    const { events, message, ended } = await reply(api, path, { toolCalls, fault });
    expect(ended).toBe("error");
    const text = events.flatMap((event) => (event.type === "toolcall_delta" ? [event.delta] : [])).join("");
    expect(message.content).toMatchObject([{ arguments: parseStreamingJson(text) }]);
    expect([...invalidArguments(message).values()]).toEqual([text]);
    await server?.close();
    server = undefined;
  }
});

test("arguments that are read are parsed at most every 50 ms, and the end is exact", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const text = JSON.stringify({ content: "x".repeat(1000) });
  const block: { arguments: unknown } = { arguments: {} };
  startArguments(block);
  for (let i = 1; i <= text.length; i++) {
    block.arguments = new ArgumentsText(text.slice(0, i));
    vi.advanceTimersByTime(1);
    expect(block.arguments).toEqual(expect.any(Object));
  }
  expect(parsed.times).toBeLessThanOrEqual(text.length / 50 + 1);
  expect(parsed.times).toBeGreaterThan(text.length / 50 - 2);
  endArguments(block);
  expect(block).toEqual({ arguments: JSON.parse(text) });
  expect(isStreaming(block)).toBe(false);
});

test("whatever the text is and whenever it is read, the end is what parsing all of it gives", () => {
  const texts = fc.oneof(
    fc.string(),
    fc.json(),
    fc.json().chain((text) => fc.nat(text.length).map((n) => text.slice(0, n))),
  );
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 9 }), fc.func(fc.boolean()), (text, size, looks) => {
      const block: { arguments: unknown } = { arguments: {} };
      startArguments(block);
      for (let i = size; i - size < text.length; i += size) {
        block.arguments = new ArgumentsText(text.slice(0, i));
        if (looks(i)) JSON.stringify(block);
      }
      endArguments(block);
      expect(block).toEqual({ arguments: parseStreamingJson(text) });
    }),
  );
});

test("a text that is too long is never parsed", () => {
  const block: { arguments: unknown } = { arguments: {} };
  startArguments(block);
  block.arguments = new ArgumentsText(`{"a":"${"x".repeat(8 << 20)}"}`);
  expect(block.arguments).toEqual({});
  endArguments(block);
  expect(block).toEqual({ arguments: {} });
  expect(faultIn(block)).toBe("long");
  expect(parsed.times).toBe(0);
});
