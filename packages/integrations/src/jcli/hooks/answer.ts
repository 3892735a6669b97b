import { readJson } from "@hookline/runtime/dialect";
import { type GivenMessage, jsonKind, type Read, type ReadResult } from "@hookline/runtime/engine";

/** A hook's parsed output: absent fields change nothing. Source: seed 003, "HookResult". */
export interface HookResult {
  readonly user_input?: string;
  readonly assistant_output?: string;
  readonly messages?: readonly GivenMessage[];
  readonly system_prompt?: string;
  readonly tool_arguments?: string;
  readonly tool_result?: string;
  readonly tool_error?: string;
  readonly inject_messages?: readonly GivenMessage[];
  readonly action?: "stop" | "skip";
  readonly retry_feedback?: string;
  readonly additional_context?: string;
  readonly system_message?: string;
}

/** Describes what is wrong with a value, without quoting it; `undefined` if nothing is. */
type Check = (value: unknown) => string | undefined;

const text: Check = (value) => (typeof value === "string" ? undefined : `must be text, not ${jsonKind(value)}`);
const action: Check = (value) => {
  if (value === "stop" || value === "skip") return undefined;
  return `must be "stop" or "skip", ${typeof value === "string" ? "in lower case" : `not ${jsonKind(value)}`}`;
};

const checks: Readonly<Record<string, Check>> = {
  user_input: text,
  assistant_output: text,
  messages: messageList,
  system_prompt: text,
  tool_arguments: text,
  tool_result: text,
  tool_error: text,
  inject_messages: messageList,
  action,
  retry_feedback: text,
  additional_context: text,
  system_message: text,
};

/**
 * Reads an answer. One field of the wrong type makes the whole answer a failure. `null` counts as an absent field,
 * unknown fields are dropped, and `{"abort": true}` of old scripts means `stop` (ruling 34).
 */
export const readResult: Read<HookResult> = strictly((raw) => {
  if (raw === undefined) return { ok: true, answer: undefined };
  if (typeof raw !== "object" || raw === null || Array.isArray(raw))
    return { ok: false, problem: `it must be a JSON object, not ${jsonKind(raw)}` };
  const given = raw as Readonly<Record<string, unknown>>;
  const answer: Record<string, unknown> = {};
  for (const [name, check] of Object.entries(checks)) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined || value === null) continue;
    const problem = check(value);
    if (problem !== undefined)
      return { ok: false, problem: problem.startsWith("[") ? name + problem : `${name} ${problem}` };
    answer[name] = value;
  }
  if (answer["action"] === undefined && Object.hasOwn(given, "abort") && given["abort"] === true)
    answer["action"] = "stop";
  return { ok: true, answer: Object.keys(answer).length === 0 ? undefined : (answer as HookResult) };
});

/** Reads an answer as `readResult` does. If it has an `action`, only `ENDING_FIELDS` are kept. */
export const readEnding: Read<HookResult> = strictly((raw) => {
  const read = readResult(raw);
  if (!read.ok || read.answer?.action === undefined) return read;
  const kept = ENDING_FIELDS.flatMap((name) => {
    const value = read.answer?.[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ok: true, answer: Object.fromEntries(kept) as HookResult };
});

/** Lists the fields that j-cli still reads in an answer with an `action`. Source: spec/jcli.md 1.1. */
const ENDING_FIELDS = ["action", "retry_feedback", "additional_context", "system_message"] as const;

/**
 * Reads an answer as `readEnding` does. Its `tool_arguments`, which will be run, must be the text of a JSON object. If
 * an answer contains `tool_arguments` but cannot be used, the call is refused, whatever `on_error` says (ruling 62).
 */
export const readCallResult: Read<HookResult> = strictly((raw) => {
  const read = readEnding(raw);
  if (!read.ok) return isRewrite(raw) ? { ...read, rewrite: true } : read;
  if (read.answer?.tool_arguments === undefined || isObjectText(read.answer.tool_arguments)) return read;
  return { ok: false, problem: "tool_arguments must be the text of a JSON object", rewrite: true };
});

/** Whether an answer, valid or not, contains new arguments for the call. */
export function isRewrite(raw: unknown): boolean {
  if (typeof raw !== "object" || raw === null || !Object.hasOwn(raw, "tool_arguments")) return false;
  const { tool_arguments: wanted } = raw as { readonly tool_arguments?: unknown };
  return wanted !== undefined && wanted !== null;
}

function strictly(read: (raw: unknown) => ReadResult<HookResult>): Read<HookResult> {
  return Object.defineProperty(read, "name", { value: "strict" }) as Read<HookResult>;
}

function messageList(value: unknown): string | undefined {
  if (!Array.isArray(value)) return `must be a list, not ${jsonKind(value)}`;
  for (const [i, message] of value.entries()) {
    const problem = messageProblem(message);
    if (problem !== undefined) return `[${i}]${problem}`;
  }
  return undefined;
}

function messageProblem(message: unknown): string | undefined {
  if (typeof message !== "object" || message === null || Array.isArray(message))
    return ` must be an object, not ${jsonKind(message)}`;
  const fields = message as Readonly<Record<string, unknown>>;
  if (typeof fields["role"] !== "string") return `.role must be text, not ${jsonKind(fields["role"])}`;
  if (fields["role"] === "") return ".role must not be empty";
  if (Object.hasOwn(fields, "content") && typeof fields["content"] !== "string")
    return `.content must be text, not ${jsonKind(fields["content"])}`;
  const id = fields["tool_call_id"] ?? undefined;
  if (id !== undefined && typeof id !== "string") return `.tool_call_id must be text, not ${jsonKind(id)}`;
  const calls = fields["tool_calls"] ?? undefined;
  if (calls === undefined) return undefined;
  if (!Array.isArray(calls)) return `.tool_calls must be a list, not ${jsonKind(calls)}`;
  const bad = calls.findIndex((call) => !isCall(call));
  return bad === -1
    ? undefined
    : `.tool_calls[${bad}] must have id, name and arguments, each as text, arguments as JSON`;
}

function isCall(call: unknown): boolean {
  if (typeof call !== "object" || call === null) return false;
  const { id, name, arguments: args } = call as Readonly<Record<string, unknown>>;
  return (
    typeof id === "string" &&
    typeof name === "string" &&
    typeof args === "string" &&
    (args === "" || isObjectText(args))
  );
}

function isObjectText(value: string): boolean {
  const read = readJson(value);
  return read.ok && typeof read.value === "object" && read.value !== null && !Array.isArray(read.value);
}
