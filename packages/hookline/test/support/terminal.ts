import { setTimeout as pause } from "node:timers/promises";
import { type Terminal, visibleWidth } from "@earendil-works/pi-tui";
import xterm from "@xterm/headless";
import { type KeyName, keyBytes } from "./keys.ts";
import { viewportLines } from "./styled.ts";

/** Longer than pi-tui's shortest time between two frames, so that a frame that waits its turn is seen. */
const QUIET_MS = 24;

/** How big the terminal is; the sizes that every screen is shown at are `SMALL` and `LARGE`. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** The classic terminal. */
export const SMALL: TerminalSize = { columns: 80, rows: 24 };
/** A roomy one. */
export const LARGE: TerminalSize = { columns: 120, rows: 40 };

/**
 * A terminal without a window: pi-tui writes to it, xterm.js interprets what it wrote, a test presses keys and reads
 * the screen. Beside the text it keeps everything that a program can do to a terminal, so that a test can say that
 * hostile text did none of it. Hand it to `new TuiMainScreen(terminal)`; dispose it at the end.
 */
export class VirtualTerminal implements Terminal, Disposable {
  readonly kittyProtocolActive = false;
  /** Every title that was set, whoever set it. */
  readonly titles: string[] = [];
  /** Texts that were written to the clipboard (OSC 52); `?` for a request to read it. */
  readonly clipboard: string[] = [];
  /** The targets of hyperlinks (OSC 8). */
  readonly links: string[] = [];
  /** Other operating-system commands, as `number;text`: notifications, colours, folders, shell marks. */
  readonly commands: string[] = [];
  /** Reports that the terminal sent by itself because a text asked for them. */
  readonly replies: string[] = [];
  /** Private modes in the order of switching: `?1049h` is the alternate screen, `?1000h` the mouse. */
  readonly modes: string[] = [];
  /** Device-control strings, such as sixel images and settings queries. */
  readonly deviceStrings: string[] = [];
  bells = 0;
  /** How often `start` and `stop` were called. */
  started = 0;
  stopped = 0;
  readonly #xterm: xterm.Terminal;
  readonly #chunks: string[] = [];
  #held: string[] | undefined;
  #writes = 0;
  #onInput: ((data: string) => void) | undefined;
  #onResize: (() => void) | undefined;

  constructor({ columns, rows }: TerminalSize = SMALL) {
    const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 100_000, allowProposedApi: true });
    this.#xterm = terminal;
    terminal.unicode.register(new WidthsOfPiTui());
    terminal.unicode.activeVersion = "pi-tui";
    terminal.onTitleChange((title) => this.titles.push(title));
    terminal.onData((data) => this.replies.push(data));
    terminal.onBell(() => (this.bells += 1));
    const { parser } = terminal;
    const observe = (ident: number, keep: (data: string) => void): void =>
      void parser.registerOscHandler(ident, (data) => {
        keep(data);
        return false;
      });
    observe(52, (data) => this.clipboard.push(data.replace(/^[^;]*;/, "")));
    observe(8, (data) => {
      const target = data.replace(/^[^;]*;/, "");
      if (target !== "") this.links.push(target);
    });
    for (const ident of [4, 7, 9, 10, 11, 12, 50, 99, 104, 110, 111, 112, 133, 633, 777, 1337])
      observe(ident, (data) => this.commands.push(`${ident};${data}`));
    for (const final of ["h", "l"]) {
      parser.registerCsiHandler({ prefix: "?", final }, (params) => {
        this.modes.push(`?${params.join(";")}${final}`);
        return false;
      });
    }
    for (const id of [{ final: "q" }, { intermediates: "$", final: "q" }, { intermediates: "+", final: "q" }]) {
      parser.registerDcsHandler(id, (data) => {
        this.deviceStrings.push(data);
        return true;
      });
    }
  }

  get columns(): number {
    return this.#xterm.cols;
  }

  get rows(): number {
    return this.#xterm.rows;
  }

  /** The title as it is now. */
  get title(): string {
    return this.titles.at(-1) ?? "";
  }

  /** Whether the program is on the alternate screen now. */
  get alternate(): boolean {
    return this.#xterm.buffer.active.type === "alternate";
  }

  /** The position of the hardware cursor, from 0 in the viewport. */
  get cursor(): { readonly x: number; readonly y: number; readonly visible: boolean } {
    const { cursorX, cursorY } = this.#xterm.buffer.active;
    return { x: cursorX, y: cursorY, visible: this.modes.findLast((mode) => mode.startsWith("?25")) !== "?25l" };
  }

  /** Everything that was written, byte for byte. */
  get written(): string {
    return this.#chunks.join("");
  }

  /** How many characters were written, without joining them. */
  get writtenLength(): number {
    return this.#chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  }

  /** How often the program wrote. */
  get writes(): number {
    return this.#writes;
  }

  /** Types a text, one key press for each character. */
  type(text: string): void {
    for (const character of text) this.feed(character);
  }

  /** Presses keys by name, one after the other. */
  press(...keys: readonly KeyName[]): void {
    for (const key of keys) this.feed(keyBytes(key));
  }

  /** Pastes a text as a terminal in bracketed-paste mode does. */
  paste(text: string): void {
    this.feed(`\x1b[200~${text}\x1b[201~`);
  }

  /** Sends one input sequence as it is. */
  feed(data: string): void {
    this.#onInput?.(data);
  }

  resize({ columns, rows }: TerminalSize): void {
    this.#xterm.resize(columns, rows);
    this.#onResize?.();
  }

  /** Holds back everything that is written, as a terminal behind a stalled connection does; gives the release. */
  stall(): () => void {
    this.#held ??= [];
    return () => {
      const held = this.#held ?? [];
      this.#held = undefined;
      for (const data of held) this.#xterm.write(data);
    };
  }

  /** Resolves when the program has stopped writing and all of it was interpreted. */
  async settled(): Promise<void> {
    for (let before = -1; before !== this.#writes; ) {
      before = this.#writes;
      // A frame that was asked for gets its timer first, so a machine that stalls here cannot end the pause before it.
      await new Promise(setImmediate);
      await pause(QUIET_MS);
      await new Promise<void>((done) => this.#xterm.write("", done));
    }
  }

  /**
   * Waits until the screen shows a text, or fulfils a condition; throws with the screen when it does not.
   * A spinner never settles: use this beside one.
   */
  async until(wanted: string | RegExp | ((screen: string) => boolean), timeoutMs = 300_000): Promise<string> {
    const fulfilled = (screen: string): boolean => {
      if (typeof wanted === "string") return screen.includes(wanted);
      return wanted instanceof RegExp ? wanted.test(screen) : wanted(screen);
    };
    const end = performance.now() + timeoutMs;
    for (;;) {
      await new Promise<void>((done) => this.#xterm.write("", done));
      const screen = this.text();
      if (fulfilled(screen)) return screen;
      if (performance.now() > end) throw new Error(`The screen never showed ${String(wanted)}. It shows:\n${screen}`);
      await pause(5);
    }
  }

  /** The settled screen: its rows without blanks at their ends and without empty rows below. */
  async screen(options: { readonly styles?: boolean } = {}): Promise<string> {
    await this.settled();
    return this.text(options);
  }

  /**
   * The screen as it is interpreted so far. With `styles` a run of cells that look different is between marks: `‹b:…›`
   * with b bold, d dim, i italic, u underlined, s struck through, v inverse, and `#rrggbb` or a palette number for its
   * colour, `/` before a background's.
   */
  text(options: { readonly styles?: boolean } = {}): string {
    const { active } = this.#xterm.buffer;
    return viewportLines(active, active.baseY, this.rows, this.columns, options.styles ?? false)
      .join("\n")
      .trimEnd();
  }

  /** Everything since the start, scrolled-away lines included. */
  async history(): Promise<string> {
    await this.settled();
    const { active } = this.#xterm.buffer;
    return viewportLines(active, 0, active.length, this.columns, false).join("\n").trimEnd();
  }

  start(onInput: (data: string) => void, onResize: () => void): void {
    this.started += 1;
    this.#onInput = onInput;
    this.#onResize = onResize;
    this.write("\x1b[?2004h");
  }

  stop(): void {
    this.stopped += 1;
    this.write("\x1b[?2004l");
    this.#onInput = undefined;
    this.#onResize = undefined;
  }

  async drainInput(): Promise<void> {}

  write(data: string): void {
    this.#writes += 1;
    this.#chunks.push(data);
    if (this.#held === undefined) this.#xterm.write(data);
    else this.#held.push(data);
  }

  moveBy(lines: number): void {
    if (lines !== 0) this.write(lines > 0 ? `\x1b[${lines}B` : `\x1b[${-lines}A`);
  }

  hideCursor(): void {
    this.write("\x1b[?25l");
  }

  showCursor(): void {
    this.write("\x1b[?25h");
  }

  clearLine(): void {
    this.write("\x1b[K");
  }

  clearFromCursor(): void {
    this.write("\x1b[J");
  }

  clearScreen(): void {
    this.write("\x1b[2J\x1b[H");
  }

  setTitle(title: string): void {
    this.write(`\x1b]0;${title}\x07`);
  }

  setProgress(active: boolean): void {
    this.write(active ? "\x1b]9;4;3\x07" : "\x1b]9;4;0;\x07");
  }

  [Symbol.dispose](): void {
    this.#onInput = undefined;
    this.#xterm.dispose();
  }
}

/** A character takes as many cells as pi-tui counts, so that what differs on the screen is the program's doing. */
class WidthsOfPiTui implements xterm.IUnicodeVersionProvider {
  readonly version = "pi-tui";

  wcwidth(codepoint: number): 0 | 1 | 2 {
    if (codepoint < 32 || (codepoint >= 127 && codepoint < 160)) return 0;
    const width = visibleWidth(String.fromCodePoint(codepoint));
    return width === 0 || width === 1 ? width : 2;
  }

  /** xterm's packed value: the width in bits 1 and 2, and in bit 0 whether the character joins the one before. */
  charProperties(codepoint: number, preceding: number): number {
    const width = this.wcwidth(codepoint);
    const widthBefore = (preceding >> 1) & 3;
    const joins = width === 0 && preceding !== 0 && widthBefore !== 0;
    return (Math.max(width, joins ? widthBefore : 0) << 1) | (joins ? 1 : 0);
  }
}
