import { Container, Markdown, Spacer, Text } from "@earendil-works/pi-tui";
import type { BranchSummaryMessage, CompactionSummaryMessage } from "@hookline/runtime/engine";
import { shown } from "../shown.ts";
import { getMarkdownTheme } from "../theme/styles.ts";
import { Folding, Lazily } from "./lazily.ts";
import type { Chat } from "./look.ts";

const COLOURS = { info: "muted", warning: "warning", error: "error" } as const;

/** The level of a message to the person, which determines its colour and sign. */
export type Level = keyof typeof COLOURS;

/** Draws a message from the agent or a hook to the person. */
export function note(text: string, level: Level, chat: Chat): Lazily {
  return new Lazily(() => {
    const box = new Container();
    box.addChild(new Spacer(1));
    const sign = level === "info" || text.startsWith("⚠") ? "" : level === "warning" ? "! " : "✗ ";
    box.addChild(new Text(chat.theme().fg(COLOURS[level], sign + shown(text)), 1, 0));
    return box;
  });
}

/** Draws a command's output. */
export function output(text: string, chat: Chat): Lazily {
  return new Lazily(() => {
    const box = new Container();
    box.addChild(new Spacer(1));
    box.addChild(new Text(chat.theme().fg("text", shown(text)), 1, 0));
    return box;
  });
}

/** Draws a summary that replaces a part of the conversation; its text is shown when the chat is unfolded. */
export function summary(message: CompactionSummaryMessage | BranchSummaryMessage, chat: Chat): Folding {
  return new Folding(chat.look.expanded, (expanded) => {
    const theme = chat.theme();
    const head =
      message.role === "compactionSummary"
        ? `Compacted from about ${message.tokensBefore.toLocaleString("en-US")} tokens`
        : "Summary of the branch that was left";
    const box = new Container();
    box.addChild(new Spacer(1));
    box.addChild(new Text(theme.fg("customMessageLabel", `◆ ${head}`) + theme.fg("dim", " (Ctrl+O shows it)"), 1, 0));
    if (expanded) box.addChild(new Markdown(shown(message.summary), 2, 0, getMarkdownTheme(chat.redraw)));
    return box;
  });
}
