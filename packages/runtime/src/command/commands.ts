import type { Redirect, Script, SyntaxNode, Word, WordPart } from "unbash";
import type { Parser } from "./parser.ts";
import { literalTerm, type Term, termsOf } from "./terms.ts";
import { type Values, Variables } from "./values.ts";

/** A part of a word: its possible values, or `undefined` if it is computed. */
export type Piece = readonly string[] | undefined;

/** One word of a command, as its pieces. */
export interface ShellWord extends Term {
  readonly pieces: readonly Piece[];
  /** Forms of the whole word besides the values of its pieces: as written, and with braces expanded. */
  readonly spellings: readonly string[];
}

/** One simple command of a shell text. */
export interface ShellCommand {
  /** The program and its arguments, without assignments and redirections; never empty. */
  readonly words: readonly ShellWord[];
  /** Whether assignments precede its program. */
  readonly hasAssignments: boolean;
}

/** A file that a redirection opens. */
export interface RedirectedFile {
  readonly values: Values;
  readonly isWritten: boolean;
}

/** What a shell text runs, anywhere in it: in lists, pipelines, loops, functions, substitutions and here documents. */
export interface ShellText {
  readonly commands: readonly ShellCommand[];
  readonly redirected: readonly RedirectedFile[];
  /** Whether it contains a variable or a command's output. */
  readonly isComputed: boolean;
}

const LONGEST = 100_000;
const LONGEST_VALUE = 10_000;
const DEEPEST = 4;
const MOST_SUBSTITUTIONS = 2_000;

/** Variables whose value the text alone does not show, though `Variables` has a stand-in for a path. */
const PLACES = /^\$\{?(?:PWD|HOME|JCLI_\w+|CLAUDE_PROJECT_DIR)\b/;

/** Every command of a shell text; `undefined` if it cannot be parsed, or only at great cost. */
export function commandsOf(text: string, parser: Parser): ShellText | undefined {
  return read(text, parser, 0);
}

function read(text: string, parser: Parser, depth: number): ShellText | undefined {
  if (text.length > LONGEST || (text.match(/[$<>]\(|\$\{|`/g)?.length ?? 0) > MOST_SUBSTITUTIONS) return undefined;
  try {
    const script = parser.parse(text);
    if (script.errors !== undefined) return undefined;
    return new Collecting(parser, new Variables(parser, script), depth).all(script);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

class Collecting {
  readonly #parser: Parser;
  readonly #variables: Variables;
  readonly #depth: number;
  readonly #commands: ShellCommand[] = [];
  readonly #redirected: RedirectedFile[] = [];
  readonly #splits = new Map<string, string>();
  #isComputed = false;
  #isBroken = false;

  constructor(parser: Parser, variables: Variables, depth: number) {
    this.#parser = parser;
    this.#variables = variables;
    this.#depth = depth;
  }

  all(script: Script): ShellText | undefined {
    this.#visit(script);
    if (this.#isBroken) return undefined;
    return { commands: this.#commands, redirected: this.#redirected, isComputed: this.#isComputed };
  }

  #visit(node: SyntaxNode): void {
    if (node.type === "Script" && node.errors !== undefined) this.#isBroken = true;
    if (node.type === "Command") this.#command(node);
    if (node.type === "Redirect") this.#redirect(node);
    // What bash evaluates as arithmetic, other shells run as commands in two subshells.
    if (node.type === "ArithmeticCommand") this.#reckoned(node.body);
    if (node.type === "SimpleExpansion" || node.type === "ParameterExpansion") this.#isComputed = true;
    if (node.type === "CommandExpansion" || node.type === "ProcessSubstitution") {
      if (node.type === "CommandExpansion") this.#isComputed = true;
      // The parser drops what is nested too deeply, without an error.
      if (node.script === undefined) this.#isBroken = true;
    }
    this.#parser.forEachChild(node, (child) => this.#visit(child));
  }

  #reckoned(text: string): void {
    if (this.#depth >= DEEPEST) this.#isBroken = true;
    else this.#commands.push(...(read(text, this.#parser, this.#depth + 1)?.commands ?? []));
  }

  #command(node: Extract<SyntaxNode, { type: "Command" }>): void {
    const terms = termsOf(node, this.#variables);
    if (terms.length === 0) return;
    const nodes = [node.name, ...node.args];
    const words = terms.map((term, at): ShellWord => {
      const word = nodes[at];
      return word?.type === "Word" ? this.#word(word, term) : plainWord(term);
    });
    this.#commands.push({ words, hasAssignments: node.prefix.some(({ type }) => type === "Assignment") });
  }

  #word(word: Word, term: Term): ShellWord {
    const hasBraces = word.parts?.some(({ type }) => type === "BraceExpansion") === true;
    const writtenOut = hasBraces ? term.values?.map(({ text }) => text).join(" ") : undefined;
    return {
      ...term,
      pieces: word.parts === undefined ? [[word.value]] : this.#pieces(word.parts),
      spellings: writtenOut === undefined ? [word.text] : [word.text, writtenOut],
    };
  }

  #pieces(parts: readonly WordPart[]): Piece[] {
    return parts.flatMap((part): readonly Piece[] => {
      if (part.type === "DoubleQuoted" || part.type === "LocaleString") return this.#pieces(part.parts);
      if (part.type === "ProcessSubstitution") return [["/dev/fd/63"]];
      if (part.type === "CommandExpansion" || PLACES.test(part.text)) return [undefined];
      const values = this.#variables.ofParts([part])?.map(({ text }) => text);
      const isExpanded = part.type === "SimpleExpansion" || part.type === "ParameterExpansion";
      if (values === undefined || (isExpanded && values.some(({ length }) => length > LONGEST_VALUE)))
        return [undefined];
      return [isExpanded ? values.map((text) => this.#split(text)) : values];
    });
  }

  /** A value as the shell inserts it where it splits words. */
  #split(text: string): string {
    const known = this.#splits.get(text);
    if (known !== undefined) return known;
    const split = text.replaceAll(/\s+/g, " ");
    this.#splits.set(text, split);
    return split;
  }

  #redirect({ operator, target }: Redirect): void {
    if (target === undefined || (operator.endsWith("&") && /^\d*-?$/.test(target.text))) return;
    const values = this.#variables.of(target);
    if (operator !== "<") this.#redirected.push({ values, isWritten: true });
    if (operator === "<" || operator === "<>") this.#redirected.push({ values, isWritten: false });
  }
}

/** A word known only by its text. */
export function wordOf(text: string): ShellWord {
  return plainWord(literalTerm(text));
}

/** A word that is computed. */
export const COMPUTED: ShellWord = { text: "", values: undefined, isSplit: true, pieces: [undefined], spellings: [] };

function plainWord(term: Term): ShellWord {
  return { ...term, pieces: [term.values?.map(({ text }) => text)], spellings: [term.text] };
}
