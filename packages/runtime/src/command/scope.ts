import type { ArrayValue, Assignment, Command, Script, SyntaxNode, Word, WordPart } from "unbash";
import { unbraced } from "./braces.ts";
import { printedFolder } from "./folders.ts";
import type { Parser } from "./parser.ts";
import { type Spot, step } from "./spot.ts";
import { COMPUTED, type CommandWord, knownOf, type Piece, type Value, type Values, wordOf } from "./word.ts";

const MOST_VALUES = 64;
const LONGEST_VALUE = 10_000;
const MOST_FIELDS = 256;
/** The types of the parts whose unquoted result a shell splits at white space, and takes as a pattern. */
const EXPANSION = /^(?:SimpleExpansion|ParameterExpansion|CommandExpansion)$/;

/** Returns the output of a command substitution; `undefined` if it is not known. */
export type Printed = (script: Script, spot: Spot) => string | undefined;

interface Assigned {
  readonly value: Word | ArrayValue | undefined;
  readonly spot: Spot;
  /** Whether the assignment is a statement of its own; false for the prefix in `A=1 cmd` and for a loop's variable. */
  readonly isPlain: boolean;
}

/** Variables that are set to the session's or the hook's folder before a hook's command starts. */
const FOLDERS = ["PWD", "JCLI_CWD", "JCLI_HOOK_DIR", "CLAUDE_PROJECT_DIR"];
/** Commands that set or unset the variables named in their arguments, as `read A` does; the new value is not known. */
const SETTERS: ReadonlySet<string> = new Set([
  ...["read", "mapfile", "readarray", "getopts", "let", "unset", "wait", "coproc"],
]);
/** Builtins that declare variables, and set them by words such as `A=1`, as `export A=1` does. */
export const DECLARERS: ReadonlySet<string> = new Set(["declare", "local", "typeset", "readonly", "export"]);
/** The variables of a shell text, each with every value that the text gives it. */
export class Scope {
  readonly #parser: Parser;
  readonly #outer: Scope | undefined;
  readonly #printed: Printed;
  readonly #sets = new Map<string, Assigned[]>();
  readonly #open = new Set<string>();
  readonly #known = new Map<string, readonly Values[]>();
  readonly #read = new Set<string>();
  /** The words after the text of `sh -c`, of which the first is `$0`. */
  readonly #given: readonly CommandWord[] | undefined;
  /** The names of functions and aliases that the text defines. */
  readonly own = new Set<string>();
  /** The texts that a call of a function or an alias runs, by its name. */
  readonly #bodies = new Map<string, string[]>();
  readonly #sources = new Map<Script, string>();
  #splitsOtherwise = false;
  #isAnythingSet = false;
  #isShaken = false;
  #changesGiven = false;

  constructor(parser: Parser, printed: Printed, outer?: Scope, given?: readonly CommandWord[]) {
    this.#parser = parser;
    this.#printed = printed;
    this.#outer = outer;
    this.#given = given;
  }

  /** Returns the names of the variables that the text sets. */
  get names(): readonly string[] {
    return [...this.#sets.keys()];
  }

  /** Collects the assignments of a text that this shell runs; returns false if the text was already collected. */
  collect(text: string, script: Script, spot: Spot): boolean {
    if (this.#read.has(text)) return false;
    this.#read.add(text);
    this.#sources.set(script, text);
    this.#known.clear();
    this.#collect(script, script, spot);
    return true;
  }

  #collect(node: SyntaxNode, root: Script, spot: Spot): void {
    switch (node.type) {
      case "Function":
        this.own.add(node.name.value);
        this.#defines(node.name.value, (root.source ?? this.#sources.get(root))?.slice(node.body.pos, node.body.end));
        break;
      case "Assignment":
        this.#assign(node, spot, true);
        break;
      case "For":
        for (const word of node.wordlist ?? [undefined]) this.#set(node.name.value, spot, word);
        break;
      case "Select":
        this.#set(node.name.value, spot);
        break;
      case "Command":
        this.#command(node, spot);
        for (const child of node.prefix)
          if (child.type === "Assignment") this.#assign(child, spot, node.name === undefined);
        break;
      case "ParameterExpansion":
        if (node.operation?.type === "Default" && /=$/.test(node.operation.operator)) this.#set(node.parameter, spot);
        break;
      case "ArithmeticUnary":
      case "ArithmeticBinary":
        if (/^(?:\+\+|--)$|(?<![=!<>])=$|^(?:<<|>>)=$/.test(node.operator)) this.#reckoned(node, spot);
        break;
      default:
    }
    this.#parser.forEachChild(node, (child) => {
      // An assignment in front of a command (`A=1 cmd`) was collected with the command; only its value is visited here.
      const isPrefix = node.type === "Command" && child.type === "Assignment" && node.prefix.includes(child);
      const next = step(node, child, root, spot);
      if (isPrefix) this.#parser.forEachChild(child, (part) => this.#collect(part, root, next.spot));
      else this.#collect(child, next.root, next.spot);
    });
  }

  #defines(name: string, text: string | undefined): void {
    if (text !== undefined) this.#bodies.set(name, [...(this.#bodies.get(name) ?? []), text]);
  }

  /** Returns the texts that a call of a function or an alias runs, one for each definition. */
  bodiesOf(name: string): readonly string[] {
    return this.#bodies.get(name) ?? this.#outer?.bodiesOf(name) ?? [];
  }

  #reckoned(node: Extract<SyntaxNode, { type: "ArithmeticUnary" | "ArithmeticBinary" }>, spot: Spot): void {
    const target = node.type === "ArithmeticUnary" ? node.operand : node.left;
    if (target.type === "ArithmeticWord") this.#set(/^\w+/.exec(target.value)?.[0] ?? "", spot);
  }

  #command({ name, args }: Command, spot: Spot): void {
    let words = [name, ...args];
    while (/^(?:command|builtin)$/.test(plainValue(words[0]) ?? "")) {
      words = words.slice(1);
      while (words[0]?.text.startsWith("-")) words = words.slice(1);
    }
    const program = plainValue(words[0]) ?? "";
    const rest = words.slice(1);
    const options = rest.filter((word) => word?.text.startsWith("-")).map((word) => word?.text ?? "");
    if (program === "eval" || program === "." || program === "source") this.#isShaken = true;
    if (program === "alias")
      for (const word of rest) {
        const value = word?.type === "Assignment" && word.value.type === "Word" ? plainValue(word.value) : undefined;
        const whole =
          value === undefined ? (plainValue(word) ?? word?.text) : `${/^[^=]*/.exec(word?.text ?? "")}=${value}`;
        const [name = "", text] = /^([^=]*)=?([\s\S]*)$/.exec(whole ?? "")?.slice(1) ?? [];
        this.own.add(name);
        this.#defines(name, `${text} "$@"`);
      }
    if (program === "set" || program === "shift") this.#changesGiven = true;
    if (SETTERS.has(program)) for (const word of rest) this.#named(word, spot);
    const variable = program === "printf" ? rest.findIndex((word) => /^-v/.test(word?.text ?? "")) : -1;
    if (variable >= 0) this.#named(rest[variable]?.text === "-v" ? rest[variable + 1] : undefined, spot);
    if (!DECLARERS.has(program)) return;
    // References, numbers and changes of letter case give the variable another value than the one written.
    const isOther = options.some((option) => /^-\w*[nilucA]/.test(option));
    if (options.some((option) => /^-\w*n/.test(option)) && program !== "export") this.#isAnythingSet = true;
    for (const word of rest) {
      if (word?.type === "Assignment") {
        if (isOther) this.#set(word.name, spot);
      } else if (word !== undefined && !word.text.startsWith("-") && !/^\w+$/.test(plainValue(word) ?? ""))
        this.#isAnythingSet = true;
      else if (word !== undefined && isOther) this.#named(word, spot);
    }
  }

  /** Records that the text sets the variable that a word names, as in `read A`. */
  #named(word: SyntaxNode | undefined, spot: Spot): void {
    const name = plainValue(word);
    if (name === undefined) this.#isAnythingSet = true;
    else if (!name.startsWith("-")) this.#set(/^\w+/.exec(name)?.[0] ?? "", spot);
  }

  #assign({ name, value, append, index }: Assignment, spot: Spot, isPlain: boolean): void {
    if (name === "IFS" && isPlain) this.#splitsOtherwise = true;
    if (append === true || index !== undefined) this.#set(name, spot);
    else this.#set(name, spot, value, isPlain);
  }

  #set(name: string, spot: Spot, value?: Word | ArrayValue, isPlain = value !== undefined): void {
    const one = { value, spot, isPlain };
    const known = this.#sets.get(name);
    if (known === undefined) this.#sets.set(name, [one]);
    else known.push(one);
  }

  /** Returns the words into which the shell splits a word. */
  fields(word: Word, spot: Spot): readonly CommandWord[] {
    const whole = this.#list(word, spot);
    if (whole !== undefined) return /^"/.test(word.text) ? whole : whole.flatMap(fieldsOf);
    const braced = this.#braced(word, spot);
    if (braced !== undefined) return braced;
    const one = this.word(word, spot);
    const known = one.isSplit ? knownOf(one) : undefined;
    if (known === undefined || (!/^\s|\s/.test(known) && known !== "")) return [one];
    return word.parts?.some(({ type }) => type === "DoubleQuoted" || type === "SingleQuoted") === true
      ? [one]
      : fieldsOf(wordOf(known));
  }

  /** Returns a word without splitting it. */
  word(word: Word, spot: Spot): CommandWord {
    const parts = word.parts ?? [];
    return {
      text: word.text,
      ...this.valued(word, spot),
      isSplit: parts.some(({ type }) => EXPANSION.test(type)),
      pieces: word.parts === undefined ? [[word.value]] : this.#pieces(parts, spot, false),
      spellings: [word.text],
    };
  }

  /** Returns the elements of an array, if the word is nothing but its expansion. */
  #list(word: Word, spot: Spot): readonly CommandWord[] | undefined {
    const [part, ...more] = word.parts ?? [];
    const inner = part?.type === "DoubleQuoted" && part.parts.length === 1 ? part.parts[0] : part;
    if (inner === undefined || more.length > 0) return undefined;
    if (/^\$(?:@|\*|\{@\}|\{\*\})$/.test(inner.text)) {
      if (part?.type === "DoubleQuoted" && inner.text.includes("*")) return undefined;
      return this.#positional(spot)?.slice(1) ?? [{ ...COMPUTED, text: word.text }];
    }
    if (inner.type !== "ParameterExpansion" || inner.index === undefined) return undefined;
    if (!/^[@*]$/.test(inner.index.text) || inner.prefix !== undefined || inner.operation !== undefined)
      return undefined;
    if (part?.type === "DoubleQuoted" && inner.index.text === "*") return undefined;
    return this.#elements(inner.parameter, spot) ?? [{ ...COMPUTED, text: word.text }];
  }

  #elements(name: string, spot: Spot): readonly CommandWord[] | undefined {
    const sets = this.#sets.get(name) ?? [];
    const [only] = sets;
    if (only?.value?.type !== "ArrayValue" || sets.length > 1 || !this.#isSure(name, spot) || this.#open.has(name))
      return undefined;
    this.#open.add(name);
    const { spot: set, value } = only;
    const all = value.elements.flatMap((element) => this.fields(element, set));
    this.#open.delete(name);
    return all.length > MOST_FIELDS || all.some(({ text }) => /^\[.*\]=/.test(text)) ? undefined : all;
  }

  /** Returns the words that brace expansion makes of a word. */
  #braced(word: Word, spot: Spot): readonly CommandWord[] | undefined {
    if (word.parts?.some(({ type }) => type === "BraceExpansion") !== true) return undefined;
    let all: readonly Value[] = [{ text: "", isPattern: false }];
    let isSure = true;
    for (const part of word.parts) {
      const isBrace = part.type === "BraceExpansion";
      const isReadable = !isBrace || !/[$`"'\\]/.test(part.text);
      const sure = isReadable ? this.parts([part], spot, true) : undefined;
      const next = sure ?? (isBrace ? undefined : this.parts([part], spot, false));
      isSure &&= sure !== undefined;
      const isSplit = EXPANSION.test(part.type) && next?.some(({ text }) => /\s/.test(text)) === true;
      if (next === undefined || isSplit || (!isBrace && next.length > 1) || all.length * next.length > MOST_VALUES)
        return [{ ...COMPUTED, text: word.text }];
      all = all.flatMap((one) => next.map((more) => joined(one, more)));
    }
    return all
      .filter(({ text }) => text !== "")
      .map((one) =>
        isSure
          ? { ...wordOf(one.text), values: [one], spellings: [one.text] }
          : { ...COMPUTED, text: one.text, ...(one.isAssumed ? { assumed: [one] } : { values: [one] }) },
      );
  }

  #pieces(parts: readonly WordPart[], spot: Spot, isQuoted: boolean): Piece[] {
    return parts.flatMap((part): readonly Piece[] => {
      if (part.type === "DoubleQuoted" || part.type === "LocaleString") return this.#pieces(part.parts, spot, true);
      if (part.type === "ProcessSubstitution") return [["/dev/fd/63"]];
      const values = this.#part(part, spot, true)?.map(({ text }) => text);
      const isExpanded = !isQuoted && EXPANSION.test(part.type);
      if (values === undefined || (part.type !== "Literal" && values.some(({ length }) => length > LONGEST_VALUE)))
        return [undefined];
      return [isExpanded ? values.map((text) => text.replaceAll(/\s+/g, " ")) : values];
    });
  }

  /** Returns the possible values of a word, with folder variables as paths. */
  of(word: Word, spot: Spot): Values {
    return this.valued(word, spot).values;
  }

  /** Returns the possible values of a word, or else the values that it most likely has. */
  valued(word: Word, spot: Spot): Pick<CommandWord, "values" | "assumed"> {
    const all = this.#likely(word, spot);
    return all?.some(({ isAssumed }) => isAssumed) === true ? { values: undefined, assumed: all } : { values: all };
  }

  #likely(word: Word, spot: Spot): Values {
    return word.parts === undefined ? [{ text: word.value, isPattern: false }] : this.parts(word.parts, spot, false);
  }

  /** Returns the possible values of a text with expansions, such as a here-document. */
  parts(parts: readonly WordPart[], spot: Spot, isStrict: boolean, isQuoted = false): Values {
    let all: readonly Value[] = [{ text: "", isPattern: false }];
    for (const part of parts) {
      const found = this.#part(part, spot, isStrict);
      const values = isQuoted || !EXPANSION.test(part.type) ? found : found?.map(unquoted);
      if (values === undefined || all.length * values.length > MOST_VALUES) return undefined;
      all = all.flatMap((one) => values.map((next) => joined(one, next)));
      // Variables built from each other can double in length at every step.
      if (all.some(({ text }) => text.length > LONGEST_VALUE * 20)) return undefined;
    }
    return all;
  }

  #part(part: WordPart, spot: Spot, isStrict: boolean): Values {
    switch (part.type) {
      case "Literal":
      case "SingleQuoted":
      case "AnsiCQuoted":
        return [{ text: part.value, isPattern: false }];
      case "DoubleQuoted":
      case "LocaleString":
        return this.parts(part.parts, spot, isStrict, true);
      case "Glob":
        return [{ text: part.text, isPattern: true }];
      case "BraceExpansion":
        return unbraced(part.text)?.map((text) => unquoted({ text, isPattern: false }));
      case "SimpleExpansion":
        return this.#variable(part.text.slice(1), spot, isStrict);
      case "ParameterExpansion":
        return this.#expansion(part, spot, isStrict);
      case "CommandExpansion": {
        if (part.script === undefined) return undefined;
        const text = this.#printed(part.script, spot);
        if (text !== undefined) return [{ text: text.replace(/\n+$/, ""), isPattern: false }];
        return isStrict ? undefined : printedFolder(part.script.commands, (word) => this.#likely(word, spot));
      }
      default:
        return undefined;
    }
  }

  #expansion(part: Expansion, spot: Spot, isStrict: boolean): Values {
    const { operation, parameter, prefix, index } = part;
    if (prefix === "!" && operation === undefined && index === undefined) {
      const named = this.#variable(parameter, spot, isStrict);
      return named?.length === 1 ? this.#variable(named[0]?.text ?? "", spot, isStrict) : undefined;
    }
    if (prefix !== undefined) return undefined;
    if (index !== undefined && !isStrict) return this.#variable(parameter, spot, false);
    if (index !== undefined) {
      const one = this.#elements(parameter, spot)?.[Number(index.text)];
      return one === undefined || operation !== undefined ? undefined : one.values;
    }
    if (operation === undefined) return this.#variable(parameter, spot, isStrict);
    // `${0%/*}` is the script's folder.
    const isFolder = operation.type === "Remove" && operation.operator === "%" && operation.operand.text === "/*";
    if (isFolder && /^(?:0|BASH_SOURCE)$/.test(parameter))
      return isStrict ? undefined : [{ text: ".", isPattern: false }];
    if (operation.type !== "Default") return this.#changed(parameter, operation, spot, isStrict);
    if (operation.operator.endsWith("=") && isStrict) return undefined;
    const given = this.#variable(parameter, spot, isStrict);
    const operand =
      operation.operand.parts === undefined
        ? [{ text: operation.operand.value, isPattern: false }]
        : this.parts(operation.operand.parts, spot, isStrict);
    if (operation.operator.endsWith("?")) return given;
    if (operand === undefined) return undefined;
    const isEmpty = given?.length === 1 ? given[0]?.text === "" : undefined;
    if (operation.operator.endsWith("+"))
      return isEmpty === false ? operand : [{ text: "", isPattern: false }, ...operand];
    // `${A:-x}` is assumed to be `x` if the text never sets `A`; the environment may set it to anything.
    if (given === undefined && !isStrict && !this.#sets.has(parameter))
      return operand.map((one) => ({ ...one, isAssumed: true }));
    if (given === undefined || isEmpty === false) return given;
    const filled = operation.operator === ":-" ? given.filter(({ text }) => text !== "") : given;
    return [...filled, ...operand];
  }

  /** Returns the values of a variable after a part of each was removed or replaced. */
  #changed(
    name: string,
    operation: Exclude<NonNullable<Expansion["operation"]>, { type: "Default" }>,
    spot: Spot,
    isStrict: boolean,
  ): Values {
    const given = this.#variable(name, spot, isStrict);
    const text = (word: Word | undefined): string | undefined => {
      if (word === undefined) return "";
      const values =
        word.parts === undefined ? [{ text: word.value, isPattern: false }] : this.parts(word.parts, spot, isStrict);
      return values?.length === 1 && values[0]?.isPattern === false ? values[0].text : undefined;
    };
    const change = changeOf(operation, text);
    return change === undefined ? undefined : given?.map((one) => ({ ...one, text: change(one.text) }));
  }

  #positional({ blocks }: Spot): readonly CommandWord[] | undefined {
    return this.#changesGiven || blocks.some(({ type }) => type === "Function") ? undefined : this.#given;
  }

  #variable(name: string, spot: Spot, isStrict: boolean): Values {
    if (/^\d+$/.test(name)) {
      const given = this.#positional(spot);
      return given === undefined ? undefined : (given[Number(name)] ?? wordOf("")).values;
    }
    if (this.#splitsOtherwise || this.#isAnythingSet) return undefined;
    const sets = this.#sets.get(name);
    if (sets === undefined) {
      if (this.#outer !== undefined) {
        const outer = this.#outer.#variable(name, spot, isStrict);
        return isStrict ? withNothing(outer) : outer;
      }
      if (name === "IFS") return [{ text: " ", isPattern: false }];
      // Any shell that `SHELL` may name reads `-c` as `sh` does.
      if (name === "SHELL") return [{ text: "sh", isPattern: false }];
      if (isStrict) return undefined;
      if (name === "TMPDIR") return [{ text: "/tmp", isPattern: false, isAssumed: true }];
      if (FOLDERS.includes(name)) return [{ text: ".", isPattern: false }];
      return name === "HOME" ? [{ text: "~", isPattern: false }] : undefined;
    }
    const each = this.#all(name, sets, isStrict);
    const values = each.every((one) => one !== undefined) ? each.flat() : undefined;
    return !isStrict || this.#isSure(name, spot) ? values : withNothing(values);
  }

  /** Returns whether a variable is certain to be set at a position of the text, once and by a plain assignment. */
  #isSure(name: string, { path, blocks }: Spot): boolean {
    const sets = this.#sets.get(name) ?? [];
    const [only] = sets;
    if (only === undefined || sets.length > 1 || !only.isPlain || this.#isShaken || this.#isAnythingSet) return false;
    const set = only.spot.path.at(-1);
    return (
      only.spot.blocks.every((block) => blocks.includes(block)) &&
      path.some(({ root, pos }) => root === set?.root && pos > set.pos)
    );
  }

  #all(name: string, sets: readonly Assigned[], isStrict: boolean): readonly Values[] {
    const key = `${isStrict} ${name}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#open.has(name) || sets.length > (isStrict ? MOST_VALUES : MOST_FIELDS)) return [undefined];
    this.#open.add(name);
    const all = sets.map(({ value, spot }): Values => {
      if (value === undefined) return undefined;
      if (value.type === "ArrayValue" && !isStrict) {
        const elements = value.elements.map((element) => this.#likely(element, spot));
        return elements.every((one) => one !== undefined) ? elements.flat() : undefined;
      }
      const word = value.type === "ArrayValue" ? value.elements[0] : value;
      if (word === undefined) return [{ text: "", isPattern: false }];
      return word.parts === undefined
        ? [{ text: word.value, isPattern: false }]
        : this.parts(word.parts, spot, isStrict);
    });
    this.#open.delete(name);
    this.#known.set(key, all);
    return all;
  }
}

type Expansion = Extract<WordPart, { type: "ParameterExpansion" }>;

/** Returns how an expansion changes a value; `undefined` if that depends on a pattern. */
function changeOf(
  operation: NonNullable<Expansion["operation"]>,
  text: (word: Word | undefined) => string | undefined,
): ((value: string) => string) | undefined {
  switch (operation.type) {
    case "Slice": {
      const [from, length] = [text(operation.offset), text(operation.length)].map((one) => one?.trim());
      if (from === undefined || length === undefined || !/^-?\d+$/.test(from) || !/^-?\d*$/.test(length))
        return undefined;
      const end = Number(length);
      return (value) => {
        const rest = value.slice(Number(from));
        return length === "" ? rest : rest.slice(0, end);
      };
    }
    case "Remove": {
      const affix = text(operation.operand);
      if (affix === undefined) return undefined;
      return operation.operator.startsWith("#")
        ? (value) => (value.startsWith(affix) ? value.slice(affix.length) : value)
        : (value) => (affix !== "" && value.endsWith(affix) ? value.slice(0, -affix.length) : value);
    }
    case "Replace": {
      const [from, to] = [text(operation.pattern), text(operation.replacement)];
      if (from === undefined || to === undefined || from === "" || operation.operator.length > 2) return undefined;
      if (operation.operator === "//") return (value) => value.replaceAll(from, () => to);
      return operation.operator === "/" ? (value) => value.replace(from, () => to) : undefined;
    }
    case "CaseModification": {
      if (operation.operand !== undefined && operation.operand.text !== "") return undefined;
      const isWhole = operation.operator.length === 2;
      const turn = (part: string): string =>
        operation.operator.startsWith("^") ? part.toUpperCase() : part.toLowerCase();
      return (value) => (isWhole ? turn(value) : turn(value.slice(0, 1)) + value.slice(1));
    }
    default:
      return undefined;
  }
}

function withNothing(values: Values): Values {
  return values === undefined || values.some(({ text }) => text === "")
    ? values
    : [...values, { text: "", isPattern: false }];
}

function plainValue(node: SyntaxNode | undefined): string | undefined {
  if (node?.type !== "Word") return undefined;
  const isPlain = (node.parts ?? []).every(
    ({ type }) => /^(?:Literal|SingleQuoted|AnsiCQuoted)$/.test(type) || type === "DoubleQuoted",
  );
  const isComputed =
    /[$`]/.test(node.value) &&
    node.parts?.some((part) => part.type === "DoubleQuoted" && part.parts.some(({ type }) => type !== "Literal")) ===
      true;
  return isPlain && !isComputed ? node.value : undefined;
}

/** Returns the words that the shell makes of an unquoted expansion: parts between white space, which may be patterns. */
function fieldsOf(word: CommandWord): readonly CommandWord[] {
  const known = knownOf(word);
  if (known === undefined || word.values?.some(({ isPattern }) => isPattern) === true) return [word];
  return known
    .split(/\s+/)
    .filter((part) => part !== "")
    .map((part) => ({ ...wordOf(part), values: [unquoted({ text: part, isPattern: false })] }));
}

/** Returns a value as the shell takes it where no quotes are around it: a pattern if it has a pattern's characters. */
function unquoted(value: Value): Value {
  return value.isPattern || !/[*?[]/.test(value.text) ? value : { ...value, isPattern: true };
}

/** Joins two parts of a word. If only one is a pattern, escapes `*`, `?` and `[` in the other, which was quoted. */
function joined(one: Value, next: Value): Value {
  const isPattern = one.isPattern || next.isPattern;
  const textOf = (value: Value): string =>
    isPattern && !value.isPattern ? value.text.replaceAll(/[*?[]/g, "[$&]") : value.text;
  return {
    text: textOf(one) + textOf(next),
    isPattern,
    ...((one.isAssumed ?? next.isAssumed) && { isAssumed: true as const }),
  };
}
