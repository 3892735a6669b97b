import { isUtf8 } from "node:buffer";

/** The meaning of a hook's output according to the dialect's documents. It is computed without the code under test. */
export type Meaning =
  | { readonly kind: "nothing" }
  | { readonly kind: "broken" }
  /** A changed call that cannot run, so it is refused (decision 62). */
  | { readonly kind: "refused" }
  /** A result that a hook has made unusable: it is an error without its content (decision 104). */
  | { readonly kind: "withheld" }
  /** `odd` is true if a known field was ignored because of its type. */
  | { readonly kind: "answer"; readonly clean: Fields; readonly odd: boolean };

export type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;
type Checks = Readonly<Record<string, Check>>;

const isText: Check = (value) => typeof value === "string";
const isFlag: Check = (value) => typeof value === "boolean";
const isList: Check = (value) => Array.isArray(value);
const isAny: Check = () => true;
const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isBlocks: Check = (value) =>
  Array.isArray(value) && value.every((block) => typeof block === "object" && block !== null && isText(block.type));

const MAX_DEPTH = 256;
const NOTHING: Meaning = { kind: "nothing" };
const BROKEN: Meaning = { kind: "broken" };

/**
 * Returns the meaning of j-cli's output: exactly one object whose known fields all have the right type; `null` counts
 * as an absent field. Source: seed 003. An unusable answer with other arguments refuses the call (decision 62).
 */
export function jcliMeaning(bytes: Uint8Array, event: string): Meaning {
  const meaning = wholeMeaning(bytes, event);
  if (meaning !== BROKEN || event !== "pre_tool_execution") return meaning;
  const value = parse(textOf(bytes) ?? "");
  return isObject(value) && value["tool_arguments"] != null ? { kind: "refused" } : BROKEN;
}

function wholeMeaning(bytes: Uint8Array, event: string): Meaning {
  const text = textOf(bytes);
  if (text === undefined) return BROKEN;
  if (/^[ \t\r\n]*$/.test(text)) return NOTHING;
  const value = parse(text);
  if (!isObject(value)) return BROKEN;
  const names = topNames(text);
  if (JCLI_NAMES.some((name) => names.filter((one) => one === name).length > 1)) return BROKEN;
  const clean: Record<string, unknown> = {};
  for (const name of JCLI_NAMES) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    if (given === undefined || given === null) continue;
    if (!(JCLI_CHECKS[name] as Check)(given)) return BROKEN;
    clean[name] = given;
  }
  if (clean["action"] === undefined && Object.hasOwn(value, "abort") && value["abort"] === true)
    clean["action"] = "stop";
  // If there is an action, the arguments beside it are ignored.
  const judged = event === "pre_tool_execution" && clean["action"] === undefined ? clean["tool_arguments"] : undefined;
  if (judged !== undefined && !isObject(parse(judged as string))) return BROKEN;
  return { kind: "answer", clean, odd: false };
}

const isCall: Check = (call) =>
  isObject(call) &&
  [call["id"], call["name"], call["arguments"]].every(isText) &&
  (call["arguments"] === "" || isObject(parse(call["arguments"] as string)));
const isMessage: Check = (message) =>
  isObject(message) &&
  isText(message["role"]) &&
  message["role"] !== "" &&
  (!Object.hasOwn(message, "content") || isText(message["content"])) &&
  (message["tool_call_id"] == null || isText(message["tool_call_id"])) &&
  (message["tool_calls"] == null || (Array.isArray(message["tool_calls"]) && message["tool_calls"].every(isCall)));
const isMessages: Check = (value) => Array.isArray(value) && value.every(isMessage);

const JCLI_CHECKS: Checks = {
  user_input: isText,
  assistant_output: isText,
  messages: isMessages,
  system_prompt: isText,
  tool_arguments: isText,
  tool_result: isText,
  tool_error: isText,
  inject_messages: isMessages,
  action: (value) => value === "stop" || value === "skip",
  retry_feedback: isText,
  additional_context: isText,
  system_message: isText,
};
export const JCLI_NAMES: readonly string[] = Object.keys(JCLI_CHECKS);

/**
 * Returns the meaning of chibi's output: a JSON object with optional whitespace around it; fields of the wrong type
 * count as absent. Source: seed 004.
 */
export function chibiMeaning(bytes: Uint8Array, checks: Checks): Meaning {
  const text = textOf(bytes)?.trim();
  if (text === undefined) return BROKEN;
  if (text === "") return NOTHING;
  const value = parse(text);
  if (value === null) return NOTHING;
  return isObject(value) ? picked(value, checks) : BROKEN;
}

/**
 * Returns the meaning of pi's and omp's values: a falsy value, or one that is not an object, is no answer; fields of
 * the wrong type count as absent.
 */
export function looseMeaning(value: unknown, checks: Checks): Meaning {
  return isObject(value) ? picked(value, checks) : NOTHING;
}

/**
 * Returns the meaning of a value as `looseMeaning` does, but for an answer that is stored or passed on as JSON, which
 * cannot express some values.
 */
export function storedMeaning(value: unknown, checks: Checks): Meaning {
  const given = isObject(value) && Object.hasOwn(value, "content") ? value["content"] : undefined;
  if (checks["content"] !== undefined && given !== undefined && !isBlocks(given)) return { kind: "withheld" };
  const meaning = looseMeaning(value, checks);
  const isStored = meaning.kind !== "answer" || Object.values(meaning.clean).every((one) => typeof one !== "bigint");
  return isStored ? meaning : checks["content"] === undefined ? BROKEN : { kind: "withheld" };
}

/**
 * Returns the meaning of a value for omp's `tool_call`: one that is not an object replaces the call too, unless the
 * answer blocks it.
 */
export function ompCallMeaning(value: unknown): Meaning {
  const meaning = looseMeaning(value, CHECKS["omp tool_call"]);
  if (meaning.kind !== "answer" || !("input" in meaning.clean)) return meaning;
  const { input, ...rest } = meaning.clean;
  // A value that JSON cannot express is never a valid call, blocked or not.
  if (typeof input === "bigint") return { kind: "refused" };
  if (rest["block"]) return { ...meaning, clean: rest };
  return isObject(input) ? meaning : { kind: "refused" };
}

/** Returns the meaning of a value for pi's `input`: an action with its fields. Source: seed 001. */
export function piInputMeaning(value: unknown): Meaning {
  const { action, text, images } = isObject(value) ? value : ({} as Fields);
  if (action === "handled") return { kind: "answer", clean: { action }, odd: false };
  if (action !== "transform") return NOTHING;
  if (!isText(text) || (images !== undefined && !isList(images))) return BROKEN;
  return { kind: "answer", clean: { action, text, ...(images !== undefined && { images }) }, odd: false };
}

function picked(value: Fields, checks: Checks): Meaning {
  const clean: Record<string, unknown> = {};
  let odd = false;
  for (const [name, check] of Object.entries(checks)) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    if (given === undefined) continue;
    if (check(given)) clean[name] = given;
    else odd = true;
  }
  return { kind: "answer", clean, odd };
}

/** Types of the fields in the tested answers, by the dialect's name of the event. */
export const CHECKS = {
  pre_tool: { block: isFlag, message: isText, arguments: isAny },
  pre_tool_output: { block: isFlag, message: isText, output: isText },
  pre_message: { prompt: isText },
  "pi tool_call": { block: isAny, reason: isAny, terminate: isFlag },
  "pi tool_result": { content: isBlocks, details: isAny, isError: isFlag },
  "omp tool_call": { block: isAny, reason: isAny, input: isAny, additionalContext: isText },
  "omp tool_result": { content: isBlocks, details: isAny, additionalContext: isText, isError: isFlag },
  "omp input": { handled: isAny, text: isText, images: isList },
} satisfies Readonly<Record<string, Checks>>;

/** Decodes UTF-8, without one byte order mark at the start and NULs at the end. */
function textOf(bytes: Uint8Array): string | undefined {
  return isUtf8(bytes)
    ? Buffer.from(bytes)
        .toString("utf8")
        .replace(/^\uFEFF/, "")
        .replace(/\0+$/, "")
    : undefined;
}

/** Parses a JSON text; `undefined` if it is invalid or too deep. */
function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return depthOf(value) > MAX_DEPTH ? undefined : value;
  } catch {
    return undefined;
  }
}

function depthOf(value: unknown): number {
  let depth = 0;
  for (let level: unknown[] = [value]; ; depth++) {
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? [one] : []));
    if (level.length === 0) return depth;
    level = level.flatMap((one) => Object.values(one as object));
  }
}

/** Returns the names in the outermost object of a valid text, including repeated ones. */
function topNames(text: string): string[] {
  const names: string[] = [];
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"(?:\s*:)?|[[\]{}]/g)) {
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    else if (depth === 1 && token.endsWith(":")) names.push(JSON.parse(token.slice(0, -1)) as string);
  }
  return names;
}
