import { isDeepStrictEqual } from "node:util";
import { messageOf } from "@hookline/ground";
import { textOf } from "@hookline/runtime";
import {
  type Content,
  jsonProblem,
  type ToolCallBlock,
  type ToolResultMessage,
  UNWATCHED,
} from "@hookline/runtime/engine";
import { ask } from "../hook/ask.ts";
import { writersOf } from "../hook/author.ts";
import { remarkBlocks, type WaitingText, waitingTexts } from "../hook/context.ts";
import { RUN_ENDED } from "../hook/halts.ts";
import { type CallFault, callRefusal } from "../provider/limits.ts";
import { reminder } from "../rule/injection.ts";
import type { Rule } from "../rule/rule.ts";
import { dropOutput } from "../tool/output-files.ts";
import { acceptArguments, validateArguments } from "../tool/schema.ts";
import type { Tool, ToolResult } from "../tool/tool.ts";
import { decide } from "./approval.ts";
import { writtenBy } from "./author.ts";
import type { OfferedByAgent, Run } from "./core.ts";

type Args = Readonly<Record<string, unknown>>;

/** A tool call in a reply, or one that a running tool makes. */
interface Call extends ToolCallBlock {
  /** The id of the outer call, if the tool of another call makes this one. */
  readonly parentToolCallId?: string;
  /** Receives partial results for the tool that makes the call. */
  onUpdate?(partial: ToolResult): void;
}

/** A call after hooks have judged it. */
export type Judged =
  | {
      readonly kind: "allowed";
      readonly call: Call;
      readonly tool: Tool;
      readonly args: Args;
      /** Texts that hooks attach to the result. */
      readonly remarks: readonly WaitingText[];
    }
  | {
      readonly kind: "refused";
      readonly call: Call;
      readonly args: Args;
      readonly remarks: readonly WaitingText[];
      readonly reason: string;
      readonly rest: boolean;
      readonly terminate: boolean;
      /** The hooks that refused the call, by file and line. */
      readonly by?: readonly string[];
    }
  /** No hook was asked: the tool is unknown, the arguments are invalid, or the call was aborted before. */
  | { readonly kind: "impossible"; readonly call: Call; readonly reason: string };

/** A call's result. `terminate` says whether it wants the run to end. */
export interface Settled {
  readonly message: ToolResultMessage;
  readonly terminate: boolean;
}

const ABORTED = "Operation aborted";

/** Announces one call and asks the guards about it. */
export async function judge(
  run: Run,
  call: Call,
  about: {
    readonly invalid: string | undefined;
    readonly fault: CallFault | undefined;
    readonly hidden: ReadonlySet<string>;
    readonly refusal: string | undefined;
    /** Why no call in this reply can run; undefined if calls can. */
    readonly impossible: string | undefined;
  },
): Promise<Judged> {
  const { core, signal } = run;
  const who = whoOf(call);
  core.tell({ type: "tool_execution_start", toolCallId: call.id, toolName: call.name, args: call.arguments });
  await ask(core, "tool.start", { ...who, args: call.arguments });
  if (about.impossible !== undefined) return { kind: "impossible", call, reason: about.impossible };
  if (signal.aborted) return { kind: "impossible", call, reason: ABORTED };
  const found = core.tools().get(call.name);
  if (found === undefined || about.hidden.has(call.name))
    return { kind: "impossible", call, reason: `Tool ${call.name} not found` };
  if (about.fault !== undefined) return { kind: "impossible", call, reason: callRefusal(about.fault, call.name) };
  if (about.invalid !== undefined)
    return {
      kind: "impossible",
      call,
      reason: `The arguments of ${call.name} are not valid JSON:\n${about.invalid}`,
    };
  let args: Args;
  try {
    args = validateArguments(found.tool, found.tool.prepareArguments?.(call.arguments) ?? call.arguments);
  } catch (thrown) {
    return { kind: "impossible", call, reason: messageOf(thrown) };
  }
  if (about.refusal !== undefined)
    return { kind: "refused", call, args, remarks: [], reason: about.refusal, rest: true, terminate: false };
  const accept = (edited: Args): Args => acceptArguments(found.tool, edited);
  const { answer, by, byHooks, hooks } = await ask(core, "tool.before", { ...who, args }, signal, accept);
  // `accept` has already checked the hooks' changes. Changing the arguments now would bypass the guards (law 3).
  const judged = answer.args ?? args;
  run.nextContext.push(...waitingTexts("tool.before", answer.additionalContext, hooks));
  const remarks = waitingTexts("tool.before", answer.remark, hooks);
  const refuse = (reason: string): Judged => ({
    kind: "refused",
    call,
    args: judged,
    remarks,
    reason,
    rest: answer.rest === "refuse",
    terminate: answer.terminate ?? false,
    by: writersOf(reason, hooks),
  });
  if (signal.aborted) {
    run.nextContext.push(...remarks);
    return { kind: "impossible", call, reason: ABORTED };
  }
  const ended = core.halts.take(answer.halt);
  if (answer.decision === "deny") return refuse(answer.reason ?? "Tool execution was blocked");
  if (ended !== undefined) return refuse(RUN_ENDED);
  const allowed = (given: Args): Judged => ({ kind: "allowed", call, tool: found.tool, args: given, remarks });
  if (answer.decision !== "ask") return allowed(judged);
  const { reason } = answer;
  const title = `Run ${call.name}?`;
  const decided = await decide(core, {
    ...who,
    args: judged,
    reason,
    askedBy: by ?? [],
    hooks: byHooks,
    title,
    signal,
    accept,
  });
  return decided.approved ? allowed(decided.args) : refuse(decided.reason);
}

/** Returns the fields by which events identify a call. */
function whoOf({ id, name, parentToolCallId }: Call) {
  return { toolCallId: id, tool: name, ...(parentToolCallId !== undefined && { parentToolCallId }) };
}

/** Runs a call if allowed. Hooks on `tool.after` may edit the result. The model reads `rules` before the result. */
export async function finish(run: Run, judged: Judged, rules: readonly Rule[] = []): Promise<Settled> {
  const { call } = judged;
  const impossible = judged.kind === "impossible" ? judged.reason : run.signal.aborted ? ABORTED : undefined;
  if (judged.kind !== "impossible" && impossible !== undefined) run.nextContext.push(...judged.remarks);
  if (judged.kind === "impossible" || impossible !== undefined)
    return record(run, call, call.arguments, errorResult(impossible ?? ABORTED), true, undefined);
  const blocked = judged.kind === "refused";
  const { core, signal } = run;
  const operation = blocked ? UNWATCHED : core.hooks.operation({ kind: "call", tool: call.name, toolCallId: call.id });
  const started = performance.now();
  const raw = blocked
    ? failed(judged.reason)
    : await operation.within(() => execute(run, judged.tool, judged.args, call));
  const ran = blocked ? {} : { durationMs: Math.round(performance.now() - started) };
  operation.end(raw.isError ? { error: signal.aborted ? "aborted" : "tool_error" } : {});
  const { answer, hooks } = await ask(
    core,
    "tool.after",
    {
      ...whoOf(call),
      args: judged.args,
      content: raw.result.content,
      details: raw.details,
      isError: raw.isError,
      blocked,
      ...ran,
    },
    signal.aborted ? undefined : signal,
  );
  run.nextContext.push(...waitingTexts("tool.after", answer.additionalContext, hooks));
  core.halts.take(answer.halt);
  const content = answer.content ?? raw.result.content;
  if (operation.wantsContent) operation.content({ args: judged.args, result: content });
  operation.close();
  const notes = { rules, remarks: [...judged.remarks.map(({ text }) => text), ...(answer.remark ?? [])] };
  const type = core.tools().get(call.name)?.type ?? "plugin";
  const result: ToolResult = {
    ...raw.result,
    ...(!isDeepStrictEqual(content, raw.result.content) && withoutCopies(raw.result, type)),
    content: withRemarks(notes, content),
    ...("details" in answer && { details: answer.details }),
  };
  // A refused call stays an error, whatever a later hook answers.
  const isError = blocked ? true : (answer.isError ?? raw.isError);
  if (!blocked && !raw.isError) core.contexts?.ran(call.name, type, judged.args);
  const output = { toolCallId: call.id, tool: call.name, type, args: judged.args, content };
  const shown = isError ? undefined : await core.contexts?.keep(output);
  return record(run, call, judged.args, result, isError, {
    ...ran,
    terminate: blocked ? judged.terminate : (raw.result.terminate ?? false),
    ...(blocked && { refusedBy: judged.by ?? [] }),
    ...(shown !== undefined && { shown: withRemarks(notes, shown) }),
  });
}

/**
 * Removes copies of the original content from a result that hooks have changed (ruling 91). The copies are the
 * structured content of an MCP server, the text in `details.truncation`, and the file with the full output.
 */
function withoutCopies({ content, details }: ToolResult, type: OfferedByAgent["type"]): Partial<ToolResult> {
  const { fullOutputPath, truncation, ...rest } = (details ?? {}) as Readonly<
    Partial<Record<"fullOutputPath" | "truncation", object>>
  >;
  dropOutput(textOf(content), fullOutputPath);
  if (type === "mcp") return { details: undefined };
  if (fullOutputPath === undefined && truncation === undefined) return {};
  return { details: { ...rest, ...(truncation !== undefined && { truncation: { ...truncation, content: "" } }) } };
}

/** The outcome of a call before hooks edit it. `details` is undefined if the tool returned none. */
interface Raw {
  readonly result: ToolResult;
  readonly details: unknown;
  readonly isError: boolean;
}

/** Makes the outcome of a call that has no result. */
function failed(reason: string): Raw {
  return { result: errorResult(reason), details: undefined, isError: true };
}

async function execute(run: Run, tool: Tool, args: Args, call: Call): Promise<Raw> {
  const { core, signal } = run;
  // Hooks see the partial results of a tool in order, and all of them before the final result.
  let told: Promise<unknown> = Promise.resolve();
  const onUpdate = (partial: ToolResult): void => {
    if (jsonProblem(partial) !== undefined) return;
    core.tell({
      type: "tool_execution_update",
      toolCallId: call.id,
      toolName: call.name,
      args: call.arguments,
      partialResult: partial,
    });
    call.onUpdate?.(partial);
    if (core.hooks.has("tool.update"))
      told = told.then(() => ask(core, "tool.update", { ...whoOf(call), args: call.arguments, partial }));
  };
  try {
    const result = await tool.execute(call.id, args as never, signal, onUpdate, contextFor(run, call));
    const problem = jsonProblem([result.content, result.details]);
    if (problem !== undefined) return failed(`The result of ${call.name} cannot be stored: ${problem}`);
    const { content = [], details, isError = false } = result;
    return { result: { ...result, content }, details, isError };
  } catch (thrown) {
    return failed(messageOf(thrown));
  } finally {
    await told;
  }
}

interface NestedOptions extends Pick<Call, "onUpdate"> {
  readonly signal?: AbortSignal;
}

/** Makes the context for a tool: the current state, and a function that calls other tools. */
function contextFor(run: Run, call: Call): object {
  const { core, offered } = run;
  const { scene, store, model, thinking } = core;
  let calls = 0;
  return {
    get tools() {
      return offered.flatMap((name) => core.tools().get(name)?.tool ?? []);
    },
    executeTool: (name: string, args: unknown, { signal, onUpdate }: NestedOptions = {}) => {
      calls += 1;
      const within = signal === undefined ? run : { ...run, signal: AbortSignal.any([run.signal, signal]) };
      const toolCall = { type: "toolCall", id: `${call.id}/${calls}`, name, arguments: args as Args } as const;
      return callFor(within, toolCall, { parentToolCallId: call.id, ...(onUpdate !== undefined && { onUpdate }) });
    },
    cwd: scene.cwd,
    sessionManager: store,
    model,
    thinkingLevel: thinking,
    asker: core,
    offeredTools: offered,
  };
}

/**
 * Runs a call that a tool makes, with all guards, and returns its result to that tool. Never rejects if the called tool
 * fails, is not offered or is refused: the result says so.
 */
async function callFor(run: Run, toolCall: ToolCallBlock, nested: Omit<Call, keyof ToolCallBlock>): Promise<object> {
  const { core, offered } = run;
  const hidden = new Set([...core.tools().keys()].filter((name) => !offered.includes(name)));
  const refusal = core.halts.hasEnded ? RUN_ENDED : undefined;
  const judged = await judge(
    run,
    { ...toolCall, ...nested },
    {
      invalid: undefined,
      fault: undefined,
      hidden,
      refusal,
      impossible: undefined,
    },
  );
  const { content, details, isError } = (await finish(run, judged)).message;
  return { toolCall, result: { content, details }, isError };
}

/** Combines what the model sees: a reminder of stream rules, the result, then the remarks of hooks. */
function withRemarks(
  { rules, remarks }: { readonly rules: readonly Rule[]; readonly remarks: readonly string[] },
  content: readonly Content[],
): readonly Content[] {
  if (rules.length === 0 && remarks.length === 0) return content;
  const before: Content[] = rules.length === 0 ? [] : [{ type: "text", text: reminder(rules) }];
  return [...before, ...content, ...remarkBlocks(remarks)];
}

/**
 * Announces a result to hooks and listeners, and makes the message with it. If no guard was asked about the call,
 * `known` is undefined, and `tool.output` and `tool.done` do not fire. `shown` replaces an output that was cached.
 */
async function record(
  run: Run,
  call: Call,
  args: Args,
  whole: ToolResult,
  isError: boolean,
  known:
    | {
        readonly terminate: boolean;
        readonly shown?: readonly Content[];
        readonly refusedBy?: readonly string[];
        readonly durationMs?: number;
      }
    | undefined,
): Promise<Settled> {
  const { core } = run;
  const who = whoOf(call);
  const output = textOf(whole.content);
  const cached = known?.shown !== undefined;
  const result: ToolResult = {
    ...whole,
    content: known?.shown ?? whole.content,
    ...(known?.terminate && { terminate: true }),
  };
  writtenBy(result, known?.refusedBy ?? []);
  const finalOutput = textOf(result.content);
  if (known !== undefined) await ask(core, "tool.output", { ...who, args, output, finalOutput, cached });
  const { content, details, terminate } = result;
  const ended = { content, details, ...(terminate && { terminate }) };
  const ran = known?.durationMs === undefined ? {} : { durationMs: known.durationMs };
  await ask(core, "tool.end", { ...who, args, result: ended, isError, ...ran });
  core.tell({ type: "tool_execution_end", toolCallId: call.id, toolName: call.name, result, isError, ...ran });
  if (known !== undefined) await ask(core, "tool.done", { ...who, args, result: output, cached });
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
