import { currentTheme } from "./current.ts";
import { type Language, languageNamed } from "./language.ts";

/** Colours code for a terminal, line by line; code in an unknown language has one colour. */
export function highlightCode(code: string, name?: string): string[] {
  const language = name === undefined ? undefined : languageNamed(name);
  const theme = currentTheme();
  if (language === undefined) return code.split("\n").map((line) => theme.fg("mdCodeBlock", line));
  const lines = [""];
  for (const { text, colour } of tokens(code, language)) {
    // Each line is drawn separately, so a token that spans lines is coloured on each.
    for (const [i, part] of text.split("\n").entries()) {
      if (i > 0) lines.push("");
      if (part !== "") lines[lines.length - 1] += colour === undefined ? part : theme.fg(colour, part);
    }
  }
  return lines;
}

interface Token {
  readonly text: string;
  /** The theme's name of the token's colour; absent for whitespace and for tokens without a colour. */
  readonly colour?: string;
}

const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const NUMBER = /\d(?:[\w.]|(?<=[eE])[+-])*/y;
const BLANK = /\s+/y;

function* tokens(code: string, language: Language): Generator<Token> {
  let at = 0;
  while (at < code.length) {
    const token = tokenAt(code, at, language);
    yield token;
    at += token.text.length;
  }
}

function tokenAt(code: string, at: number, language: Language): Token {
  const blank = matchAt(BLANK, code, at);
  if (blank !== undefined) return { text: blank };
  const comment = commentAt(code, at, language);
  if (comment !== undefined) return { text: comment, colour: "syntaxComment" };
  const quote = language.quotes.find((mark) => code.startsWith(mark, at));
  if (quote !== undefined) return { text: stringAt(code, at, quote), colour: "syntaxString" };
  const number = matchAt(NUMBER, code, at);
  if (number !== undefined) return { text: number, colour: "syntaxNumber" };
  const word = matchAt(WORD, code, at);
  if (word !== undefined) return { text: word, colour: wordColour(word, code[at + word.length], language) };
  const sign = String.fromCodePoint(code.codePointAt(at) ?? 0);
  return { text: sign, colour: /[()[\]{},;.]/.test(sign) ? "syntaxPunctuation" : "syntaxOperator" };
}

function wordColour(word: string, next: string | undefined, { keywords, ignoreCase }: Language): string {
  if (keywords.has(ignoreCase ? word.toLowerCase() : word)) return "syntaxKeyword";
  if (next === "(") return "syntaxFunction";
  return /^\p{Lu}.*\p{Ll}/u.test(word) ? "syntaxType" : "syntaxVariable";
}

function commentAt(code: string, at: number, { line, block }: Language): string | undefined {
  if (line.some((mark) => code.startsWith(mark, at))) return code.slice(at, endOf(code.indexOf("\n", at), 0, code));
  if (block === undefined || !code.startsWith(block[0], at)) return undefined;
  return code.slice(at, endOf(code.indexOf(block[1], at + block[0].length), block[1].length, code));
}

/** Returns a string up to its closing quote; an unclosed string ends with its line. */
function stringAt(code: string, at: number, quote: string): string {
  const long = quote.length === 3 || quote === "`";
  for (let end = at + quote.length; end < code.length; end += 1) {
    if (code[end] === "\\") end += 1;
    else if (code.startsWith(quote, end)) return code.slice(at, end + quote.length);
    else if (code[end] === "\n" && !long) return code.slice(at, end);
  }
  return code.slice(at);
}

function matchAt(pattern: RegExp, code: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(code)?.[0];
}

function endOf(found: number, length: number, code: string): number {
  return found < 0 ? code.length : found + length;
}
