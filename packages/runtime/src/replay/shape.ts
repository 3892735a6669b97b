import { dirname } from "node:path";
import type { Moment } from "./moment.ts";

/** Leading words of a command that name no program of their own. */
const ASIDE = /^(?:\w+=\S*|sudo|env|time|nohup|exec|command)$/;
const PATHS = ["path", "file_path", "filePath"] as const;

/** What calls are grouped by: the tool with the first word of its command or the folder of its path; else the event. */
export function shapeOf({ event, payload }: Pick<Moment, "event" | "payload">): string {
  const tool = payload?.["tool"];
  if (typeof tool !== "string") return event;
  const args = (payload?.["args"] ?? {}) as Readonly<Record<string, unknown>>;
  const { command } = args;
  if (typeof command === "string") return `${tool} ${programOf(command)}`.trim();
  const path = PATHS.map((name) => args[name]).find((value) => typeof value === "string");
  return path === undefined ? tool : `${tool} ${dirname(path as string)}/`;
}

function programOf(command: string): string {
  const words = command.slice(0, 1000).split(/[\s;|&()<>]+/);
  return (words.find((word) => word !== "" && !ASIDE.test(word)) ?? "").slice(0, 60);
}
