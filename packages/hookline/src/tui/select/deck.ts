import type { Component, Focusable } from "@earendil-works/pi-tui";
import { currentTheme } from "../theme/current.ts";
import { CleanInput } from "./clean-input.ts";
import { framed } from "./frame.ts";
import { fit, plainLine } from "./line.ts";
import type { DialogView } from "./screen.ts";

/** A dialog of several steps: one view at a time, which has the focus. */
export class Deck implements Component, Focusable {
  #view: DialogView | undefined;
  #focused = false;

  get focused(): boolean {
    return this.#focused;
  }

  set focused(focused: boolean) {
    this.#focused = focused;
    if (this.#view !== undefined) this.#view.focused = focused;
  }

  /** Replaces the current view. */
  show(view: DialogView): void {
    if (this.#view !== undefined) this.#view.focused = false;
    this.#view = view;
    view.focused = this.#focused;
  }

  invalidate(): void {
    this.#view?.invalidate();
  }

  handleInput(data: string): void {
    this.#view?.handleInput?.(data);
  }

  render(width: number): string[] {
    return this.#view?.render(width) ?? [];
  }
}

/** A question for one line of text. */
export interface LineQuestion {
  readonly title: string;
  readonly says?: string;
  readonly value?: string;
  /** Why a text is not accepted; undefined if it is. */
  check?(text: string): string | undefined;
}

/** Asks for one line of text; `done` gets undefined if the person cancels. */
export class LineInput implements Component, Focusable {
  readonly #input = new CleanInput({ prompt: "> " });
  readonly #question: LineQuestion;
  #problem: string | undefined;

  constructor(question: LineQuestion, done: (text?: string) => void) {
    this.#question = question;
    this.#input.setValue(question.value ?? "");
    // Ctrl+E moves the cursor behind the existing text.
    this.#input.handleInput("\x05");
    this.#input.onEscape = () => done();
    this.#input.onSubmit = (text) => {
      this.#problem = question.check?.(text);
      if (this.#problem === undefined) done(text);
    };
  }

  get focused(): boolean {
    return this.#input.focused;
  }

  set focused(focused: boolean) {
    this.#input.focused = focused;
  }

  invalidate(): void {
    this.#input.invalidate();
  }

  handleInput(data: string): void {
    this.#problem = undefined;
    this.#input.handleInput(data);
  }

  render(width: number): string[] {
    const theme = currentTheme();
    const { title, says } = this.#question;
    const body = [
      ...(says === undefined ? [] : [fit(` ${theme.fg("muted", plainLine(says))}`, width)]),
      ...this.#input.render(width),
      ...(this.#problem === undefined ? [] : [fit(` ${theme.fg("error", plainLine(this.#problem))}`, width)]),
    ];
    return framed(
      {
        title: plainLine(title),
        hints: [
          ["enter", "take"],
          ["esc", "back"],
        ],
      },
      body,
      width,
    );
  }
}
