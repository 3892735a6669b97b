import { type Fields, isFields } from "@hookline/ground";
import { whole } from "./cut.ts";
import type { FullMoment } from "./moment-file.ts";

/** Returns what a call is about, such as its command. Otherwise returns the moment's text, or an empty one. */
export function labelOf({ payload, outcome }: Pick<FullMoment, "payload" | "outcome">): string {
  const { tool, args: given, text } = (payload ?? {}) as Fields;
  if (typeof tool !== "string") return typeof text === "string" ? text : "";
  const args = outcome["args"] ?? given;
  const { command, path, file_path: filePath, pattern, url } = isFields(args) ? args : {};
  const about = [command, path, filePath, pattern, url].find((value) => typeof value === "string");
  return about === undefined ? (args === undefined ? "" : JSON.stringify(args)) : String(about);
}

/** Returns the beginning of a text on one line. */
export function oneLine(text: string, most = 200): string {
  const line = whole(text, Math.min(text.length, most * 2))
    .replace(/\s+/g, " ")
    .trim();
  return line.length > most ? `${whole(line, most - 1)}…` : line;
}
