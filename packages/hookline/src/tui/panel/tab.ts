import { type Component, matchesKey } from "@earendil-works/pi-tui";
import type { Hint } from "../select/frame.ts";
import type { Page } from "./page.ts";

/** Returns the key hints of a tab's list: the usual ones, with the tab's own between them. */
export function listHints(...own: readonly Hint[]): readonly Hint[] {
  return [["↑↓", "move"], ...own, ["tab", "next tab"], ["esc", "close"]];
}

/** Returns the key hints of a page that a tab has opened: the usual ones, with the page's own between them. */
export function pageHints(...own: readonly Hint[]): readonly Hint[] {
  return [["↑↓", "scroll"], ...own, ["esc", "back"]];
}

/** One tab of the `/hooks` panel. */
export interface Tab {
  readonly name: string;
  /** Returns a remark that is shown at the right end of the title. */
  remark(): string;
  hints(): readonly Hint[];
  /** Handles a key; returns false if the tab does not use it. */
  handleInput(data: string): boolean;
  /** Draws at most as many lines as `room()` allows. */
  render(width: number): string[];
  invalidate(): void;
  dispose?(): void;
}

/** Parts of the panel that a tab uses. */
export interface TabHost {
  /** How many lines a tab may fill. */
  room(): number;
  requestRender(): void;
}

/** The key actions of a page that a tab has opened over its list. */
export interface PageKeys {
  /** Moves to the previous page (-1) or the next one (1). */
  step(by: 1 | -1): void;
  close(): void;
}

/** Passes a key to the open page, otherwise to the list; returns false for Tab, which switches to the next tab. */
export function handleKey(data: string, list: Component, page: Page | undefined, keys: PageKeys): boolean {
  if (matchesKey(data, "tab")) return false;
  if (page === undefined) list.handleInput?.(data);
  else if (matchesKey(data, "left")) keys.step(-1);
  else if (matchesKey(data, "right")) keys.step(1);
  else if (!page.scroll(data)) keys.close();
  return true;
}
