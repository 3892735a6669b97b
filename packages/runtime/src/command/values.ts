import type { Assignment, Script, Statement, SyntaxNode, Word, WordPart } from "unbash";
import { unbraced } from "./braces.ts";
import type { Parser } from "./parser.ts";

/** A possible value of a word. */
export interface Value {
  readonly text: string;
  /** Whether the shell expands it to matching files. */
  readonly isPattern: boolean;
}

/** All values that a word may have; `undefined` if it is computed. */
export type Values = readonly Value[] | undefined;

const MOST_VALUES = 64;
const LONGEST_VALUE = 200_000;

/** Variables that are set to the session's or the hook's folder before a hook's command starts. */
const FOLDERS = ["PWD", "JCLI_CWD", "JCLI_HOOK_DIR", "CLAUDE_PROJECT_DIR"];
/** Programs that set the variables named in their arguments. */
const SETTERS: ReadonlySet<string> = new Set(["read", "mapfile", "readarray", "getopts", "select", "let", "unset"]);
const OWN_PATH = /^\$\{?(?:0|BASH_SOURCE(?:\[0\])?)\}?$/;

/** The variables of a script, each with all values assigned to it. */
export class Variables {
  readonly #assigned = new Map<string, (Word | undefined)[]>();
  readonly #open = new Set<string>();
  readonly #known = new Map<string, Values>();
  readonly #parser: Parser;
  readonly #outer: Variables | undefined;
  #splitsOtherwise = false;

  constructor(parser: Parser, script: Script, outer?: Variables) {
    this.#parser = parser;
    this.#outer = outer;
    this.#collect(script);
  }

  /** The values of a word. */
  of(word: Word): Values {
    return word.parts === undefined ? [{ text: word.value, isPattern: false }] : this.#parts(word.parts);
  }

  /** The values of a text with expansions, such as a here document. */
  ofParts(parts: readonly WordPart[]): Values {
    return this.#parts(parts);
  }

  #collect(node: SyntaxNode): void {
    if (node.type === "Assignment") this.#assign(node);
    if ((node.type === "For" || node.type === "Select") && node.wordlist === undefined) this.#set(node.name.value);
    else if (node.type === "For") for (const word of node.wordlist ?? []) this.#set(node.name.value, word);
    else if (node.type === "Select") this.#set(node.name.value);
    if (node.type === "Command" && SETTERS.has(node.name?.value ?? ""))
      for (const word of node.args) if (word.type === "Word") this.#set(word.value);
    if (node.type === "Command" && node.name?.value === "printf" && node.args[0]?.text === "-v")
      this.#set(node.args[1]?.text ?? "");
    this.#parser.forEachChild(node, (child) => this.#collect(child));
  }

  #assign({ name, value, append, index }: Assignment): void {
    if (name === "IFS") this.#splitsOtherwise = true;
    if (append === true || index !== undefined) this.#set(name);
    else if (value.type === "ArrayValue") for (const element of value.elements) this.#set(name, element);
    else this.#set(name, value);
  }

  #set(name: string, word?: Word): void {
    const known = this.#assigned.get(name);
    if (known === undefined) this.#assigned.set(name, [word]);
    else known.push(word);
  }

  #named(name: string): Values {
    const words = this.#assigned.get(name);
    if (words === undefined) {
      if (this.#outer !== undefined) return this.#outer.#named(name);
      if (FOLDERS.includes(name)) return [{ text: ".", isPattern: false }];
      return name === "HOME" ? [{ text: "~", isPattern: false }] : undefined;
    }
    if (this.#open.has(name) || this.#splitsOtherwise) return undefined;
    if (this.#known.has(name)) return this.#known.get(name);
    this.#open.add(name);
    const each = words.map((word) => (word === undefined ? undefined : this.of(word)));
    this.#open.delete(name);
    const values = each.every((one) => one !== undefined) ? each.flat() : undefined;
    this.#known.set(name, values);
    return values;
  }

  #parts(parts: readonly WordPart[]): Values {
    let all: readonly Value[] = [{ text: "", isPattern: false }];
    for (const part of parts) {
      const values = this.#part(part);
      if (values === undefined || all.length * values.length > MOST_VALUES) return undefined;
      all = all.flatMap((one) =>
        values.map((next) => ({ text: one.text + next.text, isPattern: one.isPattern || next.isPattern })),
      );
      // Variables built from each other can double in length at every step.
      if (all.some(({ text }) => text.length > LONGEST_VALUE)) return undefined;
    }
    return all;
  }

  #part(part: WordPart): Values {
    switch (part.type) {
      case "Literal":
      case "SingleQuoted":
      case "AnsiCQuoted":
        return [{ text: part.value, isPattern: false }];
      case "DoubleQuoted":
      case "LocaleString":
        return this.#parts(part.parts);
      case "Glob":
        return [{ text: part.text, isPattern: true }];
      case "BraceExpansion":
        return unbraced(part.text)?.map((text) => ({ text, isPattern: /[*?[]/.test(text) }));
      case "SimpleExpansion":
        return this.#named(part.text.slice(1));
      case "ParameterExpansion": {
        const { operation, parameter, prefix } = part;
        if (prefix !== undefined) return undefined;
        if (operation === undefined) return this.#named(parameter);
        // `${0%/*}` is the script's folder.
        const isFolder = operation.type === "Remove" && operation.operator === "%" && operation.operand.text === "/*";
        if (isFolder && /^(?:0|BASH_SOURCE)$/.test(parameter)) return [{ text: ".", isPattern: false }];
        if (operation.type !== "Default" || !/^:?-$/.test(operation.operator)) return undefined;
        const given = this.#named(parameter);
        const otherwise = this.of(operation.operand);
        return given === undefined || otherwise === undefined ? undefined : [...given, ...otherwise];
      }
      case "CommandExpansion":
        return part.script === undefined ? undefined : this.#printed(part.script.commands);
      default:
        return undefined;
    }
  }

  /** A command's output, if it is a folder that scripts often ask for. */
  #printed(statements: readonly Statement[]): Values {
    const [statement] = statements;
    if (statement === undefined || statements.length > 1) return undefined;
    const { command } = statement;
    if (command.type === "AndOr") {
      const [first, second] = command.commands;
      const isPwd = second?.type === "Command" && second.name?.value === "pwd" && command.commands.length === 2;
      if (!isPwd || first?.type !== "Command" || first.name?.value !== "cd") return undefined;
      const folder = first.args.filter(({ text }) => !text.startsWith("-")).at(-1);
      return folder?.type === "Word" ? this.of(folder) : undefined;
    }
    if (command.type !== "Command" || command.redirects.some(({ operator }) => operator === "<")) return undefined;
    const args = command.args.filter(({ text }) => !/^-/.test(text));
    const [first] = args;
    const here: Values = [{ text: ".", isPattern: false }];
    switch (command.name?.value) {
      case "pwd":
        return here;
      case "git":
        return command.args.map(({ text }) => text).join(" ") === "rev-parse --show-toplevel" ? here : undefined;
      case "dirname":
        return first?.type === "Word" ? this.#folderOf(first) : undefined;
      case "realpath":
      case "readlink":
        return first?.type === "Word" && args.length === 1 ? this.of(first) : undefined;
      default:
        return undefined;
    }
  }

  #folderOf(word: Word): Values {
    const plain = word.text.replaceAll('"', "");
    if (OWN_PATH.test(plain)) return [{ text: ".", isPattern: false }];
    if (/^\$\((?:realpath|readlink -f) \$\{?(?:0|BASH_SOURCE(?:\[0\])?)\}?\)$/.test(plain))
      return [{ text: ".", isPattern: false }];
    return this.of(word)?.map(({ text, isPattern }) => ({ text: text.replace(/\/?[^/]*$/, "") || ".", isPattern }));
  }
}
