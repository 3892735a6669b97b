import { CancellableLoader, Container, Loader, Spacer, Text, type TUI } from "@earendil-works/pi-tui";
import type { Theme } from "../theme/theme.ts";
import { DynamicBorder } from "./dynamic-border.ts";
import { keyHint } from "./key-hint.ts";

/** A spinner with a message between two lines; by default, a key cancels the wait. */
export class BorderedLoader extends Container {
  readonly #loader: Loader;
  readonly #cancellable: CancellableLoader | undefined;
  readonly #never = new AbortController();

  constructor(tui: TUI, theme: Theme, message: string, options: { readonly cancellable?: boolean } = {}) {
    super();
    const border = (text: string): string => theme.fg("border", text);
    const styles = [(text: string) => theme.fg("accent", text), (text: string) => theme.fg("muted", text)] as const;
    if (options.cancellable === false) this.#loader = new Loader(tui, ...styles, message);
    else this.#loader = this.#cancellable = new CancellableLoader(tui, ...styles, message);
    this.addChild(new DynamicBorder(border));
    this.addChild(this.#loader);
    if (this.#cancellable !== undefined) {
      this.addChild(new Spacer(1));
      this.addChild(new Text(keyHint("tui.select.cancel", "cancel"), 1, 0));
    }
    this.addChild(new Spacer(1));
    this.addChild(new DynamicBorder(border));
  }

  /** Aborted when the person cancels. */
  get signal(): AbortSignal {
    return this.#cancellable?.signal ?? this.#never.signal;
  }

  set onAbort(handler: (() => void) | undefined) {
    if (this.#cancellable === undefined) return;
    if (handler === undefined) delete this.#cancellable.onAbort;
    else this.#cancellable.onAbort = handler;
  }

  handleInput(data: string): void {
    this.#cancellable?.handleInput(data);
  }

  dispose(): void {
    if (this.#cancellable === undefined) this.#loader.stop();
    else this.#cancellable.dispose();
  }
}
