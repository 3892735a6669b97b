/** Options for making a text safe for the terminal. */
export interface TextRules {
  /**
   * The handling of control characters. `remove` deletes them, including whole escape sequences; `show` writes each as
   * a visible mark. Default `remove`.
   */
  readonly controls?: "remove" | "show";
  /** Keeps colours and font weight (SGR), and adds a reset at the end if any is still on. Default false. */
  readonly keepSgr?: boolean;
  /** The handling of line breaks and tabs. `fold` turns them into spaces, for single-line texts. Default `keep`. */
  readonly lines?: "keep" | "fold";
}

const SGR = "\\x1b\\[[0-9;:]{0,64}m";
// The text of an escape sequence ends at any control character, so that an unterminated one does not swallow the rest.
const SEQUENCE =
  "(?:\\x1b\\[|\\x9b)[0-?]{0,256}[ -/]{0,16}[@-~]" +
  "|(?:\\x1b[\\]PX^_]|[\\x9d\\x90\\x98\\x9e\\x9f])[^\\x00-\\x1f\\x7f-\\x9f]*(?:\\x07|\\x1b\\\\|\\x9c)" +
  "|\\x1b[ -/]{1,16}[0-~]" +
  "|\\x1b[0-Z\\\\^-~]";
const BREAK = "\\r\\n|[\\n\\t]";
const BIDI = "\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069";
// Line separators, invisible operators and tags have no glyph and could hide text.
const HIDDEN = "\\u2028\\u2029\\u2060-\\u2064\\u206a-\\u206f\\ufff9-\\ufffb\\u{e0000}-\\u{e0fff}";
// Joiners have a meaning in emoji and in many scripts, so only `show` replaces them by a mark.
const JOINERS =
  "\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200d\\u3164\\ufeff\\uffa0\\ufe00-\\ufe0f";
const CONTROL = `\\x00-\\x1f\\x7f-\\x9f${BIDI}${HIDDEN}`;

const REMOVED = new RegExp(`(?<sgr>${SGR})|(?<break>${BREAK})|${SEQUENCE}|[${CONTROL}]|(?<half>\\p{Surrogate})`, "gu");
const SHOWN = new RegExp(`(?<sgr>${SGR})|(?<break>${BREAK})|[${CONTROL}${JOINERS}]|(?<half>\\p{Surrogate})`, "gu");
const RESET = "\x1b[0m";
const IS_RESET = /^\x1b\[[0;:]*m$/;

/**
 * Makes a foreign text safe for a terminal (guarantees R20). Leaves no C0, C1, DEL or bidi control, except for line
 * breaks, tabs and, with `keepSgr`, SGR. Clean each piece before you join pieces or cut them to a width.
 */
export function cleanText(text: string, rules: TextRules = {}): string {
  const { controls = "remove", keepSgr = false, lines = "keep" } = rules;
  let styled = false;
  const clean = text.replace(controls === "show" ? SHOWN : REMOVED, (...match) => {
    const [whole] = match as [string];
    const groups = match.at(-1) as { sgr?: string; break?: string; half?: string };
    if (groups.half !== undefined) return "\ufffd";
    if (groups.break !== undefined) return lines === "fold" ? " " : whole.replace("\r", "");
    if (groups.sgr !== undefined && keepSgr) {
      styled = !IS_RESET.test(whole);
      return whole;
    }
    return controls === "show" ? Array.from(whole, mark).join("") : "";
  });
  return styled ? clean + RESET : clean;
}

/** Returns a visible mark for a character without a glyph. */
function mark(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  if (code < 0x7f) return character;
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}
