import type { LaneRow } from "@hookline/runtime/dialect";
import { answerOnly, collect, type Fold, halt, isString, last, record, row } from "@hookline/runtime/dialect";
import type { FailedHook, Failure } from "@hookline/runtime/engine";
import {
  contentInPlace,
  isAnyTruth,
  isBlocks,
  isBoolean,
  isSayable,
  loose,
  strictContent,
  withheld,
} from "../../in-process/rows.ts";
import { ompCalls } from "./calls.ts";
import {
  extensionResultView,
  HANDLER_MS,
  hookResultView,
  type Limit,
  type ToolCallAnswer,
  type ToolCallOutcome,
  type ToolResultAnswer,
  told,
  toolCallView,
} from "./views.ts";

/**
 * Folds `tool_call` answers. A block ends the event and drops earlier answers. Otherwise the last answer counts, and
 * the additional contexts of all are collected.
 */
const callFold: Fold<ToolCallAnswer, ToolCallOutcome> = halt<ToolCallAnswer, ToolCallOutcome>(
  { name: "block", by: (answer) => Boolean(answer.block), keep: answerOnly as (answer: ToolCallAnswer) => never },
  record<ToolCallAnswer, ToolCallOutcome>({ input: last(), additionalContext: collect() }, last()),
);

const readCall = loose<ToolCallAnswer>({
  block: isAnyTruth,
  reason: isSayable,
  input: isAnyTruth,
  additionalContext: isString,
});

const resultGuards = {
  content: isBlocks,
  details: isAnyTruth,
  additionalContext: isString,
};
/**
 * Reads HookAPI's `tool_result` answers. Their `isError` has no effect, although omp's types have it; `resultRemark`
 * reports its use.
 */
const readHookResult = strictContent(loose<ToolResultAnswer>({ ...resultGuards, isError: isAnyTruth }));
const readExtensionResult = strictContent(loose<ToolResultAnswer>({ ...resultGuards, isError: isBoolean }));

const ran = ({ blocked }: { readonly blocked: boolean }): boolean => !blocked;
/**
 * Every handler sees the tool's own result, with only the in-place changes that earlier handlers made to its content
 * (ruling 64).
 */
const original = { content: "shared", details: "original" } as const;

/** The name of the row for HookAPI's `tool_result` handlers if the setting `mergeOverrides` is on. */
export const MERGED = "tool_result (mergeOverrides)";

/**
 * The rows of one tool call in HookAPI: no time limits, a failing guard blocks with its own error message, and a result
 * is replaced as a whole.
 */
export const hookCallRows: readonly LaneRow[] = [
  row({
    name: "tool_call",
    of: "tool.before",
    kind: "guard",
    subject: "toolName",
    schedule: "series",
    fold: callFold,
    feeds: { input: "draft" },
    read: readCall,
    failed: (failure) => ({ block: true, reason: hookFailed(failure) }),
    view: toolCallView("Tool execution was blocked by a hook"),
  }),
  row<"tool.after", object, ToolResultAnswer, ToolResultAnswer>({
    name: "tool_result",
    of: "tool.after",
    when: ran,
    kind: "redactor",
    subject: "toolName",
    schedule: "all",
    fold: last<ToolResultAnswer>(),
    feeds: original,
    read: readHookResult,
    inPlace: contentInPlace,
    failed: withheld,
    view: hookResultView,
  }),
  row<"tool.after", object, ToolResultAnswer, ToolResultAnswer>({
    name: MERGED,
    of: "tool.after",
    when: ran,
    kind: "redactor",
    subject: "toolName",
    schedule: "all",
    fold: record<ToolResultAnswer>({ content: last(), details: last(), additionalContext: collect() }),
    feeds: original,
    read: readHookResult,
    inPlace: contentInPlace,
    failed: withheld,
    view: hookResultView,
  }),
];

/**
 * The rows of one tool call in ExtensionAPI: time limits, a failing guard blocks with a message that names the
 * extension, and a result is edited field by field.
 */
export function extensionCallRows(limit: Limit): readonly LaneRow[] {
  return [
    told(
      limit,
      "tool_execution_start",
      "tool.start",
      ({ toolCallId, tool, args }) => ({ toolCallId, toolName: ompCalls.name(tool), args }),
      { subject: "toolName" },
    ),
    row({
      name: "tool_call",
      of: "tool.before",
      kind: "guard",
      subject: "toolName",
      schedule: "series",
      fold: callFold,
      feeds: { input: "draft" },
      read: readCall,
      failed: (failure, hook) => ({ block: true, reason: extensionFailed(failure, hook) }),
      ...limit,
      view: toolCallView("Tool execution was blocked by an extension"),
    }),
    told(
      limit,
      "tool_execution_update",
      "tool.update",
      ({ toolCallId, tool, args, partial }) => ({
        toolCallId,
        toolName: ompCalls.name(tool),
        args,
        partialResult: partial,
      }),
      { subject: "toolName" },
    ),
    row<"tool.after", object, ToolResultAnswer, ToolResultAnswer>({
      name: "tool_result",
      of: "tool.after",
      when: ran,
      kind: "redactor",
      subject: "toolName",
      schedule: "all",
      fold: record<ToolResultAnswer>({
        content: last(),
        details: last(),
        isError: last(),
        additionalContext: collect(),
      }),
      feeds: { content: "draft", details: "chain", isError: "chain" },
      read: readExtensionResult,
      inPlace: contentInPlace,
      failed: withheld,
      ...limit,
      view: extensionResultView,
    }),
    told(
      limit,
      "tool_execution_end",
      "tool.end",
      ({ toolCallId, tool, result, isError }) => ({ toolCallId, toolName: ompCalls.name(tool), result, isError }),
      { subject: "toolName" },
    ),
  ];
}

/** Returns HookAPI's message for a guard that failed: the thrown error's own, or else one that says what happened. */
export function hookFailed({ cause, error, message }: Failure): string {
  const own = cause === "threw" && typeof (error as { readonly message?: unknown } | null)?.message === "string";
  return own ? message : `Hook failed, blocking execution: ${message}`;
}

/** Returns ExtensionAPI's message for a guard that failed. Source: spec/omp.md 1.2. */
function extensionFailed({ cause, message }: Failure, hook: FailedHook & { readonly timeoutMs?: number | undefined }) {
  return cause === "timeout"
    ? `Extension ${hook.path} timed out after ${hook.timeoutMs ?? HANDLER_MS}ms`
    : `Extension ${hook.path} failed: ${message}`;
}
