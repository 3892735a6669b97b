import { type Component, matchesKey } from "@earendil-works/pi-tui";
import type { Dialog } from "./dialogs.ts";

/** How long a person must have paused before keys answer a question that appeared while they were typing. */
export const PAUSE_MS = 500;

/**
 * A question that appeared while a person was typing: until they pause, their keys are not an answer and go where they
 * were meant to go. A key that dismisses counts at once.
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
      // Keys that would send the text wait as well.
      else if (!matchesKey(data, "enter")) typing.handleInput?.(data);
    },
    invalidate: () => dialog.invalidate(),
    render: (width) => dialog.render(width),
    setSecondsLeft: (seconds) => dialog.setSecondsLeft?.(seconds),
    dispose: () => dialog.dispose?.(),
  };
}
