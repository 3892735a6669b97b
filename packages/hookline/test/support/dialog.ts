import { type Component, TuiMainScreen } from "@earendil-works/pi-tui";
import type { Dialog, DialogView } from "../../src/tui/select/screen.ts";
import { SMALL, type TerminalSize, VirtualTerminal } from "./terminal.ts";

/** A dialog on a virtual terminal, with what it answered. */
export class DialogScreen<R> implements Disposable {
  readonly terminal: VirtualTerminal;
  readonly view: DialogView;
  /** Answers in the order of `done`; undefined for giving up. */
  readonly answers: (R | undefined)[] = [];
  readonly #tui: TuiMainScreen;

  constructor(dialog: Dialog<R>, size: TerminalSize = SMALL) {
    this.terminal = new VirtualTerminal(size);
    const { terminal } = this;
    const tui = new TuiMainScreen(terminal);
    this.#tui = tui;
    const screen = {
      get rows() {
        return terminal.rows;
      },
      requestRender: () => tui.requestRender(),
    };
    this.view = dialog(screen, (answer) => this.answers.push(answer));
    tui.addChild(this.view as Component);
    tui.setFocus(this.view);
    tui.start();
  }

  /** The settled screen. */
  shows(options?: { readonly styles?: boolean }): Promise<string> {
    return this.terminal.screen(options);
  }

  [Symbol.dispose](): void {
    this.view.dispose?.();
    this.#tui.stop();
    this.terminal[Symbol.dispose]();
  }
}

/** Texts that would take over a terminal if they got through. */
export const HOSTILE: readonly string[] = [
  "\x1b]0;owned\x07",
  "\x1b]52;c;b3duZWQ=\x07",
  "\x1b]8;;http://evil.example\x07click\x1b]8;;\x07",
  "\x1b[?1049h",
  "\x1b[2J\x1b[H",
  "\x1b[6n",
  "\x1bc",
  "\x9b31m",
  "\x1bP+q544e\x1b\\",
  "a\u202eb",
  "tab\there\r\nnext",
  "\x07\x08\x7f",
];

/** Everything hostile in one text. */
export const ALL_HOSTILE: string = HOSTILE.join("");

/** Returns the harm that a hostile text has done to a terminal; empty if nothing got through. */
export function harmDone(terminal: VirtualTerminal): string[] {
  // pi-tui's own: bracketed paste, the cursor, synchronised output.
  const own = /^\?(2004|25|2026)[hl]$/;
  return [
    ...terminal.titles.map((title) => `title ${title}`),
    ...terminal.clipboard.map((text) => `clipboard ${text}`),
    ...terminal.links.map((link) => `link ${link}`),
    ...terminal.deviceStrings.map((text) => `device string ${text}`),
    ...terminal.commands.map((text) => `command ${text}`),
    ...terminal.modes.filter((mode) => !own.test(mode)).map((mode) => `mode ${mode}`),
    ...terminal.replies.filter((reply) => /\dR$|\x1bP/.test(reply)).map((reply) => `reply ${JSON.stringify(reply)}`),
    ...(terminal.alternate ? ["alternate screen"] : []),
    ...(terminal.bells > 0 ? [`${terminal.bells} bells`] : []),
  ];
}
