import type { Dialog, Show } from "../../src/tui/select/screen.ts";
import { DialogScreen } from "./dialog.ts";
import { SMALL, type TerminalSize } from "./terminal.ts";

/** A screen for commands that show dialogs: each gets a terminal of its own. */
export class Shown implements Disposable {
  readonly size: TerminalSize;
  readonly dialogs: DialogScreen<any>[] = [];

  constructor(size: TerminalSize = SMALL) {
    this.size = size;
  }

  /** The dialog that was shown last. */
  get last(): DialogScreen<any> {
    const last = this.dialogs.at(-1);
    if (last === undefined) throw new Error("No dialog was shown");
    return last;
  }

  readonly show: Show = <R>(dialog: Dialog<R>) =>
    new Promise<R | undefined>((resolve) => {
      this.dialogs.push(
        new DialogScreen<R>((screen, done) => {
          return dialog(screen, (answer) => {
            done(answer);
            resolve(answer);
          });
        }, this.size),
      );
    });

  [Symbol.dispose](): void {
    for (const dialog of this.dialogs) dialog[Symbol.dispose]();
  }
}
