import type { AssistantMessage } from "@hookline/runtime/internal";
import type { SideMessage } from "./parts.ts";

/** The number of messages in a side session, and its usage. */
export interface SideStats {
  readonly sessionFile: string | undefined;
  readonly sessionId: string;
  readonly userMessages: number;
  readonly assistantMessages: number;
  readonly toolCalls: number;
  readonly toolResults: number;
  readonly totalMessages: number;
  readonly tokens: Readonly<Record<"input" | "output" | "cacheRead" | "cacheWrite" | "total", number>>;
  readonly cost: number;
}

/** Counts the messages of a side session. */
export function statsOf(messages: readonly SideMessage[]): Omit<SideStats, "sessionFile" | "sessionId"> {
  const count = (role: string): number => messages.filter((one) => one.role === role).length;
  const replies = messages.filter((one): one is AssistantMessage => one.role === "assistant");
  const sum = (pick: (usage: AssistantMessage["usage"]) => number): number =>
    replies.reduce((total, { usage }) => total + pick(usage), 0);
  const [input, output] = [sum((usage) => usage.input), sum((usage) => usage.output)];
  const [cacheRead, cacheWrite] = [sum((usage) => usage.cacheRead), sum((usage) => usage.cacheWrite)];
  return {
    userMessages: count("user"),
    assistantMessages: replies.length,
    toolCalls: replies.flatMap(({ content }) => content).filter(({ type }) => type === "toolCall").length,
    toolResults: count("toolResult"),
    totalMessages: messages.length,
    tokens: { input, output, cacheRead, cacheWrite, total: input + output + cacheRead + cacheWrite },
    cost: sum(({ cost }) => cost.total),
  };
}
