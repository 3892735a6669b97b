import { type Component, type Focusable, matchesKey } from "@earendil-works/pi-tui";
import { framed, type Hint } from "./frame.ts";
import { List, type ListOptions, type Row } from "./list.ts";
import { type Dialog, roomFor, type Screen } from "./screen.ts";

/** The rows, the texts and the keys of a dialog with one list. */
export interface ChoiceOptions<T> {
  readonly title: string;
  readonly rows: readonly Row<T>[];
  readonly empty: string;
  /** Whether typed characters search the list. Default: true. */
  readonly search?: boolean;
  /** The text of the hint that says what Enter does. */
  readonly does: string;
  readonly hints?: readonly Hint[];
  /** Returns a remark for the title's line. */
  remark?(): string;
  /** Returns lines about the selected row, which are drawn below the list. */
  about?(value: T | undefined, width: number): readonly string[];
  onMove?(value: T | undefined): void;
  onKey?(data: string, value: T | undefined): boolean;
  draw?: ListOptions<T>["draw"];
}

/** A list in a frame. */
export class Choice<T> implements Component, Focusable {
  readonly list: List<T>;
  readonly #options: ChoiceOptions<T>;

  constructor(screen: Screen, options: ChoiceOptions<T>, done: (value?: T) => void) {
    this.#options = options;
    const { rows, empty, search = true, onMove, onKey, draw } = options;
    this.list = new List<T>({
      rows,
      search,
      empty,
      room: () => roomFor(screen, 4),
      onPick: (value) => done(value),
      onCancel: () => done(),
      ...(onMove !== undefined && { onMove }),
      ...(onKey !== undefined && { onKey }),
      ...(draw !== undefined && { draw }),
    });
  }

  get focused(): boolean {
    return this.list.focused;
  }

  set focused(focused: boolean) {
    this.list.focused = focused;
  }

  invalidate(): void {
    this.list.invalidate();
  }

  handleInput(data: string): void {
    this.list.handleInput(data);
  }

  render(width: number): string[] {
    const { title, remark, does, hints = [], about } = this.#options;
    const keys: Hint[] = [["↑↓", "move"], ["enter", does], ...hints, ["esc", "close"]];
    const body = [...this.list.render(width), ...(about?.(this.list.selected, width) ?? [])];
    return framed({ title, remark: remark?.() ?? "", hints: keys }, body, width);
  }
}

/** Makes a dialog with one list, whose result is the value of the chosen row. */
export function choose<T>(options: ChoiceOptions<T>): Dialog<T> {
  return (screen, done) => new Choice(screen, options, done);
}

/** Whether the input `data` is the key `key`; for keys that a dialog adds to those of its list. */
export function isKey(data: string, key: Parameters<typeof matchesKey>[1]): boolean {
  return matchesKey(data, key);
}
