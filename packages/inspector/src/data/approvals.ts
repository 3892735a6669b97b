import type { ApprovalLine, ApprovalQuestion } from "../../../hookline/src/inspect/api.ts";
import { Refused } from "./api.ts";
import { pause } from "./watch.ts";

const AGAIN_MS = 1500;

/** What is known of the fleet's questions. */
export interface Asked {
  /** By id. */
  readonly questions: ReadonlyMap<string, ApprovalQuestion>;
  /** Why the fleet can be neither heard nor answered now. */
  readonly away?: string;
  /** Machines ask more than is kept. */
  readonly full: boolean;
}

/**
 * Follows the fleet's questions, and begins again when the stream ends. `told` is called with what is known each time that
 * it changes, whole at the first time. Never throws; it ends where the server refuses.
 */
export async function watchApprovals(
  stream: (ended: AbortSignal) => AsyncIterable<ApprovalLine> | undefined,
  ended: AbortSignal,
  told: (asked: Asked) => void,
): Promise<void> {
  let known: Asked = { questions: new Map(), full: false };
  const tell = (asked: Asked): void => {
    known = asked;
    if (!ended.aborted) told(asked);
  };
  while (!ended.aborted) {
    // What was known stays until the new stream has told all.
    let isWhole = false;
    const questions = new Map<string, ApprovalQuestion>();
    try {
      for await (const line of stream(ended) ?? []) {
        if (line.kind === "question") questions.set(line.question.id, line.question);
        else if (line.kind === "gone") questions.delete(line.id);
        else {
          isWhole = true;
          const { away, full } = line;
          tell({ questions: new Map(questions), ...(away !== undefined && { away }), full });
          continue;
        }
        if (isWhole) tell({ ...known, questions: new Map(questions) });
      }
      tell({ ...known, away: "hookline inspect has ended the connection" });
    } catch (thrown) {
      if (ended.aborted) return;
      const { code, message } = thrown instanceof Refused ? thrown : { code: "unreachable", message: String(thrown) };
      tell({ ...known, away: message });
      if (code !== "unreachable" && code !== "too-many") return;
    }
    await pause(AGAIN_MS, ended);
  }
}
