import { type Component, getKeybindings, matchesKey } from "@earendil-works/pi-tui";
import type { Hint } from "../select/frame.ts";
import { fit, plainLine } from "../select/line.ts";
import { currentTheme } from "../theme/current.ts";
import { Page } from "./page.ts";
import type { TrustItem, TrustSheet } from "./panel-source.ts";
import type { TabHost } from "./tab.ts";

/** The actions that a review offers besides approving. */
export interface ReviewActions {
  /** Skips this definition and the following ones in the file; present if more of them are pending. */
  readonly skipRest?: () => void;
  /** Reviews the definitions one by one; present if there are several. */
  readonly oneByOne?: () => void;
  /** Reviews everything that is pending, from all files, at once; present if more files are pending. */
  readonly together?: () => void;
}

/**
 * Shows the full text of definitions to review. A yes counts only once the end of the text has been on the screen, so
 * that nothing is approved unseen.
 */
export class ReviewPage implements Component {
  readonly #item: TrustItem | TrustSheet;
  readonly #host: TabHost;
  readonly #done: (says: string | undefined) => void;
  readonly #page: Page;
  readonly #actions: ReviewActions;
  #says: string | undefined;
  #isBusy = false;

  /** `done` is called with a message for the person. */
  constructor(
    item: TrustItem | TrustSheet,
    host: TabHost,
    done: (says: string | undefined) => void,
    actions: ReviewActions = {},
  ) {
    this.#item = item;
    this.#host = host;
    this.#actions = actions;
    this.#done = done;
    this.#page = new Page(item.text(), () => host.room() - 2);
  }

  hints(): readonly Hint[] {
    const { skipRest, oneByOne, together } = this.#actions;
    const scroll: Hint = ["↑↓", "scroll"];
    const each: readonly Hint[] = oneByOne === undefined ? [] : [["o", "one by one"]];
    if (this.#item.verdict === "approved") return [scroll, ["x", "take the approval back"], ...each, ["esc", "back"]];
    const count = waitingIn(this.#item);
    return [
      this.#page.seen
        ? (["y", count === 1 ? "approve exactly this" : `approve all ${count}`] as const)
        : (["end", "see all of it to approve"] as const),
      ...(this.#page.seen && this.#item.bindable !== undefined
        ? [["b", `approve, bound to ${plainLine(this.#item.bindable)}`] as const]
        : []),
      ...each,
      ...(together === undefined ? [] : [["a", "all files"] as const]),
      ["esc", "skip"],
      ...(skipRest === undefined ? [] : [["l", "skip the rest"] as const]),
      scroll,
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
    else if (this.#isYes(data)) {
      const isBound = matchesKey(data, "b");
      if (this.#page.seen) void this.#act(() => this.#item.approve(isBound), "Approved.");
      else this.#says = `There is more of it below. Press end, then ${isBound ? "b" : "y"}.`;
    } else if (matchesKey(data, "l")) this.#actions.skipRest?.();
    else if (matchesKey(data, "o")) this.#actions.oneByOne?.();
    else if (matchesKey(data, "a")) this.#actions.together?.();
    else if (matchesKey(data, "x") && verdict === "approved")
      void this.#act(() => this.#item.revoke(), "No longer approved.");
  }

  render(width: number): string[] {
    const lines = this.#page.render(width);
    if (this.#says !== undefined) lines.push(fit(` ${currentTheme().fg("warning", plainLine(this.#says))}`, width));
    return lines;
  }

  #isYes(data: string): boolean {
    if (this.#item.verdict === "approved") return false;
    return matchesKey(data, "y") || (matchesKey(data, "b") && this.#item.bindable !== undefined);
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

/** Returns how many definitions of an item are pending. */
export function waitingIn(item: TrustItem | TrustSheet): number {
  return "items" in item ? item.items.filter(({ verdict }) => verdict !== "approved").length : 1;
}
