import { basename } from "node:path";
import type { Fields } from "@hookline/ground";
import { type TraceLine, textOf } from "@hookline/runtime";
import { decidersOf } from "../hook/author.ts";
import { verdictOf } from "../hook/verdict.ts";
import type { AgentEvent } from "../turn/event.ts";

const WIDTH = 76;

/**
 * Makes the listener that shows a person what hooks did: who changed what, who refused, who failed. A dispatch without
 * effect is not shown. Long texts are cut, and a repeated line becomes "as before".
 */
export function activity(write: (line: string) => void): (line: TraceLine) => void {
  const said = new Set<string>();
  return (line) => {
    for (const [who, what] of told(line)) {
      const head = `${line.event.padEnd(18)} ${who.padEnd(30)}`;
      const text = `${head} ${what}`;
      write(said.has(text) ? `${head} as before` : text);
      said.add(text);
    }
  };
}

/** Makes the listener that prints texts and tool calls of models. A sub-agent's lines begin with `agent TYPE`. */
export function tellModels(write: (line: string) => void): (event: AgentEvent) => void {
  const names = new Map<string, string>();
  return (event) => {
    if (event.type === "subagent_start") names.set(event.agent.id, `agent ${event.agent.type}`);
    const [who = "model", what] =
      event.type === "subagent_event" ? [names.get(event.agentId), event.event] : [undefined, event];
    tellModel(what, (line) => write(`${cut(who, 18).padEnd(18)} ${line}`));
    if (event.type === "subagent_end") names.delete(event.agentId);
  };
}

function tellModel(event: AgentEvent, write: (line: string) => void): void {
  const say = (what: string): void => write(cut(what, WIDTH + 30));
  if (event.type === "tool_execution_start") say(`asks for ${event.toolName} ${text(event.args)}`);
  if (event.type !== "message_end" || event.message.role !== "assistant") return;
  const words = textOf(event.message.content).trim();
  if (words !== "") say(`says: ${text(words)}`);
}

function* told(line: TraceLine): Generator<[who: string, what: string]> {
  const verdict = verdictOf(line.outcome);
  const authors = verdict === undefined ? [] : decidersOf(verdict, line.hooks);
  for (const hook of line.hooks) {
    const who = `${hook.lane} ${basename(hook.source)}`;
    const again = hook.pass === 2 ? ", asked again," : "";
    if (hook.shadow && hook.answer !== undefined) {
      yield [who, cut(`in shadow, would have answered ${text(hook.answer)}`)];
      continue;
    }
    if (hook.status === "failed" || hook.status === "timed-out")
      yield [who, `failed: ${cut(hook.problem ?? hook.status)}`];
    if (verdict !== undefined && hook.answer !== undefined && authors.includes(hook.source)) {
      const { says, reason: why } = verdict;
      const reason = why === undefined ? "" : `: ${text([why].flat().join("; "))}`;
      yield [who, cut(`${again} ${says}${reason}`.trim())];
      continue;
    }
    const edits = line.edits.filter((edit) => edit.hook === hook.id && edit.pass === hook.pass);
    for (const { field, from, to } of edits)
      yield [who, from === undefined ? `gave ${field}: ${cut(text(to))}` : `changed ${field}: ${change(from, to)}`];
    for (const [field, value] of Object.entries((hook.answer ?? {}) as Fields)) {
      // Omits fields shown above as changed, and lists of objects, such as `messages`, which mostly repeat the event.
      const echo =
        edits.some((edit) => edit.field === field) ||
        (Array.isArray(value) && value.some((item) => typeof item === "object"));
      if (!echo) yield [who, `said ${field}: ${cut(text(value))}`];
    }
  }
  for (const edit of line.edits) {
    if (!line.hooks.some((hook) => hook.id === edit.hook))
      yield [edit.lane, `changed ${edit.field} in place: ${change(edit.from, edit.to)}`];
  }
}

/** Formats a change of a value, starting shortly before the first difference, so that a small edit is visible. */
function change(from: unknown, to: unknown): string {
  const a = text(from);
  const b = text(to);
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  const start = Math.max(0, at - 12);
  const lead = start > 0 ? "…" : "";
  return `${lead}${cut(a.slice(start), WIDTH / 2)} → ${lead}${cut(b.slice(start), WIDTH / 2)}`;
}

function text(value: unknown): string {
  return typeof value === "string" ? value.replaceAll("\n", " ⏎ ") : (JSON.stringify(value) ?? String(value));
}

function cut(line: string, width = WIDTH): string {
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`;
}
