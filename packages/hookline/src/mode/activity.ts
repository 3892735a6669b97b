import { basename } from "node:path";
import type { TraceLine } from "@hookline/runtime";

const WIDTH = 72;

/** What one dispatch came to, in lines for a person: who changed what, who refused, who failed. Nothing for a quiet one. */
export function activityLines(line: TraceLine): string[] {
  const lines: string[] = [];
  for (const hook of line.hooks) {
    const edits = line.edits.filter((edit) => edit.hook === hook.id && edit.pass === hook.pass);
    const who = `${hook.lane} ${nameOf(hook.source)}`;
    const again = hook.pass === 2 ? " (asked again)" : "";
    if (hook.status === "failed" || hook.status === "timed-out")
      lines.push(`[${line.event}] ${who}${again} failed: ${hook.problem ?? hook.status}`);
    for (const edit of edits) lines.push(`[${line.event}] ${who} changed ${edit.field}: ${change(edit.from, edit.to)}`);
    if (hook.status === "answered") {
      for (const [field, value] of Object.entries((hook.answer ?? {}) as Record<string, unknown>)) {
        if (!edits.some((edit) => edit.field === field))
          lines.push(`[${line.event}] ${who}${again} answered ${field}: ${short(value)}`);
      }
    }
  }
  for (const edit of line.edits) {
    if (!line.hooks.some((hook) => hook.id === edit.hook))
      lines.push(`[${line.event}] ${edit.lane} changed ${edit.field} in place: ${change(edit.from, edit.to)}`);
  }
  return lines;
}

/** The file's name with its line, enough to recognise a hook. */
export function nameOf(source: string): string {
  return basename(source);
}

/** Both values from where they begin to differ, so that a small edit of a long text is seen. */
function change(from: unknown, to: unknown): string {
  if (from === undefined) return short(to);
  const a = text(from);
  const b = text(to);
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  const start = Math.max(0, at - 12);
  const lead = start > 0 ? "…" : "";
  return `${lead}${cut(a.slice(start), WIDTH / 2)} → ${lead}${cut(b.slice(start), WIDTH / 2)}`;
}

function short(value: unknown): string {
  return cut(text(value), WIDTH);
}

function text(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : (JSON.stringify(value) ?? String(value));
}

function cut(line: string, width: number): string {
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`;
}
