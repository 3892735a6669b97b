import { type Fields, messageOf } from "@hookline/ground";
import type { Answer } from "@hookline/runtime";
import { type Message, type Payload, textOf } from "@hookline/runtime";
import { type AssistantMessage, type Content, cloneShell, equal, isServerTool } from "@hookline/runtime/engine";
import { changedMessages, isContent, isMessages, present, property } from "../../in-process/rows.ts";

/**
 * Returns private copies of the outcome's fields that differ from the payload's; `undefined` if none does. So returning
 * the same value is not an edit, and a hook cannot change its answer later.
 */
export function changes<P extends object, K extends keyof P & string>(
  outcome: Partial<Pick<P, K>>,
  payload: P,
  names: readonly K[],
): Partial<Pick<P, K>> | undefined {
  let edit: Partial<Pick<P, K>> | undefined;
  for (const name of names) {
    const value = outcome[name];
    if (value === undefined || equal(value, payload[name])) continue;
    edit = { ...edit, [name]: cloneShell(value) } as Partial<Pick<P, K>>;
  }
  return edit;
}

/** The folded answer of `tool_call` handlers. */
export interface ToolCallAnswer {
  readonly block?: unknown;
  readonly reason?: unknown;
  readonly terminate?: unknown;
  /** The edited arguments of the call; set only if a handler edited them in place. */
  readonly input?: Readonly<Record<string, unknown>>;
}

/** Returns the fields that begin each of pi's events about a call: its id, and its parent call's if it has one. */
export function idsOf({
  toolCallId,
  parentToolCallId,
}: Pick<Payload<"tool.start">, "toolCallId" | "parentToolCallId">) {
  return { toolCallId, ...(parentToolCallId !== undefined && { parentToolCallId }) };
}

/** The view of `tool_call`, before a call runs. Handlers edit its arguments in place. */
export const toolCallView = {
  get: (payload: Payload<"tool.before">) => ({
    type: "tool_call",
    ...idsOf(payload),
    toolName: payload.tool,
    input: payload.args,
  }),
  put(outcome: ToolCallAnswer, payload: Payload<"tool.before">): Answer<"tool.before"> | undefined {
    if (property(outcome, "block")) {
      const reason = outcome.reason ? messageOf(outcome.reason) : "Tool execution was blocked";
      return { decision: "deny", reason, ...(outcome.terminate === true && { terminate: true }) };
    }
    return changes({ args: outcome.input ?? payload.args }, payload, ["args"]);
  },
};

/** The changes that a `tool_result` handler makes to a result. */
export interface ToolResultAnswer {
  readonly content?: readonly Content[];
  readonly details?: unknown;
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** The view of `tool_result`: the result of a call, and the hooks' changes to it. */
export const toolResultView = {
  get: (payload: Payload<"tool.after">) => ({
    type: "tool_result",
    ...idsOf(payload),
    toolName: payload.tool,
    input: payload.args,
    content: payload.content,
    // A tool that threw has no details; pi shows an empty object for them.
    details: payload.details === undefined && payload.isError ? {} : payload.details,
    // hookline stores an MCP tool's structured content as `details`, and drops it if a hook changes only the content.
    ...(isServerTool(payload.tool) && payload.details !== undefined && { structuredContent: payload.details }),
    isError: payload.isError,
  }),
  put({ structuredContent, ...outcome }: ToolResultAnswer, payload: Payload<"tool.after">) {
    // `structuredContent` and `details` show the same value. The field that was returned unchanged must not undo the
    // change of the other.
    const edited = [structuredContent, outcome.details].find(
      (value) => value !== undefined && !equal(value, payload.details),
    );
    return changes({ ...outcome, ...(edited !== undefined && { details: edited }) }, payload, [
      "content",
      "details",
      "isError",
    ]);
  },
};

/** The folded answer of `input` handlers: another text, or that the text was handled. */
export type InputAnswer =
  | { readonly handled: true }
  | { readonly text?: string; readonly images?: readonly Content[] | undefined };

/** Whether a handler has handled the text, so that it is not sent. */
export function isHandled(answer: InputAnswer): boolean {
  return property(answer, "handled") === true;
}

/** The view of `input`: the user's text, which hooks may change or handle themselves. */
export const inputView = {
  get: ({ text, images, source, streaming }: Payload<"input">) => ({
    type: "input",
    text,
    ...(images !== undefined && { images }),
    source,
    ...(streaming !== undefined && { streamingBehavior: streaming }),
  }),
  put(outcome: InputAnswer, payload: Payload<"input">): Answer<"input"> | undefined {
    if (isHandled(outcome)) return { handled: true };
    return changes<Payload<"input">, "text" | "images">(outcome as Fields, payload, ["text", "images"]);
  },
};

/** Whether a hook's message has the fields that the conversation needs. */
export function isCustomMessage(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { customType, content } = value as Fields;
  return typeof customType === "string" && isContent(content);
}

interface SystemMessage {
  readonly role: "system";
  readonly content: string;
}

/** The view of `context_with_system`: the system prompt is the first message of the list, as in pi's own sessions. */
export const contextWithSystemView = {
  get: ({ messages, systemPrompt }: Payload<"model.context">) => ({
    type: "context_with_system",
    messages: [{ role: "system", content: systemPrompt }, ...messages] as readonly (Message | SystemMessage)[],
  }),
  put(
    outcome: { readonly messages?: readonly (Message | SystemMessage)[] },
    payload: Payload<"model.context">,
  ): Answer<"model.context"> | undefined {
    if (outcome.messages === undefined) return undefined;
    if (!isMessages(outcome.messages)) throw new Error("messages must be a list of messages");
    const system = outcome.messages.filter((message) => message.role === "system");
    const others = outcome.messages.filter((message) => message.role !== "system");
    const messages = changedMessages(others, payload.messages);
    const systemPrompt = system.map(({ content }) => (isContent(content) ? textOf(content) : "")).join("\n\n");
    return {
      ...(systemPrompt !== payload.systemPrompt && { systemPrompt }),
      ...(messages !== undefined && { messages }),
    };
  },
};

/** The answer of `turn_end` and `agent_before_settle` handlers: entries for the session, and whether to continue. */
export interface BoundaryAnswer {
  readonly entries?: readonly { readonly type: string }[] | undefined;
  readonly continue?: boolean | undefined;
}

interface BoundaryPayload extends BoundaryAnswer {
  /** The content of the next request, if the host provides it. */
  readonly context?: object | undefined;
}

/** Describes a run at the end of a turn, or before the run itself ends. */
function boundary(
  { entries = [], continue: goesOn = false, context }: BoundaryPayload,
  canContinue: boolean,
  outcome: string,
): Fields {
  const nothing = { canContinue, contextEntries: [], contextMessages: [], llmMessages: [], pendingMessages: [] };
  return { entries, continue: goesOn, context: { ...nothing, ...context }, outcome };
}

/** The view of `turn_end`: a request and its results, and whether the run continues. */
export const turnEndView = {
  get: (payload: Payload<"turn.end">) => ({
    type: "turn_end",
    turnIndex: payload.turnIndex,
    message: payload.message,
    toolResults: payload.toolResults,
    ...present(payload, "messageEntryId", "toolResultEntryIds"),
    ...boundary(payload as BoundaryPayload, payload.toolResults.length > 0, outcomeOf(payload.message)),
  }),
  put: (outcome: BoundaryAnswer, payload: Payload<"turn.end">) =>
    changes(outcome as Partial<Payload<"turn.end">>, payload, ["entries", "continue"]),
};

/** The view of `agent_before_settle`: the end of a run, which hooks may delay by letting it continue. */
export const beforeSettleView = {
  get: (payload: Payload<"agent.before-settle">) => ({
    type: "agent_before_settle",
    ...boundary(payload as BoundaryPayload, payload.canContinue, payload.outcome),
  }),
  put: (outcome: BoundaryAnswer, payload: Payload<"agent.before-settle">) =>
    changes(outcome as Partial<Payload<"agent.before-settle">>, payload, ["entries", "continue"]),
};

/** Whether a value is an entry that a `turn_end` or `agent_before_settle` handler may add to the session. */
export function isDraft(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const draft = value as Fields;
  const { type } = draft;
  return typeof type === "string" && Object.hasOwn(drafts, type) && drafts[type]?.(draft) === true;
}

const drafts: Readonly<Record<string, (draft: Fields) => boolean>> = {
  custom: ({ customType }) => typeof customType === "string",
  custom_message: isCustomMessage,
  context_edit: ({ targetId, replacement }) =>
    typeof targetId === "string" && (replacement === null || isContent(replacement)),
  compaction: ({ summary, firstKeptEntryId }) =>
    typeof summary === "string" && (firstKeptEntryId === null || typeof firstKeptEntryId === "string"),
};

const outcomes: Readonly<Record<string, string>> = { aborted: "aborted", error: "error" };

function outcomeOf(message: Message): string {
  return outcomes[(message as Partial<AssistantMessage>).stopReason ?? ""] ?? "completed";
}
