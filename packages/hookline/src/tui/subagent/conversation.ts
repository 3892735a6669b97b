import { type Message, textOf } from "@hookline/runtime";
import type { PageLine } from "../panel/page.ts";
import { plainLine } from "../select/line.ts";

/** How many lines of a result are shown; the session's file has all of them. */
const RESULT_LINES = 12;

/** Returns a sub-agent's conversation as lines: its task, its texts, its calls and their results. */
export function conversationLines(messages: readonly Message[]): PageLine[] {
  return messages.flatMap((message): PageLine[] => {
    switch (message.role) {
      case "user":
        return [...said(textOf(message.content), { colour: "accent", isBold: true }, "» "), BLANK];
      case "assistant":
        return message.content.flatMap((block): PageLine[] => {
          if (block.type === "text") return [...said(block.text, {}), BLANK];
          if (block.type !== "toolCall") return [];
          const call = `${block.name} ${JSON.stringify(block.arguments)}`;
          return [{ text: `● ${plainLine(call)}`, colour: "toolTitle", hang: 2 }];
        });
      case "toolResult":
        return [...result(textOf(message.content), message.isError), BLANK];
      case "custom":
        return message.display ? [...said(textOf(message.content), { colour: "muted" }), BLANK] : [];
      default:
        return [];
    }
  });
}

const BLANK: PageLine = { text: "" };

function said(text: string, style: Pick<PageLine, "colour" | "isBold">, lead = ""): PageLine[] {
  return text
    .trim()
    .split("\n")
    .map((line, at) => ({ text: `${at === 0 ? lead : ""}${plainLine(line)}`, ...style, hang: 2, isProse: true }));
}

function result(text: string, isError: boolean): PageLine[] {
  const lines = text.trimEnd().split("\n");
  const shown = lines.slice(0, RESULT_LINES);
  const colour = isError ? "error" : "toolOutput";
  const rest = lines.length - shown.length;
  return [
    ...shown.map((line) => ({ text: `  ${plainLine(line)}`, colour, hang: 4 })),
    ...(rest > 0 ? [{ text: `  … ${rest} more lines`, colour: "dim" }] : []),
  ];
}
