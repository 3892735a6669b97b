import type { Filter } from "./filter.ts";

/** One hook as it was defined: plain data, so that it can be kept with a session. */
export interface Definition {
  /** The events that it runs on; one, except for a `HOOK.yaml`. */
  readonly events: readonly string[];
  readonly type: HookType;
  /** The text for `sh -c`, or the template of a prompt. */
  readonly text: string;
  /** Overrides the model's name; only for `llm`. */
  readonly model?: string;
  readonly timeoutMs: number;
  /** Attempts after the first. */
  readonly retry: number;
  readonly onError: "skip" | "abort";
  readonly filter: Filter;
  /** The folder of a `HOOK.yaml`, where its scripts are. */
  readonly folder?: string;
  /** The shell that a `HOOK.yaml` asks for instead of `sh`. */
  readonly shell?: string;
}

/** How a hook is run: a shell command, or a question to the model. */
export type HookType = "bash" | "llm";

/** The defaults of a definition. Source: seed 003, "Hook 类型". */
export const DEFAULTS: Readonly<Record<HookType, { readonly timeoutMs: number; readonly retry: number }>> = {
  bash: { timeoutMs: 10_000, retry: 0 },
  llm: { timeoutMs: 30_000, retry: 1 },
};

/** Whether a stored value, of a candidate or a session, is a definition. */
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

/** Names a hook in lists: the command, or the first line of the prompt. */
export function labelOf({ type, text }: Pick<Definition, "type" | "text">): string {
  const line = text.split("\n").find((one) => one.trim() !== "") ?? "";
  const trimmed = line.trim();
  const short = trimmed.length > LABEL_LENGTH ? `${trimmed.slice(0, LABEL_LENGTH - 1)}…` : trimmed;
  return type === "llm" ? `[llm: ${short}]` : short;
}
