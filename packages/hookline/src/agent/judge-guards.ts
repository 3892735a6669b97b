import { AsyncLocalStorage } from "node:async_hooks";
import type { Content } from "@hookline/runtime/engine";
import { ask } from "../hook/ask.ts";
import { remarkBlocks } from "../hook/context.ts";
import { RUN_ENDED } from "../hook/halts.ts";
import { decide } from "../turn/approval.ts";
import type { Core } from "../turn/core.ts";
import type { Agent } from "./agent.ts";

/** A call from the model of an agent that judges for a hook. */
interface JudgeCall {
  readonly id: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The result of a judge's tool. */
interface JudgeResult {
  readonly content: readonly Content[];
  readonly details?: unknown;
  readonly isError: boolean;
}

/** The session's guards, which also judge the calls of agents that judge for a hook. */
export interface JudgeGuards {
  /** The arguments that the call may run with, or why it may not run. */
  before(
    call: JudgeCall,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly args: unknown } | { readonly refused: string }>;
  /** The result as the hooks leave it. */
  after(call: JudgeCall, result: JudgeResult, signal: AbortSignal | undefined): Promise<JudgeResult>;
}

/** The maximum depth to which judges are asked about the calls of judges. */
const MAX_DEPTH = 3;

const depth = new AsyncLocalStorage<number>();

/**
 * Asks the session's hooks about the calls of judges as about the session's own: `tool.before`, its answers, then
 * `tool.after`. Without an agent, nothing judges them.
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

/** Text that hooks attach to the results of running calls, by call id. */
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
