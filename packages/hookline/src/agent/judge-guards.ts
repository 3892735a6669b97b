import { AsyncLocalStorage } from "node:async_hooks";
import type { Content } from "@hookline/runtime/engine";
import { ask } from "../hook/ask.ts";
import { remarkBlocks } from "../hook/context.ts";
import { RUN_ENDED } from "../hook/halts.ts";
import { decide } from "../turn/approval.ts";
import type { Core } from "../turn/core.ts";
import type { Agent } from "./agent.ts";

/** A tool call by a judge: an agent that a hook uses to judge something. */
interface JudgeCall {
  readonly id: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

interface JudgeResult {
  readonly content: readonly Content[];
  readonly details?: unknown;
  readonly isError: boolean;
}

/** The session's guards, applied to the tool calls of judges. */
export interface JudgeGuards {
  /** Returns the arguments with which the call may run, or why it may not run. */
  before(
    call: JudgeCall,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly args: unknown } | { readonly refused: string }>;
  /** Returns the result as hooks have edited it. */
  after(call: JudgeCall, result: JudgeResult, signal: AbortSignal | undefined): Promise<JudgeResult>;
}

/** The deepest nesting of judges: hooks may ask a judge about the tool call of another judge. */
const MAX_DEPTH = 3;

const depth = new AsyncLocalStorage<number>();

/**
 * Makes the guards that ask the session's hooks about the tool calls of judges, before and after each call. Without an
 * agent, no hook is asked, and every call may run.
 */
export function judgeGuards(late: { readonly agent?: Agent }): JudgeGuards {
  const remarks: Remarks = new Map();
  return {
    before: async (call, signal) =>
      late.agent === undefined ? { args: call.args } : judged(late.agent.core, call, remarks, signal),
    after: async (call, result, signal) =>
      late.agent === undefined ? result : edited(late.agent.core, call, result, remarks, signal),
  };
}

/** Texts that hooks attach to the results of running calls, by call id. */
type Remarks = Map<string, readonly string[]>;

async function judged(
  core: Core,
  call: JudgeCall,
  remarks: Remarks,
  signal?: AbortSignal,
): ReturnType<JudgeGuards["before"]> {
  const { id: toolCallId, tool, args } = call;
  const level = (depth.getStore() ?? 0) + 1;
  if (level > MAX_DEPTH)
    return {
      refused: `Agents that judge calls were asked about each other's calls, ${MAX_DEPTH} deep; let none of them judge the calls of others.`,
    };
  const {
    answer,
    by = [],
    byHooks,
  } = await depth.run(level, () => ask(core, "tool.before", { toolCallId, tool, args }, signal));
  const given = answer.args ?? args;
  core.halts.take(answer.halt);
  if (answer.decision === "deny") return { refused: answer.reason ?? "Tool execution was blocked" };
  if (answer.halt !== undefined) return { refused: RUN_ENDED };
  if (answer.remark !== undefined) remarks.set(toolCallId, answer.remark);
  if (answer.decision !== "ask") return { args: given };
  const title = `Run ${tool} for an agent that judges for a hook?`;
  const decided = await depth.run(level, () =>
    decide(core, {
      toolCallId,
      tool,
      args: given,
      reason: answer.reason,
      askedBy: by,
      hooks: byHooks,
      title,
      signal: signal ?? core.patience.signal,
    }),
  );
  return decided.approved ? { args: decided.args } : { refused: decided.reason };
}

async function edited(
  core: Core,
  call: JudgeCall,
  result: JudgeResult,
  remarks: Remarks,
  signal?: AbortSignal,
): Promise<JudgeResult> {
  const { id: toolCallId, tool, args } = call;
  const { content, details, isError } = result;
  const { answer } = await ask(
    core,
    "tool.after",
    { toolCallId, tool, args, content, details, isError, blocked: false },
    signal?.aborted ? undefined : signal,
  );
  core.halts.take(answer.halt);
  const beside = [...(remarks.get(toolCallId) ?? []), ...(answer.remark ?? [])];
  remarks.delete(toolCallId);
  return {
    content: [...(answer.content ?? content), ...remarkBlocks(beside)],
    details: "details" in answer ? answer.details : details,
    isError: answer.isError ?? isError,
  };
}
