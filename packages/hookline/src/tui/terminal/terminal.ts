import { StdinBuffer, setKittyProtocolActive, type Terminal } from "@earendil-works/pi-tui";
import { Outlet, terminalSink } from "./outlet.ts";

const PASTES_ON = "\x1b[?2004h";
const PASTES_OFF = "\x1b[?2004l";
/**
 * Turns on kitty's keyboard protocol, with unambiguous keys, key releases and alternate keys. Then asks whether the
 * terminal supports it, and for the terminal's type.
 */
const ASK_FOR_KEYS = "\x1b[>7u\x1b[?u\x1b[c";
const USUAL_KEYS = "\x1b[<u";
const MODIFIED_KEYS_ON = "\x1b[>4;2m";
const MODIFIED_KEYS_OFF = "\x1b[>4;0m";
const KITTY_ANSWER = /^\x1b\[\?(\d+)u$/;
const ATTRIBUTES = /^\x1b\[\?[\d;]*c$/;

/** A terminal that reports whether some output has not been accepted yet. */
export interface PacedTerminal extends Terminal {
  /** Whether earlier output is still pending. */
  readonly isBusy: boolean;
  /** Called when all output has been accepted. */
  onDrained: (() => void) | undefined;
}

/** The terminal on which the process was started: reads keys from stdin, and never waits for output. */
export class OwnTerminal implements PacedTerminal {
  readonly #sink = terminalSink();
  readonly #outlet = new Outlet(this.#sink.sink);
  #keys: StdinBuffer | undefined;
  #onInput: ((data: string) => void) | undefined;
  #onResize: (() => void) | undefined;
  #hasKitty = false;
  #hasModified = false;
  #wasRaw = false;
  #isStalled = false;
  /** Whether the answer to `ASK_FOR_KEYS` has arrived. */
  #hasAnswered = false;
  readonly #read = (chunk: string): void => this.#keys?.process(chunk);

  get isBusy(): boolean {
    return this.#outlet.isBusy;
  }

  get onDrained(): (() => void) | undefined {
    return this.#outlet.onDrained;
  }

  set onDrained(drained: (() => void) | undefined) {
    this.#outlet.onDrained = drained;
  }

  get columns(): number {
    return process.stdout.columns || 80;
  }

  get rows(): number {
    return process.stdout.rows || 24;
  }

  get kittyProtocolActive(): boolean {
    return this.#hasKitty;
  }

  start(onInput: (data: string) => void, onResize: () => void): void {
    const { stdin, stdout } = process;
    this.#onInput = onInput;
    this.#onResize = onResize;
    this.#keys = new StdinBuffer();
    this.#keys.on("data", (sequence) => this.#take(sequence));
    this.#keys.on("paste", (text) => this.#onInput?.(`\x1b[200~${text}\x1b[201~`));
    this.#wasRaw = stdin.isRaw === true;
    stdin.setRawMode?.(true);
    stdin.setEncoding("utf8");
    stdin.on("data", this.#read);
    stdin.resume();
    stdout.on("resize", onResize);
    // The size may have changed while nobody listened; this signal makes Node read it again.
    if (process.platform !== "win32") process.kill(process.pid, "SIGWINCH");
    this.#hasAnswered = false;
    this.write(PASTES_ON + ASK_FOR_KEYS);
  }

  stop(): void {
    const { stdin, stdout } = process;
    this.write(PASTES_OFF + USUAL_KEYS + (this.#hasModified ? MODIFIED_KEYS_OFF : ""));
    this.#hasKitty = false;
    this.#hasModified = false;
    setKittyProtocolActive(false);
    this.#keys?.destroy();
    this.#keys = undefined;
    this.#onInput = undefined;
    stdin.removeListener("data", this.#read);
    if (this.#onResize !== undefined) stdout.removeListener("resize", this.#onResize);
    this.#isStalled = !this.#outlet.finish();
    // Changing the mode waits until the terminal has accepted all output, so the mode of a stalled terminal is not
    // changed here.
    if (!this.#isStalled) stdin.setRawMode?.(this.#wasRaw);
    stdin.pause();
  }

  /** Whether the terminal accepted nothing when it was stopped. Writing to it would then block for ever. */
  get isStalled(): boolean {
    return this.#isStalled;
  }

  /**
   * Reads input that is still in transit, such as the last key's release or the answer to `ASK_FOR_KEYS`, so that the
   * shell does not get it.
   */
  async drainInput(maxMs = 300, idleMs = 40): Promise<void> {
    this.#onInput = undefined;
    const { stdin } = process;
    await new Promise<void>((done) => {
      let idle: NodeJS.Timeout | undefined;
      const end = (): void => {
        clearTimeout(idle);
        clearTimeout(most);
        stdin.removeListener("data", again);
        done();
      };
      const again = (): void => {
        clearTimeout(idle);
        if (this.#hasAnswered) idle = setTimeout(end, idleMs);
      };
      const most = setTimeout(end, maxMs);
      stdin.on("data", again);
      again();
    });
  }

  write(data: string): void {
    this.#outlet.write(data);
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
    this.write(active ? "\x1b]9;4;3\x07" : "\x1b]9;4;0\x07");
  }

  /** Releases the terminal for good. */
  close(): void {
    this.#sink.close();
  }

  #take(sequence: string): void {
    const flags = KITTY_ANSWER.exec(sequence)?.[1];
    if (flags !== undefined && flags !== "0") {
      this.#hasKitty = true;
      setKittyProtocolActive(true);
    } else if (flags !== undefined || ATTRIBUTES.test(sequence)) {
      this.#hasAnswered ||= flags === undefined;
      // The terminal has answered without the kitty keyboard protocol, so xterm's modifyOtherKeys is turned on.
      if (this.#hasKitty || this.#hasModified) return;
      this.#hasModified = true;
      this.write(MODIFIED_KEYS_ON);
    } else this.#onInput?.(sequence);
  }
}
