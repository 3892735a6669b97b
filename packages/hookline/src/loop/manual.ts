import { compact } from "../compact/limit.ts";
import type { CompactionResult } from "../compact/outcome.ts";
import type { Agent } from "./agent.ts";

/** Compacts because the person or a hook wants it; ends what runs first. Rejects with what the person is to be told. */
export async function compactNow(agent: Agent, focus?: string): Promise<CompactionResult> {
  if (!agent.isIdle) agent.abort();
  return agent.occupy(async (signal) => {
    const outcome = await compact(agent.core, { trigger: "manual", focus, signal, willRetry: false });
    switch (outcome.state) {
      case "done":
        return outcome.result;
      case "nothing":
        throw new Error(
          agent.core.store.getLeafEntry()?.type === "compaction"
            ? "Already compacted"
            : "Nothing to compact (session too small)",
        );
      case "cancelled":
      case "skipped":
        throw new Error("Compaction cancelled");
      case "failed":
        throw new Error(`Compaction failed: ${outcome.error}`);
    }
  });
}
