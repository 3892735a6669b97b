import { type Component, getKeybindings, matchesKey, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { fit } from "../select/line.ts";
import { currentTheme } from "../theme/current.ts";

/** A line of a page before wrapping; its text is already clean. */
export interface PageLine {
  readonly text: string;
  readonly colour?: string;
  readonly isBold?: boolean;
  /** The indentation of the lines after a wrap, in columns. */
  readonly hang?: number;
  /** Whether the line is wrapped between words. Other lines are wrapped at any character, so that no blank is lost. */
  readonly isProse?: boolean;
}

/** Scrollable text. Long lines are wrapped, never cut, so that all of it can be read. */
export class Page implements Component {
  readonly #room: () => number;
  #lines: readonly PageLine[];
  #wrapped: { readonly width: number; readonly lines: readonly (readonly [PageLine, string])[] } | undefined;
  #top = 0;
  #seen = false;

  constructor(lines: readonly PageLine[], room: () => number) {
    this.#lines = lines;
    this.#room = room;
  }

  /** Whether the last line has been on the screen. */
  get seen(): boolean {
    return this.#seen;
  }

  /** Shows other lines, from the top unless `keepsPlace` is set. */
  setLines(lines: readonly PageLine[], options: { readonly keepsPlace?: boolean } = {}): void {
    this.#lines = lines;
    this.#wrapped = undefined;
    this.#seen = false;
    if (options.keepsPlace !== true) this.#top = 0;
  }

  invalidate(): void {
    this.#wrapped = undefined;
  }

  /** Scrolls; returns true if the key was used. */
  scroll(data: string): boolean {
    const keys = getKeybindings();
    const page = Math.max(1, this.#room() - 1);
    if (keys.matches(data, "tui.select.up")) this.#top -= 1;
    else if (keys.matches(data, "tui.select.down")) this.#top += 1;
    else if (keys.matches(data, "tui.select.pageUp")) this.#top -= page;
    else if (keys.matches(data, "tui.select.pageDown") || matchesKey(data, "space")) this.#top += page;
    else if (matchesKey(data, "home")) this.#top = 0;
    else if (matchesKey(data, "end")) this.#top = Number.MAX_SAFE_INTEGER;
    else return false;
    return true;
  }

  handleInput(data: string): void {
    this.scroll(data);
  }

  render(width: number): string[] {
    const lines = this.#wrap(Math.max(1, width));
    const room = Math.max(1, this.#room());
    this.#top = Math.max(0, Math.min(this.#top, lines.length - room));
    const shown = lines.slice(this.#top, this.#top + room).map(([line, text]) => fit(styled(line, text), width));
    if (this.#top + room >= lines.length) this.#seen = true;
    if (lines.length > room) {
      const last = Math.min(lines.length, this.#top + room);
      shown.push(fit(currentTheme().fg("dim", ` lines ${this.#top + 1} to ${last} of ${lines.length}`), width));
    }
    return shown;
  }

  #wrap(width: number): readonly (readonly [PageLine, string])[] {
    if (this.#wrapped?.width === width) return this.#wrapped.lines;
    const lines = this.#lines.flatMap((line) =>
      (line.isProse === true ? proseWrap : hardWrap)(line.text, width, line.hang ?? 0).map(
        (text) => [line, text] as const,
      ),
    );
    this.#wrapped = { width, lines };
    return lines;
  }
}

function styled({ colour, isBold }: PageLine, text: string): string {
  const theme = currentTheme();
  const coloured = colour === undefined ? text : theme.fg(colour, text);
  return isBold === true ? theme.bold(coloured) : coloured;
}

/** Wraps a text between words; blanks at its start stay. */
function proseWrap(text: string, width: number, hang = 0): string[] {
  const [lead = ""] = /^ */.exec(text) ?? [];
  const indent = hang < width / 2 ? hang : 0;
  const room = Math.max(1, width - Math.max(indent, lead.length));
  return wrapTextWithAnsi(text.slice(lead.length), room).map((line, at) =>
    at === 0 ? lead + line : " ".repeat(indent) + line,
  );
}

/** Wraps a text at any character, so that no blank at a line's end is lost. */
export function hardWrap(text: string, width: number, hang = 0): string[] {
  const indent = hang < width ? " ".repeat(hang) : "";
  const lines: string[] = [];
  let line = "";
  let used = 0;
  for (const { segment } of isPlain(text) ? pieces(text, width - indent.length) : graphemes(text)) {
    const size = segment.length === 1 && segment < "\x7f" ? 1 : visibleWidth(segment);
    if (used + size > width && line !== "") {
      lines.push(line);
      line = indent;
      used = indent.length;
    }
    line += segment;
    used += size;
  }
  lines.push(line);
  return lines;
}

let segmenter: Intl.Segmenter | undefined;

function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return segmenter.segment(text);
}

function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

/** Splits a long text of plain characters into full lines, which is faster than measuring every character. */
function* pieces(text: string, width: number): Generator<{ readonly segment: string }> {
  const size = Math.max(1, width);
  for (let at = 0; at < text.length; at += size) yield { segment: text.slice(at, at + size) };
}
