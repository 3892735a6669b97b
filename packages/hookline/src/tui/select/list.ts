import { type Component, type Focusable, fuzzyFilter, getKeybindings, matchesKey } from "@earendil-works/pi-tui";
import { currentTheme } from "../theme/current.ts";
import { CleanInput } from "./clean-input.ts";
import { fit, plainLine, withNote } from "./line.ts";

/** One line of a list. Its texts may be untrusted: they are cleaned when drawn. */
export interface Row<T> {
  readonly value: T;
  readonly text: string;
  /** A note that is shown at the right end. */
  readonly note?: string;
  /** A text that is searched in addition to `text`. */
  readonly search?: string;
  /** A text that is shown before `text`, already styled. */
  readonly lead?: string;
  /** Whether the row is the value in use, such as the current model. */
  readonly isCurrent?: boolean;
  /** The name of the text's colour in the theme. */
  readonly colour?: string;
}

/** The rows of a list, how they are drawn and searched, and what happens on keys. */
export interface ListOptions<T> {
  readonly rows: readonly Row<T>[];
  /** How many rows are shown at once. */
  room(): number;
  /** Whether typed characters search the list. */
  readonly search: boolean;
  /** The text that is shown if there are no rows. */
  readonly empty: string;
  onPick(value: T): void;
  onCancel(): void;
  onMove?(value: T | undefined): void;
  /** Called with each key before the list handles it; returns true if the key was used. */
  onKey?(data: string, value: T | undefined): boolean;
  /** Draws a row differently from the list's own drawing; called only for visible rows. */
  draw?(row: Row<T>, isSelected: boolean, width: number): string;
}

/** A list of lines with one selected; typing searches. Only visible rows are drawn. */
export class List<T> implements Component, Focusable {
  readonly #options: ListOptions<T>;
  readonly #input = new CleanInput({ prompt: "> " });
  readonly #texts = new WeakMap<Row<T>, string>();
  #all: readonly Row<T>[];
  #shown: readonly Row<T>[];
  #at = 0;
  #top = 0;

  constructor(options: ListOptions<T>) {
    this.#options = options;
    this.#all = options.rows;
    this.#shown = options.rows;
    this.select((_, row) => row.isCurrent === true);
  }

  get focused(): boolean {
    return this.#input.focused;
  }

  set focused(focused: boolean) {
    this.#input.focused = focused;
  }

  get query(): string {
    return this.#input.getValue();
  }

  /** The values of all rows. */
  get values(): readonly T[] {
    return this.#all.map(({ value }) => value);
  }

  /** The value of the selected row. */
  get selected(): T | undefined {
    return this.#shown[this.#at]?.value;
  }

  /** The number of rows that match the search. */
  get count(): number {
    return this.#shown.length;
  }

  /** Replaces the rows. The selection stays on the row that `isSame` identifies, otherwise at the same position. */
  setRows(rows: readonly Row<T>[], isSame?: (value: T) => boolean): void {
    this.#all = rows;
    this.#search();
    if (isSame !== undefined) this.select(isSame);
  }

  /** Selects the first shown row for which `isWanted` returns true. */
  select(isWanted: (value: T, row: Row<T>) => boolean): void {
    const at = this.#shown.findIndex((row) => isWanted(row.value, row));
    if (at >= 0) this.#at = at;
  }

  invalidate(): void {}

  handleInput(data: string): void {
    const { onPick, onCancel, onKey } = this.#options;
    if (onKey?.(data, this.selected)) return;
    const keys = getKeybindings();
    const page = Math.max(1, this.#options.room() - 1);
    if (keys.matches(data, "tui.select.up")) this.#step(-1);
    else if (keys.matches(data, "tui.select.down")) this.#step(1);
    else if (keys.matches(data, "tui.select.pageUp")) this.#go(this.#at - page);
    else if (keys.matches(data, "tui.select.pageDown")) this.#go(this.#at + page);
    else if (matchesKey(data, "home")) this.#go(0);
    else if (matchesKey(data, "end")) this.#go(this.#shown.length - 1);
    else if (keys.matches(data, "tui.select.cancel")) onCancel();
    else if (keys.matches(data, "tui.select.confirm")) {
      const row = this.#shown[this.#at];
      if (row !== undefined) onPick(row.value);
    } else if (this.#options.search) {
      const before = this.query;
      this.#input.handleInput(data);
      if (this.query !== before) this.#search();
    }
  }

  render(width: number): string[] {
    const theme = currentTheme();
    const { empty, search } = this.#options;
    const room = Math.max(1, this.#options.room());
    const lines = search ? this.#input.render(width) : [];
    if (this.#shown.length === 0) {
      const says = this.#all.length === 0 ? empty : `Nothing matches “${plainLine(this.query)}”.`;
      return [...lines, fit(`  ${theme.fg("muted", says)}`, width)];
    }
    this.#top = Math.max(Math.min(this.#top, this.#at, this.#shown.length - room), this.#at - room + 1, 0);
    for (const [offset, row] of this.#shown.slice(this.#top, this.#top + room).entries())
      lines.push(this.#line(row, this.#top + offset === this.#at, width));
    if (this.#shown.length > room)
      lines.push(fit(theme.fg("dim", `  ${this.#at + 1} of ${this.#shown.length}`), width));
    return lines;
  }

  #line(row: Row<T>, isSelected: boolean, width: number): string {
    const { draw } = this.#options;
    const theme = currentTheme();
    const mark = isSelected ? theme.fg("accent", "→ ") : "  ";
    if (draw !== undefined) return fit(mark + draw(row, isSelected, width - 2), width);
    const text = plainLine(row.text);
    const colour = isSelected ? "accent" : row.colour;
    const styled = colour === undefined ? text : theme.fg(colour, text);
    const current = row.isCurrent === true ? theme.fg("success", " ✓") : "";
    const note = row.note === undefined ? "" : theme.fg("muted", plainLine(row.note));
    return mark + withNote(`${row.lead ?? ""}${styled}${current}`, note, width - 2);
  }

  #search(): void {
    this.#shown = matching(this.#all, this.query, (row) => this.#searched(row));
    this.#at = Math.max(0, Math.min(this.#at, this.#shown.length - 1));
    if (this.query !== "") this.#at = 0;
    this.#options.onMove?.(this.selected);
  }

  #searched(row: Row<T>): string {
    let text = this.#texts.get(row);
    if (text === undefined) {
      text = `${row.text} ${row.note ?? ""} ${row.search ?? ""}`.toLowerCase();
      this.#texts.set(row, text);
    }
    return text;
  }

  #step(by: number): void {
    const count = this.#shown.length;
    if (count > 0) this.#go((this.#at + by + count) % count);
  }

  #go(to: number): void {
    this.#at = Math.max(0, Math.min(to, this.#shown.length - 1));
    this.#options.onMove?.(this.selected);
  }
}

/** Returns the items that contain every word of a search text, in order; if there are none, near matches. */
function matching<T>(items: readonly T[], query: string, textOf: (item: T) => string): readonly T[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return items;
  const exact = items.filter((item) => {
    const text = textOf(item);
    return words.every((word) => text.includes(word));
  });
  return exact.length > 0 ? exact : fuzzyFilter([...items], query, textOf);
}
