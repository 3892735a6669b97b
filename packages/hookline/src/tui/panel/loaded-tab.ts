import { matchesKey } from "@earendil-works/pi-tui";
import { isSamePlace, place } from "@hookline/ground";
import { limitText } from "@hookline/runtime/engine";
import type { LoadReport, ReportedSource } from "@hookline/runtime/session";
import { IN_SHADOW } from "../../hook/in-shadow.ts";
import type { Hint } from "../select/frame.ts";
import { cell, endOf, fit, plainLine, withNote } from "../select/line.ts";
import { List, type Row } from "../select/list.ts";
import { currentTheme } from "../theme/current.ts";
import { Page, type PageLine } from "./page.ts";
import type { PanelSource, TrustItem } from "./panel-source.ts";
import { ReviewPage } from "./review-page.ts";
import { listHints, pageHints, type Tab, type TabHost } from "./tab.ts";

/** The sign for each state of a hook, and the theme's colour for it. */
const STATE_SIGNS: Readonly<Record<ReportedSource["state"], readonly [sign: string, colour: string]>> = {
  runs: ["✓", "success"],
  untrusted: ["?", "warning"],
  disabled: ["–", "dim"],
  shadowed: ["–", "warning"],
  unreachable: ["!", "warning"],
  unsupported: ["!", "warning"],
  broken: ["✗", "error"],
};

/** The sign for a hook in shadow, which runs but decides nothing. */
const SHADOW_SIGN = ["◌", "muted"] as const;

/** Lists the found hooks by dialect and tier, and says why some do not run; pending ones can be approved here. */
export class LoadedTab implements Tab {
  readonly name = "Loaded";
  readonly #source: PanelSource;
  readonly #host: TabHost;
  readonly #list: List<ReportedSource>;
  #report: LoadReport;
  #page: Page | undefined;
  #review: ReviewPage | undefined;
  #says: string | undefined;

  constructor(source: PanelSource, host: TabHost, close: () => void) {
    this.#source = source;
    this.#host = host;
    this.#report = source.report();
    this.#list = new List<ReportedSource>({
      rows: rowsOf(this.#report),
      room: () => host.room() - 2,
      search: false,
      empty: "No hook was found. The searched places are below.",
      onPick: (one) => (this.#page = new Page(this.#about(one), () => host.room() - 1)),
      onCancel: close,
      onKey: (data, one) => this.#onKey(data, one),
      draw: (row, isSelected, width) => this.#line(row.value, isSelected, width),
    });
  }

  remark(): string {
    const { found, runs, notRunning } = this.#report.summary;
    return `${found} found, ${runs} run, ${notRunning} do not`;
  }

  hints(): readonly Hint[] {
    if (this.#review !== undefined) return this.#review.hints();
    if (this.#page !== undefined) return pageHints();
    const isWaiting = this.#list.selected?.state === "untrusted";
    return listHints(["enter", "why"], ...(isWaiting ? [["a", "review"] as const] : []), ["r", "reload"]);
  }

  invalidate(): void {
    this.#page?.invalidate();
    this.#review?.invalidate();
  }

  handleInput(data: string): boolean {
    if (this.#review !== undefined) {
      this.#review.handleInput(data);
      return true;
    }
    if (this.#page !== undefined) {
      if (!this.#page.scroll(data) && !matchesKey(data, "tab")) this.#page = undefined;
      return !matchesKey(data, "tab");
    }
    if (matchesKey(data, "tab")) return false;
    this.#says = undefined;
    this.#list.handleInput(data);
    return true;
  }

  render(width: number): string[] {
    if (this.#review !== undefined) return this.#review.render(width);
    if (this.#page !== undefined) return this.#page.render(width);
    this.#follow();
    const theme = currentTheme();
    const lines = this.#list.render(width);
    const one = this.#list.selected;
    if (one === undefined) lines.push(...this.#searched(width));
    const says = this.#says ?? (one === undefined || one.state === "runs" ? "" : `${one.reason ?? one.state}`);
    if (says !== "") lines.push("", fit(` ${theme.fg("warning", plainLine(this.#source.path(says)))}`, width));
    return lines.slice(0, this.#host.room());
  }

  /** Lists the files and folders that were searched for hooks, as many as fit. */
  #searched(width: number): string[] {
    const paths = this.#report.searched.map((path) => this.#source.path(path));
    const room = Math.max(0, this.#host.room() - 2);
    const more = paths.length > room ? [`and ${paths.length - room} more; \`hookline hooks\` lists them`] : [];
    return [...paths.slice(0, room), ...more].map((path) =>
      fit(`    ${currentTheme().fg("dim", plainLine(path))}`, width),
    );
  }

  /** Lists the hooks again after a reload; the selection stays on the same hook. */
  #follow(): void {
    const report = this.#source.report();
    if (report === this.#report) return;
    const before = this.#list.selected;
    this.#report = report;
    this.#list.setRows(rowsOf(report), (one) => before !== undefined && isSamePlace(one, before));
  }

  #onKey(data: string, one: ReportedSource | undefined): boolean {
    if (matchesKey(data, "a") && one?.state === "untrusted") void this.#startReview(one);
    else if (matchesKey(data, "r")) void this.#reload();
    else return false;
    return true;
  }

  async #startReview(one: ReportedSource): Promise<void> {
    this.#tell("Reading it…");
    try {
      const items = (await this.#source.trust.sheets()).flatMap((sheet) => sheet.items);
      const item = items.find((item) => isSamePlace(item, one));
      if (item === undefined) this.#tell("It no longer exists. Press r to reload.");
      else this.#show(item);
    } catch (thrown) {
      this.#tell(thrown instanceof Error ? thrown.message : String(thrown));
    }
  }

  #show(item: TrustItem): void {
    this.#says = undefined;
    this.#review = new ReviewPage(item, this.#host, (says) => {
      this.#review = undefined;
      this.#tell(says);
    });
    this.#host.requestRender();
  }

  async #reload(): Promise<void> {
    this.#tell("Reloading…");
    try {
      await this.#source.reload();
      this.#tell(undefined);
    } catch (thrown) {
      this.#tell(thrown instanceof Error ? thrown.message : String(thrown));
    }
  }

  #tell(says: string | undefined): void {
    this.#says = says;
    this.#host.requestRender();
  }

  #line(one: ReportedSource, isSelected: boolean, width: number): string {
    const theme = currentTheme();
    const { state, lane, tier, events, shadow } = one;
    const [sign, colour] = shadow ? SHADOW_SIGN : STATE_SIGNS[state];
    const note = shadow ? "in shadow" : state === "runs" ? shortList(events) : state;
    const where = plainLine(this.#source.path(place(one)));
    // A path with fewer than 20 columns left gets the whole line, so `withNote` drops the note.
    const left = width - 20;
    const at = endOf(where, left - note.length - 2 < 20 ? left : left - note.length - 2);
    const head = `${theme.fg(colour, sign)} ${theme.fg("muted", cell(`${lane} ${tier}`, 17))} `;
    const text = head + (isSelected ? theme.fg("accent", at) : at);
    return withNote(text, theme.fg("dim", note), width);
  }

  #about(one: ReportedSource): PageLine[] {
    const { state, dialect, lane, tier, events, filter, commands, timeoutMs, onFailure, reason, remedy, order } = one;
    const [, colour] = STATE_SIGNS[state];
    const fact = (name: string, value: string | number | undefined): PageLine[] =>
      value === undefined || value === ""
        ? []
        : [{ text: `${name.padEnd(11)} ${plainLine(String(value))}`, hang: 12, isProse: true }];
    return [
      { text: plainLine(place(one)), isBold: true },
      { text: one.shadow ? `${state}, ${IN_SHADOW}` : state, colour },
      ...fact("in shadow", one.shadowHooks?.map((id) => this.#source.path(id)).join(", ")),
      ...fact("why", reason && this.#source.path(reason)),
      ...fact("what to do", remedy),
      ...fact("dialect", `${dialect}${one.api === undefined ? "" : `, ${one.api}`}`),
      ...fact("lane", lane),
      ...fact("tier", tier),
      ...fact("events", events.join(", ")),
      ...fact("lacks", one.lacks?.join(", ")),
      ...fact("filter", filter),
      ...fact("command", commands?.join("\n")),
      ...fact("order", order),
      ...fact("limit", timeoutMs === undefined ? undefined : limitText(timeoutMs)),
      ...fact("on failure", onFailure),
      ...fact("hash", one.hash),
    ];
  }
}

function rowsOf({ sources }: LoadReport): Row<ReportedSource>[] {
  return sources.map((one) => ({ value: one, text: one.path }));
}

function shortList(events: readonly string[]): string {
  return events.length <= 2 ? events.join(", ") : `${events[0]} and ${events.length - 1} more`;
}
