import type { AgentTool } from "@hookline/runtime/engine";
import { describe, expect, test } from "vitest";
import type { BridgeHost } from "../../../bridge/src/host/host.ts";
import { HOSTS } from "../../../integrations/src/hosts.ts";
import { ENVELOPES } from "../../../integrations/test/hosts/agent-calls.ts";
import { hasRecordings, recordingsOf } from "../../../integrations/test/hosts/recordings.ts";
import { opened } from "./support/opened.ts";

const CANARY = "canary-5e1";
/** Refuses every call that names the canary anywhere in its arguments. */
const GUARD = `export default (pi) => {
  pi.on("tool_call", ({ input }) =>
    JSON.stringify(input).includes("${CANARY}") ? { block: true, reason: "seen by the guard" } : undefined);
};`;

type Path = readonly (string | number)[];
interface Call {
  readonly event: string;
  readonly payload: object;
}

/** Wrong values for a field. */
const VALUES: Readonly<Record<string, (was: unknown) => unknown>> = {
  empty: () => "",
  null: () => null,
  zero: () => 0,
  "a number": () => 1e308,
  true: () => true,
  "an empty list": () => [],
  "an empty object": () => ({}),
  "a list of it": (was) => [was],
  "an object with it": (was) => ({ value: was }),
  "a text of its JSON": (was) => JSON.stringify(was),
  "with a NUL": (was) => (typeof was === "string" ? `${was}\0` : "\0"),
  "with half a character": (was) => (typeof was === "string" ? `\ud83d${was}` : "\ud83d"),
  "with a byte order mark": (was) => (typeof was === "string" ? `\ufeff${was}` : "\ufeff"),
};

/** How the bytes of a payload may be written instead. */
const BYTES: Readonly<Record<string, (text: string) => Uint8Array>> = {
  "UTF-8 with a byte order mark": (text) => Buffer.from(`\ufeff${text}`),
  "UTF-16 LE": (text) => Buffer.from(text, "utf16le"),
  "UTF-16 LE with a byte order mark": (text) => Buffer.from(`\ufeff${text}`, "utf16le"),
  "UTF-16 BE": (text) => Buffer.from(text, "utf16le").swap16(),
  "UTF-16 BE with a byte order mark": (text) => Buffer.from(`\ufeff${text}`, "utf16le").swap16(),
  "an invalid byte in a text": (text) => around(text, Buffer.from([0xff])),
  "half a character in a text": (text) => around(text, Buffer.from([0xf0, 0x9f])),
  "a NUL in a text": (text) => around(text, Buffer.from([0])),
  "a NUL behind it": (text) => Buffer.from(`${text}\0`),
  "cut off": (text) => Buffer.from(text.slice(0, -1)),
  twice: (text) => Buffer.from(text + text),
  "a word before it": (text) => Buffer.from(`x ${text}`),
  nothing: () => Buffer.alloc(0),
};

function around(text: string, bytes: Buffer): Uint8Array {
  const at = text.indexOf(CANARY);
  return Buffer.concat([Buffer.from(text.slice(0, at)), bytes, Buffer.from(text.slice(at))]);
}

/** Every place of a value, the value itself included. */
function places(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, inner]) => places(inner, [...path, name]))];
}

function at(value: unknown, path: Path): unknown {
  return path.reduce((inner, name) => (inner as Record<string, unknown>)[name], value);
}

function changed(value: unknown, [name, ...rest]: Path, to: (was: unknown) => unknown): unknown {
  if (name === undefined) return to(value);
  const inner = changed((value as Record<string, unknown>)[name], rest, to);
  const copy: Record<string, unknown> = Object.assign(Array.isArray(value) ? ([] as never) : {}, value);
  if (inner === ABSENT) delete copy[name];
  else copy[name] = inner;
  return copy;
}
const ABSENT = Symbol("absent");

/** A call of each kind of tool that runs or writes, with the canary in each argument that it needs. */
function calls(name: string, { tools }: BridgeHost): Call[] {
  const [event, payload] = ENVELOPES[name] ?? [];
  if (event === undefined || payload === undefined) throw new Error(`no envelope of ${name}`);
  const made = Object.entries(tools.tools).flatMap(([tool, entry]) => {
    if (entry.kind !== "runs" && entry.kind !== "writes") return [];
    const args = argsOf(entry);
    return args === undefined ? [] : [{ event, payload: payload(tool, args) }];
  });
  return [...made, ...recorded(name, event)];
}

function argsOf(entry: AgentTool): object | undefined {
  const needs = entry.needs ?? [];
  // Patches and lists of edits have forms of their own, which other tests read.
  if (needs.length === 0 || needs.some((one) => one === "patch" || one === "edits")) return undefined;
  const nameOf = (one: string): string => [entry.args?.[one] ?? one].flat()[0] ?? one;
  return Object.fromEntries(needs.map((one) => [nameOf(one), `${one}-${CANARY}`]));
}

/** The first recorded call of each form, with the canary in its command. */
function recorded(name: string, event: string): Call[] {
  if (!hasRecordings || name === "claude" || name === "cursor") return [];
  const all = recordingsOf(name).flatMap(({ hookCalls = [] }) => hookCalls);
  const found = all.filter(({ id, event: of, stdin }) => [stdin["hook_event_name"], of, id].includes(event));
  const shell = found.flatMap(({ stdin }) => {
    const path = places(stdin).find((one) => one.at(-1) === "command" && typeof at(stdin, one) === "string");
    return path === undefined ? [] : [changed(stdin, path, (was) => `${was} ${CANARY}`) as object];
  });
  // The bridge gets an extension's payload together with the session's id.
  return shell.slice(0, 1).map((payload) => ({ event, payload: { session: "s", ...payload } }));
}

interface Cell extends Call {
  readonly what: string;
  readonly bytes: Uint8Array;
  /** Whether the guard could still name the canary, or nobody can tell. */
  readonly mustRefuse: boolean;
}

function cells({ event, payload }: Call): Cell[] {
  const fields = places(payload).flatMap((path) =>
    Object.entries({ ...VALUES, ...(path.length > 0 && { absent: () => ABSENT }) }).map(([what, to]): Cell => {
      const text = JSON.stringify(changed(payload, path, to));
      const isThere = text.includes(CANARY);
      return { event, payload, what: `/${path.join("/")}: ${what}`, bytes: Buffer.from(text), mustRefuse: isThere };
    }),
  );
  const text = JSON.stringify(payload);
  const whole = Object.entries(BYTES).map(
    ([what, to]): Cell => ({ event, payload, what, bytes: to(text), mustRefuse: true }),
  );
  return [...fields, ...whole];
}

const REASON = "the reason";

/** How a host is told that an event is refused. */
function refusalOf({ events }: BridgeHost, event: string): unknown {
  const { exit = 0, stdout = "", stderr = "" } = events[event]?.refusal(REASON) ?? {};
  if (exit !== 0) return { exit, stderr };
  return Object.assign({}, ...stdout.split("\n").map((line) => JSON.parse(line) as object));
}

/** Whether an answer has all that a refusal has, with any reason in the place of its reason. */
function isLike(answer: unknown, refusal: unknown): boolean {
  if (typeof refusal === "string" && refusal.includes(REASON)) return typeof answer === "string" && answer !== "";
  if (typeof refusal !== "object" || refusal === null) return answer === refusal;
  return Object.entries(refusal).every(([name, value]) => isLike((answer as Record<string, unknown>)?.[name], value));
}

describe("a payload that is not as its host writes it", () => {
  test.each(Object.keys(HOSTS))(
    "never loses a guard in %s: what it could name is refused",
    async (name) => {
      const host = (await HOSTS[name]?.()) as BridgeHost;
      const place = opened(host);
      place.write("~/.pi/agent/extensions/guard.ts", GUARD);
      place.write("~/.hookline/extensions/guard.ts", GUARD);
      const lost: string[] = [];
      let count = 0;
      for (const call of calls(name, host)) {
        expect(JSON.stringify(await place.ask(call.event, JSON.stringify(call.payload)))).toContain(
          "seen by the guard",
        );
        for (const { event, what, bytes, mustRefuse } of cells(call)) {
          count += 1;
          const answer = await place.askBytes(event, bytes);
          if (mustRefuse && !isLike(answer, refusalOf(host, event)))
            lost.push(`${what} of ${JSON.stringify(call)}: ${JSON.stringify(answer)}`);
        }
      }
      expect(count).toBeGreaterThan(100);
      expect(lost).toEqual([]);
    },
    300_000,
  );
});
