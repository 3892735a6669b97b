import { isAnything, isString } from "../../catalog/read.ts";
import { answerOnly, type Fold, first, halt } from "../../fold/index.ts";
import type { LaneRow } from "../../hook/lane.ts";
import { isAnyTruth, loose } from "../inprocess/read.ts";
import { row } from "../row.ts";
import type { Limit } from "./told.ts";

/** What one `session_stop` handler answers. */
export interface StopAnswer {
  readonly continue?: unknown;
  readonly additionalContext?: string;
  readonly decision?: unknown;
  readonly reason?: string;
}

/** What the model is told so that it goes on; `undefined` where the answer says nothing to it. */
export function wordsOf({ additionalContext, reason }: StopAnswer): string | undefined {
  return [additionalContext, reason].find((text) => text !== undefined && text.trim() !== "");
}

/** The first answer that wants to go on and says why; nobody is left out because of it. */
const firstToContinue: Fold<StopAnswer, StopAnswer> = {
  ...first<StopAnswer>(),
  name: "first that continues",
  step: (state, answer) => state ?? (answer.continue && wordsOf(answer) !== undefined ? answer : undefined),
  settled: () => false,
};

/** `decision: "block"` ends the event and counts; otherwise the first that continues does. Source: spec/omp.md 1.3. */
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
      get: ({ messages, retryCount, stopHookActive }, scene) => ({
        type: "session_stop",
        messages,
        turn_id: retryCount,
        last_assistant_message: messages.findLast(({ role }) => role === "assistant"),
        session_id: scene.sessionId,
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
