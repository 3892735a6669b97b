import { type Component, Text } from "@earendil-works/pi-tui";
import { textOf } from "@hookline/runtime";
import type { Content } from "@hookline/runtime/engine";
import type { BuiltinName } from "../../tool/names.ts";
import { renderDiff } from "../theme/diff.ts";
import type { Theme } from "../theme/theme.ts";

/** For each tool: the argument that describes a call best, and the number of lines shown until a result is expanded. */
const SHOWN: Readonly<Record<BuiltinName, { readonly subject: string; readonly lines: number }>> = {
  read: { subject: "path", lines: 10 },
  bash: { subject: "command", lines: 5 },
  edit: { subject: "path", lines: 10 },
  write: { subject: "path", lines: 10 },
  grep: { subject: "pattern", lines: 15 },
  find: { subject: "pattern", lines: 20 },
  ls: { subject: "path", lines: 20 },
};

interface Result {
  readonly content: readonly Content[];
  readonly details?: unknown;
}

interface ResultOptions {
  readonly expanded?: boolean;
  readonly isPartial?: boolean;
}

/** The functions that draw a built-in tool's calls and results, as members of its definition. */
export interface ToolView {
  renderCall(args: unknown, theme: Theme): Component;
  renderResult(result: Result, options: ResultOptions, theme: Theme): Component;
}

/** Returns the renderers of a built-in tool. */
export function toolView(name: BuiltinName): ToolView {
  return {
    renderCall: (args, theme) => new Text(callText(name, (args ?? {}) as Record<string, unknown>, theme), 0, 0),
    renderResult: (result, options, theme) => new Text(resultText(name, result, options, theme), 0, 0),
  };
}

function callText(name: BuiltinName, args: Record<string, unknown>, theme: Theme): string {
  const about = SHOWN[name].subject;
  const subject = args[about] ?? (name === "ls" ? "." : undefined);
  const shown = subject === undefined ? theme.fg("toolOutput", "...") : theme.fg("accent", String(subject));
  if (name === "bash") return theme.fg("toolTitle", theme.bold(`$ ${String(subject ?? "...")}`));
  const { path, offset, limit } = args;
  const range = name === "read" && (offset !== undefined || limit !== undefined) ? rangeText(offset, limit) : "";
  const place = about !== "path" && path !== undefined ? ` in ${String(path)}` : "";
  return `${theme.fg("toolTitle", theme.bold(name))} ${shown}${theme.fg("warning", range)}${theme.fg("toolOutput", place)}`;
}

/** Formats a range of lines as `:first-last`. */
function rangeText(offset: unknown, limit: unknown): string {
  const first = typeof offset === "number" ? offset : 1;
  return typeof limit === "number" ? `:${first}-${first + limit - 1}` : `:${first}`;
}

function resultText(name: BuiltinName, result: Result, { expanded = false }: ResultOptions, theme: Theme): string {
  const diff = (result.details as { readonly diff?: unknown } | undefined)?.diff;
  if (name === "edit" && typeof diff === "string") return renderDiff(diff);
  const lines = textOf(result.content).replaceAll("\r", "").replaceAll("\t", "   ").trimEnd().split("\n");
  const most = expanded ? lines.length : SHOWN[name].lines;
  // The end of a command's output says most; other results are shown from their start.
  const kept = name === "bash" ? lines.slice(-most) : lines.slice(0, most);
  const rest = lines.length - kept.length;
  const note =
    rest === 0
      ? []
      : [theme.fg("muted", `... (${rest} ${name === "bash" ? "earlier" : "more"} lines, Ctrl+O shows them)`)];
  const shown = kept.map((line) => theme.fg("toolOutput", line));
  return (name === "bash" ? [...note, ...shown] : [...shown, ...note]).join("\n");
}
