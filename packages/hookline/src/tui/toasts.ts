import { type Component, type TUI, truncateToWidth } from "@earendil-works/pi-tui";
import type { Theme } from "../compat/theme/theme.ts";
import { oneLine } from "./shown.ts";

const STAY_MS = 6000;
const MOST = 3;

/** Short lines above the editor that disappear by themselves. */
export class Toasts implements Component {
  readonly #tui: TUI;
  readonly #theme: () => Theme;
  #lines: string[] = [];

  constructor(tui: TUI, theme: () => Theme) {
    this.#tui = tui;
    this.#theme = theme;
  }

  show(text: string): void {
    const line = oneLine(text);
    this.#lines = [...this.#lines, line].slice(-MOST);
    this.#tui.requestRender();
    setTimeout(() => {
      const at = this.#lines.indexOf(line);
      if (at >= 0) this.#lines.splice(at, 1);
      this.#tui.requestRender();
    }, STAY_MS).unref();
  }

  /** Removes all of them. */
  clear(): void {
    this.#lines = [];
  }

  invalidate(): void {}

  render(width: number): string[] {
    const theme = this.#theme();
    return this.#lines.map((line) => theme.fg("accent", truncateToWidth(` ⓘ ${line}`, width)));
  }
}
