import { summarize } from "../session/list.ts";

/** What a session's file calls itself: its name, else its first prompt; nothing where it has neither. */
export function sessionTitle(file: string): string | undefined {
  const { name, messageCount, firstMessage } = summarize(file) ?? {};
  const said = name ?? (messageCount === 0 ? undefined : firstMessage);
  return said?.replace(/\s+/g, " ").trim().slice(0, 200) || undefined;
}
