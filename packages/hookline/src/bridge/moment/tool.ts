import { isDeepStrictEqual } from "node:util";
import { textOf } from "@hookline/runtime";
import type { Content } from "@hookline/runtime/internal";
import type { HostHooks } from "../host.ts";

type Args = Readonly<Record<string, unknown>>;

/** One tool call, with the names of hookline's own tools where it has the same tool. */
export interface ToolCall {
  readonly toolCallId: string;
  readonly tool: string;
  readonly args: Args;
}

/** What the hooks made of a call that has not run. */
export interface CallVerdict {
  /** The call must not run, and why; never empty. */
  readonly refused?: string;
  /** Why the person is to be asked; only of a host that can. */
  readonly ask?: string;
  /** The arguments as hooks have rewritten them; absent where they left them alone. */
  readonly args?: Args;
  /** Texts for the model, beside the call. */
  readonly context: readonly string[];
  /** The run is to end, too: where the host can do no more than refuse, the call is refused. */
  readonly halt?: string;
}

/**
 * Asks whether and how a call runs. An `ask` is a refusal where the host asks nobody, for the reason that `nobody` gives.
 */
export async function askCall(hooks: HostHooks, call: ToolCall, nobody?: string): Promise<CallVerdict> {
  const ended = hooks.memory.get(ENDED);
  if (typeof ended === "string") return { refused: ended, halt: ended, context: [] };
  await hooks.emit("tool.start", call);
  const { answer } = await hooks.emit("tool.before", call);
  const context = texts([...(answer.additionalContext ?? []), ...(answer.remark ?? [])]);
  const { decision, reason, args, halt } = answer;
  if (halt !== undefined) {
    const because = end(hooks, halt.reason);
    return { refused: reason || because, halt: because, context };
  }
  if (decision === "deny") return { refused: reason || "A hook refused this call.", context };
  const ask = decision === "ask" ? reason || "A hook wants a person to be asked" : undefined;
  if (ask !== undefined && nobody !== undefined) return { refused: `${ask} (${nobody})`, context };
  return {
    ...(ask !== undefined && { ask }),
    ...(args !== undefined && !isDeepStrictEqual(args, call.args) && { args }),
    context,
  };
}

/** The moments of a call that has not run. */
export const CALL_MOMENTS = ["tool.start", "tool.before"] as const;

/**
 * Asks those who judge approvals about a call for which the host is about to ask its person. Who asks is the host, so that
 * no hook may answer for the person: gives why the call must not run, or nothing.
 */
export async function askApproval(hooks: HostHooks, call: ToolCall): Promise<string | undefined> {
  const { answer } = await hooks.emit("approval.requested", call);
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

/** What the hooks made of a result. */
export interface ResultVerdict {
  /** The result as hooks have rewritten it; absent where they left it alone. */
  readonly content?: readonly Content[];
  /** The details as hooks have rewritten them; absent where they left them alone. */
  readonly details?: unknown;
  readonly isError: boolean;
  readonly context: readonly string[];
  /** The run is to end, for this reason. */
  readonly halt?: string;
}

/** Asks about a result, and tells those who only watch what came of it. */
export async function askResult(hooks: HostHooks, result: ToolResult): Promise<ResultVerdict> {
  const { toolCallId, tool, args } = result;
  const { answer } = await hooks.emit("tool.after", { ...result, details: result.details ?? {}, blocked: false });
  const content = answer.content ?? result.content;
  const isError = answer.isError ?? result.isError;
  const [before, after] = [textOf(result.content), textOf(content)];
  await hooks.emit("tool.output", { toolCallId, tool, args, output: before, finalOutput: after, cached: false });
  const told = { content, details: answer.details ?? result.details ?? {}, isError };
  await hooks.emit("tool.end", { toolCallId, tool, args, result: told, isError });
  await hooks.emit("tool.done", { toolCallId, tool, args, result: after, cached: false });
  return {
    // A hook that gives back what it was shown has changed nothing.
    ...(!isDeepStrictEqual(content, result.content) && { content }),
    ...(answer.details !== undefined && { details: answer.details }),
    isError,
    context: texts([...(answer.additionalContext ?? []), ...(answer.remark ?? [])]),
    ...(answer.halt !== undefined && { halt: end(hooks, answer.halt.reason) }),
  };
}

/** The moments of a result. */
export const RESULT_MOMENTS = ["tool.after", "tool.output", "tool.end", "tool.done"] as const;

const ENDED = "ended by a hook";

/** Few hosts let a hook end a run; every further call is refused then, until the person says something. */
function end({ memory }: HostHooks, reason: string): string {
  const because = reason || "A hook ended the run.";
  memory.set(ENDED, because);
  return because;
}

/** The person has said something: a run that hooks have ended is over. */
export function beginRun({ memory }: HostHooks): void {
  memory.delete(ENDED);
}

function texts(all: readonly string[]): string[] {
  return all.filter((text) => text.trim() !== "");
}
