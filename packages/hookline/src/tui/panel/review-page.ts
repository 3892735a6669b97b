import { type Component, getKeybindings, matchesKey } from "@earendil-works/pi-tui";
import { currentTheme } from "../../compat/theme/current.ts";
import type { Hint } from "../select/frame.ts";
import { fit, plainLine } from "../select/line.ts";
import { Page } from "./page.ts";
import type { TrustItem } from "./panel-source.ts";
import type { TabHost } from "./tab.ts";

/**
 * A definition that a person is asked about: all of its text, scrolled through. A yes counts only once the end has been
 * on the screen, so that nothing below the edge is agreed to unseen.
 */
export class ReviewPage implements Component {
  readonly #item: TrustItem;
  readonly #host: TabHost;
  readonly #done: (says: string | undefined) => void;
  readonly #page: Page;
  readonly #leaveRest: (() => void) | undefined;
  #says: string | undefined;
  #isBusy = false;

  /** `done` gets what the person is to be told; `leaveRest` is there where more definitions wait. */
  constructor(item: TrustItem, host: TabHost, done: (says: string | undefined) => void, leaveRest?: () => void) {
    this.#item = item;
    this.#host = host;
    this.#leaveRest = leaveRest;
    this.#done = done;
    this.#page = new Page(item.text(), () => host.room() - 2);
  }

  hints(): readonly Hint[] {
    if (this.#item.verdict === "approved")
      return [
        ["↑↓", "scroll"],
        ["x", "take the approval back"],
        ["esc", "back"],
      ];
    return [
      ["↑↓", "scroll"],
      this.#page.seen ? (["y", "approve exactly this"] as const) : (["end", "see all of it to approve"] as const),
      ["esc", "leave it"],
      ...(this.#leaveRest === undefined ? [] : [["l", "leave all the rest"] as const]),
    ];
  }

  invalidate(): void {
    this.#page.invalidate();
  }

  handleInput(data: string): void {
    if (this.#isBusy) return;
    const { verdict } = this.#item;
    if (this.#page.scroll(data)) this.#says = undefined;
    else if (getKeybindings().matches(data, "tui.select.cancel")) this.#done(undefined);
    else if (matchesKey(data, "y") && verdict !== "approved") {
      if (this.#page.seen) void this.#act(() => this.#item.approve(), "Approved.");
      else this.#says = "There is more of it below. Press end, then y.";
    } else if (matchesKey(data, "l")) this.#leaveRest?.();
    else if (matchesKey(data, "x") && verdict === "approved")
      void this.#act(() => this.#item.revoke(), "No longer approved.");
  }

  render(width: number): string[] {
    const lines = this.#page.render(width);
    if (this.#says !== undefined) lines.push(fit(` ${currentTheme().fg("warning", plainLine(this.#says))}`, width));
    return lines;
  }

  async #act(act: () => Promise<void>, says: string): Promise<void> {
    this.#isBusy = true;
    try {
      await act();
      this.#done(says);
    } catch (thrown) {
      this.#says = thrown instanceof Error ? thrown.message : String(thrown);
    }
    this.#isBusy = false;
    this.#host.requestRender();
  }
}
