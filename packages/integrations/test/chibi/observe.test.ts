import { describe, expect, test } from "vitest";
import { points } from "../../src/chibi/hooks/events.ts";
import { openLane, recorder } from "./lane.ts";

const scene = { context: "coding", summary: "so far", verbose: true };
const call = { toolCallId: "1", tool: "bash", args: { command: "ls" } };

/** Every point that is only told, with the moment it is told of and what plugins must see then. */
const told: readonly (readonly [point: string, cites: string, event: string, payload: object, seen: object])[] = [
  [
    "on_start",
    "[chibi.point.1, chibi.session.1, chibi.session.2, chibi.exec.1]",
    "session.start",
    { reason: "startup" },
    { current_context: "coding", verbose: true },
  ],
  [
    "on_end",
    "[chibi.point.2, chibi.session.1, chibi.session.2]",
    "session.end",
    { reason: "quit" },
    { current_context: "coding", verbose: true },
  ],
  [
    "post_message",
    "[chibi.point.4, chibi.message.5, chibi.message.6, chibi.message.7]",
    "reply.final",
    { prompt: "typed", finalPrompt: "sent", reply: "answered" },
    { prompt: "typed", response: "answered", context_name: "coding", final_prompt: "sent" },
  ],
  [
    "post_tool",
    "[chibi.point.8, chibi.call.6, chibi.call.7, chibi.call.8, chibi.call.9, chibi.use.2]",
    "tool.done",
    { ...call, result: "out", cached: false },
    { tool_name: "run_command", arguments: { command: "ls" }, result: "out", cached: false },
  ],
  [
    "post_tool_output",
    "[chibi.point.10, chibi.output.7, chibi.output.8, chibi.output.9, chibi.output.10, chibi.output.11, chibi.output.12]",
    "tool.output",
    { ...call, output: "whole", finalOutput: "cut", cached: true },
    { tool_name: "run_command", arguments: { command: "ls" }, output: "whole", final_output: "cut", cached: true },
  ],
  [
    "post_cache_output",
    "[chibi.point.14, chibi.cache.8, chibi.cache.9, chibi.cache.10, chibi.cache.11, chibi.cache.12, chibi.cache.13]",
    "tool.cached",
    { toolCallId: "1", tool: "fetch_url", cacheId: "c1", charCount: 50000, tokenEstimate: 12500, lineCount: 1200 },
    { tool_name: "fetch_url", cache_id: "c1", char_count: 50000, token_estimate: 12500, line_count: 1200 },
  ],
  [
    "post_send_message",
    "[chibi.point.16, chibi.mail.6, chibi.mail.7, chibi.mail.8]",
    "mail.after",
    { from: "default", to: "research", content: "hi", result: "Message delivered to 'research' via local inbox" },
    {
      from: "default",
      to: "research",
      content: "hi",
      context_name: "coding",
      delivery_result: "Message delivered to 'research' via local inbox",
    },
  ],
  [
    "on_context_switch",
    "[chibi.point.17, chibi.context.1, chibi.context.2, chibi.context.3]",
    "context.switch",
    { from: "default", to: "coding", transient: false },
    { from_context: "default", to_context: "coding", is_transient: false },
  ],
  [
    "pre_clear",
    "[chibi.point.18, chibi.context.4, chibi.context.5, chibi.context.6]",
    "context.before-clear",
    { context: "x", messageCount: 10, summary: "old" },
    { context_name: "x", message_count: 10, summary: "old" },
  ],
  [
    "post_clear",
    "[chibi.point.19, chibi.context.4, chibi.context.5, chibi.context.6]",
    "context.clear",
    { context: "x", messageCount: 10, summary: "old" },
    { context_name: "x", message_count: 10, summary: "old" },
  ],
  [
    "pre_compact",
    "[chibi.point.20, chibi.compact.1, chibi.compact.2, chibi.compact.3]",
    "compact.before",
    compacting("full"),
    { context_name: "coding", message_count: 50, summary: "sum" },
  ],
  [
    "post_compact",
    "[chibi.point.21, chibi.compact.1, chibi.compact.2, chibi.compact.3]",
    "compact.after",
    compacted("full"),
    { context_name: "coding", message_count: 25, summary: "new" },
  ],
  [
    "pre_rolling_compact",
    "[chibi.point.22, chibi.compact.4, chibi.compact.5, chibi.compact.6, chibi.compact.7]",
    "compact.before",
    compacting("rolling"),
    { context_name: "coding", message_count: 50, non_system_count: 48, summary: "sum" },
  ],
  [
    "post_rolling_compact",
    "[chibi.point.23, chibi.compact.8, chibi.compact.9, chibi.compact.10, chibi.compact.11]",
    "compact.after",
    compacted("rolling"),
    { context_name: "coding", message_count: 25, messages_archived: 25, summary: "new" },
  ],
];

function compacting(kind: string): object {
  const counts = { messageCount: 50, nonSystemCount: 48, summary: "sum" };
  return { kind, trigger: "manual", messages: [], systemPrompt: "", ...counts };
}

function compacted(kind: string): object {
  const counts = { messageCount: 25, messagesArchived: 25, summary: "new" };
  return { kind, trigger: "manual", messages: [], fromExtension: false, ...counts };
}

describe("points whose answers are ignored", () => {
  test.each(told)("%s sees what the seed documents %s", async (point, _, event, payload, seen) => {
    const hook = recorder();
    const { session } = await openLane([[point, hook.run]], { scene });
    await session.emit(event as "agent.start", payload as never);
    expect(hook.seen).toEqual([seen]);
  });

  test.each(told)("whatever a plugin says to %s, nothing changes %s", async (point, _, event, payload) => {
    const everything = { prompt: "x", block: true, cancel: true, inject: "x", messages: [], summary: "x" };
    const { session } = await openLane([[point, () => everything]], { scene });
    const { answer, edits } = await session.emit(event as "agent.start", payload as never);
    expect({ answer, edits }).toEqual({ answer: {}, edits: [] });
  });

  test("observers of one firing run side by side; at the end they run one after the other", () => {
    const schedules = new Map(points.map(({ name, schedule }) => [name, schedule]));
    for (const [point] of told)
      expect([point, schedules.get(point)]).toEqual([point, point === "on_end" ? "all" : "parallel"]);
  });

  test("a failing observer is reported, and the others are still called", async () => {
    const hook = recorder();
    const broken = (): never => {
      throw new Error("broken");
    };
    const { session, diagnostics } = await openLane([
      ["on_start", broken],
      ["on_start", hook.run],
    ]);
    await session.emit("session.start", { reason: "startup" });
    expect(hook.seen).toHaveLength(1);
    expect(diagnostics).toMatchObject([{ code: "HOOK_THREW" }]);
  });
});

describe("saving before something is destroyed", () => {
  test.each([
    ["pre_clear", "context.before-clear", { context: "x", messageCount: 1, summary: "" }],
    ["pre_compact", "compact.before", compacting("full")],
    ["pre_rolling_compact", "compact.before", compacting("rolling")],
  ])("the host waits for %s [chibi.use.5]", async (point, event, payload) => {
    const steps: string[] = [];
    const save = async (): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      steps.push("saved");
    };
    const { session } = await openLane([[point, save]]);
    await session.emit(event as "agent.start", payload as never);
    steps.push("cleared");
    expect(steps).toEqual(["saved", "cleared"]);
  });
});

describe("moments that are not chibi's", () => {
  test.each(["reload", "new", "resume", "fork"] as const)(
    "a session that begins by %s is not a start [chibi.edge.21]",
    async (reason) => {
      const hook = recorder();
      const { session } = await openLane([
        ["on_start", hook.run],
        ["on_end", hook.run],
      ]);
      await session.emit("session.start", { reason });
      await session.emit("session.end", { reason });
      expect(hook.seen).toEqual([]);
    },
  );

  test("full and rolling compaction are told apart, and micro compaction is neither [chibi.edge.20]", async () => {
    const [full, rolling] = [recorder(), recorder()];
    const { session } = await openLane([
      ["pre_compact", full.run],
      ["pre_rolling_compact", rolling.run],
    ]);
    for (const kind of ["full", "rolling", "micro"]) await session.emit("compact.before", compacting(kind) as never);
    expect([full.seen.length, rolling.seen.length]).toEqual([1, 1]);
  });

  test("outside a context the name is default and its texts are empty", async () => {
    const hook = recorder();
    const { session } = await openLane([
      ["on_start", hook.run],
      ["pre_system_prompt", hook.run],
    ]);
    await session.emit("session.start", { reason: "startup" });
    await session.emit("prompt.build", { base: "b" });
    expect(hook.seen).toEqual([
      { current_context: "default", verbose: false },
      { context_name: "default", summary: "", todos: "", goals: "" },
    ]);
  });
});
