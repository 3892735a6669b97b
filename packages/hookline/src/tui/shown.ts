import { cleanText, SIZE_LIMITS } from "@hookline/ground";

/** The maximum length of a displayed text; the session keeps all of it. */
const MOST_CHARACTERS = SIZE_LIMITS.screenText.most;

/**
 * Cleans a text of a model, a tool or a person for the screen: without control sequences, and cut to a readable length.
 */
export function shown(text: string, keep: "start" | "end" = "start"): string {
  if (text.length <= MOST_CHARACTERS) return cleanText(text);
  const rest = text.length - MOST_CHARACTERS;
  const note = `… ${inUnits(rest)} more, not shown; the session has all of it`;
  return keep === "start"
    ? `${cleanText(text.slice(0, MOST_CHARACTERS))}\n${note}`
    : `${note}\n${cleanText(text.slice(-MOST_CHARACTERS))}`;
}

/**
 * Returns a text like `shown`, with each control character as a visible mark: a person must see what a call contains.
 */
export function shownWhole(text: string): string {
  return shown(cleanText(text.slice(0, MOST_CHARACTERS), { controls: "show" }) + text.slice(MOST_CHARACTERS));
}

/** Cleans a text that has one line, such as a name, a title or a status. */
export function oneLine(text: string): string {
  return clipped(text, SIZE_LIMITS.screenLine.most, (part) => cleanText(part, { lines: "fold" }));
}

/** Returns a text like `oneLine` but with its colours, which status texts and widgets may have (ruling 6e). */
export function styledLine(text: string): string {
  return clipped(text, SIZE_LIMITS.statusLine.most, (part) => cleanText(part, { lines: "fold", keepSgr: true }));
}

function clipped(text: string, most: number, clean: (part: string) => string): string {
  const whole = String(text);
  const line = clean(whole.slice(0, most)).replace(/ +/g, " ").trim();
  return whole.length > most ? `${line}…` : line;
}

function inUnits(characters: number): string {
  if (characters < 1024) return `${characters} characters`;
  const kilo = characters / 1024;
  return kilo < 1024 ? `${kilo.toFixed(0)} KB` : `${(kilo / 1024).toFixed(1)} MB`;
}
