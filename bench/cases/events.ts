import type { EventName } from "@hookline/runtime";
import { guard } from "@hookline/runtime/guard";
import type { HookSession } from "@hookline/runtime/session";
import { type BenchCase, type Measured, timedAsync } from "../case.ts";
import { conversation } from "../programs/conversation.ts";
import { type PiEvent, piEvents } from "../programs/emitters.ts";
import { piLane } from "./dispatch.ts";

/** A handler that works both in pi's lane and in pi itself. */
type Handler = (event: never) => Promise<unknown>;

/** One of pi's events and the catalog event that it stands for, with the payloads of both. */
interface Fired {
  readonly name: PiEvent;
  readonly of: EventName;
  readonly payload: object;
  /** The event for pi's own runner, if that is not an object with the payload's fields. */
  readonly theirs: unknown;
}

const call = { toolCallId: "c1", input: { command: "npm test", timeout: 60 } };
const content = [{ type: "text", text: "1 passed\n".repeat(40) }];
const partial = {
  role: "assistant",
  content: [{ type: "text", text: "The tests pass. ".repeat(20) }],
  api: "messages",
  provider: "p",
  model: "m",
  usage: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3, cost: { input: 0, output: 0, total: 0 } },
  stopReason: "stop",
  timestamp: 0,
};
const delta = { type: "text_delta", contentIndex: 0, delta: "pass" };
const messages = conversation(100, 27_000);

const fired = {
  toolCall: {
    name: "tool_call",
    of: "tool.before",
    payload: { toolCallId: call.toolCallId, tool: "bash", args: call.input },
    theirs: { type: "tool_call", toolName: "bash", ...call },
  },
  toolResult: {
    name: "tool_result",
    of: "tool.after",
    payload: {
      toolCallId: call.toolCallId,
      tool: "bash",
      args: call.input,
      content,
      details: { exitCode: 0 },
      isError: false,
      blocked: false,
    },
    theirs: { type: "tool_result", toolName: "bash", ...call, content, details: { exitCode: 0 }, isError: false },
  },
  context: { name: "context", of: "model.context", payload: { messages, systemPrompt: "" }, theirs: messages },
  update: {
    name: "message_update",
    of: "message.update",
    payload: { message: partial, event: delta },
    theirs: { type: "message_update", message: partial, assistantMessageEvent: delta },
  },
  turn: {
    name: "turn_start",
    of: "turn.start",
    payload: { turnIndex: 0, timestamp: 0 },
    theirs: { type: "turn_start", turnIndex: 0, timestamp: 0 },
  },
} as const satisfies Readonly<Record<string, Fired>>;

const silent: Handler = async () => undefined;
const reading: Handler = async ({ messages }: { readonly messages: readonly { readonly role: string }[] }) =>
  void messages.filter(({ role }) => role === "user").length;

/** Opens a session in pi's lane with this many handlers of an event, and returns a function that emits it. */
async function emitting(of: Fired, handler: Handler, count: number): Promise<Measured> {
  const session: HookSession = await piLane((on) => {
    for (let i = 0; i < count; i++) on(of.name, handler as () => unknown);
  });
  return timedAsync(async (times) => {
    for (let i = 0; i < times; i++) await session.emit(of.of, of.payload as never);
  });
}

/** Emits one event to this many handlers in pi's lane, and to as many extensions in pi itself. */
function event(name: string, of: Fired, handler: Handler, count: number): BenchCase {
  return {
    name: `event-${name}-${count}`,
    unit: "event",
    budget: {},
    n: of.name === "context" ? 1000 : 40_000,
    rounds: 15,
    async open() {
      const pi = await piEvents(of.name, count, handler);
      return {
        ours: await emitting(of, handler, count),
        peers: [
          {
            name: pi.name,
            budget: 1,
            measured: timedAsync(async (times) => {
              for (let i = 0; i < times; i++) await pi.emit(of.theirs);
            }),
          },
        ],
      };
    },
  };
}

/** Times a call with this many guards in the process; a person would feel some ms. */
function guards(count: number, mostMs: number, n: number): BenchCase {
  return {
    name: `guards-${count}`,
    unit: `call with ${count} guards`,
    budget: { maxCount: mostMs * 1e6 },
    n,
    rounds: 11,
    open: async () => ({ ours: await emitting(fired.toolCall, silent, count) }),
  };
}

/** Asks this many guards in the process the case that each carries, in new sessions: the start of each waits for it. */
function proof(count: number): BenchCase {
  const guards = Array.from({ length: count }, (_, at) =>
    guard({
      name: `g${at}`,
      on: "tool.before",
      tools: ["bash"],
      run: ({ args }) => (args.command.includes("rm ") ? { deny: "no" } : undefined),
      cases: [{ args: { command: "rm x" }, expect: "deny" }],
    }),
  );
  return {
    name: `proof-${count}`,
    unit: `proof of ${count} guards`,
    budget: { maxCount: 5e6 },
    n: 100,
    rounds: 11,
    async open() {
      const ours: Measured = async (times) => {
        const sessions = await Promise.all(Array.from({ length: times }, () => piLane(() => {})));
        for (const session of sessions) for (const one of guards) session.on(one);
        const prove = timedAsync(async () => {
          for (const session of sessions) await session.prove();
        });
        const ns = await prove(times);
        for (const { proof } of sessions)
          if (proof.alive !== count) throw new Error(`${proof.alive} of ${count} guards are alive`);
        return ns;
      };
      return { ours };
    },
  };
}

/** The events with which extensions guard, edit and observe, as a turn fires them. */
export const cases: readonly BenchCase[] = [
  event("tool.before", fired.toolCall, silent, 1),
  event("tool.after", fired.toolResult, silent, 1),
  ...[1, 10].flatMap((count) => [
    event("model.context", fired.context, reading, count),
    event("message.update", fired.update, silent, count),
    event("turn.start", fired.turn, silent, count),
  ]),
  guards(10, 0.1, 20_000),
  guards(1000, 5, 200),
  proof(10),
];
