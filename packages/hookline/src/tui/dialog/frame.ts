import { type Component, Container, Spacer, Text } from "@earendil-works/pi-tui";
import type { Theme } from "../theme/theme.ts";
import { DynamicBorder } from "../widget/dynamic-border.ts";

/** The parts of a dialog around its question. */
export interface FrameParts {
  readonly title: string;
  /** The text to read before answering; shown whole. */
  readonly message?: string;
  readonly hint: string;
  readonly body: Component;
}

/** The frame of all dialogs, from top to bottom: a line, title and text, the question, the keys, a line. */
export class Frame extends Container {
  readonly #hint: Text;
  readonly #parts: FrameParts;
  readonly #theme: () => Theme;

  constructor(parts: FrameParts, theme: () => Theme) {
    super();
    this.#parts = parts;
    this.#theme = theme;
    this.#hint = new Text("", 1, 0);
    const border = (text: string): string => theme().fg("border", text);
    this.addChild(new DynamicBorder(border));
    for (const [at, line] of parts.title.split("\n").entries())
      this.addChild(new Text(at === 0 ? theme().fg("accent", theme().bold(line)) : line, 1, 0));
    if (parts.message !== undefined && parts.message !== "") this.addChild(new Text(parts.message, 1, 0));
    this.addChild(new Spacer(1));
    this.addChild(parts.body);
    this.addChild(new Spacer(1));
    this.addChild(this.#hint);
    this.addChild(new DynamicBorder(border));
    this.#hintText(undefined);
  }

  setSecondsLeft(seconds: number): void {
    this.#hintText(seconds);
  }

  #hintText(seconds: number | undefined): void {
    const left = seconds === undefined ? "" : ` · closes in ${seconds} s`;
    this.#hint.setText(this.#theme().fg("dim", this.#parts.hint + left));
  }
}
