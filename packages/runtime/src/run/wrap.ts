import { messageOf } from "@hookline/ground";
import type { EventName, Folded, Payload } from "../catalog/catalog.ts";
import { type Content, textOf } from "../catalog/message.ts";
import { toolRows } from "../catalog/tool.ts";
import type { Hook } from "../hook/hook.ts";
import { jsonKind } from "../lens/has-json.ts";
import type { CallAnswer } from "../port/host.ts";
import type { Accept } from "./context.ts";
import { checkPayload } from "./given.ts";
import { type Operation, type OperationStart, UNWATCHED } from "./observer.ts";
import type { Outcome } from "./outcome.ts";

/** Options for emitting one event. */
export interface EmitOptions {
  /** Ends the wait for the hooks; a guard then refuses. */
  readonly signal?: AbortSignal | undefined;
  /** Corrects a guarded value that a hook has changed, or throws why it cannot run; then the event is refused. */
  readonly accept?: Accept | undefined;
  /** Hooks that are not asked; they count as skipped. */
  readonly leftOut?: LeftOut | undefined;
}

/** A choice of hooks that are not asked about an event. */
export interface LeftOut {
  /** The reason that is recorded for each left-out hook. */
  readonly because: string;
  has(hook: Pick<Hook, "id" | "event" | "source">, lane: string): boolean;
}

/** The functions of a session that wrapping a tool call needs. */
export interface Emitter {
  emit<E extends EventName>(
    event: E,
    payload: Payload<E>,
    options?: EmitOptions,
  ): Outcome<Folded<E>> | Promise<Outcome<Folded<E>>>;
  /** Tells the telemetry observer that an operation starts. */
  operation?(about: OperationStart): Operation;
  /** Called with the answer to a guard's `ask`. */
  asked?(toolCallId: string, answer: Asked): void;
}

/** The answer to a guard's `ask`, and its origin: a person, a hook on a person's behalf, or nobody. */
export interface Asked {
  readonly answer: "allow" | "deny";
  readonly by: string;
}

/** The number of characters after which a tool's unusable return value is cut in an error message. */
const MOST_SHOWN = 200;

/** The text that the model gets for a call that did not run because a hook ended the run. */
const RUN_ENDED = "A hook ended the run, so this call was not run.";

/** A tool call as an agent's loop knows it. */
export interface WrappedCall {
  readonly tool: string;
  readonly toolCallId: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal | undefined;
  /**
   * Checks arguments against the tool's schema and corrects simple mistakes: the model's before any guard is asked, and
   * a hook's changes before the next hook is asked. If it throws, the call is refused; its error must not quote the
   * arguments. Without it, arguments are used unchanged.
   */
  readonly accept?: Accept | undefined;
}

/** The result of a wrapped call, whatever its tool and its hooks did. */
export interface WrappedResult {
  readonly content: readonly Content[];
  readonly details: unknown;
  readonly isError: boolean;
  /** Whether a hook refused the call, so that the tool did not run. */
  readonly blocked: boolean;
  /** The arguments that the tool ran with, or would have run with. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Text that hooks add to the system prompt of the next request. */
  readonly additionalContext: readonly string[];
  /** Text that hooks attach to the result for the model; it is not part of `content`. */
  readonly remarks: readonly string[];
  /** The reason for the person; set if a hook ended the run. The loop must then make no further request. */
  readonly halt?: { readonly reason: string };
}

/** The result of a tool: text, content blocks, or blocks with details. Errors are thrown. */
export type ToolOutput =
  | string
  | readonly Content[]
  | { readonly content: readonly Content[]; readonly details?: unknown; readonly isError?: boolean };

/**
 * Runs one tool call of any agent with its hooks. Asks the guards, runs the tool with the final arguments, then passes
 * the result through the redactors. `confirm` answers an `ask`; without it, the call is denied. Throws if the session
 * is closed (`SESSION_CLOSED`) or the call is malformed (`INVALID_OPTION`). If the session was closed while the tool
 * ran, the result is lost, because no redactor has seen it.
 */
export async function wrap(
  hooks: Emitter,
  call: WrappedCall,
  run: (args: Readonly<Record<string, unknown>>) => ToolOutput | Promise<ToolOutput>,
  confirm?: (reason: string, args: WrappedCall["args"]) => Promise<CallAnswer>,
): Promise<WrappedResult> {
  const who = { toolCallId: call.toolCallId, tool: call.tool };
  const { signal, accept } = call;
  // With `accept`, the arguments are checked after it has corrected them: when `tool.before` is emitted.
  checkPayload(toolRows["tool.before"], accept === undefined ? call : { ...call, args: {} }, "wrap");
  await hooks.emit("tool.start", { ...who, args: call.args });
  const given = accepted(call);
  if ("problem" in given) return impossible(hooks, call, given.problem);
  const before = (await hooks.emit("tool.before", { ...who, args: given.args }, { signal, accept })).answer;
  let args = before.args ?? given.args;
  let reason = before.reason ?? (before.halt === undefined ? "Tool execution was blocked" : RUN_ENDED);
  let blocked = before.decision === "deny" || before.halt !== undefined;
  let { halt } = before;
  if (!blocked && before.decision === "ask") {
    const said = (await confirm?.(reason, args)) ?? { approved: false };
    const again = said.approved && said.args !== undefined ? await judgedAgain(hooks, call, said.args) : undefined;
    blocked = !said.approved || again?.reason !== undefined;
    args = again?.args ?? args;
    reason = again?.reason ?? said.reason ?? reason;
    halt = again?.halt;
    hooks.asked?.(call.toolCallId, {
      answer: blocked ? "deny" : "allow",
      by: confirm === undefined ? "nobody" : "person",
    });
  }
  const operation = blocked ? UNWATCHED : (hooks.operation?.({ kind: "call", ...who }) ?? UNWATCHED);
  const raw = blocked ? failed(reason) : await operation.within(() => attempt(run, args));
  operation.end(raw.isError ? { error: "tool_error" } : {});
  let after: Folded<"tool.after">;
  try {
    after = (await hooks.emit("tool.after", { ...who, args, ...raw, blocked }, { signal })).answer;
    if (operation.wantsContent) operation.content({ args, result: after.content ?? raw.content });
  } finally {
    operation.close();
  }
  halt ??= after.halt;
  const result: WrappedResult = {
    content: after.content ?? raw.content,
    details: "details" in after ? after.details : raw.details,
    isError: blocked || (after.isError ?? raw.isError),
    blocked,
    args,
    additionalContext: [...(before.additionalContext ?? []), ...(after.additionalContext ?? [])],
    remarks: [...(before.remark ?? []), ...(after.remark ?? [])],
    ...(halt !== undefined && { halt }),
  };
  const output = textOf(result.content);
  await hooks.emit("tool.output", { ...who, args, output, finalOutput: output, cached: false });
  await hooks.emit("tool.end", {
    ...who,
    args,
    result: { content: result.content, details: result.details },
    isError: result.isError,
  });
  await hooks.emit("tool.done", { ...who, args, result: output, cached: false });
  return result;
}

/** Asks every guard again about a call that a person has changed; the result has a `reason` if it must not run. */
async function judgedAgain(
  hooks: Emitter,
  { tool, toolCallId, signal, accept }: WrappedCall,
  wanted: WrappedCall["args"],
): Promise<Pick<WrappedCall, "args"> & { readonly reason?: string; readonly halt?: WrappedResult["halt"] }> {
  const given = accepted({ tool, toolCallId, args: wanted, accept });
  if ("problem" in given)
    return { args: wanted, reason: `The call was changed, and the changed call cannot run: ${given.problem}` };
  const { args } = given;
  const { answer, edits } = await hooks.emit("tool.before", { tool, toolCallId, args }, { signal, accept });
  const { halt } = answer;
  if (answer.decision === "deny") return { args, reason: answer.reason ?? "Tool execution was blocked", halt };
  if (halt !== undefined) return { args, reason: RUN_ENDED, halt };
  if (edits.length > 0) return { args, reason: "The call was changed, and a hook would change it again" };
  return { args };
}

function accepted({ args, accept }: WrappedCall): Pick<WrappedCall, "args"> | { readonly problem: string } {
  try {
    return { args: accept === undefined ? args : accept(args) };
  } catch (thrown) {
    return { problem: messageOf(thrown) };
  }
}

/** Ends a call with arguments that the tool cannot run with. No guard is asked about it; observers see its end. */
async function impossible(hooks: Emitter, call: WrappedCall, problem: string): Promise<WrappedResult> {
  const { toolCallId, tool, args } = call;
  const raw = failed(problem);
  const { content, details } = raw;
  await hooks.emit("tool.end", { toolCallId, tool, args, result: { content, details }, isError: true });
  return { ...raw, blocked: false, args, additionalContext: [], remarks: [] };
}

interface Raw {
  readonly content: readonly Content[];
  readonly details: unknown;
  readonly isError: boolean;
}

async function attempt(
  run: (args: Readonly<Record<string, unknown>>) => ToolOutput | Promise<ToolOutput>,
  args: Readonly<Record<string, unknown>>,
): Promise<Raw> {
  try {
    const output: unknown = await run(args);
    const whole = (isObject(output) && !Array.isArray(output) ? output : { content: output }) as Partial<Raw>;
    const { content, details, isError = false } = whole;
    if (typeof content === "string") return { content: [{ type: "text", text: content }], details, isError };
    if (Array.isArray(content) && content.every(isObject)) return { content: content as Content[], details, isError };
    return failed(`The tool returned ${briefly(output)}, which is neither a text nor content blocks.`);
  } catch (thrown) {
    return failed(isObject(thrown) && !("message" in thrown) ? briefly(thrown) : messageOf(thrown));
  }
}

/** Shortens a tool's return value for an error message. Redactors see that message like any result. */
function briefly(value: unknown): string {
  if (value === undefined) return "nothing";
  let text: string;
  try {
    text = JSON.stringify(value) ?? `a ${typeof value}`;
  } catch {
    text = jsonKind(value);
  }
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

function failed(text: string): Raw {
  return { content: [{ type: "text", text }], details: undefined, isError: true };
}
