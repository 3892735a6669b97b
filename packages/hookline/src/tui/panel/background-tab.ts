import { matchesKey } from "@earendil-works/pi-tui";
import type { InBackground } from "@hookline/runtime/engine";
import type { Hint } from "../select/frame.ts";
import { List } from "../select/list.ts";
import { duration } from "./dispatch-page.ts";
import type { PanelSource } from "./panel-source.ts";
import { listHints, type Tab, type TabHost } from "./tab.ts";

/** How often the running times of the hooks are redrawn, in ms. */
const TICK_MS = 1000;

/** Lists the background hooks; each can be ended. */
export class BackgroundTab implements Tab {
  readonly name = "Background";
  readonly #source: PanelSource;
  readonly #list: List<InBackground>;
  readonly #undo: readonly (() => void)[];

  constructor(source: PanelSource, host: TabHost, close: () => void) {
    this.#source = source;
    this.#list = new List<InBackground>({
      rows: [],
      room: () => host.room(),
      search: false,
      empty: "Nothing runs in the background any more.",
      onPick: () => {},
      onCancel: close,
      onKey(data, one) {
        if (!matchesKey(data, "x")) return false;
        one?.end();
        return true;
      },
    });
    const ticking = setInterval(() => host.requestRender(), TICK_MS);
    this.#undo = [source.onBackground(() => host.requestRender()), () => clearInterval(ticking)];
  }

  handleInput(data: string): boolean {
    if (matchesKey(data, "tab")) return false;
    this.#list.handleInput(data);
    return true;
  }

  remark(): string {
    const { length } = this.#source.background();
    return length === 1 ? "1 hook runs" : `${length} hooks run`;
  }

  hints(): readonly Hint[] {
    return listHints(["x", "end it"]);
  }

  invalidate(): void {}

  render(width: number): string[] {
    const rows = this.#source.background().map((value) => ({
      value,
      // The label names the event at its start, so `#/hooks/EVENT/…` at its end is shortened to `#…/…`.
      text: this.#source.path(value.label).replace(`#/hooks/${value.event}/`, "#…/"),
      note: duration(value.ms),
    }));
    const before = this.#list.selected;
    this.#list.setRows(rows, ({ end }) => end === before?.end);
    return this.#list.render(width);
  }

  dispose(): void {
    for (const undo of this.#undo) undo();
  }
}
