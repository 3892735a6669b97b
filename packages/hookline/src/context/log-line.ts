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

/** A line of `context.jsonl` and of the transcript; the time is in seconds. Source: spec/chibi.md 3. */
export interface LogLine {
  readonly id: string;
  readonly timestamp: number;
  readonly from: string;
  readonly to: string;
  readonly content: string;
  readonly entry_type: LogType;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** The speakers of a context. */
export interface Speakers {
  readonly context: string;
  /** The person's name. */
  readonly user: string;
}

/** Where a line comes from: the same source always gives the same id. */
export interface LogPlace {
  readonly session: string;
  readonly entry: string;
  readonly timestamp: number;
}

/** An id in the form of a UUID, derived from its source. */
export function lineId(...parts: readonly (string | number)[]): string {
  const hex = createHash("sha256").update(parts.join("/")).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}

/** A line of the system itself, such as an anchor. */
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

/** The lines of one message: its text, then a line for each call. Thinking and images have none. */
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
