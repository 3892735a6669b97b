import { compact } from "../compact/limit.ts";
import type { CompactionResult } from "../compact/outcome.ts";
import { ask } from "../hook/ask.ts";
import type { Agent } from "./agent.ts";

/**
 * Compacts the conversation because the person or a hook wants it, after aborting the running prompt. The messages of
 * its errors are written for the person.
 */
export async function compactNow(agent: Agent, focus?: string): Promise<CompactionResult> {
  if (!agent.isIdle) agent.abort();
  return agent.occupy(async (signal) => {
    const outcome = await compact(agent.core, { trigger: "manual", focus, signal, willRetry: false });
    switch (outcome.state) {
      case "done":
        return outcome.result;
      case "nothing":
        throw new Error(await nothingToDo(agent));
      case "cancelled":
      case "skipped":
        throw new Error("Compaction cancelled");
      case "failed":
        throw new Error(`Compaction failed: ${outcome.error}`);
    }
  });
}

/** Reports that there is nothing to compact, as pi does; returns the reason. */
async function nothingToDo({ core }: Agent): Promise<string> {
  const isCompacted = core.store.getLeafEntry()?.type === "compaction";
  const problem = isCompacted ? "Already compacted" : "Nothing to compact (session too small)";
  const end = { aborted: false, willRetry: false, errorMessage: `Compaction failed: ${problem}` };
  core.tell({ type: "compaction_start", reason: "manual" });
  core.tell({ type: "compaction_end", reason: "manual", result: undefined, ...end });
  await ask(core, "compact.failed", { trigger: "manual", fromExtension: false, ...end });
  return problem;
}
