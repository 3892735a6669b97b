import { describe, expect, test } from "vitest";
import { piRows, SILENT } from "../../../src/dialect/pi/events.ts";
import { openWith, text, user } from "./kit.ts";

const call = { toolCallId: "t", tool: "bash", args: { command: "ls" } };
const reply = { role: "assistant", content: [text("x")], stopReason: "stop", timestamp: 1 };
const compaction = { kind: "full", trigger: "manual", messages: [], messageCount: 1, summary: "" };
const entry = { type: "custom", id: "e", parentId: null, timestamp: "t" };

/** A payload for every event that a row of pi is of. */
const payloads: Readonly<Record<string, object>> = {
  "project.trust": { cwd: "/" },
  "session.start": { reason: "startup" },
  "session.end": { reason: "quit" },
  "session.info": { name: "n" },
  "session.before-switch": { reason: "new" },
  "session.switch": { reason: "new" },
  "session.before-branch": { entryId: "e" },
  "session.branch": {},
  "session.before-tree": { preparation: {}, signal: new AbortController().signal },
  "session.tree": { newLeafId: "a", oldLeafId: null },
  "resources.discover": { cwd: "/", reason: "startup" },
  "compact.before": { ...compaction, systemPrompt: "", nonSystemCount: 0 },
  "compact.after": { ...compaction, fromExtension: false, messagesArchived: 0, compactionEntry: entry },
  "compact.failed": { trigger: "manual", aborted: false, willRetry: false, fromExtension: false },
  input: { text: "hi", source: "interactive" },
  "shell.user": { command: "ls", excludeFromContext: false, cwd: "/" },
  "ui.prompt-start": { kind: "select" },
  "ui.prompt-end": { kind: "select" },
  "mcp.change": { servers: [{ name: "files", state: "ready", tools: [] }] },
  "agent.before-start": { prompt: "hi", systemPrompt: "base" },
  "agent.start": {},
  "agent.end": { messages: [user("hi")] },
  "agent.before-settle": { entries: [], continue: false, canContinue: false, outcome: "completed" },
  "agent.settled": { aborted: false },
  "turn.start": { turnIndex: 0, timestamp: 1 },
  "turn.end": { turnIndex: 0, message: reply, toolResults: [] },
  "message.start": { message: reply },
  "message.update": { message: reply, event: { type: "text_delta" } },
  "message.end": { message: reply },
  "model.context": { messages: [user("hi")], systemPrompt: "base" },
  "model.wire": { body: { a: [1] } },
  "model.headers": { headers: { a: "b" } },
  "model.responded": { status: 200, headers: {} },
  "model.select": { model: { id: "m", provider: "p" }, source: "set" },
  "thinking.select": { level: "low", previousLevel: "off" },
  "tool.start": call,
  "tool.update": { ...call, partial: {} },
  "tool.before": call,
  "tool.after": { ...call, content: [text("x")], details: {}, isError: false, blocked: false },
  "tool.end": { ...call, result: {}, isError: false },
};

/** The name that makes an object a promise's like. */
const THEN = ["t", "hen"].join("");

function throwing(): never {
  throw new Error("hostile");
}

/** Everything that a handler may do instead of answering. */
const junk: Readonly<Record<string, (event: any) => unknown>> = {
  "throws an error": throwing,
  "throws a string": () => {
    throw "str";
  },
  "throws undefined": () => {
    throw undefined;
  },
  "throws an object whose message throws": () => {
    throw {
      get message() {
        return throwing();
      },
      toString: throwing,
    };
  },
  rejects: () => Promise.reject(new Error("hostile")),
  "rejects with a symbol": () => Promise.reject(Symbol("s")),
  "answers a symbol": () => Symbol("s"),
  "answers a number": () => 7,
  "answers NaN": () => Number.NaN,
  "answers a big integer": () => 10n,
  "answers a function": () => () => ({ block: true }),
  "answers a list": () => [{ block: true }],
  "answers a date": () => new Date(0),
  "answers a text": () => "block",
  "answers a proxy that throws": () => new Proxy({}, { get: throwing, has: throwing, ownKeys: throwing }),
  "answers getters that throw": () =>
    Object.defineProperties(
      {},
      Object.fromEntries(
        ["message", "messages", "content", "action", "cancel", "text"].map((name) => [
          name,
          { get: throwing, enumerable: true },
        ]),
      ),
    ),
  "answers a thenable whose then throws": () => Object.defineProperty({}, THEN, { get: throwing }),
  "answers a thenable that settles twice": () =>
    Object.defineProperty({}, THEN, {
      value(resolve: (value: unknown) => void, reject: (thrown: unknown) => void) {
        resolve(undefined);
        reject(new Error("again"));
        resolve({ block: true });
      },
    }),
  "answers itself in a circle": () => {
    const circle: Record<string, unknown> = {};
    for (const name of ["message", "messages", "content", "details", "entries", "payload"]) circle[name] = circle;
    return circle;
  },
  "answers own fields named like those of every object": () =>
    JSON.parse('{"__proto__": {"block": true}, "constructor": 1}'),
  "empties the event": (event) => {
    for (const key of Object.keys(event)) delete event[key];
  },
  "freezes the event": (event) => void Object.freeze(event),
  "puts a circle into everything": (event) => {
    for (const key of Object.keys(event))
      if (typeof event[key] === "object" && event[key] !== null) event[key].self = event[key];
  },
  "puts functions into everything": (event) => {
    for (const key of Object.keys(event))
      if (typeof event[key] === "object" && event[key] !== null) event[key].fn = throwing;
  },
};

/** A payload as text; signals are no data. */
const shown = (payload: object): string =>
  JSON.stringify(payload, (key, value: unknown) => (key === "signal" ? undefined : value));

describe("every event outlives what a handler may do", () => {
  async function outlives(what: string): Promise<void> {
    const reached = new Set<string>();
    await using opened = await openWith([
      (pi) => {
        for (const { name } of piRows) pi.on(name, junk[what]);
      },
      (pi) => {
        for (const { name } of piRows) pi.on(name, () => void reached.add(name));
      },
    ]);
    for (const [event, payload] of Object.entries(payloads)) {
      const before = shown(payload);
      const { answer } = await opened.session.emit(event as never, payload as never);
      expect(answer).toBeTypeOf("object");
      expect(shown(payload)).toBe(before);
    }
    const closed = ["tool_call", "user_bash", "project_trust"];
    const unreached = piRows.map(({ name }) => name).filter((name) => !reached.has(name));
    expect(unreached.filter((name) => !closed.includes(name))).toEqual([]);
    expect(Object.hasOwn(Object.prototype, "block")).toBe(false);
  }

  test.each(Object.keys(junk))("%s", outlives);

  test("there is a payload here for every event of the table", () => {
    expect([...new Set(piRows.map((row) => row.of))].sort()).toEqual(Object.keys(payloads).sort());
  });

  test("no name stands twice in the table, and none of it is one that never fires", () => {
    const names = [...piRows.map(({ name }) => name), ...SILENT];
    expect(new Set(names).size).toBe(names.length);
  });

  test.each([
    "input",
    "before_agent_start",
    "agent_start",
    "agent_end",
    "turn_start",
    "context",
    "turn_end",
    "message_start",
    "message_update",
    "message_end",
    "tool_call",
    "tool_execution_start",
    "tool_execution_update",
    "tool_execution_end",
    "tool_result",
    "session_start",
    "session_before_switch",
    "session_switch",
    "session_before_fork",
    "session_fork",
    "session_before_compact",
    "session_compact",
    "session_before_tree",
    "session_tree",
    "session_shutdown",
    "model_select",
    "resources_discover",
    "user_bash",
  ])("%s of the seed fires, and its event says its type", async (name) => {
    const types: unknown[] = [];
    await using opened = await openWith([
      (pi) => pi.on(name, (event: { type: unknown }) => void types.push(event.type)),
    ]);
    const row = piRows.find((one) => one.name === name);
    await opened.session.emit(row?.of as never, payloads[row?.of as string] as never);
    expect(types).toEqual([name]);
    expect(opened.diagnostics).toEqual([]);
  });
});
