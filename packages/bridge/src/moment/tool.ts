import { isDeepStrictEqual } from "node:util";
import { type EventName, type Outcome, textOf } from "@hookline/runtime";
import { type AgentTools, type CallReading, type Content, type NamedCall, readCall } from "@hookline/runtime/engine";
import type { HostHooks } from "../host/host.ts";
import { askSpawn } from "./sub-agent.ts";

type Args = Readonly<Record<string, unknown>>;

/** One tool call of a host. If hookline has the same tool, it goes by the names of that tool and its arguments. */
export interface ToolCall extends NamedCall {
  readonly toolCallId: string;
}

/** A tool call of a host, with what the host's table of tools says about it. */
export interface HostToolCall {
  readonly toolCallId: string;
  readonly reading: CallReading;
}

interface GivenCall {
  readonly toolCallId?: string | undefined;
  readonly name: string;
  readonly args: unknown;
  /** The MCP server and the tool's name there, if the host reports them. */
  readonly of?: { readonly server: string; readonly tool: string } | undefined;
}

/** Reads a tool call by the table of its host's tools, and passes it to the observer `saw`. */
export function callIn(
  tools: AgentTools,
  { servers, saw }: Pick<HostHooks, "servers" | "saw">,
  { toolCallId = "", name, args, of }: GivenCall,
): HostToolCall {
  const originOf = () => (of === undefined ? { servers: servers() } : { servers: [of.server], tool: of.tool });
  const reading = readCall(tools, name, args, originOf);
  saw?.(reading);
  return { toolCallId, reading };
}

/** Returns the call as the host made it, with hookline's names for the tool and its arguments. */
export function toldOf({ toolCallId, reading }: HostToolCall): ToolCall {
  return { toolCallId, ...reading.told };
}

/** The hooks' decision about a call that has not run. */
export interface CallVerdict {
  /** The reason why the call must not run; never empty. */
  readonly refused?: string;
  /** The reason why the person must be asked; only for a host that can ask. */
  readonly ask?: string;
  /** The host's arguments as hooks have rewritten them; absent if they have not. */
  readonly args?: Args;
  /** Texts for the model, beside the call. */
  readonly context: readonly string[];
  /** The reason why the whole run must end. A host that cannot end a run refuses the call. */
  readonly halt?: string;
  /** Whether a hook has failed; its error message may then be part of the reason. */
  readonly hasFailed?: true;
}

/** Options for asking about a call. */
export interface Asking {
  /** The reason why nobody can be asked: then an `ask` is a refusal. */
  readonly nobody?: string;
  /** The model that a sub-agent of this call would have, if the host reports it. */
  readonly model?: string;
}

/**
 * Asks the hooks whether and how a call runs; a patch is judged file by file. If guards listen, a call with a missing
 * or unreadable argument is refused, because they could not judge it. Throws, which also refuses the call, if the
 * arguments are not an object, or if the host's tool has no way to do what a hook has changed.
 */
export async function askCall(hooks: HostHooks, call: HostToolCall, asking: Asking = {}): Promise<CallVerdict> {
  const ended = hooks.memory.get(ENDED);
  if (typeof ended === "string") return { refused: ended, halt: ended, context: [] };
  const { toolCallId, reading } = call;
  await hooks.emit("tool.start", toldOf(call));
  if (reading.guessed.length > 0) tellUnknown(hooks, reading.name);
  const isGuarded = hooks.listens("tool.before");
  if (reading.isUnread && isGuarded) throw new Error(`${reading.problem}, so hooks could not judge it`);
  const context: string[] = [];
  let { args } = reading;
  let ask: string | undefined;
  for (const { tool, aliases, isAgain, get, put } of reading.views) {
    const verdict = await judge(hooks, { toolCallId, tool, aliases, args: get(args) }, asking);
    context.push(...verdict.context.filter((text) => !context.includes(text)));
    if (verdict.refused !== undefined) return { ...verdict, context };
    ask ??= verdict.ask;
    if (verdict.args !== undefined && !(isAgain && args !== reading.args)) args = put(verdict.args, args);
  }
  const parts = reading.parts(args);
  const problem = reading.problem ?? parts.problem;
  for (const [at, part] of parts.calls.entries()) {
    const verdict = await judge(hooks, { ...part, toolCallId: `${toolCallId}#${at + 1}` }, asking);
    context.push(...verdict.context);
    if (verdict.refused !== undefined) return { ...verdict, context };
    ask ??= verdict.ask;
    if (verdict.args !== undefined) return { refused: unwritten(reading.name, part), context };
  }
  if (problem !== undefined && isGuarded)
    return { refused: `hookline: ${problem}, so hooks could not judge it`, context };
  const spawn = await askSpawn(hooks, reading.entry ?? { kind: "other" }, args, asking.model ?? "");
  if (spawn.refused !== undefined) return { refused: spawn.refused, context };
  args = spawn.args ?? args;
  return { ...(ask !== undefined && { ask }), ...(!isDeepStrictEqual(args, reading.args) && { args }), context };
}

/** Asks the guards about one call, which has hookline's names for the tool and its arguments. */
async function judge(hooks: HostHooks, call: ToolCall, { nobody }: Asking): Promise<CallVerdict> {
  const { answer, hooks: runs } = await hooks.emit("tool.before", call);
  const failed = hasFailed(runs) ? ({ hasFailed: true } as const) : {};
  const context = texts([...(answer.additionalContext ?? []), ...(answer.remark ?? [])]);
  const { decision, reason, args, halt } = answer;
  if (halt !== undefined) {
    const because = end(hooks, halt.reason);
    return { refused: reason || because, halt: because, context, ...failed };
  }
  if (decision === "deny") return { refused: reason || "A hook refused this call.", context, ...failed };
  const ask = decision === "ask" ? reason || "A hook wants a person to be asked" : undefined;
  if (ask !== undefined && nobody !== undefined) return { refused: `${ask} (${nobody})`, context, ...failed };
  return {
    ...failed,
    ...(ask !== undefined && { ask }),
    ...(args !== undefined && !isDeepStrictEqual(args, call.args) && { args }),
    context,
  };
}

/** Whether a hook failed to answer. */
export function hasFailed(runs: Outcome["hooks"]): boolean {
  return runs.some(({ status }) => status === "failed" || status === "timed-out");
}

function unwritten(name: string, { tool, args }: NamedCall): string {
  const what = args["path"] ?? args["url"] ?? `a ${tool} call`;
  return `A hook rewrote what this call of ${name} does to ${String(what)}. One part of such a call cannot be rewritten, so nothing of it was done.`;
}

/** Tells the person, once in a session, of a tool that no table knows. */
function tellUnknown({ memory, tell }: HostHooks, name: string): void {
  const key = `unknown tool ${name}`;
  if (memory.has(key)) return;
  memory.set(key, true);
  tell(
    `hookline: The tool "${name}" is not known to this version. Its calls are judged by their arguments, as a shell, a write or a patch.`,
  );
}

/** Returns hookline's events for a call that has not run, for a host with these tools. */
export function callMoments({ tools }: AgentTools): readonly EventName[] {
  const hasSpawn = Object.values(tools).some(({ starts }) => starts !== undefined);
  return ["tool.start", "tool.before", ...(hasSpawn ? (["agent.spawn"] as const) : [])];
}

/**
 * Asks the hooks that judge approvals about a call for which the host is about to ask its person. The host itself asks,
 * so no hook may approve for the person. Returns why the call must not run, or `undefined`.
 */
export async function askApproval(hooks: HostHooks, call: HostToolCall): Promise<string | undefined> {
  const { answer } = await hooks.emit("approval.requested", toldOf(call));
  if (answer.halt !== undefined) return end(hooks, answer.halt.reason);
  return answer.decision === "deny" ? answer.reason || "A hook refused this call." : undefined;
}

/** A call that has run. */
export interface ToolResult extends ToolCall {
  readonly content: readonly Content[];
  readonly details?: unknown;
  readonly isError: boolean;
  readonly durationMs?: number;
}

/** The hooks' changes to a result. */
export interface ResultVerdict {
  /** The result as hooks have rewritten it; absent if they have not. */
  readonly content?: readonly Content[];
  /** The details as hooks have rewritten them; absent if they have not. */
  readonly details?: unknown;
  readonly isError: boolean;
  readonly context: readonly string[];
  /** The reason why the run must end. */
  readonly halt?: string;
}

/** Asks the hooks about the result of a tool call, and notifies observers of the outcome. */
export async function askResult(hooks: HostHooks, result: ToolResult): Promise<ResultVerdict> {
  const { content: _, details: __, isError: ___, durationMs: ____, ...call } = result;
  const { answer } = await hooks.emit("tool.after", { ...result, details: result.details ?? {}, blocked: false });
  const content = answer.content ?? result.content;
  const isError = answer.isError ?? result.isError;
  const [before, after] = [textOf(result.content), textOf(content)];
  await hooks.emit("tool.output", { ...call, output: before, finalOutput: after, cached: false });
  const told = { content, details: answer.details ?? result.details ?? {}, isError };
  await hooks.emit("tool.end", { ...call, result: told, isError });
  await hooks.emit("tool.done", { ...call, result: after, cached: false });
  return {
    // A hook that returns what it was shown has changed nothing.
    ...(!isDeepStrictEqual(content, result.content) && { content }),
    ...(answer.details !== undefined && { details: answer.details }),
    isError,
    context: texts([...(answer.additionalContext ?? []), ...(answer.remark ?? [])]),
    ...(answer.halt !== undefined && { halt: end(hooks, answer.halt.reason) }),
  };
}

/** hookline's events for a tool's result. */
export const RESULT_MOMENTS = ["tool.after", "tool.output", "tool.end", "tool.done"] as const;

const ENDED = "ended by a hook";

/** Ends the run by refusing every further call until the next prompt: few hosts let a hook end it directly. */
function end({ memory }: HostHooks, reason: string): string {
  const because = reason || "A hook ended the run.";
  memory.set(ENDED, because);
  return because;
}

/** Begins a new run, after a prompt: a run that hooks have ended is over. */
export function beginRun({ memory }: HostHooks): void {
  memory.delete(ENDED);
}

function texts(all: readonly string[]): string[] {
  return all.filter((text) => text.trim() !== "");
}
