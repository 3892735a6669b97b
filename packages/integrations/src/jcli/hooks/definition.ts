import type { Filter } from "./filter.ts";

/** One hook as its file or the model defined it: plain data, which can be stored with a session. */
export interface Definition {
  /** The events that the hook runs on. Only a `HOOK.yaml` can have more than one. */
  readonly events: readonly string[];
  readonly type: HookType;
  /** The command for `sh -c`, or the template of a prompt. */
  readonly text: string;
  /** The name of the model to ask instead of the default; only for `llm`. */
  readonly model?: string;
  readonly timeoutMs: number;
  /** The number of further attempts after a failure. */
  readonly retry: number;
  readonly onError: "skip" | "abort";
  readonly filter: Filter;
  /** The folder of the `HOOK.yaml`, which contains its scripts. */
  readonly folder?: string;
  /** The shell that the `HOOK.yaml` names instead of `sh`. */
  readonly shell?: string;
}

/** The kind of hook: a shell command, or a question to a model. */
export type HookType = "bash" | "llm";

/** The defaults of a definition. Source: seed 003, "Hook 类型". */
export const DEFAULTS: Readonly<Record<HookType, { readonly timeoutMs: number; readonly retry: number }>> = {
  bash: { timeoutMs: 10_000, retry: 0 },
  llm: { timeoutMs: 30_000, retry: 1 },
};

/** Checks a definition that was stored in a candidate or a session. */
export function isDefinition(value: unknown): value is Definition {
  if (typeof value !== "object" || value === null) return false;
  const { events, type, text, timeoutMs, retry, onError, filter } = value as Readonly<Record<string, unknown>>;
  return (
    Array.isArray(events) &&
    events.every((event) => typeof event === "string") &&
    (type === "bash" || type === "llm") &&
    typeof text === "string" &&
    Number.isInteger(timeoutMs) &&
    Number.isInteger(retry) &&
    (onError === "skip" || onError === "abort") &&
    typeof filter === "object" &&
    filter !== null
  );
}

const LABEL_LENGTH = 80;

/** Returns a hook's name for lists: its command, or the first line of its prompt. */
export function labelOf({ type, text }: Pick<Definition, "type" | "text">): string {
  const line = text.split("\n").find((one) => one.trim() !== "") ?? "";
  const trimmed = line.trim();
  const short = trimmed.length > LABEL_LENGTH ? `${trimmed.slice(0, LABEL_LENGTH - 1)}…` : trimmed;
  return type === "llm" ? `[llm: ${short}]` : short;
}
