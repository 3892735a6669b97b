import { summarize } from "../session/list.ts";

/** The title of a session's file: its name, else its first prompt; undefined if it has neither. */
export function sessionTitle(file: string): string | undefined {
  const { name, messageCount, firstMessage } = summarize(file) ?? {};
  const said = name ?? (messageCount === 0 ? undefined : firstMessage);
  return said?.replace(/\s+/g, " ").trim().slice(0, 200) || undefined;
}
