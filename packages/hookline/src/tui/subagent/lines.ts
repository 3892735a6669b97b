import type { Component } from "@earendil-works/pi-tui";
import { entryLine } from "../../agent/command/agents.ts";
import type { Roster } from "../../agent/roster.ts";
import { fit, plainLine } from "../select/line.ts";
import { currentTheme } from "../theme/current.ts";

/** How often the running times of the sub-agents are redrawn, in ms. */
const TICK_MS = 1000;
/** With more lines, too little of the screen would be left for the conversation. */
const MOST_LINES = 8;

/** A line for each working sub-agent, above the editor. */
export class SubAgentLines implements Component {
  readonly #roster: Roster;
  readonly #requestRender: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(roster: Roster, requestRender: () => void) {
    this.#roster = roster;
    this.#requestRender = requestRender;
  }

  /** Redraws on each change, and periodically while a sub-agent works; returns a function that ends the redrawing. */
  begin(): () => void {
    const changed = (): void => {
      const isBusy = this.#roster.running.length > 0;
      if (isBusy) this.#timer ??= setInterval(this.#requestRender, TICK_MS);
      else this.#stop();
      this.#requestRender();
    };
    const undo = this.#roster.listen(changed);
    return () => {
      undo();
      this.#stop();
    };
  }

  invalidate(): void {}

  render(width: number): string[] {
    const theme = currentTheme();
    const { running } = this.#roster;
    const lines = running
      .slice(0, MOST_LINES)
      .map((entry) =>
        fit(
          `${theme.fg("accent", " ⤷")} ${theme.fg("muted", plainLine(entryLine(entry, this.#roster.age(entry))))}`,
          width,
        ),
      );
    const more = running.length - lines.length;
    return more > 0 ? [...lines, fit(theme.fg("dim", `   and ${more} more; /agents lists them`), width)] : lines;
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
