import { type Component, truncateToWidth } from "@earendil-works/pi-tui";
import type { Chat } from "../../tui/chat/look.ts";
import { oneLine } from "../../tui/shown.ts";

/** The messages queued for the running prompt, one per line. */
export function pendingLines(
  steering: readonly string[],
  followUp: readonly string[],
  chat: Chat,
): Component | undefined {
  const rows = [
    ...steering.map((text) => `steers: ${oneLine(text)}`),
    ...followUp.map((text) => `follows: ${oneLine(text)}`),
  ];
  if (rows.length === 0) return undefined;
  return {
    invalidate() {},
    render(width) {
      const theme = chat.theme();
      const lines = rows.map((row) => theme.fg("muted", truncateToWidth(` ⏳ ${row}`, width, "…")));
      return ["", ...lines, theme.fg("dim", truncateToWidth("    Alt+Up takes them back", width))];
    },
  };
}
