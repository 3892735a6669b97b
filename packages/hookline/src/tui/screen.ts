import {
  type Component,
  type OverlayHandle,
  type OverlayOptions,
  type Terminal,
  TuiMainScreen,
} from "@earendil-works/pi-tui";
import { inertLine } from "./inert.ts";
import { type Faults, shield } from "./shield.ts";
import { InertTerminal } from "./terminal/inert-terminal.ts";

/** Says how a screen draws, and where it reports frames and failures. */
export interface ScreenOptions {
  /** Whether to draw without colours (NO_COLOR). */
  readonly plain?: boolean;
  /** Called after each frame. */
  onFrame?(): void;
  /** Called with a message when a hook's component has failed. */
  readonly faults?: Faults;
}

/**
 * pi-tui's screen with three more guarantees. Every line that reaches the terminal is harmless and fits the width,
 * whoever drew it. A slow terminal gets no frame until it has caught up, and then the newest. Lines that have scrolled
 * away can be dropped, so that a frame's cost does not grow with the session.
 */
export class Screen extends TuiMainScreen {
  readonly #options: ScreenOptions;
  #known = new Map<string, string>();
  #waits = false;

  readonly #inert: InertTerminal;

  constructor(terminal: Terminal, options: ScreenOptions = {}) {
    const inert = new InertTerminal(terminal);
    super(inert);
    this.#inert = inert;
    this.#options = options;
    inert.onDrained = () => {
      if (this.#waits) this.requestRender();
      this.#waits = false;
    };
  }

  /** Must be true while the screen has dropped lines: only the scrollback has them, so nothing may clear it. */
  set keepsScrollback(keeps: boolean) {
    this.#inert.keepsScrollback = keeps;
  }

  /** The number of drawn lines above the visible part. */
  get scrolledAway(): number {
    return this.captureRenderState().previousViewportTop;
  }

  /** Drops the first lines of the last frame; they stay in the terminal's scrollback. */
  giveUp(lines: number): void {
    const state = this.captureRenderState();
    if (lines <= 0 || lines > state.previousViewportTop) return;
    this.restoreRenderState({
      ...state,
      previousLines: state.previousLines.slice(lines),
      cursorRow: state.cursorRow - lines,
      hardwareCursorRow: state.hardwareCursorRow - lines,
      maxLinesRendered: state.maxLinesRendered - lines,
      previousViewportTop: state.previousViewportTop - lines,
    });
  }

  override showOverlay(component: Component, options?: OverlayOptions): OverlayHandle {
    const faults = this.#options.faults ?? (() => {});
    return super.showOverlay(shield(component, "A component over the screen", faults), options);
  }

  protected override doRender(): void {
    if (this.#inert.isBusy) {
      this.#waits = true;
      return;
    }
    super.doRender();
    this.#options.onFrame?.();
  }

  protected override applyLineResets(lines: string[]): string[] {
    const rules = { width: this.terminal.columns, plain: this.#options.plain === true };
    const known = new Map<string, string>();
    const inert = lines.map((line) => {
      const key = `${rules.width} ${line}`;
      const clean = this.#known.get(key) ?? inertLine(String(line), rules);
      known.set(key, clean);
      return clean;
    });
    this.#known = known;
    return super.applyLineResets(inert);
  }
}
