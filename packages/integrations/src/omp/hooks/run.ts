import type { Message, Payload } from "@hookline/runtime";
import type { LaneRow } from "@hookline/runtime/dialect";
import { answerOnly, collect, type Fold, first, halt, isString, last, record, row } from "@hookline/runtime/dialect";
import { edit, isAnything, type Read } from "@hookline/runtime/engine";
import { contextView, isAnyTruth, isMessages, isStrings, loose, present, reader } from "../../in-process/rows.ts";
import { entering, isMessagePayload, type MessagePayload } from "./message.ts";
import { type Limit, told } from "./views.ts";

interface Listed {
  readonly messages?: readonly Message[];
}

/** The kind of every automatic compaction in hookline: it compacts the whole context. */
const ACTION = "context-full";

/**
 * The rows of one run of the agent in omp's two APIs: start and end, turns, the context of each request, continuations.
 */
export function runRows(limit: Limit): readonly LaneRow[] {
  return [
    told(limit, "agent_start", "agent.start", () => ({})),
    told(limit, "agent_end", "agent.end", ({ messages, willRetry }) => ({
      messages,
      ...(willRetry === true && { willContinue: true }),
    })),
    told(limit, "turn_start", "turn.start", ({ turnIndex, timestamp }) => ({ turnIndex, timestamp })),
    told(limit, "turn_end", "turn.end", ({ turnIndex, message, toolResults }) => ({ turnIndex, message, toolResults })),
    row<"model.context", object, Listed, Listed>({
      name: "context",
      of: "model.context",
      kind: "transform",
      schedule: "all",
      fold: record<Listed>({ messages: last() }),
      feeds: { messages: "draft" },
      read: loose<Listed>({ messages: isMessages }),
      ...limit,
      view: contextView,
    }),
    told(limit, "auto_compaction_start", "compact.auto-start", ({ trigger }) => ({ reason: trigger, action: ACTION })),
    told(limit, "auto_compaction_end", "compact.auto-end", ({ result, aborted, willRetry, errorMessage }) => ({
      result,
      aborted,
      willRetry,
      ...(errorMessage !== undefined && { errorMessage }),
      action: ACTION,
    })),
    told(limit, "auto_retry_start", "retry.start", (payload) =>
      present(payload, "attempt", "maxAttempts", "delayMs", "errorMessage"),
    ),
    told(limit, "auto_retry_end", "retry.end", (payload) => present(payload, "success", "attempt", "finalError")),
    told(limit, "ttsr_triggered", "rule.triggered", ({ rules }) => ({ rules })),
    told(limit, "todo_reminder", "todo.reminder", ({ todos, attempt, maxAttempts }) => ({
      todos,
      attempt,
      maxAttempts,
    })),
  ];
}

interface HookAnswer {
  readonly message?: MessagePayload;
}

interface ExtensionAnswer extends HookAnswer {
  readonly systemPrompt?: readonly string[];
  /** A text to append to the system prompt. It comes from an older pi, but one of omp's own examples still uses it. */
  readonly systemPromptAppend?: string;
}

interface ExtensionOutcome {
  readonly message?: readonly MessagePayload[];
  readonly systemPrompt?: readonly string[];
  readonly systemPromptAppend?: readonly string[];
}

type Start = Payload<"agent.before-start">;

/** oh-my-pi fires `before_agent_start` only for prompts, not for runs that a hook's message starts. */
const isOfPrompt = ({ message }: Start): boolean => message === undefined;

const shown = ({ prompt, images }: Start) => ({
  type: "before_agent_start",
  prompt,
  ...(images !== undefined && { images }),
});

/** The row of `before_agent_start` in HookAPI: all handlers run, and the first message counts. */
export const hookStartRow: LaneRow = row<"agent.before-start", object, HookAnswer, HookAnswer>({
  name: "before_agent_start",
  of: "agent.before-start",
  when: isOfPrompt,
  kind: "transform",
  schedule: "all",
  fold: record<HookAnswer>({ message: first() }),
  read: loose<HookAnswer>({ message: isMessagePayload }),
  view: {
    get: shown,
    put: ({ message }) => (message === undefined ? undefined : { messages: [entering(message)] }),
  },
});

/** Returns the system prompt as omp's list of blocks. In hookline it is one text, which becomes the only block. */
const blocks = ({ systemPrompt }: Start): readonly string[] => (systemPrompt === "" ? [] : [systemPrompt]);
const whole = (parts: readonly string[]): string => parts.filter((part) => part !== "").join("\n\n");

const readParts = loose<{ message?: MessagePayload; systemPrompt?: string | string[]; systemPromptAppend?: string }>({
  message: isMessagePayload,
  systemPrompt: (value) => isString(value) || isStrings(value),
  systemPromptAppend: isString,
});

/** Reads an answer. A system prompt that is one text becomes a list with one item. */
const readStart: Read<ExtensionAnswer> = reader<ExtensionAnswer>((raw) => {
  const read = readParts(raw);
  if (!read.ok || typeof read.answer?.systemPrompt !== "string") return read as ReturnType<Read<ExtensionAnswer>>;
  return { ...read, answer: { ...read.answer, systemPrompt: [read.answer.systemPrompt] } };
});

/**
 * Makes the row of `before_agent_start` in ExtensionAPI: every message counts, and each handler sees the system prompt
 * that the previous one returned.
 */
export function extensionStartRow(limit: Limit): LaneRow {
  return row<"agent.before-start", object, ExtensionAnswer, ExtensionOutcome>({
    name: "before_agent_start",
    of: "agent.before-start",
    when: isOfPrompt,
    kind: "transform",
    schedule: "all",
    fold: record<ExtensionAnswer, ExtensionOutcome>({
      message: collect(),
      systemPrompt: last(),
      systemPromptAppend: collect(),
    }),
    feeds: { systemPrompt: "chain" },
    read: readStart,
    ...limit,
    view: {
      get: (payload) => ({ ...shown(payload), systemPrompt: blocks(payload) }),
      put({ message, systemPrompt, systemPromptAppend = [] }, payload) {
        const prompt = whole([...(systemPrompt ?? blocks(payload)), ...systemPromptAppend]);
        return edit({
          messages: message?.map(entering),
          systemPrompt: prompt === payload.systemPrompt ? undefined : prompt,
        });
      },
    },
  });
}

/** The answer of one `session_stop` handler. */
export interface StopAnswer {
  readonly continue?: unknown;
  readonly additionalContext?: string;
  readonly decision?: unknown;
  readonly reason?: string;
}

/** Returns the text with which the model continues; `undefined` if the answer has none. */
export function wordsOf({ additionalContext, reason }: StopAnswer): string | undefined {
  return [additionalContext, reason].find((text) => text !== undefined && text.trim() !== "");
}

/** Keeps the first answer that wants to continue and has a text. Later hooks are still asked. */
const firstToContinue: Fold<StopAnswer, StopAnswer> = {
  ...first<StopAnswer>(),
  name: "first that continues",
  step: (state, answer) => state ?? (answer.continue && wordsOf(answer) !== undefined ? answer : undefined),
  settled: () => false,
};

/** Returns the 0-based number of the last turn: the replies since the last prompt or hook message, minus one. */
function lastTurn(messages: readonly Message[]): number {
  const told = messages.findLastIndex(({ role }) => role !== "assistant" && role !== "toolResult");
  return Math.max(0, messages.slice(told + 1).filter(({ role }) => role === "assistant").length - 1);
}

/**
 * Makes the row of `session_stop`. An answer that blocks is final; otherwise the first answer that continues counts.
 * Source: spec/omp.md 1.3.
 */
export function stopRow(limit: Limit): LaneRow {
  return row<"agent.stop", object, StopAnswer, StopAnswer>({
    name: "session_stop",
    of: "agent.stop",
    kind: "control",
    schedule: "series",
    fold: halt<StopAnswer, StopAnswer>(
      { name: "block", by: ({ decision }) => decision === "block", keep: answerOnly },
      firstToContinue,
    ),
    read: loose<StopAnswer>({
      continue: isAnyTruth,
      additionalContext: isString,
      decision: isAnything,
      reason: isString,
    }),
    ...limit,
    view: {
      get: ({ messages, stopHookActive }, scene) => ({
        type: "session_stop",
        messages,
        turn_id: lastTurn(messages),
        last_assistant_message: messages.findLast(({ role }) => role === "assistant"),
        session_id: scene.sessionId,
        ...(scene.sessionFile !== undefined && { session_file: scene.sessionFile }),
        stop_hook_active: stopHookActive,
        signal: new AbortController().signal,
      }),
      put(outcome) {
        const feedback = wordsOf(outcome);
        return feedback === undefined ? undefined : { feedback };
      },
    },
  });
}
