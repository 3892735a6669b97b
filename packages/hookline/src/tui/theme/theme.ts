import { type Colour, type ColourMode, colourCode } from "./colours.ts";
import type { Palette } from "./palette.ts";

/** Maps colours that older themes lack to the colours that replace them. */
const FALLBACKS: Readonly<Record<string, string>> = {
  thinkingMax: "thinkingXhigh",
  scrollbarTrack: "borderMuted",
  scrollbarThumb: "text",
  searchMatchText: "text",
  searchMatchBg: "selectedBg",
};

interface About {
  readonly name?: string | undefined;
  readonly sourcePath?: string | undefined;
  readonly sourceInfo?: unknown;
}

/** Colours and styles for terminal text, with the members of pi's `Theme`. An unknown name throws, as in pi. */
export class Theme {
  readonly name: string | undefined;
  readonly sourcePath: string | undefined;
  sourceInfo: unknown;
  readonly #fore = new Map<string, string>();
  readonly #back = new Map<string, string>();
  readonly #mode: ColourMode;

  constructor(fore: Palette, back: Palette, mode: ColourMode, about: About = {}) {
    this.name = about.name;
    this.sourcePath = about.sourcePath;
    this.sourceInfo = about.sourceInfo;
    this.#mode = mode;
    for (const [name, colour] of withFallbacks(fore)) this.#fore.set(name, colourCode(colour, mode, "fg"));
    for (const [name, colour] of withFallbacks(back)) this.#back.set(name, colourCode(colour, mode, "bg"));
  }

  fg(colour: string, text: string): string {
    return `${this.getFgAnsi(colour)}${text}\x1b[39m`;
  }

  bg(colour: string, text: string): string {
    return `${this.getBgAnsi(colour)}${text}\x1b[49m`;
  }

  bold(text: string): string {
    return `\x1b[1m${text}\x1b[22m`;
  }

  italic(text: string): string {
    return `\x1b[3m${text}\x1b[23m`;
  }

  underline(text: string): string {
    return `\x1b[4m${text}\x1b[24m`;
  }

  inverse(text: string): string {
    return `\x1b[7m${text}\x1b[27m`;
  }

  strikethrough(text: string): string {
    return `\x1b[9m${text}\x1b[29m`;
  }

  getFgAnsi(colour: string): string {
    return found(this.#fore, colour, "color");
  }

  getBgAnsi(colour: string): string {
    return found(this.#back, colour, "background color");
  }

  getColorMode(): ColourMode {
    return this.#mode;
  }

  getThinkingBorderColor(level: string): (text: string) => string {
    const name = `thinking${level.charAt(0).toUpperCase()}${level.slice(1)}`;
    return (text) => this.fg(this.#fore.has(name) ? name : "thinkingOff", text);
  }

  getBashModeBorderColor(): (text: string) => string {
    return (text) => this.fg("bashMode", text);
  }
}

/** Makes a theme from a palette that has foreground and background colours. */
export function themeOf(colours: Palette, mode: ColourMode, about: About = {}): Theme {
  const [fore, back]: Record<string, Colour>[] = [{}, {}];
  for (const [name, colour] of Object.entries(colours)) {
    const kind = name.endsWith("Bg") ? back : fore;
    if (kind !== undefined) kind[name] = colour;
  }
  return new Theme(fore ?? {}, back ?? {}, mode, about);
}

/** Replaces the `vars` in the colours of a theme's file; throws for an unknown or circular name. */
export function resolvedColours(colours: Palette, vars: Palette): Palette {
  const value = (colour: Colour, seen: readonly Colour[]): Colour => {
    if (typeof colour === "number" || colour === "" || colour.startsWith("#")) return colour;
    const next = vars[colour];
    if (next === undefined) throw new Error(`Variable reference not found: ${colour}`);
    if (seen.includes(colour)) throw new Error(`Circular variable reference detected: ${colour}`);
    return value(next, [...seen, colour]);
  };
  return Object.fromEntries(Object.entries(colours).map(([name, colour]) => [name, value(colour, [])]));
}

function withFallbacks(colours: Palette): [string, Colour][] {
  const missing = Object.entries(FALLBACKS).flatMap(([name, other]): [string, Colour][] => {
    const colour = colours[other];
    return name in colours || colour === undefined ? [] : [[name, colour]];
  });
  return [...Object.entries(colours), ...missing];
}

function found(codes: ReadonlyMap<string, string>, colour: string, kind: string): string {
  const code = codes.get(colour);
  if (code === undefined) throw new Error(`Unknown theme ${kind}: ${colour}`);
  return code;
}
