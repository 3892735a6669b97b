import { mkdirSync } from "node:fs";
import { claude } from "../../src/claude/hooks/index.ts";
import { type Opened, openSession, type Setting } from "../opened.ts";

/** Handlers by event, as settings have them: a command, or a whole group. */
export type Hooks = Readonly<Record<string, string | readonly object[]>>;

/** The text of a settings file with these hooks, and other keys beside them. */
export function settings(hooks: Hooks, more: object = {}): string {
  const groups = Object.entries(hooks).map(([event, given]) => [
    event,
    typeof given === "string" ? [group({ type: "command", command: given })] : given,
  ]);
  return JSON.stringify({ hooks: Object.fromEntries(groups), ...more }, undefined, 2);
}

/** A group of handlers. */
export function group(handler: object, matcher?: string): object {
  return { ...(matcher !== undefined && { matcher }), hooks: [handler] };
}

/** A command as a handler. */
export function command(text: string, more: object = {}): object {
  return { type: "command", command: text, ...more };
}

/** A session over settings files, by their paths. */
export function opened(files: Readonly<Record<string, string>>, setting: Setting = {}): Promise<Opened> {
  return openSession(claude, files, {
    env: { PATH: process.env["PATH"] ?? "" },
    ...setting,
  });
}

/** A call of bash, as the host tells it. */
export const bash = (line: string) => ({ toolCallId: "c1", tool: "bash", args: { command: line } });

/** Makes the folder that a test's programs write to. */
export function folder(path: string): string {
  mkdirSync(path, { recursive: true });
  return path;
}
