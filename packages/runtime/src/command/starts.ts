import type { Command, HereDoc, Redirection, SyntaxNode } from "unbash";
import type { Parser } from "./parser.ts";
import { type Interpreter, interpreterOf, LOADING, RUNNERS, SHOWS, WRAPPERS } from "./programs.ts";
import { type Term, termsOf } from "./terms.ts";
import { type Value, type Values, Variables } from "./values.ts";

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
const DEEPEST = 16;

/** Finds what a shell text starts, including in texts that it passes to another shell. */
export function startsOf(text: string, parser: Parser): Start[] {
  return new Reading(parser, text).all;
}

/** Finds what a list of words starts, such as the arguments of `spawn`. */
export function startsOfWords(words: readonly Term[], piece: string, at: number, parser: Parser): Start[] {
  const reading = new Reading(parser, "");
  reading.command(words, [], { piece, at });
  return reading.all;
}

interface Spot {
  readonly piece: string;
  readonly at: number;
}

class Reading {
  readonly all: Start[] = [];
  readonly #parser: Parser;
  #variables: Variables;
  #depth = 0;
  /** The position of the current text within another, if it is a part of one. */
  #spot: Spot | undefined;

  constructor(parser: Parser, text: string) {
    this.#parser = parser;
    this.#variables = new Variables(parser, parser.parse(""));
    this.#script(text);
  }

  #script(text: string): void {
    if (this.#depth >= DEEPEST) {
      this.#open(this.#spot ?? { piece: text, at: 0 }, "is nested too deeply to be read");
      return;
    }
    const script = this.#parser.parse(text);
    const outer = this.#variables;
    this.#variables = new Variables(this.#parser, script, outer);
    this.#depth += 1;
    this.#visit(script, text);
    this.#depth -= 1;
    this.#variables = outer;
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
    const values = isKept ? [] : this.#variables.of(value);
    if (values === undefined) this.#open(spot, "computes what programs load");
    else for (const one of values) if (/^(?:BASH_ENV|ENV)$/.test(name)) this.#file(one, spot);
  }

  #read(node: Command, text: string): void {
    this.command(termsOf(node, this.#variables), node.redirects, this.#spotOf(node, text));
  }

  /** Reads a command by its words; the first one is its program. */
  command(terms: readonly Term[], redirects: readonly Redirection[], spot: Spot): void {
    const [first, ...rest] = terms;
    if (first === undefined) return;
    const programs = first.isSplit && first.values?.some(({ text }) => /\s/.test(text)) ? undefined : first.values;
    if (programs === undefined) this.#open(spot, COMPUTED);
    for (const program of programs ?? []) this.#program(program, rest, redirects, spot);
  }

  #program(value: Value, args: readonly Term[], redirects: readonly Redirection[], spot: Spot): void {
    const name = value.text.split("/").at(-1) ?? "";
    if (value.text.includes("/") || value.isPattern) this.#file(value, spot);
    const reader = interpreterOf(name) ?? this.#asInterpreter(name, args);
    if (reader !== undefined) this.#interpreter(reader, args, redirects, spot);
    else if (name === "." || name === "source") this.#source(args, spot);
    else if (name === "eval") this.#open(spot, "runs a text that it puts together");
    else if (name === "trap" || name === "alias") this.#handler(name, args, spot);
    else if (name === "cd" || name === "pushd") this.#folder(args, spot);
    else if (name === "find" || name === "fd") this.#finder(args, spot);
    else if (RUNNERS.has(name)) this.#open(spot, "starts what its own files say");
    else if (name === "base64" && args.some(({ text }) => /^(?:-[a-zA-Z]*[dD]|--decode)/.test(text)))
      this.#open(spot, "decodes what cannot be read here");
    else if (/^(?:curl|wget)$/.test(name)) this.#download(args, redirects, spot);
    else if (/^[gmn]?awk$|^sed$/.test(name)) this.#filter(name, args, spot);
    else if (WRAPPERS.has(name)) this.#wrapped(name, args, redirects, spot);
    else if (!SHOWS.has(name)) this.#within(args, spot);
  }

  /** `bun FILE` and `deno run FILE` read code; otherwise these programs are task runners. */
  #asInterpreter(name: string, args: readonly Term[]): Interpreter | undefined {
    if (name !== "bun" && name !== "deno") return undefined;
    const operand = args.find(({ text }) => !text.startsWith("-") && text !== "run");
    return operand?.values?.every(({ text }) => /\.[cm]?[jt]sx?$/.test(text)) ? interpreterOf("node") : undefined;
  }

  #interpreter(reader: Interpreter, given: readonly Term[], redirects: readonly Redirection[], spot: Spot): void {
    const args = given[0]?.text === "run" ? given.slice(1) : given;
    for (let at = 0; at < args.length; at++) {
      const { values, isSplit: splits, text } = args[at] as Term;
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
        this.#files({ values, text, isSplit: splits }, spot);
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
      this.#text(reader, this.#variables.of(from.target), spot);
    else if (from?.type === "Redirect" && from.operator === "<" && from.target !== undefined)
      this.#files({ values: this.#variables.of(from.target), text: from.target.text, isSplit: false }, spot);
    else this.#open(spot, "runs what it is sent");
  }

  #hereDoc({ body, delimiter }: HereDoc): Values {
    if (delimiter?.quoted === true || body.parts === undefined) return [{ text: body.text, isPattern: false }];
    return this.#variables.ofParts(body.parts);
  }

  #code(reader: Interpreter, term: Term | undefined, spot: Spot): void {
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

  #source(args: readonly Term[], spot: Spot): void {
    if (args[0] !== undefined) this.#files(args[0], spot);
  }

  #handler(name: string, args: readonly Term[], spot: Spot): void {
    for (const { values, text } of name === "trap" ? args.slice(0, 1) : args) {
      if (text.startsWith("-")) continue;
      if (values === undefined) this.#open(spot, COMPUTED);
      for (const value of values ?? [])
        this.#nested(name === "trap" ? value.text : value.text.replace(/^[^=]*=/, ""), spot);
    }
  }

  #folder(args: readonly Term[], spot: Spot): void {
    const folder = args.filter(({ text }) => !/^-./.test(text)).at(-1);
    if (folder === undefined) return;
    if (folder.values === undefined) this.#open(spot, "goes to a folder that it computes");
    for (const { text, isPattern } of folder.values ?? [])
      this.all.push({ ...this.#placed(spot), kind: "folder", path: text, isPattern });
  }

  #finder(args: readonly Term[], spot: Spot): void {
    const at = args.findIndex(({ text }) => /^(?:-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/.test(text));
    if (at < 0) return;
    // `{}` is whatever was found.
    const rest = args.slice(at + 1).map((one) => (one.text.includes("{}") ? { ...one, values: undefined } : one));
    this.command(rest, [], spot);
    this.#within(rest, spot);
  }

  #download(args: readonly Term[], redirects: readonly Redirection[], spot: Spot): void {
    const isKept = redirects.some(
      ({ operator, ...one }) => operator.startsWith(">") && "target" in one && one.target?.text !== "/dev/null",
    );
    const isSaved = args.some(({ text }) => /^(?:-[a-zA-Z]*[oO]|--output|--remote-name)/.test(text) && text !== "-qO-");
    if (isKept || isSaved) this.#open(spot, "fetches files from the network");
  }

  #filter(name: string, args: readonly Term[], spot: Spot): void {
    const [program] = args.filter(({ text }) => !text.startsWith("-"));
    if (program?.values === undefined) return;
    for (const { text } of program.values) {
      if (name !== "sed") this.all.push({ ...this.#placed(spot), kind: "code", language: "other", text });
      else if (/(?:^|[;\n{])\s*[\d$,]*\s*e(?:\s|$)|\/[gpIm\d]*e[gpIm\d]*(?:$|[;\s])/.test(text))
        this.#open(spot, "runs what it reads as a command");
    }
  }

  #wrapped(name: string, args: readonly Term[], redirects: readonly Redirection[], spot: Spot): void {
    const valued = WRAPPERS.get(name) as RegExp;
    if (name === "command" && /^-[vV]$/.test(args[0]?.text ?? "")) return;
    for (let at = 0; at < args.length; at++) {
      const { text, values } = args[at] as Term;
      if (name === "env" && /^(?:-S|--split-string)/.test(text)) {
        const script =
          text.length > 2 && values !== undefined
            ? values.map((one) => ({ ...one, text: one.text.replace(/^(?:-S|--split-string=?)/, "") }))
            : args[at + 1]?.values;
        if (script === undefined) this.#open(spot, COMPUTED);
        for (const one of script ?? []) this.#nested(one.text, spot);
        return;
      }
      if (/^(?:flock|su|script|watch)$/.test(name) && /^(?:-c|--command)$/.test(text)) {
        this.#text({ language: "shell", code: /^$/, valued: /^$/ }, args[at + 1]?.values, spot);
        return;
      }
      const value = values?.[0]?.text;
      if (value !== undefined && valued.test(value)) at += 1;
      else if (
        value === undefined ||
        !(value.startsWith("-") || /^[A-Za-z_]\w*=/.test(value) || /^\d+(?:\.\d+)?[smhd]?$/.test(value))
      ) {
        const rest = args.slice(at);
        // Words that xargs adds are not listed.
        const added: readonly Term[] =
          name === "xargs" || name === "parallel" ? [{ values: undefined, text: "{}", isSplit: false }] : [];
        if (name === "flock" && rest.length > 1) this.command(rest.slice(1), redirects, spot);
        else if (name === "watch") this.#open(spot, COMPUTED);
        else
          this.command(
            [
              ...rest.map((one) => (added.length > 0 && one.text.includes("{}") ? { ...one, values: undefined } : one)),
              ...added,
            ],
            redirects,
            spot,
          );
        return;
      }
    }
  }

  /** An unknown program: its words may contain a command that it starts. */
  #within(args: readonly Term[], spot: Spot): void {
    for (const [at, { values }] of args.entries()) {
      const isProgram = values?.some(({ text }) => interpreterOf(text.split("/").at(-1) ?? "") !== undefined);
      if (isProgram === true && at + 1 < args.length) this.command(args.slice(at), [], spot);
    }
  }

  #files(term: Term | undefined, spot: Spot): void {
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
