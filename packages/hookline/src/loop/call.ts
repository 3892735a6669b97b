import { type Content, messageOf, type ToolCallBlock, type ToolResultMessage, textOf } from "@hookline/runtime";
import { validateArguments } from "../tool/schema.ts";
import type { Tool, ToolResult } from "../tool/tool.ts";
import { ask, type Run } from "./core.ts";

type Args = Readonly<Record<string, unknown>>;

/** A call after its judgement. */
export type Judged =
  | { readonly kind: "allowed"; readonly call: ToolCallBlock; readonly tool: Tool; readonly args: Args }
  | {
      readonly kind: "refused";
      readonly call: ToolCallBlock;
      readonly args: Args;
      readonly reason: string;
      readonly rest: boolean;
      readonly terminate: boolean;
    }
  /** Unknown tool or impossible arguments: no guard is asked. */
  | { readonly kind: "impossible"; readonly call: ToolCallBlock; readonly reason: string };

/** A call's result, and whether it asks for the run to end. */
export interface Settled {
  readonly message: ToolResultMessage;
  readonly terminate: boolean;
}

/** Takes up one call and asks the guards about it. */
export async function judge(
  run: Run,
  call: ToolCallBlock,
  about: {
    readonly invalid: string | undefined;
    readonly hidden: ReadonlySet<string>;
    readonly refusal: string | undefined;
  },
): Promise<Judged> {
  const { core, signal } = run;
  const who = { toolCallId: call.id, tool: call.name };
  core.tell({ type: "tool_execution_start", toolCallId: call.id, toolName: call.name, args: call.arguments });
  await ask(core, "tool.start", { ...who, args: call.arguments });
  const found = core.tools().get(call.name);
  if (found === undefined || about.hidden.has(call.name))
    return { kind: "impossible", call, reason: `Tool ${call.name} not found` };
  if (about.invalid !== undefined) {
    return { kind: "impossible", call, reason: `The arguments of ${call.name} are not valid JSON:\n${about.invalid}` };
  }
  let args: Args;
  try {
    args = validateArguments(found.tool, found.tool.prepareArguments?.(call.arguments) ?? call.arguments);
  } catch (thrown) {
    return { kind: "impossible", call, reason: messageOf(thrown) };
  }
  if (about.refusal !== undefined)
    return { kind: "refused", call, args, reason: about.refusal, rest: true, terminate: false };
  const { answer } = await ask(core, "tool.before", { ...who, args }, signal);
  const edited = answer.args ?? args;
  for (const text of answer.additionalContext ?? []) run.nextContext.push(text);
  const refuse = (reason: string): Judged => ({
    kind: "refused",
    call,
    args: edited,
    reason,
    rest: answer.rest === "refuse",
    terminate: answer.terminate ?? false,
  });
  if (signal.aborted) return refuse("Operation aborted");
  if (answer.decision === "deny") return refuse(answer.reason ?? "Tool execution was blocked");
  if (answer.decision === "ask" && !(await approve(run, call, answer.reason)))
    return refuse(answer.reason ?? "Tool call denied by user");
  if (edited === args) return { kind: "allowed", call, tool: found.tool, args };
  try {
    return { kind: "allowed", call, tool: found.tool, args: validateArguments(found.tool, edited) };
  } catch (thrown) {
    return { kind: "impossible", call, reason: messageOf(thrown) };
  }
}

/** Puts an `ask` to the person; without a screen it is a denial. */
async function approve(run: Run, call: ToolCallBlock, reason: string | undefined): Promise<boolean> {
  const { core } = run;
  const who = { toolCallId: call.id, tool: call.name };
  await ask(core, "approval.requested", { ...who, ...(reason !== undefined && { reason }) });
  const approved =
    (await core.confirm?.(
      `Run ${call.name}?`,
      [reason ?? "", JSON.stringify(call.arguments, null, 2)].join("\n").trim(),
    )) ?? false;
  await ask(core, "approval.resolved", {
    ...who,
    approved,
    ...(core.confirm === undefined && { reason: "no interactive UI available" }),
  });
  return approved;
}

/** Runs an allowed call, then lets the hooks see and edit what came of it. */
export async function finish(run: Run, judged: Judged): Promise<Settled> {
  const { call } = judged;
  if (judged.kind === "impossible")
    return record(run, call, call.arguments, errorResult(judged.reason), true, undefined);
  const blocked = judged.kind === "refused";
  const raw = blocked
    ? { result: errorResult(judged.reason), isError: true }
    : await execute(run, judged.tool, judged.args, call);
  const { core, signal } = run;
  const { answer } = await ask(
    core,
    "tool.after",
    {
      toolCallId: call.id,
      tool: call.name,
      args: judged.args,
      content: raw.result.content,
      details: raw.result.details,
      isError: raw.isError,
      blocked,
    },
    signal.aborted ? undefined : signal,
  );
  for (const text of answer.additionalContext ?? []) run.nextContext.push(text);
  const result: ToolResult = {
    ...raw.result,
    ...(answer.content !== undefined && { content: answer.content }),
    ...("details" in answer && { details: answer.details }),
  };
  // A denial stays one, whatever a later hook says.
  const isError = blocked ? true : (answer.isError ?? raw.isError);
  return record(run, call, judged.args, result, isError, {
    terminate: blocked ? judged.terminate : (raw.result.terminate ?? false),
  });
}

async function execute(
  run: Run,
  tool: Tool,
  args: Args,
  call: ToolCallBlock,
): Promise<{ result: ToolResult; isError: boolean }> {
  const { core, signal } = run;
  if (signal.aborted) return { result: errorResult("Operation aborted"), isError: true };
  const onUpdate = (partial: ToolResult): void => {
    core.tell({
      type: "tool_execution_update",
      toolCallId: call.id,
      toolName: call.name,
      args,
      partialResult: partial,
    });
    if (core.hooks.has("tool.update"))
      void ask(core, "tool.update", { toolCallId: call.id, tool: call.name, args, partial });
  };
  try {
    const result = await tool.execute(call.id, args as never, signal, onUpdate, undefined);
    return { result: { ...result, content: result.content ?? [] }, isError: result.isError ?? false };
  } catch (thrown) {
    return { result: errorResult(messageOf(thrown)), isError: true };
  }
}

/** Tells everybody what the model will see. `known` is absent for a call that no guard was asked about. */
async function record(
  run: Run,
  call: ToolCallBlock,
  args: Args,
  result: ToolResult,
  isError: boolean,
  known: { readonly terminate: boolean } | undefined,
): Promise<Settled> {
  const { core } = run;
  const who = { toolCallId: call.id, tool: call.name };
  const output = textOf(result.content);
  if (known !== undefined) await ask(core, "tool.output", { ...who, args, output, finalOutput: output, cached: false });
  await ask(core, "tool.end", { ...who, args, result: { content: result.content, details: result.details }, isError });
  core.tell({ type: "tool_execution_end", toolCallId: call.id, toolName: call.name, result, isError });
  if (known !== undefined) await ask(core, "tool.done", { ...who, args, result: output, cached: false });
  const message: ToolResultMessage = {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content: result.content,
    ...(result.details !== undefined && { details: result.details }),
    isError,
    timestamp: Date.now(),
  };
  return { message, terminate: known?.terminate ?? false };
}

function errorResult(text: string): ToolResult {
  const content: Content[] = [{ type: "text", text }];
  return { content, details: {} };
}
