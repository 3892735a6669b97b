import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { textOf } from "@hookline/runtime";
import { describe, expect, test } from "vitest";
import { type Bench, startBench } from "../agent/bench.ts";

const SECRET = "sk-0123456789";
const scrub = ({ text }: { readonly text: string }) =>
  text.includes(SECRET) ? { text: text.replaceAll(SECRET, "[key]") } : undefined;

/** All that a bench has written below its home: session files, those of sub-agents, recordings. */
function written({ home }: Bench): string {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const bytes = readFileSync(join(entry.parentPath, entry.name));
      // A recording is compressed when its session ends.
      return (bytes.length > 4 && bytes.readUInt32LE(0) === 0xfd2fb528 ? zstdDecompressSync(bytes) : bytes).toString();
    })
    .join("\n");
}

const toldOf = ({ events }: Bench): string[] => events.map(({ type }) => type);

describe("reply.before", () => {
  test("is asked once about the last reply, before agent.stop, and not about replies with calls", async () => {
    const { agent, hooks } = await startBench({
      replies: [{ text: "I look", toolCalls: [{ name: "ls", arguments: {} }] }, { text: "done" }],
    });
    const asked: string[] = [];
    hooks.on("reply.before", ({ text, model }) => void asked.push(`reply.before ${text} ${model}`));
    hooks.on("agent.stop", ({ reply }) => void asked.push(`agent.stop ${reply}`));
    await agent.prompt("Go");
    expect(asked).toEqual(["reply.before done model", "agent.stop done"]);
  });

  test("replaces the text everywhere: result, stop hooks, viewers, session file, recording and next request", async () => {
    const bench = await startBench({
      replies: [{ text: `the key is ${SECRET}` }, { text: "fine" }],
      settings: { record: "all" },
    });
    const { agent, hooks, server, events } = bench;
    const stops: string[] = [];
    hooks.on("reply.before", scrub);
    hooks.on("agent.stop", ({ reply }) => void stops.push(reply));
    expect(await agent.prompt("Tell")).toMatchObject({ kind: "answered", text: "the key is [key]" });
    await agent.prompt("And now?");
    expect(stops[0]).toBe("the key is [key]");
    const ends = events.flatMap((event) =>
      event.type === "message_end" && event.message.role === "assistant" ? [textOf(event.message.content)] : [],
    );
    expect(ends).toEqual(["the key is [key]", "fine"]);
    expect(JSON.stringify(server.requests[1]?.body)).toContain("[key]");
    expect(JSON.stringify(server.requests[1]?.body)).not.toContain(SECRET);
    const withdrawn = events.filter((event) => event.type === "reply.withdrawn");
    const entry = agent.core.store.getEntries().find((one) => JSON.stringify(one).includes("[key]"));
    expect(withdrawn).toEqual([{ type: "reply.withdrawn", id: entry?.id, text: "the key is [key]" }]);
    expect(bench.notices()).toContain("A hook replaced the reply.");
    await bench.close();
    expect(written(bench)).toContain('"event":"reply.before"');
    expect(written(bench)).not.toContain(SECRET);
  });

  test("has the last word: what a hook of message.end has put into a reply is judged too", async () => {
    const bench = await startBench({ replies: [{ text: "harmless" }] });
    bench.hooks.on("message.end", ({ message }) =>
      message.role === "assistant"
        ? { message: { ...message, content: [{ type: "text", text: `now ${SECRET}` }] } }
        : undefined,
    );
    bench.hooks.on("reply.before", scrub);
    expect(await bench.agent.prompt("Tell")).toMatchObject({ text: "now [key]" });
    expect(written(bench)).not.toContain(SECRET);
  });

  test("stops the run: nothing is handed over, stored or recorded, and the next prompt is answered", async () => {
    const bench = await startBench({
      replies: [{ text: `the key is ${SECRET}` }, { text: "fine" }],
      settings: { record: "all" },
    });
    const { agent, hooks, events } = bench;
    const stops: string[] = [];
    hooks.on("reply.before", ({ text }) => (text.includes(SECRET) ? { stop: true, reason: "no keys" } : undefined));
    hooks.on("agent.stop", ({ reply }) => void stops.push(reply));
    expect(await agent.prompt("Tell")).toEqual({ kind: "stopped", reason: "no keys" });
    expect(stops).toEqual([]);
    expect(agent.messages().map(({ role }) => role)).toEqual(["user"]);
    expect(events).toContainEqual({ type: "reply.withdrawn", id: null, text: "" });
    expect(JSON.stringify(events.filter(({ type }) => type === "message_end"))).not.toContain(SECRET);
    expect(await agent.prompt("And now?")).toMatchObject({ kind: "answered", text: "fine" });
    await bench.close();
    expect(written(bench)).not.toContain(SECRET);
  });

  test.each([
    ["throws", () => Promise.reject(new Error(SECRET))],
    ["answers what is no answer", () => ({ text: 1 }) as never],
  ])("a hook that %s withholds the text, and no later hook brings it back", async (_, broken) => {
    const bench = await startBench({ replies: [{ text: `the key is ${SECRET}` }] });
    bench.hooks.on("reply.before", broken, { name: "judge" });
    bench.hooks.on("reply.before", ({ text }) => ({ text }));
    const result = await bench.agent.prompt("Tell");
    expect(result).toMatchObject({ kind: "answered", text: expect.stringContaining("judge") });
    expect(JSON.stringify(result)).not.toContain(SECRET);
    expect(written(bench)).not.toContain(SECRET);
  });

  test("withholds the text when the run is aborted while a hook judges it", async () => {
    const bench = await startBench({ replies: [{ text: `the key is ${SECRET}` }] });
    bench.hooks.on("reply.before", () => {
      bench.agent.abort();
      return new Promise<never>(() => {});
    });
    expect(await bench.agent.prompt("Tell")).toEqual({ kind: "aborted" });
    expect(written(bench)).not.toContain(SECRET);
  });

  test("judges what there is of a reply that fails, and the failure stays one", async () => {
    const bench = await startBench({
      replies: [{ text: `half ${SECRET}`, error: { message: "broken for good" } }],
      settings: { retry: { maxRetries: 0, baseDelayMs: 1 } },
    });
    bench.hooks.on("reply.before", ({ text }) => (text.includes(SECRET) ? { stop: true } : undefined));
    expect(await bench.agent.prompt("Tell")).toMatchObject({ kind: "failed" });
    expect(written(bench)).not.toContain(SECRET);
  });

  test("leaves a reply that breaks off to be tried again, also where a hook stops it", async () => {
    const { agent, hooks } = await startBench({
      replies: [{ text: `half ${SECRET}, and more`, fault: "drop" }, { text: "whole" }],
    });
    const asked: string[] = [];
    hooks.on("reply.before", ({ text }) => {
      asked.push(text);
      return text === "whole" ? undefined : { stop: true };
    });
    expect(await agent.prompt("Tell")).toMatchObject({ kind: "answered", text: "whole" });
    expect(asked).toEqual([expect.stringContaining("half"), "whole"]);
  });

  test("judges what a person has cut off", async () => {
    const bench = await startBench({ replies: [{ text: `half ${SECRET} and more of it`, tokensPerSecond: 5 }] });
    bench.hooks.on("message.update", ({ message }) => {
      if (message.role === "assistant" && textOf(message.content).includes(SECRET)) bench.agent.abort();
    });
    bench.hooks.on("reply.before", scrub);
    expect(await bench.agent.prompt("Tell")).toEqual({ kind: "aborted" });
    expect(written(bench)).toContain("half [key]");
    expect(written(bench)).not.toContain(SECRET);
  });

  test("judges a text beside calls that end the run, before it counts as the answer", async () => {
    const bench = await startBench({
      replies: [{ text: `the key is ${SECRET}`, toolCalls: [{ name: "ls", arguments: {} }] }, { text: "never" }],
    });
    const { agent, hooks, server, events } = bench;
    hooks.on("tool.before", () => ({ decision: "deny", reason: "enough", terminate: true }));
    hooks.on("reply.before", scrub);
    expect(await agent.prompt("Tell")).toMatchObject({ kind: "answered", text: "the key is [key]" });
    expect(server.requests).toHaveLength(1);
    expect(events.find(({ type }) => type === "reply.withdrawn")).toMatchObject({ text: "the key is [key]" });
  });

  test("judges the replies of sub-agents before their caller gets them", async () => {
    const bench = await startBench({
      files: { ".hookline/agents/scout.md": "---\nname: scout\ndescription: looks\n---\nLook." },
      replies: [
        { toolCalls: [{ name: "task", arguments: { description: "d", prompt: "Look", subagent_type: "scout" } }] },
        { text: `found ${SECRET}` },
        { text: "the end" },
      ],
    });
    bench.hooks.on("reply.before", scrub);
    await bench.agent.prompt("Go");
    const sent = JSON.stringify(bench.server.requests.at(-1)?.body);
    expect(sent).toContain("found [key]");
    expect(sent).not.toContain(SECRET);
    expect(written(bench)).not.toContain(SECRET);
  });
});

describe("holdReplies", () => {
  const held = { settings: { holdReplies: true } };

  test("shows no text before hooks have judged it", async () => {
    const bench = await startBench({ ...held, replies: [{ text: `the key is ${SECRET}` }] });
    bench.hooks.on("reply.before", scrub);
    expect(await bench.agent.prompt("Tell")).toMatchObject({ text: "the key is [key]" });
    expect(JSON.stringify(bench.events)).not.toContain(SECRET);
    expect(toldOf(bench)).not.toContain("message_update");
    expect(toldOf(bench)).not.toContain("reply.withdrawn");
    expect(toldOf(bench).filter((type) => type === "message_end")).toHaveLength(2);
    expect(bench.notices()).toContain("A hook replaced the reply.");
  });

  test("does not show a reply that a hook discards", async () => {
    const bench = await startBench({ ...held, replies: [{ text: `the key is ${SECRET}` }] });
    bench.hooks.on("reply.before", () => undefined);
    bench.hooks.on("model.response", () => ({ stop: true }));
    expect(await bench.agent.prompt("Tell")).toMatchObject({ kind: "stopped" });
    expect(JSON.stringify(bench.events)).not.toContain(SECRET);
  });

  test("changes nothing where no hook judges replies", async () => {
    const bench = await startBench({ ...held, replies: [{ text: "fine" }] });
    await bench.agent.prompt("Tell");
    expect(toldOf(bench)).toContain("message_update");
  });

  test("does not count in a project's file", async () => {
    const bench = await startBench({
      files: { ".hookline/settings.json": '{"holdReplies": true}' },
      replies: [{ text: "fine" }],
    });
    bench.hooks.on("reply.before", () => undefined);
    await bench.agent.prompt("Tell");
    expect(toldOf(bench)).toContain("message_update");
  });
});

test("model.response shows the whole reply, and no hook can change its calls there", async () => {
  const { agent, hooks } = await startBench({
    replies: [{ text: "I look", toolCalls: [{ name: "ls", arguments: { path: "." } }] }, { text: "done" }],
  });
  const seen: unknown[] = [];
  hooks.on("model.response", ({ text, toolCalls, finishReason }) => {
    seen.push({ text, calls: toolCalls?.map(({ name, arguments: args }) => [name, { ...args }]), finishReason });
    for (const call of toolCalls ?? []) Object.assign(call.arguments, { path: "/" });
  });
  const ran: unknown[] = [];
  hooks.on("tool.before", ({ args }) => void ran.push(args["path"]));
  await agent.prompt("Go");
  expect(seen).toEqual([
    { text: "I look", calls: [["ls", { path: "." }]], finishReason: "toolUse" },
    { text: "done", calls: [], finishReason: "stop" },
  ]);
  expect(ran).toEqual(["."]);
});

test.each([0, 1])(
  "model.response: what one hook has replaced stays so where another discards the reply (%i retries)",
  async (cap) => {
    const bench = await startBench({
      replies: [{ text: `the key is ${SECRET}` }, { text: "fine" }],
      settings: { feedbackCap: cap, record: "all" },
    });
    const { agent, hooks, events, server } = bench;
    hooks.on("model.response", scrub);
    hooks.on("model.response", ({ text }) =>
      text === "fine" ? undefined : { stop: true, feedback: "Say it better." },
    );
    await agent.prompt("Tell");
    // Viewers see what streams, and then what hooks have left of it.
    const told = events.filter(({ type }) => type !== "message_start" && type !== "message_update");
    expect(JSON.stringify(told)).not.toContain(SECRET);
    expect(JSON.stringify(server.requests.slice(1))).not.toContain(SECRET);
    await bench.close();
    expect(written(bench)).not.toContain(SECRET);
  },
);
