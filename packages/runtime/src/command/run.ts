import type { Redirection } from "unbash";
import { type Around, hidden, only, waysOf } from "./around.ts";
import { embeddedIn } from "./embedded.ts";
import { MOST_ODD, type Parsed, parsedOptions, subcommandOf } from "./options.ts";
import { type OutputContext, printedBy, textOf } from "./output.ts";
import type { Parser } from "./parser.ts";
import { PLAIN } from "./plain.ts";
import { ENDERS, interpreterOf, LOOKED_THROUGH } from "./programs.ts";
import { RUNNERS, SUBCOMMANDS } from "./runners.ts";
import { DECLARERS, type Scope } from "./scope.ts";
import type { Spot } from "./spot.ts";
import { baseOf, COMPUTED, type CommandWord, knownOf, shellQuoted, wordOf } from "./word.ts";

const MOST_LATER = 64;
const MOST_RUNNERS = 16;

/** The shell text that is being read, which collects the commands that are found. */
export interface Text {
  readonly parser: Parser;
  /** Files that the text writes, with their content if it is known. */
  readonly written: Map<string, string | undefined>;
  /** Adds a command. The returned function marks it as a command that only starts the next one. */
  add(words: readonly CommandWord[], around: Around, hasAssignments: boolean): () => void;
  /** Adds a command of the certainty `hidden` for a part of the text that does not show what it runs. */
  hide(around: Around, reason: string, word?: string): void;
  /** Reads another text with the variables of `scope`; default: those of the current text. */
  nested(text: string, around: Around, scope?: Scope): void;
  /** Adds to `written` the files to which `tee` writes. */
  wrote(args: readonly CommandWord[], text: string | undefined): void;
  newScope(outer: Scope, given?: readonly CommandWord[]): Scope;
  source(scope: Scope, spot: Spot): OutputContext;
  /** Reads the value of a variable, if programs run it as a command. */
  loads(name: string, word: CommandWord, around: Around): void;
  /** Records that bash evaluates the value of a word as code, so that commands may be hidden in quoted texts. */
  evaluates(): void;
}

interface More {
  readonly hasAssignments: boolean;
  readonly redirects: readonly Redirection[];
}

/** Finds the commands that other commands start. */
export class Runs {
  readonly #text: Text;

  constructor(text: Text) {
    this.#text = text;
  }

  /** Adds a command and everything that it starts. */
  run(words: readonly CommandWord[], around: Around, more: More): void {
    const [first, ...args] = words;
    if (first === undefined) return;
    if (around.through.length > MOST_RUNNERS) {
      this.#text.hide(around, "is started through very many programs");
      return;
    }
    const ways = waysOf(first);
    if (ways !== undefined && ways.length > 1) {
      const inner = { ...around, ...hidden(around, "may name several programs", first.text) };
      for (const way of ways) {
        const split = first.isSplit ? way.split(/\s+/).filter((part) => part !== "") : [way];
        this.run([...split.map(wordOf), ...args], inner, more);
      }
      return;
    }
    // A program named by a pattern or by a process substitution may be any file, so its name counts as computed.
    const isAny = first.values?.some(({ isPattern }) => isPattern) === true || /^[<>]\(/.test(first.text);
    const program = isAny ? { ...COMPUTED, text: first.text } : first;
    const name = baseOf(program);
    if (name === undefined) {
      this.#writtenFile(plainOf(first.text), around, first.text, [first, ...args]);
      this.#text.add(
        [program, ...args],
        { ...around, ...hidden(around, "computes the name of a program", first.text) },
        more.hasAssignments,
      );
      return;
    }
    const isOwn = around.scope.own.has(name);
    const here = isOwn ? { ...around, ...hidden(around, "defines a function or an alias of this name", name) } : around;
    const markRunner = this.#text.add(words, here, more.hasAssignments);
    const through = { ...here, through: [...around.through, name] };
    const isRunner = this.#started(name, args, through, more.redirects);
    this.#called(name, words, { ...here, isConditional: true });
    this.#moves(name, args, around.place);
    if (/^(?:cp|mv|ln|install|gcp|gln)$/.test(name)) this.#copied(args);
    if (name === "tee") this.#text.wrote(args, around.input ?? undefined);
    this.#writtenFile(knownOf(first) ?? name, through, name, words);
    if (isRunner && LOOKED_THROUGH.has(name) && knownOf(first) === name) markRunner();
    if (ENDERS.has(name)) around.shell.mayHaveEnded = true;
    if (name === "exec" && args.length === 0 && more.redirects.length > 0) around.shell.input = null;
  }

  /** Adds the commands that a program starts; returns whether it starts a command in its words. */
  #started(name: string, args: readonly CommandWord[], around: Around, redirects: readonly Redirection[]): boolean {
    if (/^(?:read|mapfile|readarray|unset|let|printf|declare|local|typeset|test|\[)$/.test(name))
      this.#text.evaluates();
    if (DECLARERS.has(name)) this.#assigned(args, around);
    const shell = interpreterOf(name);
    if (shell?.language === "shell") this.#shell(name, args, around, redirects);
    else if (name === "eval") this.#eval(args, around);
    else if (name === "." || name === "source") this.#sourced(args, around, redirects);
    else if (name === "trap") this.#trap(args, around);
    else if (name === "alias") this.#alias(args, around);
    else if (name === "mapfile" || name === "readarray") this.#callback(args, around);
    else if (name === "find" || name === "gfind") this.#find(args, around, /^-(?:exec|ok)(?:dir)?$/);
    else if (name === "fd" || name === "fdfind") this.#find(args, around, /^(?:-x|-X|--exec|--exec-batch)$/);
    else return this.#known(name, args, around, redirects);
    return false;
  }

  #known(name: string, args: readonly CommandWord[], around: Around, redirects: readonly Redirection[]): boolean {
    this.#embedded(name, args, around);
    const path = subcommandOf(name, args);
    const runner = RUNNERS.get(path.name) ?? RUNNERS.get(name);
    for (const text of path.texts)
      this.#text.nested(text.text, {
        ...around,
        isConditional: true,
        ...(text.isSure ? {} : hidden(around, "sets a program that git runs", text.text)),
      });
    if (runner === undefined) {
      const isKnown =
        SUBCOMMANDS.has(name) || PLAIN.has(name) || interpreterOf(name) !== undefined || around.scope.own.has(name);
      if (!isKnown) this.#later(name, args, around);
      return false;
    }
    const parsed = parsedOptions(runner, RUNNERS.has(path.name) ? path.args : args);
    const { command, others, flags, assigned } = parsed;
    this.#assigned(assigned, around);
    if (flags.some((flag) => runner.idle.test(flag))) return false;
    this.#options(parsed, runner.feeds ? { ...around, input: "" } : around, runner.feeds ? " $_" : "");
    if (/^g?make$/.test(name) && args.some(({ text }) => /^(?:-f)?(?:-$|\/dev\/stdin$|<\()/.test(text)))
      this.#text.hide(around, "passes a makefile on the input");
    if (name === "crontab" && (args.length === 0 || args.some(({ text }) => /^-$|^\/dev\/stdin$|^<\(/.test(text))))
      this.#fromInput(name, { ...around, input: around.input?.replaceAll(/^(?:@\w+|(?:\S+\s+){4}\S+)\s+/gm, "") });
    if (command.length === 0 || runner.from === "option") {
      const isShell = runner.shell.source === "^" ? true : flags.some((flag) => runner.shell.test(flag));
      if (isShell && !parsed.hasText) this.#fromInput(name, around);
      return false;
    }
    const isConditionalHere =
      around.isConditional || (/^g?xargs$/.test(name) && flags.some((flag) => /^(?:r|no-run-if-empty)$/.test(flag)));
    const inner = { ...around, isConditional: isConditionalHere };
    if (runner.adds && /^:{3,4}\+?$/.test(command[0]?.text ?? "")) {
      for (const text of command.slice(1).flatMap((word) => waysOf(word) ?? [])) this.#text.nested(text, inner);
      return false;
    }
    if (runner.isText) {
      const words = command.map(knownOf);
      if (words.every((word) => word !== undefined)) {
        const lines = runner.adds ? linesFor(name, flags, around.input, "{}") : undefined;
        for (const text of runner.adds ? filledTexts(command, lines?.flat()) : [words.join(" ")])
          this.#text.nested(text, inner);
      } else this.run(command, inner, { hasAssignments: false, redirects });
      if (words.some((word) => word === undefined))
        this.#text.hide(
          inner,
          `computes a text for ${name}`,
          command.find((word) => knownOf(word) === undefined)?.text,
        );
      return true;
    }
    const isSure = others.length === 0;
    if (others.length >= MOST_ODD)
      this.#text.hide(inner, `gives ${name} very many options that are not known here`, parsed.odd);
    const started = isSure
      ? inner
      : { ...inner, ...hidden(around, `uses an option of ${name} that is not known here`, parsed.odd) };
    const lines = runner.adds ? linesFor(name, flags, around.input, parsed.replaced) : undefined;
    if (lines !== undefined) {
      for (const line of lines)
        this.run(
          parsed.replaced === undefined
            ? [...command, ...line.map(expandedWord)]
            : replacedIn(command, parsed.replaced, line),
          { ...started, input: "", from: undefined },
          { hasAssignments: false, redirects },
        );
      return true;
    }
    const rest = runner.adds ? filled(command, parsed.replaced) : command;
    this.run(rest, runner.adds ? { ...started, input: null, from: undefined } : started, {
      hasAssignments: false,
      redirects,
    });
    for (const other of others)
      this.run(runner.adds ? filled(other, parsed.replaced) : other, started, { hasAssignments: false, redirects });
    return true;
  }

  /** Reads the variables that words such as `A=1` set. */
  #assigned(words: readonly CommandWord[], around: Around): void {
    for (const word of words) {
      const [first = [""], ...pieces] = word.pieces;
      const [, variable = "", value = ""] = /^(\w+)=([\s\S]*)$/.exec(first?.[0] ?? "") ?? [];
      const values = word.values?.map((one) => ({ ...one, text: one.text.slice(variable.length + 1) }));
      this.#text.loads(
        variable,
        { ...word, text: word.text.slice(variable.length + 1), values, pieces: [[value], ...pieces] },
        around,
      );
    }
  }

  /** Reads shell texts within the code that a program receives in its words or its input. */
  #embedded(name: string, args: readonly CommandWord[], around: Around): void {
    for (const { pieces } of [...args, wordOf(around.input ?? "")]) {
      const code = pieces.map((piece) => (piece?.length === 1 ? piece[0] : "$_")).join("");
      for (const text of embeddedIn(name, code))
        this.#text.nested(text, {
          ...around,
          ...hidden(around, `contains a text that ${name} runs`, text),
          isConditional: true,
          input: "",
        });
    }
  }

  /** Reads the shell texts in a runner's options, each followed by `added`: the words that the runner appends to it. */
  #options({ texts, splits, command }: Parsed, around: Around, added: string): void {
    for (const text of texts) {
      for (const way of waysOf(text) ?? []) this.#text.nested(way + added, around);
      if (waysOf(text) === undefined) this.#text.hide(around, "computes a text for a shell", text.text);
    }
    for (const { word, rest } of splits) {
      const text = knownOf(word);
      if (text === undefined) this.#text.hide(around, "computes a text for a shell", word.text);
      else
        this.run(
          [
            ...text
              .split(/\s+/)
              .filter((part) => part !== "")
              .map(wordOf),
            ...(rest.length > 0 ? rest : command),
          ],
          around,
          { hasAssignments: false, redirects: [] },
        );
    }
  }

  #moves(name: string, args: readonly CommandWord[], place: Around["place"]): void {
    if (name === "pushd") place.stack = [...place.stack, place.folder];
    if (name === "cd" || name === "pushd") place.folder = folderAfter(place.folder, args);
    if (name === "popd") {
      place.folder = place.stack.at(-1);
      place.stack = place.stack.slice(0, -1);
    }
  }

  /** Reads the body of the function or alias that has this name, with the words of the call. */
  #called(name: string, words: readonly CommandWord[], around: Around): void {
    if (around.calls.includes(name)) return;
    for (const text of around.scope.bodiesOf(name))
      this.#text.nested(text, { ...around, calls: [...around.calls, name] }, this.#text.newScope(around.scope, words));
  }

  /** Reads the words of a program that no table lists, any of which could be a command. */
  #later(name: string, args: readonly CommandWord[], around: Around): void {
    const inner: Around = {
      ...around,
      certainty: "unknown",
      reason: `starts ${name}, which may run its own words as a command`,
    };
    for (const [at, word] of args.slice(0, MOST_LATER).entries()) {
      const text = knownOf(word);
      if (text === undefined || text === "" || text.startsWith("-") || !/^[\w./~+@%:,-]+(?:\s|$)/.test(text)) continue;
      const base = baseOf(word) ?? "";
      const rest = args.slice(at);
      const found = { ...inner, word: word.text };
      if (interpreterOf(base)?.language === "shell" || RUNNERS.has(base) || /^(?:eval|find)$/.test(base))
        this.run(rest, found, { hasAssignments: false, redirects: [] });
      else this.#text.add(rest, found, false);
    }
  }

  #shell(name: string, args: readonly CommandWord[], around: Around, redirects: readonly Redirection[]): void {
    let isText = false;
    let isInput = false;
    let mayEnd = false;
    let at = 0;
    for (; at < args.length; at++) {
      const word = args[at] as CommandWord;
      const text = knownOf(word);
      if (text === undefined) break;
      if (text === "--" || text === "-") {
        at += 1;
        break;
      }
      if (/^--(?:rcfile|init-file)$/.test(text)) at += 1;
      else if (/^--(?:version|help)$/.test(text)) return;
      else if (/^[-+]\w/.test(text)) {
        if (text.startsWith("-") && text.includes("c")) isText = true;
        if (text.startsWith("-") && text.includes("s")) isInput = true;
        // With `-e` a shell ends at the first command that fails.
        if (/^-\w*e/.test(text)) mayEnd = true;
        if (/^-\w*n/.test(text) && !isText) return;
        if (/[oO]/.test(text)) at += 1;
      } else if (!text.startsWith("--")) break;
    }
    const [first, ...given] = args.slice(at);
    const isConditional = around.isConditional || around.shell.mayHaveEnded;
    const own = { ...around, isConditional, shell: { mayHaveEnded: mayEnd }, place: { ...around.place } };
    if (isText) {
      if (first === undefined) {
        this.#text.hide(around, `is given to ${name} by another program`);
        return;
      }
      const whole = waysOf(first);
      if (whole === undefined) {
        this.#text.hide(around, `computes the text that ${name} runs`, first.text);
        return;
      }
      // A shell splits an unquoted variable into words; the first of them is the program.
      const ways = first.isSplit ? [...new Set(whole.flatMap((way) => [way, /\S+/.exec(way)?.[0] ?? way]))] : whole;
      const inner =
        ways.length === 1 ? own : { ...own, ...hidden(around, `computes the text that ${name} runs`, first.text) };
      for (const way of ways) this.#text.nested(way, inner, this.#text.newScope(around.scope, given));
      return;
    }
    if (first !== undefined && !isInput) {
      if (knownOf(first) === undefined && first.text === "") return;
      this.#file(name, first, around, redirects, () => this.#text.newScope(around.scope, [first, ...given]));
      return;
    }
    this.#fromInput(name, own, this.#text.newScope(around.scope, [wordOf(name), ...args.slice(at)]));
  }

  #fromInput(name: string, around: Around, scope?: Scope): void {
    const { input } = around;
    if (input === null || input === undefined) this.#text.hide(around, `passes ${name} commands on its input`);
    else if (input !== "")
      this.#text.nested(input, { ...around, input: null }, scope ?? this.#text.newScope(around.scope));
  }

  /** Reads a file that a shell runs or sources. */
  #file(
    name: string,
    word: CommandWord,
    around: Around,
    redirects: readonly Redirection[],
    scope: () => Scope | undefined,
  ): void {
    const path = knownOf(word) ?? only(word.values) ?? plainOf(word.text);
    if (word.text.startsWith("<(")) {
      const text = this.#substituted(word, around);
      if (text === undefined) this.#text.hide(around, `computes the text that ${name} runs`, word.text);
      else this.#text.nested(text, around, scope());
      return;
    }
    const descriptor = /^\/(?:dev\/fd|proc\/self\/fd)\/(\d+)$|^\/dev\/(stdin)$/.exec(path);
    if (descriptor === null) {
      this.#writtenFile(path, around, name);
      return;
    }
    const number = descriptor[2] === undefined ? Number(descriptor[1]) : 0;
    if (number === 0) {
      this.#fromInput(name, around, scope());
      return;
    }
    const from = redirects.findLast(
      (one) => one.descriptor?.type === "FileDescriptor" && one.descriptor.value === number,
    );
    const text = from === undefined ? undefined : textOf(from, this.#text.source(around.scope, around.spot));
    if (text === undefined) this.#text.hide(around, `passes ${name} commands on a descriptor`, word.text);
    else this.#text.nested(text, around, scope());
  }

  #substituted({ text }: CommandWord, around: Around): string | undefined {
    const script = this.#text.parser.parse(`: ${text}`);
    const [statement] = script.commands;
    const word = statement?.command.type === "Command" ? statement.command.args[0] : undefined;
    const part = word?.type === "Word" ? word.parts?.[0] : undefined;
    if (part?.type !== "ProcessSubstitution" || part.script === undefined) return undefined;
    return printedBy(part.script.commands, "", this.#text.source(around.scope, around.spot));
  }

  /** Reads a file that this text itself has written before it runs the file. */
  #writtenFile(path: string, around: Around, name = path, given?: readonly CommandWord[]): void {
    if (!this.#text.written.has(pathOf(path))) return;
    const text = this.#text.written.get(pathOf(path));
    const inner = { ...around, ...hidden(around, "writes a file and runs it", path) };
    if (text === undefined) this.#text.hide(around, `writes a file and runs it with ${name}`, path);
    else if (/^#!(?!.*sh\b)/.test(text)) return;
    else this.#text.nested(text, inner, this.#text.newScope(around.scope, given));
  }

  /** Records copies and links of files in `written`, so that running a copy counts as running the original. */
  #copied(args: readonly CommandWord[]): void {
    const names = args
      .map((word) => knownOf(word) ?? only(word.assumed))
      .filter((word) => word?.startsWith("-") !== true);
    const to = names.pop();
    if (to === undefined) return;
    for (const from of names) {
      if (from === undefined) continue;
      const text = this.#text.written.get(pathOf(from)) ?? `${shellQuoted(from)} "$@"`;
      const inFolder = `${to.replace(/\/$/, "")}/${from.slice(from.lastIndexOf("/") + 1)}`;
      for (const path of [to, inFolder]) if (pathOf(path) !== pathOf(from)) this.#text.written.set(pathOf(path), text);
    }
  }

  #sourced(args: readonly CommandWord[], around: Around, redirects: readonly Redirection[]): void {
    const [first] = args[0]?.text === "--" ? args.slice(1) : args;
    if (first === undefined) return;
    if (knownOf(first) === undefined && first.values === undefined && !first.text.startsWith("<(")) {
      this.#text.hide(around, "computes the file that it sources", first.text);
      return;
    }
    this.#file("source", first, around, redirects, () => undefined);
  }

  #eval(args: readonly CommandWord[], around: Around): void {
    const rest = args[0]?.text === "--" ? args.slice(1) : args;
    const odd = rest.find((word) => knownOf(word) === undefined);
    if (odd !== undefined) {
      const values = rest.map((word) => knownOf(word) ?? only(word.values));
      const reason = "computes the text that eval runs";
      if (values.some((one) => one === undefined)) this.#text.hide(around, reason, odd.text);
      else this.#text.nested(values.join(" "), { ...around, ...hidden(around, reason, odd.text) });
      return;
    }
    if (rest.length > 0) this.#text.nested(rest.map(knownOf).join(" "), around);
  }

  #trap(args: readonly CommandWord[], around: Around): void {
    const [first] = args.filter(({ text }, at) => at > 0 || text !== "--");
    if (first === undefined || args.length < 2 || /^-[lpP]*$/.test(first.text)) return;
    const ways = waysOf(first);
    const doubt = ways === undefined ? hidden(around, "computes the text of a trap", first.text) : {};
    for (const way of ways ?? first.values?.map(({ text }) => text) ?? [])
      this.#text.nested(way, { ...around, ...doubt, isConditional: true, input: null });
    if (ways === undefined && first.values === undefined)
      this.#text.hide(around, "computes the text of a trap", first.text);
  }

  #alias(args: readonly CommandWord[], around: Around): void {
    for (const word of args) {
      const text = knownOf(word);
      if (text === undefined) this.#text.hide(around, "computes the text of an alias", word.text);
      else if (text.includes("="))
        this.#text.nested(text.replace(/^[^=]*=/, ""), {
          ...around,
          ...hidden(around, "defines an alias", word.text),
          isConditional: true,
          isDefinition: true,
        });
    }
  }

  #callback(args: readonly CommandWord[], around: Around): void {
    const at = args.findIndex(({ text }) => text.startsWith("-C"));
    if (at < 0) return;
    const word = args[at]?.text === "-C" ? args[at + 1] : undefined;
    const text = word === undefined ? undefined : knownOf(word);
    if (text === undefined) this.#text.hide(around, "computes what it calls for each line", word?.text);
    else this.#text.nested(text, { ...around, isConditional: true });
  }

  #find(args: readonly CommandWord[], around: Around, option: RegExp): void {
    for (const [at, { text }] of args.entries()) {
      if (!option.test(text)) continue;
      let end = at + 1;
      while (end < args.length && !/^[;+]$/.test(knownOf(args[end] as CommandWord) ?? "")) end += 1;
      const words = args.slice(at + 1, end);
      // `fd` appends the file if no word contains a placeholder.
      const isAdded = option.test("--exec") && !words.some(({ text }) => text.includes("{"));
      const given = words.map((word) => (word.text.includes("{}") ? { ...COMPUTED, text: word.text } : word));
      this.run(
        isAdded ? [...given, COMPUTED] : given,
        { ...around, isConditional: true },
        { hasAssignments: false, redirects: [] },
      );
    }
  }
}

/** Returns the words of a command to which `xargs` adds unknown words: at the placeholder, else at the end. */
function filled(words: readonly CommandWord[], replaced: string | undefined): readonly CommandWord[] {
  if (replaced === undefined) return [...words, COMPUTED];
  return words.map((word) => (word.text.includes(replaced) ? { ...COMPUTED, text: word.text } : word));
}

const MOST_LINES = 16;

/** Options of `xargs` that divide its input among several commands. */
const DIVIDING = /^(?:[nLls]|max-(?:args|lines|chars))$/;

/** Returns the words that `xargs` or `parallel` adds, one list for each command; `undefined` if they are not known. */
function linesFor(
  name: string,
  flags: readonly string[],
  input: Around["input"],
  replaced: string | undefined,
): readonly (readonly string[])[] | undefined {
  if (typeof input !== "string" || input === "") return undefined;
  if (flags.some((flag) => /^(?:d|delimiter|E|a|arg-file|colsep|C)$/.test(flag))) return undefined;
  const isNull = flags.some((flag) => /^(?:0|null)$/.test(flag));
  if (!isNull && /["'\\]/.test(input)) return undefined;
  const isEach = replaced !== undefined || !/xargs$/.test(name);
  const items = input.split(isNull ? "\0" : isEach ? "\n" : /\s+/).filter((item) => item.trim() !== "");
  if (items.length > MOST_LINES || (items.length > 1 && flags.some((flag) => DIVIDING.test(flag)))) return undefined;
  return isEach ? items.map((item) => [item.trim()]) : [items];
}

/** Returns a command's words with its placeholder replaced by a line of the input. */
function replacedIn(
  words: readonly CommandWord[],
  replaced: string,
  [line = ""]: readonly string[],
): readonly CommandWord[] {
  return words.map((word) => {
    const text = knownOf(word);
    if (text === undefined || !text.includes(replaced)) return word;
    return expandedWord(text.replaceAll(replaced, line));
  });
}

/** Returns a word of a runner's input, which may be a pattern that the shell has expanded before, as in `echo *`. */
function expandedWord(text: string): CommandWord {
  const word = wordOf(text);
  return /[*?[]/.test(text) ? { ...word, values: [...(word.values ?? []), { text, isPattern: true }] } : word;
}

/**
 * Returns the shell texts that `parallel` runs, one for each item after `:::` or each line of its input. `$_` stands for
 * items that are not known.
 */
function filledTexts(command: readonly CommandWord[], lines: readonly string[] | undefined): readonly string[] {
  const isMark = ({ text }: CommandWord): boolean => /^:{3,4}\+?$/.test(text);
  const at = command.findIndex(isMark);
  const text = (at < 0 ? command : command.slice(0, at)).map(knownOf).join(" ");
  const given = command.slice(at + 1);
  const words =
    at < 0 ? lines?.map(expandedWord) : command[at]?.text === ":::" && !given.some(isMark) ? given : undefined;
  const place = /\{[\d./#%+-]*\}/g;
  return (words?.flatMap(({ values = [] }) => values) ?? [undefined]).map((value) => {
    const item = value === undefined ? "$_" : value.isPattern ? patternText(value.text) : shellQuoted(value.text);
    return text.search(place) < 0 ? `${text} ${item}` : text.replaceAll(place, () => item);
  });
}

/** Writes a pattern as a word of a shell text. */
function patternText(pattern: string): string {
  return pattern.replaceAll(/[\s$`;&|<>(){}#~]/g, String.raw`\$&`);
}

/** Returns the working folder after `cd`; `undefined` if it is computed. */
function folderAfter(folder: string | undefined, args: readonly CommandWord[]): string | undefined {
  const target = args.filter(({ text }) => !/^-[^/]|^--$/.test(text)).at(-1);
  const path = target === undefined ? "~" : target.text === "-" ? undefined : only(target.values ?? target.assumed);
  if (path === undefined || /[*?[]/.test(path)) return undefined;
  if (/^[/~]/.test(path)) return path;
  return folder === undefined ? undefined : `${folder}${folder === "" ? "" : "/"}${path}`;
}

/** Removes a leading `./` from a path, so that both spellings of a file compare equal. */
export function pathOf(path: string): string {
  return path.replace(/^(?:\.\/)+/, "");
}

/** Removes the double quotes from a word. */
export function plainOf(text: string): string {
  return text.replaceAll('"', "");
}
