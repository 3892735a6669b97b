import { type BaseIssue, type GenericSchema, safeParse } from "valibot";
import type { Odd, Read, ReadResult } from "./row.ts";

const nothing: ReadResult<never> = { ok: true, answer: undefined };

/** All or nothing: an answer that does not fit the schema in any part is a failure, and nothing of it is applied. */
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

/** What is wrong, from the schema's side alone: the library's own messages quote what they were given. */
function problemOf({ path, type, expected, input }: BaseIssue<unknown>): string {
  const where = path?.map(({ key }) => shownKey(key)).join(".") ?? "the answer";
  if (type === "strict_object" && expected === "never") return `${where}: there is no such field`;
  if (type === "strict_object" && input === undefined) return `${where}: it is missing`;
  return `${where}: ${expected === null ? "not valid" : `expected ${expected}`}, it is ${described(input)}`;
}

/** A key may be a hook's own text, so only what looks like a name is repeated. */
function shownKey(key: unknown): string {
  return typeof key === "number" || /^[\w-]{1,40}$/.test(String(key)) ? String(key) : "a field";
}

/** A field whose value cannot count, or whose parts cannot. */
export function wrongType(field: string, value: unknown): Odd {
  const hasParts = typeof value === "object" && value !== null;
  const what = hasParts ? "it, or a part of it, is of the wrong type" : "that is the wrong type";
  return { field, problem: `it is ${described(value)}, and ${what}` };
}

/** An answer of another kind than an object. */
export function notAnAnswer(raw: unknown): Odd {
  return { field: describe(raw), problem: "an answer is an object" };
}

/** What one field of an answer must be to count. */
export type Guard = (value: unknown) => boolean;

/** Field by field: a field of the wrong type is absent and named as odd; an answer that is no object is no answer. */
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
    return { ok: true, answer: found ? (answer as A) : undefined, ...(odd && { odd }) };
  });
}

/** JavaScript truthiness, as pi and omp read: a falsy answer is none, anything else is taken as it is. */
export function truthy<A>(): Read<A> {
  return named<A>("truthy", (raw) => {
    if (!raw) return nothing;
    if (typeof raw !== "object") return { ok: true, answer: undefined, odd: [notAnAnswer(raw)] };
    return { ok: true, answer: raw as A };
  });
}

/** A field that is a text. */
export const isString: Guard = (value) => typeof value === "string";

/** A field that is a list, whatever is in it. */
export const isArray: Guard = (value) => Array.isArray(value);

/** A field that is an object and no list. */
export const isObject: Guard = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** A field that is taken as it is. */
export const isAnything: Guard = () => true;

function describe(raw: unknown): string {
  return Array.isArray(raw) ? "a list" : `a ${typeof raw}`;
}

function described(input: unknown): string {
  if (input === null || input === undefined) return String(input);
  return typeof input === "object" && !Array.isArray(input) ? "an object" : describe(input);
}

function named<A>(name: Read<A>["name"], read: (raw: unknown) => ReadResult<A>): Read<A> {
  // `Function.name` is read-only, so the column's name is defined over it.
  return Object.defineProperty(read, "name", { value: name }) as Read<A>;
}
