/** Bytes that a terminal sends for named keys. */
export const KEYS = {
  enter: "\r",
  "shift+enter": "\x1b[13;2u",
  "alt+enter": "\x1b\r",
  escape: "\x1b",
  tab: "\t",
  "shift+tab": "\x1b[Z",
  space: " ",
  backspace: "\x7f",
  delete: "\x1b[3~",
  up: "\x1b[A",
  down: "\x1b[B",
  right: "\x1b[C",
  left: "\x1b[D",
  "ctrl+left": "\x1b[1;5D",
  "ctrl+right": "\x1b[1;5C",
  "shift+up": "\x1b[1;2A",
  "shift+down": "\x1b[1;2B",
  home: "\x1b[H",
  end: "\x1b[F",
  pageUp: "\x1b[5~",
  pageDown: "\x1b[6~",
  f1: "\x1bOP",
} as const;

/** A named key, or `ctrl+` or `alt+` with a character. */
export type KeyName = keyof typeof KEYS | `ctrl+${string}` | `alt+${string}`;

/** The bytes of one key press. */
export function keyBytes(key: KeyName): string {
  const named = (KEYS as Readonly<Record<string, string>>)[key];
  if (named !== undefined) return named;
  const [, modifier, character = ""] = /^(ctrl|alt)\+(.)$/.exec(key) ?? [];
  if (modifier === "ctrl") return String.fromCharCode(character.toLowerCase().charCodeAt(0) & 0x1f);
  if (modifier === "alt") return `\x1b${character}`;
  throw new Error(`There is no key "${key}" in the virtual terminal`);
}
