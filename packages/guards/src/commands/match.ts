import { type CommandWord, formsOf } from "@hookline/runtime/command";
import { valuesOf } from "../word/values.ts";
import { textOf } from "./args.ts";
import { CATALOGUE, type CatalogueRow, DRY } from "./catalogue.ts";

const BY_PROGRAM = indexed(CATALOGUE);

function indexed(rows: readonly CatalogueRow[]): ReadonlyMap<string, readonly CatalogueRow[]> {
  const all = new Map<string, CatalogueRow[]>();
  for (const row of rows)
    for (const program of (row.command.split(" ")[0] ?? "").split("|"))
      all.set(program, [...(all.get(program) ?? []), row]);
  return all;
}

/** Returns the catalogue row that a command matches. A person's own rows come before the built-in ones. */
export function rowOf(words: readonly CommandWord[], added: readonly CatalogueRow[]): CatalogueRow | undefined {
  for (const form of formsOf({ words }).flatMap((one) => [one, ...startedBy(one)])) {
    const texts = form.map(
      (word) => textOf(word) || (valuesOf(word) === undefined ? "?" : (valuesOf(word)?.[0]?.text ?? "")),
    );
    const program = (texts[0] ?? "").split("/").at(-1) ?? "";
    const rows = [
      ...added.filter(({ command }) => (command.split(" ")[0] ?? "").split("|").includes(program)),
      ...(BY_PROGRAM.get(program) ?? []),
    ];
    const found = rows.find((row) => matches(row, texts.slice(1)));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns COMMAND of `pnpm COMMAND`, `yarn COMMAND`, `bun COMMAND` or `python -m COMMAND`; empty for any other. */
function startedBy([program, first, ...rest]: readonly CommandWord[]): readonly (readonly CommandWord[])[] {
  const name = textOf(program);
  if (/^(?:pnpm|yarn|bun)$/.test(name) && first !== undefined) return [[first, ...rest]];
  return /^(?:python|pypy)[\d.]*$/.test(name) && textOf(first) === "-m" ? [rest] : [];
}

function matches({ command, dry = "" }: CatalogueRow, texts: readonly string[]): boolean {
  if (texts.length === 1 && texts[0] === "-h") return false;
  // A `--version` that is not the last word is an option with a value.
  const isDry = (text: string, at: number): boolean =>
    text !== "" && (DRY.has(text) || dry.split(" ").includes(text)) && !(text === "--version" && at < texts.length - 1);
  if (texts.some(isDry)) return false;
  const operands = texts.filter((text) => !/^-./.test(text));
  let at = 0;
  for (const part of command.split(" ").slice(1)) {
    if (part.startsWith("-")) {
      if (!part.split(/\|(?=-)/).some((one) => hasOption(one, texts))) return false;
    } else if (part === "*") {
      if (operands[at] === undefined) return false;
      at += 1;
    } else if (part.startsWith("~")) {
      if (!patterned(part.slice(1))(operands[at] ?? "")) return false;
      at += 1;
    } else if (part.startsWith("=")) {
      const isTaken = part === "=?" ? (text: string) => text === "?" : patterned(part.slice(1));
      if (!texts.some(isTaken)) return false;
    } else {
      if (!part.split("|").includes(operands[at] ?? "")) return false;
      at += 1;
    }
  }
  return true;
}

const PATTERNS = new Map<string, RegExp>();

function patterned(source: string): (text: string) => boolean {
  const known =
    PATTERNS.get(source) ?? new RegExp(source.replace(/^\(\?i\)/, ""), source.startsWith("(?i)") ? "i" : "");
  PATTERNS.set(source, known);
  return (text) => known.test(text);
}

/** Whether an option is given: alone, with its value, or as one of several letters. */
function hasOption(option: string, texts: readonly string[]): boolean {
  const [, name = "", pattern] = /^(-[^=]*)(?:=([\s\S]*))?$/.exec(option) ?? [];
  return texts.some((text, at) => {
    const isLetter = /^-\w$/.test(name) && /^-\w+$/.test(text) && text.includes(name[1] ?? "");
    const attached = text.startsWith(`${name}=`) ? text.slice(name.length + 1) : undefined;
    if (text !== name && attached === undefined && !isLetter) return false;
    if (pattern === undefined) return true;
    const value = attached ?? (text === name || isLetter ? texts[at + 1] : undefined);
    const isLetterValue = isLetter && text.length > 2 && patterned(pattern)(text.slice(2));
    return isLetterValue || (value !== undefined && patterned(pattern)(value));
  });
}
