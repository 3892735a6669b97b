import type { Contexts } from "../../context/contexts.ts";
import { lastSession } from "../../context/last-session.ts";
import { appendTranscript } from "../../context/transcript.ts";
import { readText, replaceText } from "../../file/text.ts";
import type { Agent } from "../agent.ts";

/**
 * Empties the conversation of a context that is not current, without asking the model or a hook. `compact` keeps the
 * existing summary, `archive` drops it. The transcript and the session still hold what was said. Errors are for the
 * person to read. Source: spec/chibi.md 3, `-A` and `-Z`.
 */
export function setAside(agent: Agent, contexts: Contexts, name: string, how: "archive" | "compact"): string {
  const paths = contexts.place.paths(name);
  if (lastSession(paths) === undefined) throw new Error(`The context "${name}" has no conversation yet.`);
  const store = agent.openSession(contexts.requestFor(name));
  try {
    const { messages, model, thinkingLevel } = store.buildSessionContext();
    const [head] = messages;
    const summary = how === "compact" && head?.role === "compactionSummary" ? head.summary : "";
    store.resetLeaf();
    if (model !== null) store.appendModelChange(model.provider, model.modelId);
    store.appendThinkingLevelChange(thinkingLevel);
    if (summary !== "") store.appendCompaction(summary, null, 0);
    appendTranscript(paths, messages);
    if (readText(paths.summary) !== summary) replaceText(paths.summary, summary);
    contexts.record(name, store);
    return `${how === "archive" ? "Archived" : "Compacted"} context: ${name} (${messages.length} messages)`;
  } finally {
    store.close();
  }
}
