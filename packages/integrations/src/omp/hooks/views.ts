import { messageOf } from "@hookline/ground";
import type { Answer, EventName, Payload } from "@hookline/runtime";
import type { LaneRow, Scene } from "@hookline/runtime/dialect";
import { isObject } from "@hookline/runtime/dialect";
import { type Content, cloneShell, edit, equal } from "@hookline/runtime/engine";
import { type Telling, toldRow, WITHHELD } from "../../in-process/rows.ts";
import { ompCalls } from "./calls.ts";

type Args = Readonly<Record<string, unknown>>;

/** Returns the answer's value if it differs from what the hook was shown: returning the same value is not an edit. */
export function edited<T>(given: T | undefined, shown: T): T | undefined {
  return given === undefined || equal(given, shown) ? undefined : cloneShell(given);
}

/** Joins the texts of several hooks, without empty ones; `undefined` if there are none. */
export function joined(texts: readonly string[] | undefined): string | undefined {
  const words = (texts ?? []).filter((text) => text.trim() !== "");
  return words.length === 0 ? undefined : words.join("\n\n");
}

/** The answer of one `tool_call` handler. */
export interface ToolCallAnswer {
  readonly block?: unknown;
  readonly reason?: unknown;
  readonly input?: Args;
  readonly additionalContext?: string;
}

/** The folded answers of a lane's `tool_call` handlers. */
export interface ToolCallOutcome extends Omit<ToolCallAnswer, "additionalContext"> {
  readonly additionalContext?: readonly string[];
}

/** Makes the view of `tool_call`. `otherwise` is the reason for a refusal that gives none. */
export function toolCallView(otherwise: string) {
  return {
    get: ({ tool, toolCallId, args }: Payload<"tool.before">) => ({
      type: "tool_call",
      toolName: ompCalls.name(tool),
      toolCallId,
      input: ompCalls.args(tool, args),
    }),
    put(outcome: ToolCallOutcome, payload: Payload<"tool.before">): Answer<"tool.before"> | undefined {
      if (outcome.block) {
        return { decision: "deny", reason: outcome.reason ? messageOf(outcome.reason) : otherwise };
      }
      if (outcome.input !== undefined && !isObject(outcome.input))
        throw new Error(
          `input must be an object, not ${Array.isArray(outcome.input) ? "a list" : `a ${typeof outcome.input}`}`,
        );
      const { input = ompCalls.args(payload.tool, payload.args), additionalContext } = outcome;
      return edit({
        args: edited(ompCalls.putArgs(payload.tool, input, payload.args), payload.args),
        additionalContext: joined(additionalContext),
      });
    },
  };
}

/** The changes that a `tool_result` handler makes to a result. */
export interface ToolResultAnswer {
  readonly content?: readonly Content[];
  readonly details?: unknown;
  readonly isError?: unknown;
  readonly additionalContext?: string | readonly string[];
}

/** Returns a result in the form in which HookAPI and ExtensionAPI show it. */
function toolResult({ tool, toolCallId, args, content, details, isError }: Payload<"tool.after">) {
  return {
    type: "tool_result",
    toolName: ompCalls.name(tool),
    toolCallId,
    input: ompCalls.args(tool, args),
    content,
    details,
    isError,
  };
}

/** Returns the changes of a result that HookAPI and ExtensionAPI allow. If `details` is null, the tool's own stay. */
function parts({ content, details, additionalContext }: ToolResultAnswer, payload: Payload<"tool.after">) {
  return {
    content: edited(content, payload.content),
    details: edited(details ?? undefined, payload.details),
    additionalContext: joined(typeof additionalContext === "string" ? [additionalContext] : additionalContext),
  };
}

function isWithheld({ content }: ToolResultAnswer): boolean {
  const [block] = content ?? [];
  return block?.type === "text" && block.text === WITHHELD;
}

/**
 * The view of `tool_result` in HookAPI. Hooks can change the content and details of a successful call; of a failed call
 * they can change nothing.
 */
export const hookResultView = {
  get: toolResult,
  put: (outcome: ToolResultAnswer, payload: Payload<"tool.after">): Answer<"tool.after"> | undefined =>
    payload.isError ? undefined : edit({ ...parts(outcome, payload), ...(isWithheld(outcome) && { isError: true }) }),
};

/** The view of `tool_result` in ExtensionAPI. Hooks can also turn a success into a failure, and vice versa. */
export const extensionResultView = {
  get: toolResult,
  put: (outcome: ToolResultAnswer, payload: Payload<"tool.after">): Answer<"tool.after"> | undefined =>
    edit({
      ...parts(outcome, payload),
      isError: edited(outcome.isError as boolean | undefined, payload.isError),
    }),
};

/** The default time limit of an ExtensionAPI handler, `tool_call` included, in ms (ruling 14). */
export const HANDLER_MS = 30_000;
/** The time limit of an ExtensionAPI handler at the end of a session, in ms. All handlers run at once. */
export const SHUTDOWN_MS = 2_000;

/** The properties that all rows of one API share. HookAPI has no time limits, ExtensionAPI has. */
export interface Limit {
  readonly timeoutMs?: number;
}

/** Makes the row of an event that only informs, with the properties that all rows of its API share. */
export function told<E extends EventName>(
  limit: Limit,
  name: string,
  of: E,
  get: (payload: Payload<E>, scene: Scene) => object,
  more: Telling<E> = {},
): LaneRow {
  return toldRow(name, of, get, { ...limit, ...more });
}
