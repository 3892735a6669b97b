import { type BaseIssue, type GenericSchema, safeParse } from "valibot";
import type { Odd, Read, ReadResult } from "./row.ts";

const nothing: ReadResult<never> = { ok: true, answer: undefined };

/** Reads an answer as a whole: if any part does not fit the schema, the answer is a failure and no part is applied. */
export function strict<A>(schema: () => GenericSchema<unknown, A>): Read<A> {
  let built: GenericSchema<unknown, A> | undefined;
  return named<A>("strict", (raw) => {
    if (raw === undefined) return nothing;
    built ??= schema();
    const parsed = safeParse(built, raw, { abortEarly: true });
    if (parsed.success) return { ok: true, answer: parsed.output };
    return { ok: false, problem: problemOf(parsed.issues[0]) };
  });
}

/** Describes a problem in terms of the schema only, because the schema library's own messages quote the input. */
function problemOf({ path, type, expected, input }: BaseIssue<unknown>): string {
  const where = path?.map(({ key }) => shownKey(key)).join(".") ?? "the answer";
  if (type === "strict_object" && expected === "never") return `${where}: there is no such field`;
  if (type === "strict_object" && input === undefined) return `${where}: it is missing`;
  return `${where}: ${expected === null ? "not valid" : `expected ${expected}`}, it is ${described(input)}`;
}

/** The name of a field in an answer may be a hook's own text, so it is repeated only if it looks like an identifier. */
function shownKey(key: unknown): string {
  return typeof key === "number" || /^[\w-]{1,40}$/.test(String(key)) ? String(key) : "a field";
}

/** Reports a field whose value, or a part of it, has the wrong type and so has no effect. */
export function wrongType(field: string, value: unknown): Odd {
  const hasParts = typeof value === "object" && value !== null;
  const what = hasParts ? "it, or a part of it, is of the wrong type" : "that is the wrong type";
  return { field, problem: `it is ${described(value)}, and ${what}` };
}

/** Reports an answer that is not an object. */
export function notAnAnswer(raw: unknown): Odd {
  return { field: describe(raw), problem: "an answer is an object" };
}

/** Tests whether a field's value has the right type. */
export type Guard = (value: unknown) => boolean;

/** The fields in which the formats of known agents express a refusal. */
const REFUSING = ["action", "abort", "allow", "block", "continue", "decision", "hookSpecificOutput", "permission"];

/**
 * Reads an answer field by field. A field of the wrong type is dropped and listed in `odd`; an answer that is not an
 * object counts as no answer.
 */
export function field<A>(guards: Readonly<Record<string, Guard>>): Read<A> {
  const names = Object.keys(guards);
  return named<A>("field", (raw) => {
    if (raw === undefined || raw === null) return nothing;
    if (typeof raw !== "object" || Array.isArray(raw)) return { ok: true, answer: undefined, odd: [notAnAnswer(raw)] };
    const answer: Record<string, unknown> = {};
    let odd: Odd[] | undefined;
    let found = false;
    for (const name of names) {
      if (!Object.hasOwn(raw, name)) continue;
      const value = (raw as Record<string, unknown>)[name];
      if (value === undefined) continue;
      if ((guards[name] as Guard)(value)) {
        answer[name] = value;
        found = true;
      } else (odd ??= []).push(wrongType(name, value));
    }
    // If no field was read, reports a refusal in another agent's format, which would be ignored silently otherwise.
    const isRead = names.length > 0 && !found && odd === undefined;
    const other = !isRead ? undefined : REFUSING.find((name) => Object.hasOwn(raw, name));
    if (other !== undefined)
      odd = [{ field: other, problem: `an answer has no such field here. It may have ${names.join(", ")}` }];
    return { ok: true, answer: found ? (answer as A) : undefined, ...(odd && { odd }) };
  });
}

/** Reads as pi and omp do. A falsy answer is no answer, an object is taken unchanged, anything else is reported. */
export function truthy<A>(): Read<A> {
  return named<A>("truthy", (raw) => {
    if (!raw) return nothing;
    if (typeof raw !== "object") return { ok: true, answer: undefined, odd: [notAnAnswer(raw)] };
    return { ok: true, answer: raw as A };
  });
}

/** Accepts a field that is a string. */
export const isString: Guard = (value) => typeof value === "string";

/** Accepts a field that is a list, whatever its items are. */
export const isArray: Guard = (value) => Array.isArray(value);

/** Accepts a field that is an object, not a list. */
export const isObject: Guard = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Accepts a field of any type. */
export const isAnything: Guard = () => true;

function describe(raw: unknown): string {
  return Array.isArray(raw) ? "a list" : `a ${typeof raw}`;
}

function described(input: unknown): string {
  if (input === null || input === undefined) return String(input);
  return typeof input === "object" && !Array.isArray(input) ? "an object" : describe(input);
}

function named<A>(name: Read<A>["name"], read: (raw: unknown) => ReadResult<A>): Read<A> {
  // `Function.name` is read-only, so it is redefined: a reader's name says how it reads, such as `strict`.
  return Object.defineProperty(read, "name", { value: name }) as Read<A>;
}
