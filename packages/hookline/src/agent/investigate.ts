import { messageOf } from "@hookline/ground";
import { type Message, textOf } from "@hookline/runtime";
import type { AssistantMessage, LlmCall, LlmReport, ToolCallBlock, ToolResultMessage } from "@hookline/runtime/engine";
import { acceptArguments, validateArguments } from "../tool/schema.ts";
import type { Tool } from "../tool/tool.ts";
import type { JudgeGuards } from "./judge-guards.ts";

/** Sends one request with the conversation so far and the tools that the model may call. */
export type AskModel = (
  messages: readonly Message[],
  tools: readonly Tool[],
) => Promise<AssistantMessage | Extract<LlmReport, { readonly ok: false }>>;

/** The tools, guards and context with which a judging agent works. */
export interface Looking {
  readonly tools: readonly Tool[];
  readonly guards: JudgeGuards;
  /** The context object that is passed to each tool. */
  readonly context: object;
}

/** Counts the runs of judges, so that the ids of their calls are unique. */
let runs = 0;

/**
 * Lets a judging model use read-only tools until it answers, with at most `maxTurns` requests. The session's hooks
 * judge its tool calls like the agent's own. None of these requests and results is stored in the session.
 */
export async function investigate(
  ask: AskModel,
  { prompt, maxTurns, signal }: LlmCall & { readonly maxTurns: number },
  looking: Looking,
): Promise<LlmReport> {
  const run = ++runs;
  const messages: Message[] = [{ role: "user", content: prompt, timestamp: Date.now() }];
  for (let turn = 1; turn <= maxTurns; turn++) {
    const reply = await ask(messages, looking.tools);
    if ("ok" in reply) return reply;
    const calls = reply.content.filter((block): block is ToolCallBlock => block.type === "toolCall");
    if (calls.length === 0) return { ok: true, text: textOf(reply.content), usage: reply.usage };
    if (reply.stopReason === "length")
      return {
        ok: false,
        cause: "failed",
        message: "the reply was cut off at its limit, in the middle of a tool call",
      };
    messages.push(reply);
    for (const call of calls) messages.push(await resultOf(call, `judge-${run}-${call.id}`, looking, signal));
  }
  return { ok: false, cause: "failed", message: `the agent gave no answer within ${maxTurns} requests` };
}

async function resultOf(
  call: ToolCallBlock,
  id: string,
  { tools, guards, context }: Looking,
  signal: AbortSignal | undefined,
): Promise<ToolResultMessage> {
  const result = (content: ToolResultMessage["content"], isError: boolean): ToolResultMessage => ({
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content,
    isError,
    timestamp: Date.now(),
  });
  const failed = (text: string): ToolResultMessage => result([{ type: "text", text }], true);
  const tool = tools.find(({ name }) => name === call.name);
  if (tool === undefined)
    return failed(`There is no tool "${call.name}"; use ${tools.map(({ name }) => name).join(", ")}.`);
  try {
    const written = validateArguments(tool, tool.prepareArguments?.(call.arguments) ?? call.arguments);
    const judged = await guards.before({ id, tool: tool.name, args: written }, signal);
    if ("refused" in judged) return failed(judged.refused);
    const args = acceptArguments(tool, judged.args);
    const given = await run(tool, id, args, { signal, context });
    const kept = await guards.after({ id, tool: tool.name, args }, given, signal);
    return result(kept.content as ToolResultMessage["content"], kept.isError);
  } catch (thrown) {
    return failed(messageOf(thrown));
  }
}

/** Runs a tool. An error of the tool becomes a result too, which hooks may edit. */
async function run(
  tool: Tool,
  id: string,
  args: Record<string, unknown>,
  { signal, context }: { readonly signal: AbortSignal | undefined; readonly context: object },
) {
  try {
    const { content, details, isError = false } = await tool.execute(id, args, signal, undefined, context);
    return { content, details, isError };
  } catch (thrown) {
    return { content: [{ type: "text" as const, text: messageOf(thrown) }], isError: true };
  }
}
