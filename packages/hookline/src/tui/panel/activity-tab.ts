import { matchesKey } from "@earendil-works/pi-tui";
import type { Hint } from "../select/frame.ts";
import { cell, fit, plainLine, withNote } from "../select/line.ts";
import { List, type Row } from "../select/list.ts";
import { currentTheme } from "../theme/current.ts";
import type { LoggedDispatch } from "./activity-log.ts";
import { clock, dispatchPage, duration, eventName } from "./dispatch-page.ts";
import { Page } from "./page.ts";
import type { PanelSource } from "./panel-source.ts";
import { handleKey, listHints, pageHints, type Tab, type TabHost } from "./tab.ts";

/** How often running times are redrawn, in ms. */
const TICK_MS = 1000;

/** The maximum number of running hooks shown; more are only counted. */
const MOST_RUNNING = 3;

/** Lists each dispatch as it happens, newest first; an opened one shows who did what. */
export class ActivityTab implements Tab {
  readonly name = "Activity";
  readonly #source: PanelSource;
  readonly #host: TabHost;
  readonly #list: List<LoggedDispatch>;
  readonly #stop: () => void;
  #shown: readonly LoggedDispatch[] = [];
  #count = -1;
  #showsQuiet = true;
  #open: { readonly dispatch: LoggedDispatch; readonly page: Page } | undefined;

  constructor(source: PanelSource, host: TabHost, close: () => void) {
    this.#source = source;
    this.#host = host;
    this.#list = new List<LoggedDispatch>({
      rows: [],
      room: () => host.room() - 1 - this.#running().length,
      search: false,
      empty: "No hook has been asked in this session yet.",
      onPick: (dispatch) => this.#expand(dispatch),
      onCancel: close,
      onKey: (data) => {
        if (matchesKey(data, "x")) {
          this.#source.running()[0]?.end();
          return true;
        }
        if (!matchesKey(data, "h")) return false;
        this.#showsQuiet = !this.#showsQuiet;
        this.#count = -1;
        return true;
      },
      draw: (row, isSelected, width) => line(row.value, isSelected, width),
    });
    const stop = source.activity.listen(() => host.requestRender());
    const ticking = setInterval(() => {
      if (source.running().length > 0) host.requestRender();
    }, TICK_MS);
    this.#stop = () => {
      stop();
      clearInterval(ticking);
    };
  }

  remark(): string {
    const { count } = this.#source.activity;
    return `${count} ${count === 1 ? "dispatch" : "dispatches"}${this.#showsQuiet ? "" : ", no-ops hidden"}`;
  }

  hints(): readonly Hint[] {
    if (this.#open !== undefined) return pageHints(["←→", "newer, older"]);
    const isWaiting = this.#source.running().length > 0;
    return listHints(["enter", "open"], ...(isWaiting ? [["x", "end the longest-running"] as const] : []), [
      "h",
      this.#showsQuiet ? "hide no-ops" : "show all",
    ]);
  }

  invalidate(): void {
    this.#open?.page.invalidate();
  }

  handleInput(data: string): boolean {
    return handleKey(data, this.#list, this.#open?.page, {
      step: (by) => this.#openNext(by),
      close: () => (this.#open = undefined),
    });
  }

  render(width: number): string[] {
    this.#follow();
    if (this.#open !== undefined) return this.#open.page.render(width);
    return [...this.#running().map((text) => fit(text, width)), ...this.#list.render(width)];
  }

  /** Draws a line for each hook that a dispatch is waiting for. */
  #running(): string[] {
    const theme = currentTheme();
    const all = this.#source.running();
    const lines = all.slice(0, MOST_RUNNING).map(({ label, event, ms }) => {
      const text = `${plainLine(event)}  ${plainLine(this.#source.path(label))}`;
      return `  ${theme.fg("warning", `▶ running ${duration(ms).padStart(8)}`)}  ${text}`;
    });
    const more = all.length - MOST_RUNNING;
    return more > 0 ? [...lines, `  ${theme.fg("dim", `and ${more} more`)}`] : lines;
  }

  dispose(): void {
    this.#stop();
  }

  /**
   * Adds rows for new dispatches. If the newest row was selected, the selection moves to the row that is now newest.
   */
  #follow(): void {
    const { activity } = this.#source;
    if (activity.count === this.#count) return;
    this.#count = activity.count;
    const selected = this.#list.selected;
    const stays = selected !== undefined && selected !== this.#shown[0];
    this.#shown = activity.latest().filter((one) => this.#showsQuiet || isLoud(one));
    const rows = this.#shown.map((one): Row<LoggedDispatch> => ({ value: one, text: one.event }));
    this.#list.setRows(rows, (one) => one === (stays ? selected : this.#shown[0]));
  }

  #expand(dispatch: LoggedDispatch): void {
    this.#open = { dispatch, page: new Page(dispatchPage(dispatch, this.#source), () => this.#host.room() - 1) };
  }

  #openNext(by: 1 | -1): void {
    if (this.#open === undefined) return;
    const next = this.#shown[this.#shown.indexOf(this.#open.dispatch) + by];
    if (next === undefined) return;
    this.#list.select((one) => one === next);
    this.#expand(next);
  }
}

/** Whether a hook answered, changed something or failed in a dispatch, or a problem was reported. */
function isLoud({ edits, runs, verdict, diagnostics }: LoggedDispatch): boolean {
  const says = ({ status }: { status: string }): boolean => !["no-answer", "skipped", "not-reached"].includes(status);
  return verdict !== undefined || edits.length > 0 || diagnostics.length > 0 || runs.some(says);
}

function line(dispatch: LoggedDispatch, isSelected: boolean, width: number): string {
  const theme = currentTheme();
  const { t, ms, runs, edits, verdict, added } = dispatch;
  const asked = runs.filter(({ status }) => status !== "skipped" && status !== "not-reached").length;
  const broken = runs.filter(({ status }) => status === "failed" || status === "timed-out").length;
  const says = [
    verdict === undefined ? "" : theme.fg("error", plainLine(verdict)),
    added === undefined ? "" : theme.fg("accent", plainLine(added)),
    edits.length === 0
      ? ""
      : theme.fg("warning", `changed ${[...new Set(edits.map(({ field }) => plainLine(field)))].join(", ")}`),
    broken === 0 ? "" : theme.fg("error", `${broken} failed`),
  ].filter(Boolean);
  const quiet = says.length === 0;
  const name = cell(plainLine(eventName(dispatch)), 20);
  const head = `${theme.fg("dim", clock(t))}  ${isSelected ? theme.fg("accent", name) : quiet ? theme.fg("muted", name) : name} `;
  const hooks = `${asked === 1 ? "1 hook" : `${asked} hooks`}  ${duration(ms).padStart(8)}`;
  return withNote(fit(head + says.join(", "), width), theme.fg("dim", hooks), width);
}
