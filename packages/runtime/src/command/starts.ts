import type { Command, HereDoc, Redirection, SyntaxNode } from "unbash";
import { parsedOptions, subcommandOf } from "./options.ts";
import type { Parser } from "./parser.ts";
import { PLAIN } from "./plain.ts";
import { DECIDERS, type Interpreter, interpreterOf, LOADING } from "./programs.ts";
import { RUNNERS } from "./runners.ts";
import { Scope } from "./scope.ts";
import type { Spot as Place } from "./spot.ts";
import { COMPUTED as ANYTHING, type CommandWord, type Value, type Values, wordOf } from "./word.ts";

/** One thing that a shell text starts, and where. */
export type Start = {
  /** As it is written. */
  readonly piece: string;
  /** 0-based offset in the text. */
  readonly at: number;
} & (
  | {
      /** A file that is started, sourced or read as a program, by path or pattern; `folder`: names are tried in it. */
      readonly kind: "file" | "folder";
      readonly path: string;
      readonly isPattern: boolean;
    }
  /** A text in another language that is run. */
  | { readonly kind: "code"; readonly language: "python" | "javascript" | "other"; readonly text: string }
  /** Something that the text does not show; `why` continues the piece. */
  | { readonly kind: "open"; readonly why: string }
);

const COMPUTED = "computes what it starts";
/** Every value that a text gives a variable counts, wherever it does. */
const SOMEWHERE: Place = { path: [], blocks: [] };
const DEEPEST = 16;

/** Finds what a shell text starts, including in texts that it passes to another shell. */
export function startsOf(text: string, parser: Parser): Start[] {
  return new Reading(parser, text).all;
}

/** Finds what a list of words starts, such as the arguments of `spawn`. */
export function startsOfWords(words: readonly CommandWord[], piece: string, at: number, parser: Parser): Start[] {
  const reading = new Reading(parser, "");
  reading.command(words, [], { piece, at });
  return reading.all;
}

const SHELL = interpreterOf("sh") as Interpreter;

/** `{}` is whatever was found. */
function filledIn(word: CommandWord): CommandWord {
  return word.text.includes("{}") ? { ...word, values: undefined, pieces: [undefined] } : word;
}

interface Spot {
  readonly piece: string;
  readonly at: number;
}

class Reading {
  readonly all: Start[] = [];
  readonly #parser: Parser;
  #scope: Scope;
  #depth = 0;
  /** The position of the current text within another, if it is a part of one. */
  #spot: Spot | undefined;

  constructor(parser: Parser, text: string) {
    this.#parser = parser;
    this.#scope = new Scope(parser, () => undefined);
    this.#script(text);
  }

  #script(text: string): void {
    if (this.#depth >= DEEPEST) {
      this.#open(this.#spot ?? { piece: text, at: 0 }, "is nested too deeply to be read");
      return;
    }
    const script = this.#parser.parse(text);
    const outer = this.#scope;
    this.#scope = new Scope(this.#parser, () => undefined, outer);
    this.#scope.collect(text, script, SOMEWHERE);
    this.#depth += 1;
    this.#visit(script, text);
    this.#depth -= 1;
    this.#scope = outer;
  }

  #visit(node: SyntaxNode, text: string): void {
    if (node.type === "Script" && node.errors !== undefined) {
      for (const { pos } of node.errors.slice(0, 1))
        this.#open(
          this.#spotOf({ pos, end: Math.min(pos + 40, text.length) }, text),
          "cannot be read as a shell script",
        );
    }
    if (node.type === "Command") this.#read(node, text);
    // What bash evaluates as arithmetic, other shells run as commands in two subshells.
    if (
      node.type === "ArithmeticCommand" &&
      /[;\n'"\\]|(?:^|[\s(])(?:\.|source|eval|exec|\w*sh|python\d*|node)(?![\w.-])/.test(node.body)
    )
      this.#nested(node.body, this.#spotOf(node, text));
    if (node.type === "Assignment" && LOADING.has(node.name)) this.#loading(node.name, node.value, node, text);
    this.#parser.forEachChild(node, (child) => this.#visit(child, text));
  }

  /** A variable that makes programs load what it names. */
  #loading(name: string, value: SyntaxNode, node: SyntaxNode, text: string): void {
    const spot = this.#spotOf(node, text);
    if (value.type !== "Word") return;
    const plain = value.text.replaceAll(/\$\{?PATH\}?|["']/g, "");
    const isKept = name === "PATH" && !/[$`]/.test(plain.replaceAll(/\$\{?(?:PWD|HOME|JCLI_\w+)\}?|\$\(pwd\)/g, ""));
    const values = isKept ? [] : this.#scope.of(value, SOMEWHERE);
    if (values === undefined) this.#open(spot, "computes what programs load");
    else for (const one of values) if (/^(?:BASH_ENV|ENV)$/.test(name)) this.#file(one, spot);
  }

  #read(node: Command, text: string): void {
    const { name, args } = node;
    if (name === undefined) return;
    const words = [name, ...args].map((word) =>
      word.type === "Word" ? this.#scope.word(word, SOMEWHERE) : wordOf(word.text),
    );
    this.command(words, node.redirects, this.#spotOf(node, text));
  }

  /** Reads a command by its words; the first one is its program. */
  command(terms: readonly CommandWord[], redirects: readonly Redirection[], spot: Spot): void {
    const [first, ...rest] = terms;
    if (first === undefined) return;
    const programs = first.isSplit && first.values?.some(({ text }) => /\s/.test(text)) ? undefined : first.values;
    if (programs === undefined) this.#open(spot, COMPUTED);
    for (const program of programs ?? []) this.#program(program, rest, redirects, spot);
  }

  #program(value: Value, args: readonly CommandWord[], redirects: readonly Redirection[], spot: Spot): void {
    const name = value.text.split("/").at(-1) ?? "";
    if (value.text.includes("/") || value.isPattern) this.#file(value, spot);
    const reader = interpreterOf(name) ?? this.#asInterpreter(name, args);
    if (reader !== undefined) this.#interpreter(reader, args, redirects, spot);
    else if (name === "." || name === "source") this.#source(args, spot);
    else if (name === "eval") this.#open(spot, "runs a text that it puts together");
    else if (name === "trap" || name === "alias") this.#handler(name, args, spot);
    else if (name === "cd" || name === "pushd") this.#folder(args, spot);
    else if (name === "find" || name === "fd") this.#finder(args, spot);
    else if (DECIDERS.has(name)) this.#open(spot, "starts what its own files say");
    else if (name === "base64" && args.some(({ text }) => /^(?:-[a-zA-Z]*[dD]|--decode)/.test(text)))
      this.#open(spot, "decodes what cannot be read here");
    else if (/^(?:curl|wget)$/.test(name)) this.#download(args, redirects, spot);
    else if (/^[gmn]?awk$|^sed$/.test(name)) this.#filter(name, args, spot);
    else if (this.#wrapped(name, args, redirects, spot)) return;
    else if (!PLAIN.has(name) && name !== "git") this.#within(args, spot);
  }

  /** `bun FILE` and `deno run FILE` read code; otherwise these programs are task runners. */
  #asInterpreter(name: string, args: readonly CommandWord[]): Interpreter | undefined {
    if (name !== "bun" && name !== "deno") return undefined;
    const operand = args.find(({ text }) => !text.startsWith("-") && text !== "run");
    return operand?.values?.every(({ text }) => /\.[cm]?[jt]sx?$/.test(text)) ? interpreterOf("node") : undefined;
  }

  #interpreter(
    reader: Interpreter,
    given: readonly CommandWord[],
    redirects: readonly Redirection[],
    spot: Spot,
  ): void {
    const args = given[0]?.text === "run" ? given.slice(1) : given;
    for (let at = 0; at < args.length; at++) {
      const { values, isSplit: splits } = args[at] as CommandWord;
      const value = values?.[0]?.text;
      if (value === undefined || (splits && values?.some((one) => /\s/.test(one.text)))) {
        this.#open(spot, COMPUTED);
        return;
      }
      if (reader.code.test(value)) {
        this.#code(reader, args[at + 1], spot);
        return;
      }
      if (value === "-m" && reader.language === "python") {
        const module = args[at + 1]?.values;
        if (module === undefined) this.#open(spot, COMPUTED);
        return;
      }
      if (
        /^(?:-r|--require|--import|--loader|--experimental-loader)$/.test(value) &&
        reader.language === "javascript"
      ) {
        this.#files(args[++at], spot);
        continue;
      }
      if (reader.valued.test(value)) at += 1;
      else if (value === "-" || value === "-s") break;
      else if (!/^[-+]/.test(value)) {
        this.#files(args[at], spot);
        return;
      }
    }
    if (!args.some(({ text }) => /^(?:--version|-V|--help|-v)$/.test(text))) this.#input(reader, redirects, spot);
  }

  /** A program that reads its code from its input. */
  #input(reader: Interpreter, redirects: readonly Redirection[], spot: Spot): void {
    const from = redirects.filter(({ operator }) => operator.startsWith("<")).at(-1);
    if (from?.type === "HereDoc") this.#text(reader, this.#hereDoc(from), spot);
    else if (from?.type === "HereString" && from.target !== undefined)
      this.#text(reader, this.#scope.of(from.target, SOMEWHERE), spot);
    else if (from?.type === "Redirect" && from.operator === "<" && from.target !== undefined)
      this.#files({ ...this.#scope.word(from.target, SOMEWHERE), isSplit: false }, spot);
    else this.#open(spot, "runs what it is sent");
  }

  #hereDoc({ body, delimiter }: HereDoc): Values {
    if (delimiter?.quoted === true || body.parts === undefined) return [{ text: body.text, isPattern: false }];
    return this.#scope.parts(body.parts, SOMEWHERE, false);
  }

  #code(reader: Interpreter, term: CommandWord | undefined, spot: Spot): void {
    this.#text(reader, term?.values, spot);
  }

  #text({ language }: Interpreter, values: Values, spot: Spot): void {
    if (values === undefined) this.#open(spot, "puts together the code that it runs");
    for (const { text } of values ?? []) {
      if (language === "shell") this.#nested(text, spot);
      else this.all.push({ ...this.#placed(spot), kind: "code", language, text });
    }
  }

  #nested(text: string, spot: Spot): void {
    const before = this.#spot;
    this.#spot ??= spot;
    this.#script(text);
    this.#spot = before;
  }

  #source(args: readonly CommandWord[], spot: Spot): void {
    if (args[0] !== undefined) this.#files(args[0], spot);
  }

  #handler(name: string, args: readonly CommandWord[], spot: Spot): void {
    for (const { values, text } of name === "trap" ? args.slice(0, 1) : args) {
      if (text.startsWith("-")) continue;
      if (values === undefined) this.#open(spot, COMPUTED);
      for (const value of values ?? [])
        this.#nested(name === "trap" ? value.text : value.text.replace(/^[^=]*=/, ""), spot);
    }
  }

  #folder(args: readonly CommandWord[], spot: Spot): void {
    const folder = args.filter(({ text }) => !/^-./.test(text)).at(-1);
    if (folder === undefined) return;
    if (folder.values === undefined) this.#open(spot, "goes to a folder that it computes");
    for (const { text, isPattern } of folder.values ?? [])
      this.all.push({ ...this.#placed(spot), kind: "folder", path: text, isPattern });
  }

  #finder(args: readonly CommandWord[], spot: Spot): void {
    const at = args.findIndex(({ text }) => /^(?:-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/.test(text));
    if (at < 0) return;
    // `{}` is whatever was found.
    const rest = args.slice(at + 1).map(filledIn);
    this.command(rest, [], spot);
    this.#within(rest, spot);
  }

  #download(args: readonly CommandWord[], redirects: readonly Redirection[], spot: Spot): void {
    const isKept = redirects.some(
      ({ operator, ...one }) => operator.startsWith(">") && "target" in one && one.target?.text !== "/dev/null",
    );
    const isSaved = args.some(({ text }) => /^(?:-[a-zA-Z]*[oO]|--output|--remote-name)/.test(text) && text !== "-qO-");
    if (isKept || isSaved) this.#open(spot, "fetches files from the network");
  }

  #filter(name: string, args: readonly CommandWord[], spot: Spot): void {
    const [program] = args.filter(({ text }) => !text.startsWith("-"));
    if (program?.values === undefined) return;
    for (const { text } of program.values) {
      if (name !== "sed") this.all.push({ ...this.#placed(spot), kind: "code", language: "other", text });
      else if (/(?:^|[;\n{])\s*[\d$,]*\s*e(?:\s|$)|\/[gpIm\d]*e[gpIm\d]*(?:$|[;\s])/.test(text))
        this.#open(spot, "runs what it reads as a command");
    }
  }

  /** Adds the commands that a program starts in its words or options; returns whether there are any. */
  #wrapped(name: string, given: readonly CommandWord[], redirects: readonly Redirection[], spot: Spot): boolean {
    const { name: path, args } = subcommandOf(name, given);
    const runner = RUNNERS.get(path);
    if (runner === undefined) return false;
    const { command, texts, splits, flags, others } = parsedOptions(runner, args);
    if (name === "command" && flags.some((flag) => /^[vV]$/.test(flag))) return true;
    for (const { values } of texts) this.#text(SHELL, values, spot);
    for (const { word, rest } of splits) {
      if (word.values === undefined) this.#open(spot, COMPUTED);
      for (const { text } of word.values ?? [])
        this.command([...text.trim().split(/\s+/).map(wordOf), ...rest], redirects, spot);
    }
    if (runner.from === "option" || command.length === 0) return true;
    if (runner.isText) this.#open(spot, COMPUTED);
    // Words that xargs adds are not listed.
    else if (runner.adds) this.command([...command.map(filledIn), ANYTHING], redirects, spot);
    else for (const words of [command, ...others]) this.command(words, redirects, spot);
    return true;
  }

  /** An unknown program: its words may contain a command that it starts. */
  #within(args: readonly CommandWord[], spot: Spot): void {
    for (const [at, { values }] of args.entries()) {
      const isProgram = values?.some(({ text }) => interpreterOf(text.split("/").at(-1) ?? "") !== undefined);
      if (isProgram === true && at + 1 < args.length) this.command(args.slice(at), [], spot);
    }
  }

  #files(term: CommandWord | undefined, spot: Spot): void {
    const values = term?.isSplit && term.values?.some(({ text }) => /\s/.test(text)) ? undefined : term?.values;
    if (values === undefined) this.#open(spot, COMPUTED);
    for (const value of values ?? []) {
      if (/^\/(?:dev|proc)\//.test(value.text)) this.#open(spot, "runs what it is sent");
      else if (/^[a-z]+:\/\/|^(?:npm|jsr):/.test(value.text)) this.#open(spot, "runs what the network holds");
      else this.#file(value, spot);
    }
  }

  #file({ text, isPattern }: Value, spot: Spot): void {
    this.all.push({ ...this.#placed(spot), kind: "file", path: text, isPattern });
  }

  #open(spot: Spot, why: string): void {
    this.all.push({ ...this.#placed(spot), kind: "open", why });
  }

  #placed(spot: Spot): Spot {
    return this.#spot === undefined ? spot : { piece: spot.piece, at: this.#spot.at };
  }

  #spotOf({ pos, end }: { readonly pos: number; readonly end: number }, text: string): Spot {
    return { piece: text.slice(pos, end), at: pos };
  }
}
