import { type Component, matchesKey } from "@earendil-works/pi-tui";
import type { Dialog } from "./dialogs.ts";

/** How long nobody must have typed until keys are an answer to a question that came in the middle of typing. */
export const PAUSE_MS = 500;

/**
 * A question that came while a person was typing: what they type on is no answer, and goes where it was meant to, until
 * they have paused. A key that dismisses counts at once.
 */
export function unhurried(dialog: Dialog, typing: Component, now: () => number): Dialog {
  let last = now();
  let hasPaused = false;
  return {
    handleInput(data) {
      const at = now();
      hasPaused ||= at - last >= PAUSE_MS;
      last = at;
      const dismisses = matchesKey(data, "escape") || matchesKey(data, "ctrl+c");
      if (hasPaused || dismisses) dialog.handleInput?.(data);
      // What would send the text waits as well.
      else if (!matchesKey(data, "enter")) typing.handleInput?.(data);
    },
    invalidate: () => dialog.invalidate(),
    render: (width) => dialog.render(width),
    setSecondsLeft: (seconds) => dialog.setSecondsLeft?.(seconds),
    dispose: () => dialog.dispose?.(),
  };
}
