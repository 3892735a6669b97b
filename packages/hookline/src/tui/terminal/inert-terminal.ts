import type { Terminal } from "@earendil-works/pi-tui";
import { oneLine } from "../shown.ts";
import type { PacedTerminal } from "./terminal.ts";

const CLEAR_SCROLLBACK = "\x1b[3J";

/** The terminal that the screen and hooks' components use. Cleans titles, and can refuse to clear the scrollback. */
export class InertTerminal implements Terminal {
  /** Whether some lines exist only in the terminal's scrollback, so that nothing may clear the scrollback. */
  keepsScrollback = false;
  readonly #terminal: Terminal & Partial<PacedTerminal>;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Whether earlier output is still pending. */
  get isBusy(): boolean {
    return this.#terminal.isBusy === true;
  }

  set onDrained(drained: () => void) {
    if ("onDrained" in this.#terminal) this.#terminal.onDrained = drained;
  }

  get columns(): number {
    return this.#terminal.columns;
  }

  get rows(): number {
    return this.#terminal.rows;
  }

  get kittyProtocolActive(): boolean {
    return this.#terminal.kittyProtocolActive;
  }

  start(onInput: (data: string) => void, onResize: () => void): void {
    this.#terminal.start(onInput, onResize);
  }

  stop(): void {
    this.#terminal.stop();
  }

  drainInput(maxMs?: number, idleMs?: number): Promise<void> {
    return this.#terminal.drainInput(maxMs, idleMs);
  }

  write(data: string): void {
    this.#terminal.write(this.keepsScrollback ? data.replaceAll(CLEAR_SCROLLBACK, "") : data);
  }

  moveBy(lines: number): void {
    this.#terminal.moveBy(lines);
  }

  hideCursor(): void {
    this.#terminal.hideCursor();
  }

  showCursor(): void {
    this.#terminal.showCursor();
  }

  clearLine(): void {
    this.#terminal.clearLine();
  }

  clearFromCursor(): void {
    this.#terminal.clearFromCursor();
  }

  clearScreen(): void {
    this.#terminal.clearScreen();
  }

  setTitle(title: string): void {
    this.#terminal.setTitle(oneLine(title));
  }

  setProgress(active: boolean): void {
    this.#terminal.setProgress(active);
  }
}
