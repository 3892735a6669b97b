import { subcommandOf } from "./options.ts";
import type { Parser } from "./parser.ts";
import { PLAIN } from "./plain.ts";
import { DECIDERS, FILE_OPTIONS, FOLDER_OPTIONS, type Interpreter, interpreterOf, KNOWN_MODULES } from "./programs.ts";
import { readCommands } from "./read.ts";
import type { ReadCommand, SetVariable } from "./reading.ts";
import { RUNNERS, SUBCOMMANDS } from "./runners.ts";
import { baseOf, type CommandWord, shellQuoted, type Value, wordOf } from "./word.ts";

/** A language whose code is searched for what it starts. */
export type CodeLanguage = "python" | "javascript" | "other";

/** One thing that a shell text starts, loads or names, and where. */
export type Start = {
  /** The part of the text that starts, loads or names the thing, as written. */
  readonly piece: string;
  /** The 0-based offset in the text. */
  readonly at: number;
} /**
 * A file or a pattern of files. `start`: it is run, sourced or loaded. `hand`: it is an argument of a program that may
 * run it. `data`: it is an argument of another program, or is read.
 */ & (
  | {
      readonly kind: "start" | "hand" | "data";
      readonly path: string;
      readonly isPattern: boolean;
      readonly by?: string;
      /** The arguments of a started file, its name first, if they are known. */
      readonly given?: readonly CommandWord[];
    }
  /** A folder that the text changes to, which later names may be relative to. */
  | { readonly kind: "folder"; readonly path: string; readonly isPattern: boolean }
  /** A folder in which programs, or modules of a language, are looked for. */
  | { readonly kind: "search"; readonly path: string; readonly of: CodeLanguage | "program" }
  /** A module that a language finds by its name. */
  | { readonly kind: "module"; readonly language: CodeLanguage; readonly name: string; readonly isKnown: boolean }
  /** A program that is found by its name. */
  | { readonly kind: "program"; readonly name: string }
  /** A text in another language that a program runs as code. */
  | { readonly kind: "code"; readonly language: CodeLanguage; readonly text: string }
  /** A program that runs what a configuration file says, such as `make`; `words` are its arguments. */
  | { readonly kind: "config"; readonly program: string; readonly words: readonly string[] }
  /** Something that the text does not show; `why` is a clause that follows `piece` in messages. */
  | { readonly kind: "open"; readonly why: string }
);

/** The input of a command: its text, or the files that hold it. */
interface Input {
  readonly input?: string | undefined;
  readonly from?: readonly CommandWord[] | undefined;
}

interface Spot {
  readonly piece: string;
  readonly at: number;
}

const COMPUTED = "computes what it starts";

/**
 * Finds what a shell text starts, loads and names, also in texts that it passes to another shell. `given` is the text's
 * `$0` and arguments, if they are known.
 */
export function startsOf(text: string, parser: Parser, given?: readonly CommandWord[]): Start[] {
  const { commands, redirected, loaded } = readCommands(text, parser, given);
  const finding = new Finding(text);
  for (const variable of loaded) finding.variable(variable);
  for (const command of commands) finding.command(command);
  for (const { values, isWritten } of redirected)
    for (const value of isWritten ? [] : (values ?? [])) finding.data(value, { piece: value.text, at: 0 });
  return finding.all;
}

/**
 * Finds what a command given as a list of words starts, such as the arguments of `spawn`; `undefined` is a computed
 * word.
 */
export function startsOfWords(words: readonly (string | undefined)[], parser: Parser): Start[] {
  const quoted = words.map((word) => (word === undefined ? '"$_"' : shellQuoted(word)));
  return startsOf(quoted.join(" "), parser);
}

/** Matches a command substitution that prints `PATH`, such as `$(bash -lc 'echo $PATH')`. */
const PRINTED_PATH = /\$\([^()]*\b(?:echo\s+["']?\$|printenv\s+)\{?PATH\b[^()]*\)/g;

class Finding {
  readonly all: Start[] = [];
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  command({ words, certainty, reason = COMPUTED, word, at, input, from }: ReadCommand): void {
    const [first, ...args] = words;
    if (first === undefined) return;
    const isAnything = first.values === undefined && first.text === "";
    const spot = {
      piece: isAnything
        ? (word ?? this.#text.slice(at).split("\n", 1)[0] ?? "")
        : words.map(({ text }) => text).join(" "),
      at,
    };
    // The command reader cannot see the commands that `cat FILE | sh` runs, but `from` names the file.
    if (isAnything) {
      if (from === undefined) this.#open(spot, reason);
      return;
    }
    // A word of an unknown program counts as a command only if it names an interpreter or a runner such as `sudo`.
    const base = baseOf(first) ?? "";
    if (certainty === "unknown" && interpreterOf(base) === undefined && !RUNNERS.has(base)) return;
    const programs = first.isSplit && first.values?.some(({ text }) => /\s/.test(text)) ? undefined : first.values;
    if (programs === undefined) this.#computed(first, spot);
    for (const program of programs ?? []) this.#program(program, args, { input, from }, spot);
  }

  #program(value: Value, args: readonly CommandWord[], { input, from }: Input, spot: Spot): void {
    const name = value.text.split("/").at(-1) ?? "";
    if (value.text.includes("/") || value.isPattern) this.#file(value, spot, undefined, args);
    else this.all.push({ ...spot, kind: "program", name });
    const reader = interpreterOf(name) ?? asInterpreter(name, args);
    if (reader !== undefined && /^(?:bun|deno)$/.test(name))
      this.all.push({ ...spot, kind: "config", program: `${name} FILE`, words: [] });
    if (reader !== undefined) this.#interpreter(reader, name, args, { input, from }, spot);
    else if (name === "." || name === "source") {
      const word = args[args[0]?.text === "--" ? 1 : 0];
      if (from !== undefined && /^\/(?:dev\/(?:stdin|fd\/0)|proc\/self\/fd\/0)$/.test(word?.text ?? ""))
        for (const file of from) this.#files({ ...file, isSplit: false }, spot);
      // Skips a computed file name, which the command reader reports as a `hidden` command.
      else if (word?.values !== undefined) this.#files(word, spot, "shell");
    } else if (name === "cd" || name === "pushd") this.#folder(args, spot);
    else if (/^(?:source|eval|exec|trap|alias|command|builtin|export|declare|local|readonly|typeset)$/.test(name))
      return;
    else this.#other(name, args, { input, from }, spot, value.text.includes("/"));
  }

  #other(name: string, args: readonly CommandWord[], { from = [] }: Input, spot: Spot, isPath: boolean): void {
    if (name === "run-parts") this.#open(spot, "runs what is in a folder");
    const mover = FOLDER_OPTIONS.find(([programs]) => programs.test(name))?.[1];
    for (const [at, word] of args.entries()) {
      const path = mover?.exec(word.text)?.[1];
      if (path === undefined) continue;
      this.#folder(path === "" ? args.slice(at + 1, at + 2) : [wordOf(path)], spot);
    }
    const option = FILE_OPTIONS.find(([programs]) => programs.test(name))?.[1];
    const taken = new Set<CommandWord>();
    const withFile = option === undefined ? undefined : new RegExp(`^(?:${option.source})(?:=?(.+))?$`);
    for (const [at, word] of args.entries()) {
      const [isTold, attached] = withFile?.exec(word.text) ?? [];
      const next = args[at + 1];
      if (attached !== undefined) this.#file({ text: attached, isPattern: false }, spot);
      else if (isTold !== undefined) {
        this.#files(next, spot);
        if (next !== undefined) taken.add(next);
      }
    }
    const code = taken.size > 0 ? [] : args.flatMap(({ values }) => values ?? []).map(({ text }) => text);
    if (/^[gmn]?awk$/.test(name))
      for (const text of code) if (/[{(]/.test(text)) this.all.push({ ...spot, kind: "code", language: "other", text });
    if (/^g?sed$/.test(name) && code.some((text) => EXECUTES.test(text)))
      this.#open(spot, "runs what it reads as a command");
    if (name === "jq" && args.some(({ text }) => text.startsWith("-L"))) this.#open(spot, "loads modules of a folder");
    const isDecider = DECIDERS.has(name) || name === "git";
    if (isDecider)
      this.all.push({
        ...spot,
        kind: "config",
        program: name,
        words: args.map(({ values }) => values?.[0]?.text ?? ""),
      });
    const isKnown =
      isPath || isDecider || PLAIN.has(name) || SUBCOMMANDS.has(name) || RUNNERS.has(subcommandOf(name, args).name);
    for (const { text, isPattern } of isKnown ? [] : from.flatMap(({ values }) => values ?? []))
      this.all.push({ ...spot, kind: "hand", path: text, isPattern, by: name });
    for (const word of args) {
      if (taken.has(word) || (word.isSplit && word.values === undefined)) continue;
      for (const { text, isPattern } of word.values ?? []) {
        const path = text.replace(/^--?[\w-]+=|^@/, "");
        if (path === "" || path.startsWith("-") || path.length > 4096) continue;
        if (isKnown) this.data({ text: path, isPattern }, spot);
        else this.all.push({ ...spot, kind: "hand", path, isPattern, by: name });
      }
    }
  }

  /** Adds what programs load because of a variable such as `NODE_OPTIONS` or `PATH`. */
  variable({ name, word: { text, values }, at }: SetVariable): void {
    const spot = { piece: `${name}=${text}`, at };
    const open = (): void => this.#open(spot, "computes what programs load");
    const plain = text.replaceAll(PRINTED_PATH, "").replaceAll(/\$\{?PATH\}?|["']/g, "");
    // A `PATH` is known if its only variables are `$PWD`, `$HOME` and the like; folders outside the project are
    // skipped.
    const isKept =
      name === "PATH" &&
      !/[$`]/.test(plain.replaceAll(/\$\{?(?:PWD|HOME|CLAUDE_PROJECT_DIR|JCLI_\w+)\}?|\$\(pwd\)/g, ""));
    const texts = isKept
      ? [
          plain
            .replaceAll(/\$\{?(?:PWD|CLAUDE_PROJECT_DIR|JCLI_\w+)\}?|\$\(pwd\)/g, ".")
            .replaceAll(/\$\{?HOME\}?/g, "~"),
        ]
      : values?.map((value) => value.text);
    if (texts === undefined) open();
    for (const one of texts ?? []) {
      const language = SEARCHED[name];
      const reader = /^(?:NODE_OPTIONS|PERL5OPT|RUBYOPT)$/.test(name) ? OPTIONS_OF[name] : undefined;
      if (reader !== undefined) {
        const words = one
          .split(/\s+/)
          .filter((part) => part !== "")
          .map(wordOf);
        this.#interpreter(interpreterOf(reader) as Interpreter, reader, [...words, wordOf("--version")], {}, spot);
      } else if (language !== undefined) {
        for (const path of one.split(":"))
          if (!path.startsWith("/") && !path.startsWith("~") && !(path === "" && name !== "PATH"))
            this.all.push({ ...spot, kind: "search", path: path === "" ? "." : path, of: language });
      } else if (name === "ZDOTDIR") this.#file({ text: `${one}/.zshenv`, isPattern: false }, spot);
      else
        for (const path of one.split(/[:\s]+/).filter((part) => part !== ""))
          this.#file({ text: path, isPattern: false }, spot);
    }
  }

  #interpreter(
    reader: Interpreter,
    name: string,
    args: readonly CommandWord[],
    { input, from }: Input,
    spot: Spot,
  ): void {
    const { language } = reader;
    const module = (text: string, isKnown = false): void => {
      if (language !== "shell") this.all.push({ ...spot, kind: "module", language, name: text, isKnown });
    };
    let isGiven = false;
    for (let at = args[0]?.text === "run" && /^(?:bun|deno)$/.test(name) ? 1 : 0; at < args.length; at++) {
      const word = args[at] as CommandWord;
      const { values, isSplit } = word;
      const value = values?.[0]?.text;
      if (value === undefined || (isSplit && values?.some(({ text }) => /\s/.test(text)))) {
        this.#computed(word, spot);
        return;
      }
      const next = args[at + 1];
      const attached = /^(--[\w-]+)=(.*)$/s.exec(value);
      const option = attached?.[1] ?? value;
      if (value === "--") {
        this.#script(reader, args.slice(at + 1), spot);
        return;
      }
      if (language === "other" && /^(?:perl|ruby)/.test(name) && /^-[MmrI]/.test(value)) {
        const isApart = value.length === 2;
        const text = isApart ? (next?.values?.[0]?.text ?? "") : value.slice(2);
        if (isApart) at += 1;
        if (value.startsWith("-I")) this.all.push({ ...spot, kind: "search", path: text, of: "other" });
        else if (text.includes("/")) this.#file({ text, isPattern: false }, spot);
        else module(text.replace(/^-/, "").replace(/[=\s].*$/s, ""), true);
      } else if (reader.code.test(value)) {
        isGiven = true;
        at += 1;
        // The command reader has already read texts for shells.
        if (language === "shell") return;
        if (next?.values === undefined) this.#open(spot, "computes the code that it runs");
        for (const { text } of next?.values ?? []) this.#code(language, text, spot);
        if (language !== "other") return;
      } else if (language === "python" && /^-[a-zA-Z]*m$/.test(value)) {
        this.#pythonModule(next, args.slice(at + 2), spot);
        return;
      } else if (language === "javascript" && option === "--run") {
        this.all.push({
          ...spot,
          kind: "config",
          program: "node --run",
          words: [attached?.[2] ?? next?.values?.[0]?.text ?? ""],
        });
        return;
      } else if (language === "javascript" && (option === "--test" || value === "test")) {
        if (args.slice(at + 1).every(({ text }) => text.startsWith("-"))) {
          this.#open(spot, "runs the tests that it finds");
          return;
        }
      } else if (reader.loads.test(option)) {
        const loaded = attached === null ? next : wordOf(attached[2] ?? "");
        if (attached === null) at += 1;
        for (const one of loaded?.values ?? []) {
          const isPath =
            /^\.{0,2}\/|^\.\.?$/.test(one.text) ||
            /env-file|rcfile|init-file|^-(?:f|file|jar|cp|classpath)$/i.test(option);
          if (isPath) this.#file(one, spot, language);
          else module(one.text, true);
        }
        if (loaded?.values === undefined) this.#open(spot, "computes what it loads");
        if (/^-(?:f|file|jar)$/i.test(option)) return;
      } else if (reader.valued.test(value)) {
        at += 1;
        const file = /^auto_(?:pre|ap)pend_file=(.+)/.exec(next?.values?.[0]?.text ?? "")?.[1];
        if (file !== undefined) this.#file({ text: file, isPattern: false }, spot);
      } else if (/^(?:run|watch)$/.test(value) && /^(?:bun|deno|tsx)$/.test(name)) continue;
      else if (value === "-" || (value === "-s" && language === "shell")) break;
      else if (!/^[-+]/.test(value)) {
        if (!isGiven) this.#script(reader, args.slice(at), spot);
        return;
      }
    }
    if (isGiven || args.some(({ text }) => /^(?:--version|-V|--help|-v|-h|--check-config)$/.test(text))) return;
    if (from !== undefined) for (const word of from) this.#files({ ...word, isSplit: false }, spot);
    else if (language !== "shell" && input !== undefined && input !== "") this.#code(language, input, spot);
    else if (language !== "shell" && input !== "") this.#open(spot, "runs what it is sent");
  }

  /** Adds an interpreter's script. The words after it are the script's own arguments. */
  #script({ language }: Interpreter, [script, ...words]: readonly CommandWord[], spot: Spot): void {
    // In `parallel sh ::: FILE` the files follow the `:::`.
    const isMarked = /^:{3,4}\+?$/.test(script?.text ?? "");
    const scripts = isMarked ? words : [script];
    for (const one of scripts) this.#files(one, spot, language, isMarked ? undefined : words);
    for (const { values, isSplit } of words)
      for (const value of isSplit ? [] : (values ?? [])) if (!value.text.startsWith("-")) this.data(value, spot);
  }

  #code(language: CodeLanguage, text: string, spot: Spot): void {
    this.all.push({ ...spot, kind: "code", language, text });
    // Code that is not in a file looks for modules in the working folder.
    if (language !== "javascript") this.all.push({ ...spot, kind: "search", path: ".", of: language });
  }

  #pythonModule(word: CommandWord | undefined, rest: readonly CommandWord[], spot: Spot): void {
    const name = word?.values?.[0]?.text;
    if (name === undefined) {
      this.#open(spot, COMPUTED);
      return;
    }
    this.all.push({ ...spot, kind: "search", path: ".", of: "python" });
    const known = KNOWN_MODULES.get(name.split(".")[0] ?? "");
    if (known === "starts") {
      const at = rest.findIndex(({ text }) => !text.startsWith("-"));
      if (at >= 0) this.#interpreter(interpreterOf("python3") as Interpreter, "python3", rest.slice(at), {}, spot);
      return;
    }
    this.all.push({ ...spot, kind: "module", language: "python", name, isKnown: known !== undefined });
    if (DECIDERS.has(name))
      this.all.push({ ...spot, kind: "config", program: name, words: rest.map(({ text }) => text) });
  }

  #folder(args: readonly CommandWord[], spot: Spot): void {
    const folder = args.filter(({ text }) => !/^-./.test(text)).at(-1);
    if (folder === undefined) return;
    if (folder.values === undefined) this.#open(spot, "goes to a folder that it computes");
    for (const { text, isPattern } of folder.values ?? [])
      this.all.push({ ...spot, kind: "folder", path: text, isPattern });
  }

  #files(
    word: CommandWord | undefined,
    spot: Spot,
    language?: Interpreter["language"],
    words?: readonly CommandWord[],
  ): void {
    if (word?.text.startsWith("<(")) return;
    const values = word?.isSplit && word.values?.some(({ text }) => /\s/.test(text)) ? undefined : word?.values;
    if (values === undefined) this.#open(spot, COMPUTED);
    for (const value of values ?? []) {
      if (/^\/(?:dev|proc)\//.test(value.text)) {
        // The command reader has already read what is piped to a shell.
        if (language !== "shell" && language !== undefined) this.#open(spot, "runs what it is sent");
      } else if (/^[a-z]+:\/\/|^(?:npm|jsr):/.test(value.text)) this.#open(spot, "runs code from the network");
      else this.#file(value, spot, language, words);
    }
  }

  #file({ text, isPattern }: Value, spot: Spot, by?: string, words?: readonly CommandWord[]): void {
    // If a word may expand to several, the positions of the words after it are not known.
    const isOne = ({ text, isPattern }: Value): boolean => !isPattern && !/\s/.test(text);
    const isKnown = words?.every(({ values, isSplit }) => !isSplit || values?.every(isOne));
    this.all.push({
      ...spot,
      kind: "start",
      path: text,
      isPattern,
      ...(by !== undefined && by !== "shell" && { by }),
      ...(isKnown === true && words !== undefined && { given: [wordOf(text), ...words] }),
    });
  }

  /**
   * Reports a program whose name is computed. A text that runs its own arguments (`"$@"`) is reported once, however
   * often it does so.
   */
  #computed({ text }: CommandWord, spot: Spot): void {
    this.#open(ALL_WORDS.test(text) ? { ...spot, piece: text } : spot, COMPUTED);
  }

  data({ text, isPattern }: Value, spot: Spot): void {
    this.all.push({ ...spot, kind: "data", path: text, isPattern });
  }

  #open(spot: Spot, why: string): void {
    // A piece that ends with ` $_`, though the text has no `$_`, comes from Python or other code in a string. That code
    // is searched by itself, as a start of the kind `code`.
    if (spot.piece.endsWith(" $_") && !this.#text.includes("$_")) return;
    this.all.push({ ...spot, kind: "open", why });
  }
}

/** Matches a word that expands to all arguments of a script. */
export const ALL_WORDS = /^"?\$(?:[@*]|\{[@*]\})"?$/;
/** Matches a sed program that executes lines as commands. */
const EXECUTES =
  /(?:^|[;\n{])\s*[\d$,]*\s*e(?:\s|$)|^s([/|#,])(?:\\.|(?!\1).)*\1(?:\\.|(?!\1).)*\1[gpIm\d]*e[gpIm\d]*(?:$|[;\s])/;
const SEARCHED: Readonly<Record<string, CodeLanguage | "program">> = {
  PATH: "program",
  PYTHONPATH: "python",
  PYTHONHOME: "python",
  PERL5LIB: "other",
  RUBYLIB: "other",
  LUA_PATH: "other",
  NODE_PATH: "javascript",
  LD_LIBRARY_PATH: "program",
};
const OPTIONS_OF: Readonly<Record<string, string>> = { NODE_OPTIONS: "node", PERL5OPT: "perl", RUBYOPT: "ruby" };

/** `bun FILE` and `deno run FILE` read code; otherwise these programs are task runners. */
function asInterpreter(name: string, args: readonly CommandWord[]): Interpreter | undefined {
  if (name !== "bun" && name !== "deno") return undefined;
  const operand = args.find(({ text }) => !text.startsWith("-") && text !== "run");
  return operand?.values?.every(({ text }) => /\.[cm]?[jt]sx?$/.test(text)) ? interpreterOf("node") : undefined;
}
