import { type Component, type Container, matchesKey, type TUI } from "@earendil-works/pi-tui";
import type { DialogOptions } from "@hookline/runtime/engine";
import type { Dialog as OwnDialog } from "../select/screen.ts";

/** Makes the dialog for a question; `close` takes the answer, or `undefined` if the question is dismissed. */
export type Ask<T> = (close: (answer: T | undefined) => void) => Dialog;

/** A component that asks something. */
export interface Dialog extends Component {
  /** Shows in how many seconds the dialog closes by itself. */
  setSecondsLeft?(seconds: number): void;
  /** Called when the dialog is removed, whoever removes it. */
  dispose?(): void;
}

/**
 * Shows questions and hooks' components for a while in place of the editor. Only one question is shown at a time; the
 * component that was added last is in front.
 */
export class Dialogs {
  readonly #tui: TUI;
  readonly #place: Container;
  readonly #isTyping: () => boolean;
  #stack: Component[];
  #last: Promise<unknown> = Promise.resolve();
  readonly #open = new Set<() => void>();
  #isClosed = false;
  #waiting = 0;

  /** `isTyping` says whether a person is in the middle of a text in the editor. */
  constructor(tui: TUI, place: Container, base: Component, isTyping: () => boolean) {
    this.#tui = tui;
    this.#place = place;
    this.#isTyping = isTyping;
    this.#stack = [base];
    this.#show();
  }

  /** Whether something other than the editor has the keyboard focus. */
  get isBusy(): boolean {
    return this.#stack.length > 1;
  }

  /** Whether a question is shown. */
  get asks(): boolean {
    return this.#open.size > 0;
  }

  /** How many questions wait behind the one on the screen. */
  get waiting(): number {
    return Math.max(0, this.#waiting - 1);
  }

  /** Replaces the editor, which is shown while there is no question and no component of a hook. */
  setBase(base: Component): void {
    this.#stack[0] = base;
    this.#show();
  }

  /** Asks once earlier questions have been answered; a signal or the time limit dismisses the question. */
  ask<T>(open: Ask<T>, { signal, timeout }: DialogOptions = {}): Promise<T | undefined> {
    this.#count(1);
    const turn = this.#last.then(() =>
      this.#isClosed || signal?.aborted ? undefined : this.#answer(open, signal, timeout),
    );
    this.#last = turn.catch(() => undefined);
    // With a signal, a waiting question can be dismissed at once, before its turn comes.
    if (signal === undefined) return turn.finally(() => this.#count(-1));
    const { promise: dismissed, resolve } = Promise.withResolvers<undefined>();
    const dismiss = (): void => resolve(undefined);
    if (signal.aborted) dismiss();
    signal.addEventListener("abort", dismiss, { once: true });
    return Promise.race([turn, dismissed]).finally(() => {
      this.#count(-1);
      signal.removeEventListener("abort", dismiss);
    });
  }

  /** Shows one of the agent's own dialogs, which waits for its turn as every question does. */
  show<R>(dialog: OwnDialog<R>): Promise<R | undefined> {
    const { terminal } = this.#tui;
    const screen = {
      get rows() {
        return terminal.rows;
      },
      requestRender: () => this.#tui.requestRender(),
    };
    return this.ask<R>((close) => dialog(screen, close));
  }

  /** Shows a component in place of the editor, in front of all others; returns a function that removes it. */
  push(component: Component): () => void {
    this.#stack.push(component);
    this.#show();
    return () => {
      const at = this.#stack.lastIndexOf(component);
      if (at <= 0) return;
      this.#stack.splice(at, 1);
      this.#show();
    };
  }

  /** Moves the keyboard focus to the component in front. */
  focus(): void {
    this.#tui.setFocus(this.#stack.at(-1) ?? null);
  }

  /** Dismisses every question, including later ones. */
  close(): void {
    this.#isClosed = true;
    for (const dismiss of [...this.#open]) dismiss();
  }

  #count(change: 1 | -1): void {
    this.#waiting += change;
    this.#tui.requestRender();
  }

  #answer<T>(open: Ask<T>, signal: AbortSignal | undefined, timeout: number | undefined): Promise<T | undefined> {
    return new Promise((resolve) => {
      let dialog: Dialog | undefined;
      let ticking: NodeJS.Timeout | undefined;
      let remove = (): void => {};
      const dismiss = (): void => close(undefined);
      const close = (answer: T | undefined): void => {
        if (!this.#open.delete(dismiss)) return;
        clearInterval(ticking);
        signal?.removeEventListener("abort", dismiss);
        remove();
        dialog?.dispose?.();
        resolve(answer);
      };
      this.#open.add(dismiss);
      signal?.addEventListener("abort", dismiss, { once: true });
      const asked = open(close);
      const [base] = this.#stack;
      dialog =
        base !== undefined && !this.isBusy && this.#isTyping()
          ? unhurried(asked, base, () => performance.now())
          : asked;
      if (this.#open.has(dismiss)) remove = this.push(dialog);
      if (!timeout) return;
      const end = performance.now() + timeout;
      const tick = (): void => {
        const left = end - performance.now();
        if (left <= 0) dismiss();
        else dialog?.setSecondsLeft?.(Math.ceil(left / 1000));
        this.#tui.requestRender();
      };
      tick();
      ticking = setInterval(tick, Math.min(1000, Math.max(20, timeout / 4)));
    });
  }

  #show(): void {
    const front = this.#stack.at(-1);
    this.#place.clear();
    if (front !== undefined) this.#place.addChild(front);
    this.#tui.setFocus(front ?? null);
    this.#tui.requestRender();
  }
}

/** How long a person must have paused before keys answer a question that appeared while they were typing, in ms. */
export const PAUSE_MS = 500;

/**
 * Protects a question that appeared while a person was typing: until they pause, their keys go to the editor and answer
 * nothing. A key that dismisses the question counts at once.
 */
export function unhurried(dialog: Dialog, typing: Component, now: () => number): Dialog {
  let last = now();
  let hasPaused = false;
  return {
    handleInput(data) {
      const at = now();
      hasPaused ||= at - last >= PAUSE_MS;
      last = at;
      const dismisses = matchesKey(data, "escape") || matchesKey(data, "ctrl+c");
      if (hasPaused || dismisses) dialog.handleInput?.(data);
      // Enter is dropped, because it would send the text; other keys go to the editor.
      else if (!matchesKey(data, "enter")) typing.handleInput?.(data);
    },
    invalidate: () => dialog.invalidate(),
    render: (width) => dialog.render(width),
    setSecondsLeft: (seconds) => dialog.setSecondsLeft?.(seconds),
    dispose: () => dialog.dispose?.(),
  };
}
