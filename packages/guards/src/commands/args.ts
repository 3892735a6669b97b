import { type CommandWord, knownOf, type ReadCommand } from "@hookline/runtime/command";
import { valuesOf } from "../word/values.ts";
import type { NamedPath } from "./effect.ts";

/** The words of a command, split into options and operands. */
export interface Args {
  /** Options without their dashes. Letters that share a dash are listed separately. */
  readonly flags: ReadonlySet<string>;
  /** The values of options that take one, by option. */
  readonly valued: ReadonlyMap<string, CommandWord>;
  readonly operands: readonly CommandWord[];
  /** Operands after `--`. */
  readonly behind: readonly CommandWord[];
}

/** Returns the text to which a shell word expands. Empty if several are possible or, as for `$(date)`, none known. */
export function textOf(word: CommandWord | undefined): string {
  if (word === undefined) return "";
  const values = valuesOf(word);
  return knownOf(word) ?? (values?.length === 1 ? (values[0]?.text ?? "") : "");
}

/** Splits words into options and operands. `takes` has the options with a value: `eE type` for `-e`, `-E`, `--type`. */
export function argsOf(words: readonly CommandWord[], takes = ""): Args {
  const [letters = "", ...names] = takes.split(" ");
  const flags = new Set<string>();
  const valued = new Map<string, CommandWord>();
  const operands: CommandWord[] = [];
  const behind: CommandWord[] = [];
  let isOver = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as CommandWord;
    const text = textOf(word);
    if (isOver) behind.push(word);
    else if (text === "--") isOver = true;
    else if (/^--./.test(text)) {
      const [, name = "", value] = /^--([^=]*)(?:=([\s\S]*))?$/.exec(text) ?? [];
      flags.add(name);
      if (value !== undefined) valued.set(name, worded(value));
      else if (names.includes(name) && words[at + 1] !== undefined) valued.set(name, words[++at] as CommandWord);
    } else if (/^-./.test(text)) {
      for (let letter = 1; letter < text.length; letter++) {
        const name = text[letter] as string;
        flags.add(name);
        if (!letters.includes(name)) continue;
        const rest = text.slice(letter + 1);
        if (rest !== "") valued.set(name, worded(rest));
        else if (words[at + 1] !== undefined) valued.set(name, words[++at] as CommandWord);
        break;
      }
    } else operands.push(word);
  }
  return { flags, valued, operands: [...operands, ...behind], behind };
}

/** Makes a word from a text. */
export function worded(text: string): CommandWord {
  return { text, values: [{ text, isPattern: false }], isSplit: false, pieces: [[text]], spellings: [text] };
}

/** Resolves the words of a command to files. */
export class Paths {
  readonly #folder: string | undefined;
  readonly #home: string;

  constructor(folder: string | undefined, home: string) {
    this.#folder = folder;
    this.#home = home;
  }

  /** The working folder of the command. */
  get folder(): NamedPath {
    return this.at(".");
  }

  at(text: string, isPattern = false): NamedPath {
    const own = text.replace(/^~\+(?=\/|$)/, ".").replace(/^~([a-z_]\w*)(?=\/|$)/, "/home/$1");
    const path = text.startsWith("~-") ? undefined : joined(this.#folder, own, this.#home);
    return path === undefined ? { path: text, isKnown: false, isPattern } : { path, isKnown: true, isPattern };
  }

  of(word: CommandWord): readonly NamedPath[] {
    const known = knownOf(word);
    const values = valuesOf(word) ?? (known === undefined ? undefined : [{ text: known, isPattern: false }]);
    if (values === undefined) return [guessed(word)];
    return values.filter(({ text }) => text !== "").map(({ text, isPattern }) => this.at(text, isPattern));
  }

  all(words: readonly CommandWord[]): readonly NamedPath[] {
    return words.flatMap((word) => this.of(word));
  }
}

function guessed({ text }: CommandWord): NamedPath {
  return { path: text, isKnown: false, isPattern: false };
}

/** Joins a folder and a path without resolving links; `undefined` for a relative path in an unknown folder. */
export function joined(folder: string | undefined, path: string, home: string): string | undefined {
  const whole = /^~(?:\/|$)/.test(path) ? home + path.slice(1) : path.startsWith("/") ? path : undefined;
  if (whole === undefined && folder === undefined) return undefined;
  const parts: string[] = [];
  for (const part of (whole ?? `${folder}/${path}`).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/** Formats a command as a person would write it, shortened. */
export function shown({ words }: Pick<ReadCommand, "words">): string {
  const all = words.map((word) => word.text || knownOf(word) || "…").join(" ");
  return all.length > 120 ? `${all.slice(0, 117)}…` : all;
}
