import type { LaneRow } from "@hookline/runtime/dialect";
import { answerOnly, halt, last, record, row } from "@hookline/runtime/dialect";
import type { Failure } from "@hookline/runtime/engine";
import {
  contentInPlace,
  isAnyTruth,
  isBlocks,
  isBoolean,
  isSayable,
  loose,
  property,
  strictContent,
  withheld,
} from "../../in-process/rows.ts";
import { HANDLER_MS, TOOL_CALL_MS, told } from "./told.ts";
import { idsOf, type ToolCallAnswer, type ToolResultAnswer, toolCallView, toolResultView } from "./views.ts";

/** The rows of one tool call, from the model's request to its result. */
export const callRows: readonly LaneRow[] = [
  told("tool_execution_start", "tool.start", (p) => ({ ...idsOf(p), toolName: p.tool, args: p.args }), {
    subject: "toolName",
  }),
  row({
    name: "tool_call",
    of: "tool.before",
    kind: "guard",
    subject: "toolName",
    schedule: "series",
    fold: halt<ToolCallAnswer, ToolCallAnswer>(
      { name: "block", by: (answer) => Boolean(property(answer, "block")), keep: answerOnly },
      record<ToolCallAnswer>({ input: last() }),
    ),
    feeds: { input: "draft" },
    read: loose<ToolCallAnswer>({ block: isAnyTruth, reason: isSayable, terminate: isBoolean }),
    failed: (failure) => ({ block: true, reason: blockedBy(failure) }),
    timeoutMs: TOOL_CALL_MS,
    view: toolCallView,
  }),
  told(
    "tool_execution_update",
    "tool.update",
    (p) => ({ ...idsOf(p), toolName: p.tool, args: p.args, partialResult: p.partial }),
    { subject: "toolName" },
  ),
  row({
    name: "tool_result",
    of: "tool.after",
    // pi fires no event for the results of refused calls.
    when: ({ blocked }) => !blocked,
    kind: "redactor",
    subject: "toolName",
    schedule: "all",
    fold: record<ToolResultAnswer>({ content: last(), details: last(), structuredContent: last(), isError: last() }),
    feeds: { content: "draft", details: "draft", structuredContent: "chain", isError: "chain" },
    read: strictContent(
      loose<ToolResultAnswer>({
        content: isBlocks,
        details: isAnyTruth,
        structuredContent: isAnyTruth,
        isError: isBoolean,
      }),
    ),
    inPlace: contentInPlace,
    failed: withheld,
    timeoutMs: HANDLER_MS,
    view: toolResultView,
  }),
  told(
    "tool_execution_end",
    "tool.end",
    (p) => ({
      ...idsOf(p),
      toolName: p.tool,
      result: p.result,
      isError: p.isError,
      ...(p.durationMs !== undefined && { durationMs: p.durationMs }),
    }),
    { subject: "toolName" },
  ),
];

/** Returns pi's message for a guard that failed: the thrown error's own, or else one that says what happened. */
function blockedBy({ cause, error, message }: Failure): string {
  return cause === "threw" && hasMessage(error) ? message : `Extension failed, blocking execution: ${message}`;
}

function hasMessage(thrown: unknown): boolean {
  try {
    return typeof (thrown as { readonly message?: unknown } | null)?.message === "string";
  } catch {
    return false;
  }
}
