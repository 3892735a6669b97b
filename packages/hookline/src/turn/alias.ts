import type { AssistantMessage } from "@hookline/runtime/internal";
import type { Core } from "./core.ts";

/** A reply whose calls have the tools' own names, even if the model used aliases. */
export function withOwnNames({ tools }: Pick<Core, "tools">, reply: AssistantMessage): AssistantMessage {
  const known = tools();
  const strange = reply.content.some((block) => block.type === "toolCall" && !known.has(block.name));
  if (!strange) return reply;
  const own = new Map([...known].flatMap(([name, { tool }]) => (tool.aliases ?? []).map((alias) => [alias, name])));
  const content = reply.content.map((block) =>
    block.type === "toolCall" && !known.has(block.name) ? { ...block, name: own.get(block.name) ?? block.name } : block,
  );
  return { ...reply, content };
}
