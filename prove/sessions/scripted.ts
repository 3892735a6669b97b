import { readFileSync } from "node:fs";
import type { Message } from "@hookline/runtime";
import { wholeLines } from "./sample.ts";

const write = (name: string) => ({ name: "write", arguments: { path: name, content: name } });
const bash = (text: string) => ({ name: "bash", arguments: { command: `echo ${text}` } });

/** The scripted model's replies in a turn with sequential and concurrent calls. */
export const SCRIPT = JSON.stringify({
  replies: [
    { text: "first", toolCalls: [write("a")] },
    { text: "then", toolCalls: [write("b"), bash("c")] },
    { text: "and", toolCalls: [bash("d")] },
    { text: "done" },
  ],
});

/** Returns the messages that a run in JSON mode has reported, up to the last complete line of its output. */
export function toldMessages(out: string): Message[] {
  const lines = out.slice(0, out.lastIndexOf("\n") + 1).split("\n");
  return lines.flatMap((line) => {
    if (!line.startsWith('{"type":"message_end"')) return [];
    return [(JSON.parse(line) as { message: Message }).message];
  });
}

/**
 * Returns the reported messages that a session file lacks. A session is only stored once it has a reply, so nothing is
 * acknowledged before that.
 */
export function lacking(path: string, told: readonly Message[]): string | undefined {
  if (!told.some(({ role }) => role === "assistant")) return undefined;
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return "there is no session file";
  }
  const kept = wholeLines(text).flatMap((line) => {
    const { message } = JSON.parse(line) as { message?: Message };
    return message === undefined ? [] : [JSON.stringify(message)];
  });
  const lost = told.findIndex((message, index) => kept[index] !== JSON.stringify(message));
  return lost === -1 ? undefined : `message ${lost + 1} of ${told.length} that were told (${told[lost]?.role}) is lost`;
}
