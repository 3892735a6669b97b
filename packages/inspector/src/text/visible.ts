/**
 * Matches characters that control a terminal, change the direction of text, or are invisible, such as Unicode's tags.
 */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]|\p{Surrogate}/gu;

/** Replaces each control or invisible character in a text by a visible sign. */
export function visible(text: string): string {
  return text.replace(HIDDEN, sign);
}

/** Names for common control characters. Most fonts lack Unicode's own symbols for these characters. */
const NAMES: Readonly<Record<number, string>> = {
  0: "⟨NUL⟩",
  7: "⟨BEL⟩",
  8: "⟨BS⟩",
  13: "⟨CR⟩",
  27: "⟨ESC⟩",
  127: "⟨DEL⟩",
};

function sign(hidden: string): string {
  const code = hidden.codePointAt(0) as number;
  return NAMES[code] ?? `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

/** Returns the beginning of a text, without half a surrogate pair at its end. */
export function start(text: string, length: number): string {
  const code = text.charCodeAt(length - 1);
  return text.slice(0, code >= 0xd800 && code < 0xdc00 ? length - 1 : length);
}

/** Puts a text on one line and cuts it to a number of characters. */
export function oneLine(text: string, most = 200): string {
  const flat = visible(start(text, most * 4)).replace(/\s+/g, " ");
  return flat.length > most ? `${start(flat, most)}…` : flat;
}
