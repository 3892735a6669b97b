import { messageOf } from "@hookline/ground";
import type { AgentEvent, PromptResult } from "../turn/event.ts";

/** Lets a run continue without waiting for it. Reports its error, or why a hook has ended it, as a notice. */
export function inBackground(tell: (event: AgentEvent) => void, work: Promise<PromptResult>): void {
  const say = (level: "warning" | "error", text: string): void => tell({ type: "notice", level, text });
  work.then(
    (result) => {
      if (result.kind === "failed") say("error", result.error);
      else if (result.kind === "stopped" && result.halt) say("warning", result.reason);
    },
    (thrown: unknown) => say("error", messageOf(thrown)),
  );
}
