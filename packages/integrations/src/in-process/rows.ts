import { chooseFrom, messageOf } from "@hookline/ground";
import type { EventName, Message, Payload } from "@hookline/runtime";
import type { LaneRow, Scene } from "@hookline/runtime/dialect";
import { type Fold, type Guard, last, record, row } from "@hookline/runtime/dialect";
import {
  assertJson,
  cloneAnswer,
  equal,
  type Failure,
  isPlain,
  jsonKind,
  type Kind,
  notAnAnswer,
  type Odd,
  type Read,
  type ReadResult,
  type Schedule,
  wrongType,
} from "@hookline/runtime/engine";

const nothing: ReadResult<never> = { ok: true, answer: undefined };

/** Reads an answer to an event that only informs, and drops it. */
export const ignored: Read<never> = reader<never>(() => nothing);

/**
 * Reads an answer with a check for each known field. A falsy answer, such as `""`, is no answer. Unknown fields and
 * fields of the wrong type are reported as odd. An object without any known field still counts as an answer, because it
 * may replace an earlier one. Fields are private copies, so that the hook cannot change them later.
 */
export function loose<A>(guards: Readonly<Record<string, Guard>>): Read<A> {
  const names = Object.keys(guards);
  return reader<A>((raw) => {
    if (!raw) return nothing;
    if (typeof raw !== "object" || Array.isArray(raw)) return { ok: true, answer: undefined, odd: [notAnAnswer(raw)] };
    let odd: Odd[] | undefined;
    for (const name of Object.keys(raw)) if (!Object.hasOwn(guards, name)) (odd ??= []).push(unknownField(name, names));
    const answer: Record<string, unknown> = {};
    for (const name of names) {
      const own = ownOf(raw, name);
      if (own === undefined) continue;
      if ((guards[name] as Guard)(own)) answer[name] = own;
      else (odd ??= []).push(wrongType(name, own));
    }
    const read = { ok: true, answer: answer as A, isPrivate: true } as const;
    return odd === undefined ? read : { ...read, odd };
  });
}

/** Describes an unknown field of an answer, and suggests the known fields. */
export function unknownField(field: string, known: readonly string[]): Odd {
  return { field, problem: `there is no such field. ${chooseFrom(field, known)}` };
}

/** Returns a private copy of an answer's field. If that fails, the error names the field. */
export function ownOf(raw: object, name: string): unknown {
  let value: unknown;
  try {
    value = property(raw, name);
    if (value === undefined) return undefined;
    return cloneAnswer(value);
  } catch (thrown) {
    throw unreadField(name, value, thrown);
  }
}

/** Makes the error for a field that throws when it is read, with the field's name and type. */
export function unreadField(name: string, value: unknown, thrown: unknown): TypeError {
  return new TypeError(`${name} (${jsonKind(value)}) cannot be read: ${messageOf(thrown)}`, { cause: thrown });
}

/** Returns a field of an answer, its own or an inherited one, but none of `Object.prototype`. */
export function property(raw: object, name: string): unknown {
  const value = (raw as Readonly<Record<string, unknown>>)[name];
  return value !== undefined && name in Object.prototype && !Object.hasOwn(raw, name) ? undefined : value;
}

/**
 * Reads a `tool_result` answer. If its content cannot be used, the answer is a failure, and `withheld` replaces the
 * result (ruling 104).
 */
export function strictContent<A>(read: Read<A>): Read<A> {
  return reader<A>((raw) => {
    const content = typeof raw === "object" && raw !== null ? property(raw, "content") : undefined;
    const problem = content === undefined ? undefined : contentProblem(content);
    return problem === undefined ? read(raw) : { ok: false, problem };
  });
}

/** Checks content that a handler of `tool_result` has edited in place. */
export const contentInPlace: NonNullable<LaneRow["inPlace"]> = { content: contentProblem };

/** Describes why a result's content cannot be used. An error while reading it is reported elsewhere, by the copy. */
function contentProblem(content: unknown): string | undefined {
  try {
    if (isBlocks(content)) return undefined;
  } catch {
    return undefined;
  }
  const what = Array.isArray(content)
    ? "a list with something else than blocks"
    : `${jsonKind(content)}, not a list of blocks`;
  return `its content is ${what}; the result is withheld`;
}

/**
 * Returns the result to show if a hook tried to change a result and its answer cannot be used. `undefined` for other
 * failures.
 */
export function withheld({ cause }: Failure): { content: [{ type: "text"; text: string }]; isError: true } | undefined {
  return cause === "bad" ? { content: [{ type: "text", text: WITHHELD }], isError: true } : undefined;
}

/** The text that replaces a withheld result. */
export const WITHHELD = "The result is withheld: what a hook made of it cannot be used.";

/**
 * Makes the `read` of a row from a function that treats a falsy value, such as `""`, as no answer. An error in the
 * function counts as the hook's failure.
 */
export function reader<A>(read: (raw: unknown) => ReadResult<A>): Read<A> {
  // `Function.name` is read-only, so it is redefined: a reader's name says how it reads.
  return Object.defineProperty(read, "name", { value: "truthy" }) as Read<A>;
}

/** Accepts any value: only the field's truthiness counts. */
export const isAnyTruth: Guard = () => true;

/** Accepts a boolean. */
export const isBoolean: Guard = (value) => typeof value === "boolean";

/** Accepts a reason: anything that can be converted to text, except symbols and functions. */
export const isSayable: Guard = (value) => {
  if (typeof value === "symbol" || typeof value === "function") return false;
  try {
    return typeof `${value as string}` === "string";
  } catch {
    return false;
  }
};

/** Accepts a list of strings. */
export const isStrings: Guard = (value) => Array.isArray(value) && value.every((item) => typeof item === "string");

/** Accepts a list of text and image blocks. */
export const isBlocks: Guard = (value) => Array.isArray(value) && value.every(isBlock);

/** Accepts a text, or a list of text and image blocks. */
export const isContent: Guard = (value) => typeof value === "string" || isBlocks(value);

/** The required fields of each known block type, with their JavaScript types. Blocks of other types are rejected. */
const BLOCKS = new Map(
  Object.entries({
    text: { text: "string" },
    image: { data: "string", mimeType: "string" },
    thinking: { thinking: "string" },
    toolCall: { id: "string", name: "string", arguments: "object" },
  }).map(([type, fields]) => [type, Object.entries(fields)]),
);

function isBlock(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const block = value as Readonly<Record<string, unknown>>;
  if (typeof block["type"] !== "string") return false;
  return (BLOCKS.get(block["type"]) ?? []).every(([field, type]) => typeof block[field] === type);
}

/** The request body that a handler returned. */
export interface Wire {
  readonly payload?: unknown;
}

/**
 * The part of the row of `before_provider_request` that reads and folds answers. Whatever a handler returns is the new
 * body, even `null`.
 */
export const body: {
  readonly schedule: "all";
  readonly fold: Fold<Wire, Wire>;
  readonly feeds: { readonly payload: "draft" };
  readonly read: Read<Wire>;
} = {
  schedule: "all",
  fold: record<Wire>({ payload: last() }),
  feeds: { payload: "draft" },
  read: reader<Wire>((raw) => ({ ok: true, answer: raw === undefined ? undefined : { payload: bodyOf(raw) } })),
};

/** Copies a body field by field, so that an error can name the field that cannot be read. */
function bodyOf(raw: unknown): unknown {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw) || !isPlain(raw)) return cloneAnswer(raw);
  const names = Object.keys(raw).filter((name) => name !== "__proto__");
  return Object.fromEntries(names.map((name) => [name, ownOf(raw, name)]));
}

/** The properties that differ between the rows of events that only inform. */
export interface Telling<E extends EventName> {
  when?(payload: Payload<E>): boolean;
  readonly kind?: Kind;
  readonly schedule?: Schedule;
  readonly subject?: string;
  readonly timeoutMs?: number;
}

/** Makes the row of an event that only informs. Handlers run in order, each awaited, and their answers are dropped. */
export function toldRow<E extends EventName>(
  name: string,
  of: E,
  get: (payload: Payload<E>, scene: Scene) => object,
  more: Telling<E>,
): LaneRow {
  return row<E, object, never, never>({
    kind: "observe",
    schedule: "all",
    ...more,
    name,
    of,
    fold: last<never>(),
    read: ignored,
    view: { get: (payload, scene) => ({ ...get(payload, scene), type: name }), put: () => undefined },
  });
}

/** Returns the named fields of an object, without those that are `undefined`. */
export function present<T extends object, K extends keyof T>(from: T, ...names: readonly K[]): Partial<Pick<T, K>> {
  const found: Partial<Pick<T, K>> = {};
  for (const name of names) if (from[name] !== undefined) found[name] = from[name];
  return found;
}

/** Whether a value is a valid list of messages for the agent: each has a role, and text or blocks. */
export function isMessages(value: unknown): boolean {
  return Array.isArray(value) && value.every(isMessage);
}

function isMessage(value: unknown): boolean {
  const { role, content } = (value ?? {}) as { readonly role?: unknown; readonly content?: unknown };
  return typeof role === "string" && (content === undefined || isContent(content));
}

/**
 * Returns a request's messages if a lane changed any of them; `undefined` otherwise. Throws if they are not a list of
 * messages, or if a new one cannot be sent as JSON.
 */
export function changedMessages(
  messages: readonly unknown[],
  before: readonly Message[],
): readonly Message[] | undefined {
  if (!isMessages(messages)) throw new Error("messages must be a list of messages");
  if (equal(messages, before)) return undefined;
  const known = new Set<unknown>(before);
  // Only new messages are checked: the existing ones were sent before.
  assertJson({ messages: messages.filter((message) => !known.has(message)) });
  return messages as readonly Message[];
}

/**
 * The view of a request's conversation. `put` checks messages that were edited in place; returned lists were checked
 * before.
 */
export const contextView = {
  get: ({ messages }: Payload<"model.context">) => ({ type: "context", messages }),
  put({ messages }: { readonly messages?: readonly Message[] }, payload: Payload<"model.context">) {
    const changed = messages === undefined ? undefined : changedMessages(messages, payload.messages);
    return changed && { messages: changed };
  },
};

/** Describes a compaction in pi's form, for hosts that provide no `preparation` of their own. */
export function barePreparation({ messages, summary }: Payload<"compact.before">): object {
  return {
    firstKeptEntryId: "",
    messagesToSummarize: messages,
    turnPrefixMessages: [],
    isSplitTurn: false,
    tokensBefore: 0,
    ...(summary !== "" && { previousSummary: summary }),
    fileOps: { read: new Set(), written: new Set(), edited: new Set() },
    settings: {},
  };
}
