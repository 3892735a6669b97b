import type { EventName } from "@hookline/runtime";
import { samplePayload } from "@hookline/runtime/testing";
import { describe, expect, test } from "vitest";
import { piRows, SILENT } from "../../src/pi/hooks/events.ts";
import { openWith } from "./kit.ts";

/** A payload for every event that a row of pi is of. */
const payloads = Object.fromEntries(piRows.map(({ of }) => [of, samplePayload(of as EventName)]));

/** The name that makes an object a promise's like. */
const THEN = ["t", "hen"].join("");

function throwing(): never {
  throw new Error("hostile");
}

/** Writes over everything that can be reached from a value, except the session's own signal, which is no data. */
function ruin(value: unknown, seen = new Set<unknown>()): void {
  if (typeof value !== "object" || value === null || seen.has(value) || value instanceof AbortSignal) return;
  seen.add(value);
  for (const key of Object.keys(value)) {
    ruin(Reflect.get(value, key), seen);
    Reflect.set(value, key, "ruined");
  }
  Reflect.set(value, "added", "ruined");
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
  "writes over everything that it can reach, also later": (event) => {
    ruin(event);
    setImmediate(ruin, event);
  },
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
      await new Promise((resolve) => setImmediate(resolve));
      expect(answer).toBeTypeOf("object");
      expect(shown(payload)).toBe(before);
    }
    const closed = ["tool_call", "user_bash", "project_trust"];
    const unreached = piRows.map(({ name }) => name).filter((name) => !reached.has(name));
    expect(unreached.filter((name) => !closed.includes(name))).toEqual([]);
    expect(Object.hasOwn(Object.prototype, "block")).toBe(false);
  }

  test.each(Object.keys(junk))("%s", outlives);

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
