import type { Hook } from "@hookline/runtime/engine";
import { labelOf } from "./definition.ts";
import { EVENTS } from "./fields.ts";
import { TEMPLATE_FIELDS } from "./llm.ts";
import { definitionOf } from "./run.ts";

/**
 * Lists all hooks of the lane for `register_hook`, by event and in the order in which they run, with counts of their
 * runs.
 */
export function listing(hooks: Iterable<Hook>): string {
  const all = [...hooks];
  const lines: string[] = [];
  for (const event of Object.keys(EVENTS)) {
    let session = 0;
    for (const hook of all.filter((one) => one.event === event)) {
      const own = hook.source.tier === "session" ? ` session_idx=${session++}` : "";
      lines.push(`${lines.length + 1}. ${event} [${hook.source.tier}]${own} ${describe(hook)}`);
    }
  }
  return lines.length === 0 ? "There are no hooks." : lines.join("\n");
}

function describe(hook: Hook): string {
  const definition = definitionOf(hook);
  const { runs, ok, failed, skipped, totalMs } = hook.metrics;
  const counters = `runs=${runs} ok=${ok} failed=${failed} skipped=${skipped} total=${Math.round(totalMs)}ms`;
  if (definition === undefined) return `[builtin: ${hook.path}] ${counters}`;
  const { type, timeoutMs, onError } = definition;
  const filter = hook.filter === undefined ? "" : ` filter: ${hook.filter}`;
  return `${type} ${labelOf(definition)} timeout=${timeoutMs / 1000}s on_error=${onError}${filter} ${counters}`;
}

/** The answer of the tool `register_hook` to the action `help`. */
export const HELP = [
  "A hook runs at an event of this session. Hooks of one event run one after the other: builtin, user, project, session;",
  "each sees what those before it changed. action register needs event and command (or type llm and prompt);",
  "action list shows all hooks; action remove takes event and index (session_idx of the list). Only session hooks can be",
  "registered or removed here; others live in hooks.yaml files. A person must agree to every registration.",
  "",
  "Events, what a hook reads, what it may answer:",
  ...Object.entries(EVENTS).map(
    ([event, { reads, writes }]) =>
      `- ${event}: reads ${reads.join(", ")}; answers ${writes.length === 0 ? "nothing" : writes.join(", ")}`,
  ),
  "",
  "bash: run by sh -c in the session's folder, with JCLI_HOOK_EVENT and JCLI_CWD set. The event is one JSON object on stdin",
  "(event, cwd, session_id and the fields above). Print a JSON object with the fields to change; nothing or {} changes",
  "nothing. A non-zero exit, a timeout or anything else on stdout is a failure.",
  `llm: the prompt may hold ${TEMPLATE_FIELDS.map((name) => `{{${name}}}`).join(" ")}; the model must answer with such a JSON object.`,
  'action: "stop" ends the step, "skip" leaves out one tool call. retry_feedback with stop sends the text back to the model.',
  "on_error: skip goes on after a failure, abort counts as stop. retry repeats after failures, within 30 s for all hooks.",
].join("\n");
