import { type Guard, notAnAnswer, wrongType } from "../../catalog/read.ts";
import type { Odd, Read, ReadResult, Shown } from "../../catalog/row.ts";
import { messageOf } from "../../error/error.ts";
import { chooseFrom } from "../../error/nearest.ts";
import { cloneAnswer } from "../../lens/clone.ts";
import { kindOf } from "../../lens/has-json.ts";

const nothing: ReadResult<never> = { ok: true, answer: undefined };

/** For events that only tell: whatever a handler returns is dropped. */
export const ignored: Read<never> = reader<never>(() => nothing);

/**
 * JavaScript truthiness for the answer, one guard for each of its fields: a falsy answer is none, a field of the
 * wrong type and a field that nobody knows are odd. An object without any known field is an answer all the same,
 * because it may replace an earlier one. Fields are private copies, or the event's own where they are as those were:
 * what the hook keeps cannot change them later.
 */
export function loose<A>(guards: Readonly<Record<string, Guard>>): Read<A> {
  return reader<A>((raw, shown) => {
    if (!raw) return nothing;
    if (typeof raw !== "object" || Array.isArray(raw)) return { ok: true, answer: undefined, odd: [notAnAnswer(raw)] };
    const odd = Object.keys(raw)
      .filter((name) => !Object.hasOwn(guards, name))
      .map((name) => unknownField(name, Object.keys(guards)));
    const answer: Record<string, unknown> = {};
    for (const name of Object.keys(guards)) {
      const own = ownOf(raw, name, shown);
      if (own === undefined) continue;
      if ((guards[name] as Guard)(own)) answer[name] = own;
      else odd.push(wrongType(name));
    }
    return { ok: true, answer: answer as A, ...(odd.length > 0 && { odd }) };
  });
}

/** A field that the event's answers do not have. */
export function unknownField(field: string, known: readonly string[]): Odd {
  return { field, problem: `there is no such field. ${chooseFrom(field, known)}` };
}

/** A private copy of a field, or the event's own value where it is as that was. Throws by the field's name. */
export function ownOf(raw: object, name: string, shown?: Shown): unknown {
  let value: unknown;
  try {
    value = property(raw, name);
    if (value === undefined) return undefined;
    return shown === undefined ? cloneAnswer(value) : shown.settle(name, value);
  } catch (thrown) {
    throw unreadField(name, value, thrown);
  }
}

/** What is thrown for a field that throws when it is looked at: by its name and type. */
export function unreadField(name: string, value: unknown, thrown: unknown): TypeError {
  return new TypeError(`${name} (${kindOf(value)}) cannot be read: ${messageOf(thrown)}`, { cause: thrown });
}

/** A field of an answer, own or of its class; what somebody put on `Object.prototype` is nobody's answer. */
export function property(raw: object, name: string): unknown {
  if (name in Object.prototype && !Object.hasOwn(raw, name)) return undefined;
  return (raw as Readonly<Record<string, unknown>>)[name];
}

/** Makes a column of a function that reads by truthiness; may throw, which counts as the hook's failure. */
export function reader<A>(read: (raw: unknown, shown?: Shown) => ReadResult<A>): Read<A> {
  // `Function.name` is read-only, so the column's name is defined over it.
  return Object.defineProperty(read, "name", { value: "truthy" }) as Read<A>;
}

/** A guard for fields of which only the truth counts. */
export const isAnyTruth: Guard = () => true;

/** A field that is true or false. */
export const isBoolean: Guard = (value) => typeof value === "boolean";

/** A field that is a list of texts. */
export const isStrings: Guard = (value) => Array.isArray(value) && value.every((item) => typeof item === "string");

/** Text or image blocks, as far as they are looked at. */
export const isBlocks: Guard = (value) => Array.isArray(value) && value.every(isBlock);

/** A text, or text and image blocks. */
export const isContent: Guard = (value) => typeof value === "string" || isBlocks(value);

function isBlock(value: unknown): boolean {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}
