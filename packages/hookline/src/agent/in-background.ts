import { messageOf } from "@hookline/runtime/internal";
import type { AgentEvent, PromptResult } from "../turn/event.ts";

/** Nobody waits for this run; what goes wrong with it, and why a hook has ended it, is told. */
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
