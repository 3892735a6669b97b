import type { Command, Redirection, Statement, SyntaxNode, Word, WordPart } from "unbash";
import { type CommandWord, knownOf } from "./word.ts";

/** The context that is needed to work out a program's output. */
export interface OutputContext {
  fields(word: Word): readonly CommandWord[];
  /** Returns the text of a here-document. */
  text(parts: readonly WordPart[]): string | undefined;
  /** Returns whether the text defines a function or an alias of this name. */
  isOwn(name: string): boolean;
  /** Counts the characters that this reading has processed; throws when there are too many. */
  spend(characters: number): void;
}

type Producer = (args: readonly string[], input: string | undefined) => string | undefined;

const LONGEST = 100_000;

/** Programs whose output can be computed from their words and their input. */
const PRODUCERS: Readonly<Record<string, Producer>> = {
  echo: (args) => {
    const first = args.findIndex((word) => !/^-[neE]+$/.test(word));
    const [options, words] = first < 0 ? [args, []] : [args.slice(0, first), args.slice(first)];
    const text = words.join(" ");
    const isEscaped = options.some((option) => option.includes("e"));
    const end = options.some((option) => option.includes("n")) ? "" : "\n";
    return (isEscaped ? unescaped(text) : text) + end;
  },
  printf: ([format = "", ...args]) => {
    if (format.startsWith("-")) return undefined;
    const parts = format.match(/%.|[^%]+/g) ?? [];
    if (parts.some((part) => part.startsWith("%") && !/^%[sbcd%]$/.test(part))) return undefined;
    const slots = parts.filter((part) => /^%[sbcd]$/.test(part)).length;
    const rounds = slots === 0 ? 1 : Math.max(1, Math.ceil(args.length / slots));
    const words = [...args];
    const one = (): string =>
      parts
        .map((part) => {
          if (part === "%%") return "%";
          if (!/^%[sbcd]$/.test(part)) return unescaped(part);
          const word = words.shift() ?? "";
          return part === "%b" ? unescaped(word) : part === "%c" ? word.slice(0, 1) : word;
        })
        .join("");
    return Array.from({ length: Math.min(rounds, 1_000) }, one).join("");
  },
  cat: (args, input) => (args.every((word) => word === "-") ? input : undefined),
  tee: (args, input) => (args.some((word) => word.startsWith("-") && word !== "-a") ? undefined : input),
  base64: (args, input) => {
    if (!args.some((word) => /^(?:-d|-D|-di|--decode)$/.test(word)) || args.length > 2) return undefined;
    const text = input === undefined ? undefined : Buffer.from(input, "base64").toString();
    return text?.includes("\ufffd") ? undefined : text;
  },
  xxd: (args, input) => {
    const options = args.join("");
    if (!/^[-rp]+$/.test(options) || !options.includes("p") || !options.includes("r")) return undefined;
    const text = input === undefined ? undefined : Buffer.from(input.replaceAll(/\s/g, ""), "hex").toString();
    return text?.includes("\ufffd") ? undefined : text;
  },
  rev: (args, input) =>
    args.length > 0
      ? undefined
      : input
          ?.split("\n")
          .map((line) => [...line].reverse().join(""))
          .join("\n"),
  tr: (args, input) => {
    const isDeleting = args[0] === "-d";
    const [from, to] = (isDeleting ? args.slice(1) : args).map(setOf);
    if (input === undefined || from === undefined || (!isDeleting && (to === undefined || to.length === 0)))
      return undefined;
    if (isDeleting) return [...input].filter((one) => !from.includes(one)).join("");
    const all = to as string[];
    return [...input]
      .map((one) => (from.includes(one) ? (all[Math.min(from.lastIndexOf(one), all.length - 1)] as string) : one))
      .join("");
  },
  cut: (args, input) => {
    const given = args.join(" ");
    const characters = /^-c ?(\d+)?(-)?(\d+)?$/.exec(given);
    if (characters !== null)
      return input === undefined ? undefined : lines(input, (line) => part([...line], characters).join(""));
    const fields = /^-d ?(.) -f ?(\d+)?(-)?(\d+)?$/.exec(given);
    if (fields === null || input === undefined) return undefined;
    const [whole, mark = "", ...range] = fields;
    return lines(input, (line) =>
      line.includes(mark) ? part(line.split(mark), [whole, ...range] as unknown as RegExpExecArray).join(mark) : line,
    );
  },
  base32: (args, input) => {
    if (!/^(?:-d|-D|--decode)$/.test(args.join(" ")) || input === undefined) return undefined;
    let bits = "";
    for (const letter of input.replaceAll(/[\s=]/g, "")) {
      const at = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter);
      if (at < 0) return undefined;
      bits += at.toString(2).padStart(5, "0");
    }
    return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2))).toString();
  },
  openssl: (args, input) => {
    const words = args.filter((word) => !/^-(?:A|a|base64)$/.test(word));
    const isDecoding = words.includes("-d") && /^(?:base64|enc)$/.test(words[0] ?? "") && words.length === 2;
    return isDecoding && input !== undefined ? Buffer.from(input, "base64").toString() : undefined;
  },
  tac: (args, input) =>
    args.length > 0 || input === undefined
      ? undefined
      : `${input.replace(/\n$/, "").split("\n").reverse().join("\n")}\n`,
  head: (args, input) => (input === undefined ? undefined : firstLines(args, input)),
  tail: (args, input) => {
    const count = lineCount(args);
    return input === undefined || count === undefined
      ? undefined
      : `${input.replace(/\n$/, "").split("\n").slice(-count).join("\n")}\n`;
  },
  sed: (args, input) => {
    const [, , from, to, flags] =
      /^s([/|#,])((?:(?!\1)[^\\.*[\]^$])+)\1((?:(?!\1)[^\\&])*)\1(g?)$/.exec(args.join(" ")) ?? [];
    if (input === undefined || from === undefined || to === undefined) return undefined;
    return lines(input, (line) => (flags === "g" ? line.replaceAll(from, () => to) : line.replace(from, () => to)));
  },
  basename: ([path = "", ...more]) => (more.length > 0 ? undefined : `${path.replace(/\/+$/, "").split("/").at(-1)}\n`),
  true: () => "",
  ":": () => "",
};

function lineCount(args: readonly string[]): number | undefined {
  if (args.length === 0) return 10;
  const count = /^(?:-n ?)?-?(\d+)$/.exec(args.join(" "))?.[1];
  return count === undefined ? undefined : Number(count);
}

function firstLines(args: readonly string[], input: string): string | undefined {
  const characters = /^-c ?(\d+)$/.exec(args.join(" "))?.[1];
  if (characters !== undefined) return input.slice(0, Number(characters));
  const count = lineCount(args);
  return count === undefined ? undefined : input.split("\n").slice(0, count).join("\n");
}

function lines(text: string, of: (line: string) => string): string {
  return text.split("\n").map(of).join("\n");
}

function part(all: readonly string[], [, from, dash, to]: readonly (string | undefined)[]): readonly string[] {
  const first = from === undefined ? 1 : Number(from);
  return all.slice(first - 1, dash === undefined ? first : to === undefined ? undefined : Number(to));
}

/** Returns the characters of a set of `tr`; `undefined` for a set that is not understood. */
function setOf(set: string): string[] | undefined {
  const named = set.replaceAll("[:upper:]", "A-Z").replaceAll("[:lower:]", "a-z").replaceAll("[:digit:]", "0-9");
  if (/[[\]]|^-./.test(named) || /\\[^nt\\]/.test(named)) return undefined;
  return [...unescaped(named).matchAll(/(.)-(.)|[\s\S]/g)].flatMap(([whole, from, to]) => {
    if (from === undefined || to === undefined) return [whole];
    const [first, last] = [from.charCodeAt(0), to.charCodeAt(0)];
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => String.fromCharCode(first + at));
  });
}

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", e: "\x1b", f: "\f", v: "\v" },
  ...{ "\\": "\\", '"': '"', "'": "'" },
};

function unescaped(text: string): string {
  return text.replaceAll(
    /\\(?:x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|0?([0-7]{1,3})|([\s\S]))/g,
    (...found: string[]) => {
      const [whole = "", hex, unicode, octal, letter = ""] = found;
      const code = octal === undefined ? (hex ?? unicode) : undefined;
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      return ESCAPES[letter] ?? whole;
    },
  );
}

/** Returns what commands print, if it follows from their words and their input alone. */
export function printedBy(
  statements: readonly Statement[],
  input: string | undefined,
  source: OutputContext,
): string | undefined {
  let all = "";
  for (const { command, background } of statements) {
    const text = background === true ? undefined : printed(command, input, source);
    if (text === undefined || all.length > LONGEST) return undefined;
    all += text;
  }
  return all;
}

/** Returns what a part of a shell text prints; `undefined` if that is not known. */
export function printed(node: SyntaxNode, input: string | undefined, source: OutputContext): string | undefined {
  switch (node.type) {
    case "Pipeline": {
      let text = input;
      for (const command of node.commands) text = printed(command, text, source);
      return node.prefixes.length > 0 ? undefined : text;
    }
    case "Subshell":
    case "BraceGroup":
      return printedBy(node.body.commands, input, source);
    case "Redirected":
      return printsElsewhere(node.redirects) ? "" : printed(node.command, given(node.redirects, input, source), source);
    case "Command":
      return byCommand(node, input, source);
    default:
      return undefined;
  }
}

function byCommand(node: Command, input: string | undefined, source: OutputContext): string | undefined {
  if (printsElsewhere(node.redirects)) return "";
  // `$(< file)` prints a file, whose content is not known here.
  if (node.name === undefined) return node.redirects.length === 0 ? "" : undefined;
  const words: (string | undefined)[] = [node.name, ...node.args].flatMap((word) =>
    word.type === "Word" ? source.fields(word).map(knownOf) : [word.text],
  );
  if (words.some((word) => word === undefined)) return undefined;
  const [name = "", ...args] = words as string[];
  if (source.isOwn(name) || !Object.hasOwn(PRODUCERS, name)) return undefined;
  const text = given(node.redirects, input, source);
  source.spend((text?.length ?? 0) + args.reduce((sum, word) => sum + word.length, 0));
  return PRODUCERS[name]?.(args, text);
}

function printsElsewhere(redirects: readonly Redirection[]): boolean {
  return redirects.some(
    ({ operator, descriptor }) =>
      />/.test(operator) &&
      (descriptor === undefined || (descriptor.type === "FileDescriptor" && descriptor.value === 1)),
  );
}

/** Returns the redirection that decides a command's input. */
export function inputIn(redirects: readonly Redirection[]): Redirection | undefined {
  return redirects.findLast(
    ({ operator, descriptor }) =>
      operator.startsWith("<") &&
      (descriptor === undefined || (descriptor.type === "FileDescriptor" && descriptor.value === 0)),
  );
}

/** Returns the text of the redirection that decides a command's input; without one, `input`. */
function given(
  redirects: readonly Redirection[],
  input: string | undefined,
  source: OutputContext,
): string | undefined {
  const last = inputIn(redirects);
  return last === undefined ? input : textOf(last, source);
}

/** Returns the text that a redirection provides. */
export function textOf(redirect: Redirection, source: OutputContext): string | undefined {
  if (redirect.type === "HereDoc") {
    const { body, delimiter, operator } = redirect;
    const text = delimiter?.quoted === true || body.parts === undefined ? body.text : source.text(body.parts);
    return operator === "<<-" ? text?.replaceAll(/^\t+/gm, "") : text;
  }
  if (redirect.target === undefined) return undefined;
  if (redirect.type === "HereString") {
    const known = knownText(source.fields(redirect.target));
    return known === undefined ? undefined : `${known}\n`;
  }
  const [part, ...more] = redirect.target.parts ?? [];
  if (more.length > 0 || part?.type !== "ProcessSubstitution" || part.operator !== "<") return undefined;
  return part.script === undefined ? undefined : printedBy(part.script.commands, "", source);
}

function knownText(words: readonly CommandWord[]): string | undefined {
  const texts = words.map(knownOf);
  return texts.some((text) => text === undefined) ? undefined : texts.join(" ");
}
