import { matchesKey } from "@earendil-works/pi-tui";
import type { Hint } from "../select/frame.ts";
import { cell, endOf, fit, plainLine } from "../select/line.ts";
import { List } from "../select/list.ts";
import { currentTheme } from "../theme/current.ts";
import { duration } from "./dispatch-page.ts";
import type { HookNumbers, PanelSource } from "./panel-source.ts";
import { listHints, type Tab, type TabHost } from "./tab.ts";

interface Column {
  readonly head: string;
  readonly width: number;
  value(hook: HookNumbers): number;
  shown(hook: HookNumbers): string;
}

const count = (head: string, value: (hook: HookNumbers) => number): Column => ({
  head,
  width: Math.max(6, head.length + 2),
  value,
  shown: (hook) => (value(hook) === 0 ? "" : String(value(hook))),
});
const time = (head: string, value: (hook: HookNumbers) => number): Column => ({
  head,
  width: 9,
  value,
  shown: (hook) => (hook.runs === 0 ? "" : duration(value(hook))),
});

const COLUMNS: readonly Column[] = [
  count("runs", ({ runs }) => runs),
  count("ok", ({ ok }) => ok),
  count("failed", ({ failed }) => failed),
  count("skipped", ({ skipped }) => skipped),
  time("avg", ({ avgMs }) => avgMs),
  time("p95", ({ p95Ms }) => p95Ms),
  time("total", ({ totalMs }) => totalMs),
];

/** Lists the counters of each hook in this session, sorted by the column that the person chooses. */
export class MetricsTab implements Tab {
  readonly name = "Metrics";
  readonly #source: PanelSource;
  readonly #list: List<HookNumbers>;
  readonly #stop: () => void;
  #sort = COLUMNS.length - 1;
  #isReversed = false;

  constructor(source: PanelSource, host: TabHost, close: () => void) {
    this.#source = source;
    this.#list = new List<HookNumbers>({
      rows: [],
      room: () => host.room() - 5,
      search: false,
      empty: "No hook is loaded.",
      onPick: () => {},
      onCancel: close,
      onKey: (data) => {
        if (matchesKey(data, "s")) this.#sort = (this.#sort + 1) % COLUMNS.length;
        else if (matchesKey(data, "r")) this.#isReversed = !this.#isReversed;
        else return false;
        return true;
      },
      draw: (row, isSelected, width) => this.#line(row.value, isSelected, width),
    });
    this.#stop = source.activity.listen(() => host.requestRender());
  }

  remark(): string {
    return `by ${COLUMNS[this.#sort]?.head}, ${this.#isReversed ? "least" : "most"} first`;
  }

  hints(): readonly Hint[] {
    return listHints(["s", "sort by the next column"], ["r", "reverse"]);
  }

  invalidate(): void {}

  handleInput(data: string): boolean {
    if (matchesKey(data, "tab")) return false;
    this.#list.handleInput(data);
    return true;
  }

  render(width: number): string[] {
    const theme = currentTheme();
    const { value } = COLUMNS[this.#sort] as Column;
    const sorted = [...this.#source.numbers()].sort((a, b) => (value(b) - value(a)) * (this.#isReversed ? -1 : 1));
    const before = this.#list.selected?.id;
    this.#list.setRows(
      sorted.map((hook) => ({ value: hook, text: hook.source })),
      ({ id }) => id === before,
    );
    const shown = columnsFor(width - 2);
    const head = shown.map((column) => column.head.padStart(column.width)).join("");
    const names = cell("hook", width - 2 - head.length);
    const lines = [fit(theme.bold(`  ${names}${head}`), width), ...this.#list.render(width)];
    const selected = this.#list.selected;
    if (selected !== undefined) lines.push("", fit(` ${theme.fg("muted", plainLine(selected.event))}`, width));
    if (selected?.shadow !== undefined) lines.push(fit(` ${theme.fg("muted", plainLine(selected.shadow))}`, width));
    if (selected?.elsewhere !== undefined)
      lines.push(fit(` ${theme.fg("muted", plainLine(selected.elsewhere))}`, width));
    if (selected?.lastError !== undefined)
      lines.push(fit(` ${theme.fg("error", plainLine(`last error: ${selected.lastError}`))}`, width));
    return lines;
  }

  dispose(): void {
    this.#stop();
  }

  #line(hook: HookNumbers, isSelected: boolean, width: number): string {
    const theme = currentTheme();
    const shown = columnsFor(width);
    const numbers = shown.map((column) => {
      const text = column.shown(hook).padStart(column.width);
      return column.head === "failed" && hook.failed > 0 ? theme.fg("error", text) : theme.fg("muted", text);
    });
    const taken = shown.reduce((sum, column) => sum + column.width, 0);
    const path = endOf(plainLine(this.#source.path(hook.source)), width - taken - hook.lane.length - 2);
    const name = cell(`${hook.lane} ${path}`, width - taken);
    return `${isSelected ? theme.fg("accent", name) : name}${numbers.join("")}`;
  }
}

/** Returns the columns that fit beside a hook's name. */
function columnsFor(width: number): readonly Column[] {
  const shown = [...COLUMNS];
  const taken = (): number => shown.reduce((sum, column) => sum + column.width, 0);
  while (shown.length > 0 && taken() > width - 20) shown.pop();
  return shown;
}
