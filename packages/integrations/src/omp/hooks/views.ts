import { messageOf } from "@hookline/ground";
import type { Answer, EventName, Payload } from "@hookline/runtime";
import type { LaneRow, Scene } from "@hookline/runtime/dialect";
import { isObject } from "@hookline/runtime/dialect";
import { type Content, cloneShell, edit, equal } from "@hookline/runtime/engine";
import { type Telling, toldRow, WITHHELD } from "../../in-process/rows.ts";
import { ompCalls } from "./calls.ts";

type Args = Readonly<Record<string, unknown>>;

/** The answer's value if it differs from what the hook was shown, so that an echo is not an edit. */
export function edited<T>(given: T | undefined, shown: T): T | undefined {
  return given === undefined || equal(given, shown) ? undefined : cloneShell(given);
}

/** Texts of several hooks as one, without empty ones; `undefined` if there are none. */
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

/** The lens of `tool_call`; `otherwise` is the text of a refusal without a reason. */
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

/** Changes of `tool_result` handlers to a result. */
export interface ToolResultAnswer {
  readonly content?: readonly Content[];
  readonly details?: unknown;
  readonly isError?: unknown;
  readonly additionalContext?: string | readonly string[];
}

/** A result as both APIs are shown it. */
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

/** Returns the changes that both APIs allow; a `details` of null leaves the tool's own. */
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

/** HookAPI: content and details of a success; errors stay as they are, and whether it was one stays too. */
export const hookResultView = {
  get: toolResult,
  put: (outcome: ToolResultAnswer, payload: Payload<"tool.after">): Answer<"tool.after"> | undefined =>
    payload.isError ? undefined : edit({ ...parts(outcome, payload), ...(isWithheld(outcome) && { isError: true }) }),
};

/** ExtensionAPI: also whether it is an error, in both directions. */
export const extensionResultView = {
  get: toolResult,
  put: (outcome: ToolResultAnswer, payload: Payload<"tool.after">): Answer<"tool.after"> | undefined =>
    edit({
      ...parts(outcome, payload),
      isError: edited(outcome.isError as boolean | undefined, payload.isError),
    }),
};

/** Time of one ExtensionAPI handler, `tool_call` included, where the settings give none (decision 14). */
export const HANDLER_MS = 30_000;
/** Time of one ExtensionAPI handler at the end of a session; all of them run at once. */
export const SHUTDOWN_MS = 2_000;

/** The settings that all rows of one API share: HookAPI has no time limits, ExtensionAPI has. */
export interface Limit {
  readonly timeoutMs?: number;
}

/** The row of an event that only tells, with what the rows of its API have in common. */
export function told<E extends EventName>(
  limit: Limit,
  name: string,
  of: E,
  get: (payload: Payload<E>, scene: Scene) => object,
  more: Telling<E> = {},
): LaneRow {
  return toldRow(name, of, get, { ...limit, ...more });
}
