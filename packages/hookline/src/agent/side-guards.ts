import { AsyncLocalStorage } from "node:async_hooks";
import type { SideCall, SideGuards, SideResult } from "../compat/side/parts.ts";
import { ask } from "../hook/ask.ts";
import { remarkBlocks } from "../hook/context.ts";
import { RUN_ENDED } from "../hook/halts.ts";
import { decide } from "../turn/approval.ts";
import type { Core } from "../turn/core.ts";
import type { Agent } from "./agent.ts";

/** How deeply guards may open side sessions whose calls are judged in turn. */
const MAX_DEPTH = 3;

const depth = new AsyncLocalStorage<number>();

/**
 * Has the session's hooks judge the calls of side sessions like the session's own: `tool.before`, its answers, then
 * `tool.after`. Without an agent, nothing judges them.
 */
export function sideGuards(late: { readonly agent?: Agent }): SideGuards {
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
  call: SideCall,
  remarks: Remarks,
  signal?: AbortSignal,
): ReturnType<SideGuards["before"]> {
  const { id: toolCallId, tool, args } = call;
  const level = (depth.getStore() ?? 0) + 1;
  if (level > MAX_DEPTH)
    return {
      refused: `A hook that judges calls opened a side session whose calls it judges in turn, ${MAX_DEPTH} deep; give that side session no tools.`,
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
  const title = `Run ${tool} in a hook's side session?`;
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
  call: SideCall,
  result: SideResult,
  remarks: Remarks,
  signal?: AbortSignal,
): Promise<SideResult> {
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
