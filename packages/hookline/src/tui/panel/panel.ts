import { type Component, type Focusable, matchesKey, visibleWidth } from "@earendil-works/pi-tui";
import { hintLine } from "../select/frame.ts";
import { fit } from "../select/line.ts";
import { type Dialog, roomFor, type Screen } from "../select/screen.ts";
import { currentTheme } from "../theme/current.ts";
import { ActivityTab } from "./activity-tab.ts";
import { BackgroundTab } from "./background-tab.ts";
import { EventTab } from "./event-tab.ts";
import { LoadedTab } from "./loaded-tab.ts";
import { MetricsTab } from "./metrics-tab.ts";
import type { PanelSource } from "./panel-source.ts";
import type { Tab, TabHost } from "./tab.ts";

/** The `/hooks` panel: which hooks are loaded, what they do, what they cost, and which would run for an event. */
export function hooksPanel(source: PanelSource, quit: () => void): Dialog<void> {
  return (screen, done) =>
    new HooksPanel(screen, source, done, () => {
      done();
      quit();
    });
}

class HooksPanel implements Component, Focusable {
  focused = false;
  readonly #screen: Screen;
  readonly #tabs: readonly Tab[];
  readonly #quit: () => void;
  #at = 0;
  #tallest = 0;

  constructor(screen: Screen, source: PanelSource, done: () => void, quit: () => void) {
    this.#screen = screen;
    this.#quit = quit;
    const host: TabHost = { room: () => roomFor(screen, 4), requestRender: () => screen.requestRender() };
    this.#tabs = [
      new LoadedTab(source, host, done),
      new ActivityTab(source, host, done),
      new MetricsTab(source, host, done),
      new EventTab(source, host, done),
      // Most sessions have no background hooks, so their tab is shown only if there are some.
      ...(source.background().length > 0 ? [new BackgroundTab(source, host, done)] : []),
    ];
  }

  invalidate(): void {
    for (const tab of this.#tabs) tab.invalidate();
  }

  handleInput(data: string): void {
    if (matchesKey(data, "ctrl+d")) this.#quit();
    else if (matchesKey(data, "shift+tab")) this.#go(-1);
    else if (!this.#tab.handleInput(data) && matchesKey(data, "tab")) this.#go(1);
  }

  render(width: number): string[] {
    const body = this.#tab.render(width);
    // The panel grows but never shrinks, so that lines below it do not jump.
    this.#tallest = Math.max(body.length, Math.min(this.#tallest, roomFor(this.#screen, 4)));
    while (body.length < this.#tallest) body.push("");
    return [this.#head(width), ...body, hintLine(this.#tab.hints(), width)];
  }

  dispose(): void {
    for (const tab of this.#tabs) tab.dispose?.();
  }

  get #tab(): Tab {
    return this.#tabs[this.#at] as Tab;
  }

  #go(by: 1 | -1): void {
    this.#at = (this.#at + by + this.#tabs.length) % this.#tabs.length;
  }

  #head(width: number): string {
    const theme = currentTheme();
    const names = this.#tabs.map(({ name }, at) =>
      at === this.#at ? theme.bold(theme.fg("accent", `[${name}]`)) : theme.fg("muted", ` ${name} `),
    );
    const head = `${theme.fg("border", "──")} Hooks ${names.join("")} `;
    const remark = this.#tab.remark();
    const left = width - visibleWidth(head);
    const tail = visibleWidth(remark) + 5 > left ? "" : ` ${theme.fg("muted", remark)} ${theme.fg("border", "──")}`;
    return fit(head + theme.fg("border", "─".repeat(Math.max(0, left - visibleWidth(tail)))) + tail, width);
  }
}
