import { chance as choices } from "../sessions/chance.ts";
import type { Fields } from "./answer-rules.ts";

/** The random choices, exported so that the report can show their seed. */
export const drawn = choices();
const random = (): number => drawn.below(2 ** 30) / 2 ** 30;

const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
const chance = (share: number): boolean => random() < share;

const MESSAGES: readonly unknown[] = [
  { role: "user", content: "hello" },
  { role: "assistant", content: "", tool_calls: [{ id: "1", name: "Bash", arguments: '{"command":"ls"}' }] },
  { role: "tool", content: "fine", tool_call_id: "1" },
  { role: "assistant" },
  { content: "of nobody" },
  { role: "" },
  { role: "user", content: null },
  { role: "user", content: 3 },
  { role: "assistant", tool_calls: {} },
  { role: "assistant", tool_calls: [{ id: 1, name: "Bash", arguments: {} }] },
  "hello",
];
const BLOCKS: readonly unknown[] = [
  [{ type: "text", text: "blocks" }],
  [{ type: "image", data: "aGk=", mimeType: "image/png" }],
  [],
  [{ text: "without a type" }],
  [{ type: "text", text: "fine" }, 7],
];
const JSON_VALUES: readonly (() => unknown)[] = [
  () => pick([true, false, null, 0, -1, 1.5, 1e300, "", "text", "stop", "skip", "SKIP", "handled", "transform"]),
  () => pick(['{"command":"pwd"}', '{"command":', "[]", "{}"]),
  () => [pick(MESSAGES), pick(MESSAGES)],
  () => pick(BLOCKS),
  () =>
    pick<unknown>([{}, [], [[]], { command: "pwd" }, { a: { b: [1] } }, "x".repeat(3000), "\u202e\u0007", ["a", "b"]]),
];
/** Makers of other values that an in-process handler may return. */
const OTHER_VALUES: readonly (() => unknown)[] = [
  () => undefined,
  () =>
    pick<unknown>([
      Number.NaN,
      Number.POSITIVE_INFINITY,
      10n,
      Symbol("answer"),
      new Date(0),
      new Map(),
      () => "answer",
    ]),
];

/** Makers of a field's usual value; unlisted fields contain text. */
const USUAL: Readonly<Record<string, () => unknown>> = {
  action: () => pick(["stop", "skip", "handled", "transform"]),
  arguments: () => ({ command: "pwd" }),
  block: () => chance(0.5),
  content: () => pick(BLOCKS),
  details: () => ({ exitCode: 1 }),
  handled: () => chance(0.2),
  images: () => [{ type: "image", data: "aGk=", mimeType: "image/png" }],
  inject_messages: () => [pick(MESSAGES)],
  input: () => ({ command: "pwd" }),
  isError: () => chance(0.5),
  messages: () => [pick(MESSAGES)],
  terminate: () => chance(0.5),
  tool_arguments: () => '{"command":"pwd"}',
};

/** Returns an object with some of these fields, each of the right type or of any other. */
export function randomFields(names: readonly string[], inProcess: boolean): Fields {
  const values = inProcess ? [...JSON_VALUES, ...OTHER_VALUES] : JSON_VALUES;
  const fields: Record<string, unknown> = {};
  for (let left = Math.floor(random() * 4); left >= 0; left--) {
    const name = chance(0.9) ? pick(names) : pick(["abort", "unknown", "toString", "constructor"]);
    fields[name] = chance(0.7) ? (USUAL[name] ?? (() => pick(["text", "", "other text"])))() : pick(values)();
  }
  return fields;
}

/** Returns a random return value of an in-process handler. */
export function randomReturn(names: readonly string[]): unknown {
  return chance(0.8) ? randomFields(names, true) : pick([...JSON_VALUES, ...OTHER_VALUES])();
}

/** Returns random output of a program: an answer, a damaged one, or anything else. */
export function randomOutput(names: readonly string[]): Buffer {
  const kind = random();
  if (kind < 0.05) return Buffer.from(Array.from({ length: Math.floor(random() * 40) }, () => random() * 256));
  if (kind < 0.1) return Buffer.from(JSON.stringify(pick(JSON_VALUES)()));
  const fields = randomFields(names, false);
  const text = Buffer.from(JSON.stringify(fields, undefined, chance(0.2) ? 2 : 0));
  return kind < 0.55 ? text : pick(DAMAGE)(text, fields);
}

const DAMAGE: readonly ((text: Buffer, fields: Fields) => Buffer)[] = [
  (text) => text.subarray(0, Math.floor(random() * text.length)),
  (text) => {
    const copy = Buffer.from(text);
    copy[Math.floor(random() * copy.length)] = random() * 256;
    return copy;
  },
  (text) => Buffer.concat([Buffer.from(pick(["\ufeff", "log line\n", " \r\n", "\u00a0", "[1]", "//x\n"])), text]),
  (text) => Buffer.concat([text, Buffer.from(pick(["\n", "}", "{}", " trailing", "\0", ",", "\t\r\n"]))]),
  (text, fields) => {
    const [first] = Object.entries(fields);
    const repeated = first === undefined ? "" : `${JSON.stringify(first[0])}:${JSON.stringify(first[1])},`;
    return Buffer.from(`{${repeated}${text.toString("utf8", 1)}`);
  },
  (text) => Buffer.from(`{"__proto__":{"action":"stop","block":true},${text.toString("utf8", 1)}`.replace(",}", "}")),
  (text) => {
    const depth = pick([100, 254, 255, 256, 300, 2000]);
    return Buffer.from(
      `{"deep":${"[".repeat(depth)}${"]".repeat(depth)},${text.toString("utf8", 1)}`.replace(",}", "}"),
    );
  },
];
