import { type Component, Loader, type LoaderIndicatorOptions, type TUI } from "@earendil-works/pi-tui";
import { oneLine, styledLine } from "./shown.ts";
import type { Theme } from "./theme/theme.ts";

/** How long the agent must have been busy before the spinner appears, in ms. */
export const UNTOLD_MS = 250;

/** Draws a line with a spinner above the editor while something takes long. */
export class Working implements Component {
  readonly #tui: TUI;
  readonly #theme: () => Theme;
  #loader: Loader | undefined;
  #timer: NodeJS.Timeout | undefined;
  #text: string | undefined;
  #ownText: string | undefined;
  #indicator: LoaderIndicatorOptions | undefined;
  #isVisible = true;

  constructor(tui: TUI, theme: () => Theme) {
    this.#tui = tui;
    this.#theme = theme;
  }

  /** Sets the current activity; `undefined` means none. */
  show(text: string | undefined): void {
    this.#text = text;
    clearTimeout(this.#timer);
    if (text === undefined) this.#stop();
    else if (this.#loader !== undefined) this.#loader.setMessage(this.#message());
    else this.#timer = setTimeout(() => this.#start(), UNTOLD_MS);
    this.#tui.requestRender();
  }

  /** Sets a hook's text beside the spinner, in place of the current activity; `undefined` removes it. */
  setMessage(text: string | undefined): void {
    this.#ownText = text;
    this.#loader?.setMessage(this.#message());
    this.#tui.requestRender();
  }

  setVisible(visible: boolean): void {
    this.#isVisible = visible;
    this.#tui.requestRender();
  }

  setIndicator(indicator: LoaderIndicatorOptions | undefined): void {
    this.#indicator = indicator && {
      ...(indicator.frames !== undefined && { frames: indicator.frames.map(styledLine) }),
      ...(indicator.intervalMs !== undefined && { intervalMs: Math.max(50, indicator.intervalMs) }),
    };
    this.#loader?.setIndicator(this.#indicator);
  }

  invalidate(): void {
    this.#loader?.invalidate();
  }

  render(width: number): string[] {
    return this.#loader === undefined || !this.#isVisible ? [] : this.#loader.render(width);
  }

  #message(): string {
    return this.#ownText === undefined ? oneLine(this.#text ?? "") : styledLine(this.#ownText);
  }

  #start(): void {
    const spinner = (text: string): string => this.#theme().fg("accent", text);
    const message = (text: string): string => this.#theme().fg("muted", text);
    this.#loader = new Loader(this.#tui, spinner, message, this.#message(), this.#indicator);
    this.#loader.start();
  }

  #stop(): void {
    this.#loader?.stop();
    this.#loader = undefined;
  }
}
