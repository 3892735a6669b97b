import { cleanText } from "@hookline/runtime/internal";

/** The maximum length of a displayed text; the session keeps all of it. */
const MOST_CHARACTERS = 64 * 1024;

/** A text of a model, a tool or a person for the screen: without control sequences, and no longer than people read. */
export function shown(text: string, keep: "start" | "end" = "start"): string {
  if (text.length <= MOST_CHARACTERS) return cleanText(text);
  const rest = text.length - MOST_CHARACTERS;
  const note = `… ${inUnits(rest)} more, not shown; the session has all of it`;
  return keep === "start"
    ? `${cleanText(text.slice(0, MOST_CHARACTERS))}\n${note}`
    : `${note}\n${cleanText(text.slice(-MOST_CHARACTERS))}`;
}

/** The same with each control as a visible mark: a person must see what a call really contains. */
export function shownWhole(text: string): string {
  return shown(cleanText(text.slice(0, MOST_CHARACTERS), { controls: "show" }) + text.slice(MOST_CHARACTERS));
}

/** A single-line text: a name, a title, a status. */
export function oneLine(text: string): string {
  return cleanText(String(text).slice(0, 4096), { lines: "fold" }).replace(/ +/g, " ").trim();
}

/** The same with its colours, which status texts and widgets may have (decision 6e). */
export function styledLine(text: string): string {
  return cleanText(String(text).slice(0, 16_384), { lines: "fold", keepSgr: true }).replace(/ +/g, " ").trim();
}

function inUnits(characters: number): string {
  if (characters < 1024) return `${characters} characters`;
  const kilo = characters / 1024;
  return kilo < 1024 ? `${kilo.toFixed(0)} KB` : `${(kilo / 1024).toFixed(1)} MB`;
}
