import { createHash } from "node:crypto";
import { type Message, textOf } from "@hookline/runtime";

/** The kind of a line in chibi's logs. */
export type LogType =
  | "message"
  | "tool_call"
  | "tool_result"
  | "context_created"
  | "compaction"
  | "archival"
  | "system_prompt"
  | "system_prompt_changed";

/** A line of `context.jsonl` or of the transcript; the time is in seconds. Source: spec/chibi.md 3. */
export interface LogLine {
  readonly id: string;
  readonly timestamp: number;
  readonly from: string;
  readonly to: string;
  readonly content: string;
  readonly entry_type: LogType;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** The names of the two speakers in a context. */
export interface Speakers {
  readonly context: string;
  /** The person's name. */
  readonly user: string;
}

/** The session entry that a log line comes from. From the same entry, a line always gets the same id. */
export interface LogPlace {
  readonly session: string;
  readonly entry: string;
  readonly timestamp: number;
}

/** Derives an id in the form of a UUID from its arguments: equal arguments result in the same id. */
export function lineId(...parts: readonly (string | number)[]): string {
  const hex = createHash("sha256").update(parts.join("/")).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}

/** Makes a line whose sender is `system`, such as the one that marks the start of a conversation. */
export function systemLine(
  place: LogPlace,
  to: string,
  entry_type: LogType,
  content: string,
  metadata?: Readonly<Record<string, string>>,
): LogLine {
  const id = lineId(place.session, place.entry, entry_type);
  const line = { id, timestamp: place.timestamp, from: "system", to, content, entry_type };
  return metadata === undefined ? line : { ...line, metadata };
}

/** Makes the lines of one message: its text, then one line for each call. Thinking and images are left out. */
export function messageLines(message: Message, { context, user }: Speakers, place: LogPlace): LogLine[] {
  const lines: LogLine[] = [];
  const add = (from: string, to: string, content: string, entry_type: LogType): void => {
    const id = lineId(place.session, place.entry, lines.length);
    lines.push({ id, timestamp: place.timestamp, from, to, content, entry_type });
  };
  switch (message.role) {
    case "assistant": {
      const text = textOf(message.content);
      if (text !== "") add(context, "user", text, "message");
      for (const block of message.content)
        if (block.type === "toolCall") add(context, block.name, JSON.stringify(block.arguments), "tool_call");
      break;
    }
    case "toolResult":
      add(message.toolName, context, textOf(message.content), "tool_result");
      break;
    case "user":
      add(user, context, textOf(message.content), "message");
      break;
    case "custom":
      add(message.customType, context, textOf(message.content), "message");
      break;
    case "branchSummary":
      add("system", context, message.summary, "message");
      break;
    default:
      break;
  }
  return lines;
}
