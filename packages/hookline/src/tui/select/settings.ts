import type { SettingOrigin } from "../../settings/settings.ts";
import { currentTheme } from "../theme/current.ts";
import { Choice, isKey } from "./choice.ts";
import { Deck, LineInput } from "./deck.ts";
import { fit, plainLine } from "./line.ts";
import type { Row } from "./list.ts";
import type { Dialog, Screen } from "./screen.ts";

/** The value of a setting. */
export type SettingValue = boolean | number | string | readonly string[];

/** One setting with its current value. */
export interface SettingItem {
  readonly key: string;
  readonly says: string;
  /** The type of the value; for a text with a few allowed values, the list of these. */
  readonly type: "boolean" | "integer" | "string" | "strings" | readonly string[];
  /** The effective value; undefined if nothing is set and there is no default. */
  readonly value: SettingValue | undefined;
  readonly from: SettingOrigin;
  /** Whether a change takes effect in a running session. */
  readonly isLive: boolean;
}

/** The source of settings, which also writes them. */
export interface SettingsSource {
  items(): readonly SettingItem[];
  /** Writes or removes the user's setting. If that fails, throws an error to show to the person. */
  set(key: string, value: SettingValue | undefined): void;
}

/** Shows the settings and changes them one by one. */
export function editSettings(source: SettingsSource): Dialog<void> {
  return (screen, done) => new SettingsDialog(screen, source, done);
}

class SettingsDialog extends Deck {
  readonly #source: SettingsSource;
  readonly #choice: Choice<SettingItem>;
  #problem: string | undefined;

  constructor(screen: Screen, source: SettingsSource, done: () => void) {
    super();
    this.#source = source;
    this.#choice = new Choice<SettingItem>(
      screen,
      {
        title: "Settings",
        rows: source.items().map(rowOf),
        empty: "There are no settings.",
        does: "change",
        hints: [["ctrl+r", "reset to default"]],
        about: (item, width) => this.#about(item, width),
        onMove: () => (this.#problem = undefined),
        onKey: (data, item) => {
          if (item === undefined || !isKey(data, "ctrl+r")) return false;
          this.#set(item.key, undefined);
          return true;
        },
      },
      (item) => (item === undefined ? done() : this.#change(item)),
    );
    this.show(this.#choice);
  }

  #change(item: SettingItem): void {
    const { key, type, value } = item;
    if (type === "boolean") this.#set(key, value !== true);
    else if (typeof type !== "string") this.#set(key, type[(type.indexOf(String(value)) + 1) % type.length]);
    else this.#ask(item);
  }

  #ask({ key, says, type, value }: SettingItem): void {
    const question = {
      title: key,
      says: type === "strings" ? `${says}; several with commas between` : says,
      value: shown(value),
      check: (text: string) => (type === "integer" ? notWhole(text) : undefined),
    };
    this.show(
      new LineInput(question, (text) => {
        if (text !== undefined) this.#set(key, read(text.trim(), type));
        this.show(this.#choice);
      }),
    );
  }

  #set(key: string, value: SettingValue | undefined): void {
    let problem: string | undefined;
    try {
      this.#source.set(key, value);
    } catch (thrown) {
      problem = thrown instanceof Error ? thrown.message : String(thrown);
    }
    this.#choice.list.setRows(this.#source.items().map(rowOf), (item) => item.key === key);
    this.#problem = problem;
  }

  #about(item: SettingItem | undefined, width: number): readonly string[] {
    if (item === undefined) return [];
    const theme = currentTheme();
    const choices = typeof item.type === "string" ? "" : ` (${item.type.join(", ")})`;
    const says = fit(` ${theme.fg("muted", `${item.says}${choices}`)}`, width);
    if (this.#problem !== undefined) return [says, fit(` ${theme.fg("error", plainLine(this.#problem))}`, width)];
    const when = item.isLive ? "acts at once" : "takes effect at the next start";
    return [says, fit(` ${theme.fg("dim", FROM[item.from])}${theme.fg("dim", `; a change ${when}`)}`, width)];
  }
}

const FROM: Readonly<Record<SettingItem["from"], string>> = {
  default: "the default",
  managed: "this machine's",
  user: "set by you",
  project: "made stricter by this project, which wins over yours",
};

function rowOf(item: SettingItem): Row<SettingItem> {
  const value = item.value === undefined ? "not set" : shown(item.value);
  return { value: item, text: item.key, note: item.from === "default" ? value : `${value} *`, search: item.says };
}

function shown(value: SettingValue | undefined): string {
  if (value === undefined) return "";
  return Array.isArray(value) ? value.join(", ") : String(value);
}

function read(text: string, type: SettingItem["type"]): SettingValue | undefined {
  if (text === "") return undefined;
  if (type === "integer") return Number(text);
  if (type !== "strings") return text;
  return text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
}

function notWhole(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === "" || (/^\d+$/.test(trimmed) && Number.isSafeInteger(Number(trimmed)))) return undefined;
  return "It must be a whole number, 0 or more; leave it empty to remove it.";
}
