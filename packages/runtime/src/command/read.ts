import type { Command, Redirection, Script, SyntaxNode } from "unbash";
import { type Around, hidden, type Input, only } from "./around.ts";
import { inputIn, type OutputContext, printed, printedBy, textOf } from "./output.ts";
import type { Parser } from "./parser.ts";
import { LOADING, TEXT_VARIABLES } from "./programs.ts";
import type { Output, ReadCommand, Reading, RedirectedFile, SetVariable } from "./reading.ts";
import { pathOf, plainOf, Runs, type Text } from "./run.ts";
import { Scope } from "./scope.ts";
import { isConditional, isProcess, type Spot, step } from "./spot.ts";
import { COMPUTED, type CommandWord, knownOf, wordOf } from "./word.ts";

const LONGEST = 100_000;
const MOST_SUBSTITUTIONS = 2_000;
const MOST_COMMANDS = 5_000;
const MOST_WORDS = 100_000;
const MOST_PRINTED = 2_000_000;
const DEEPEST = 8;
const MOST_ROUNDS = 4;

/**
 * Finds the commands that a shell text runs. `given` is the text's `$0` and arguments, if they are known. Never throws;
 * what cannot be read becomes a command of the certainty `hidden`.
 */
export function readCommands(text: string, parser: Parser, given?: readonly CommandWord[]): Reading {
  const isLong = text.length > LONGEST || (text.match(/[$<>]\(|\$\{|`/g)?.length ?? 0) > MOST_SUBSTITUTIONS;
  if (isLong) return unread("is too long to be read");
  try {
    return new Reader(parser).text(text, given);
  } catch (error) {
    if (error instanceof RangeError || error instanceof TooMuch)
      return unread("is too deeply nested or too long to be read");
    throw error;
  }
}

function unread(reason: string): Reading {
  const all = {
    certainty: "hidden",
    words: [COMPUTED],
    reason,
    isConditional: false,
    at: 0,
    folder: "",
    isDefinition: false,
  } as const;
  const anything: ReadCommand = { ...all, hasAssignments: false, through: [], isRunner: false };
  return {
    commands: [anything],
    redirected: [],
    written: new Map(),
    assigned: [],
    loaded: [],
    isComputed: true,
    isRead: false,
  };
}

class TooMuch extends Error {}

class Reader implements Text {
  readonly parser: Parser;
  readonly #runs = new Runs(this);
  #commands: ReadCommand[] = [];
  #redirected: RedirectedFile[] = [];
  #loads: SetVariable[] = [];
  readonly #assigned = new Set<string>();
  #isComputed = false;
  /** Set if a nested text (`sh -c TEXT`) set new variables in this round, so that the whole text must be read again. */
  #hasGrown = false;
  /** Whether bash evaluates a value as an expression, which runs a command in quoted text such as `'a[$(rm x)]'`. */
  #evaluates = false;
  #texts: string[] = [];
  readonly #printed = new Map<Script, string | undefined>();
  #spent = 0;
  #words = 0;
  /** Files that the text writes, with their content if it is known. */
  readonly written = new Map<string, string | undefined>();

  constructor(parser: Parser) {
    this.parser = parser;
  }

  text(written: string, given?: readonly CommandWord[]): Reading {
    const text = ended(written);
    const script = this.parser.parse(text);
    if (script.errors !== undefined) return unread("cannot be read as a shell script");
    const spot: Spot = { path: [{ root: script, pos: 0 }], blocks: [] };
    const scope = this.newScope(undefined, given);
    scope.collect(text, script, spot);
    for (let round = 0; round < MOST_ROUNDS; round++) {
      this.#hasGrown = false;
      this.#commands = [];
      this.#redirected = [];
      this.#loads = [];
      this.#texts = [];
      this.#printed.clear();
      this.#words = 0;
      const here = { scope, root: script, spot, isConditional: false, at: 0 };
      const outset = { input: undefined, from: undefined, depth: 0, through: [], calls: [], isDefinition: false };
      const around = { ...here, ...outset, place: { folder: "", stack: [] } };
      this.#visit(script, { ...around, certainty: "certain", shell: { mayHaveEnded: false } });
      if (!this.#hasGrown) break;
    }
    for (const name of scope.names) this.#assigned.add(name);
    const evaluated = this.#evaluates ? this.#texts.find((one) => /\[[\s\S]*(?:\$\(|`)/.test(one)) : undefined;
    if (evaluated !== undefined || this.#hasGrown)
      this.#commands.push(
        ...unread("contains a text that bash may evaluate").commands.map((one) => ({
          ...one,
          ...(evaluated !== undefined && { word: evaluated }),
        })),
      );
    return {
      commands: this.#commands,
      redirected: this.#redirected,
      written: new Map([...this.written].flatMap(([path, one]) => (one === undefined ? [] : [[path, one] as const]))),
      assigned: [...this.#assigned],
      loaded: this.#loads,
      isComputed: this.#isComputed,
      isRead: true,
    };
  }

  newScope(outer?: Scope, given?: readonly CommandWord[]): Scope {
    const scope: Scope = new Scope(this.parser, (script, spot) => this.#printedBy(script, scope, spot), outer, given);
    return scope;
  }

  /** Returns the output of a substitution; cached, because every substitution around it asks for it. */
  #printedBy(script: Script, scope: Scope, spot: Spot): string | undefined {
    if (this.#printed.has(script)) return this.#printed.get(script);
    const text = printedBy(script.commands, "", this.source(scope, spot));
    this.#printed.set(script, text);
    return text;
  }

  source(scope: Scope, spot: Spot): OutputContext {
    return {
      fields: (word) => scope.fields(word, spot),
      text: (parts) => only(scope.parts(parts, spot, true)),
      isOwn: (name) => scope.own.has(name),
      spend: (characters) => {
        this.#spent += characters;
        if (this.#spent > MOST_PRINTED) throw new TooMuch();
      },
    };
  }

  #children(node: SyntaxNode, around: Around): void {
    this.parser.forEachChild(node, (child) => this.#visit(child, this.#step(node, child, around)));
  }

  #step(node: SyntaxNode, child: SyntaxNode, around: Around): Around {
    const { root, spot } = step(node, child, around.root, around.spot);
    const isOwn = spot.blocks.length > around.spot.blocks.length;
    return {
      ...around,
      root,
      spot,
      isConditional: around.isConditional || isConditional(node, child),
      shell: isOwn ? { ...around.shell } : around.shell,
      place: isProcess(node, child) ? { ...around.place } : around.place,
    };
  }

  #visit(node: SyntaxNode, around: Around): void {
    switch (node.type) {
      case "Script":
        if (node.errors !== undefined) this.hide(around, "has a part that cannot be read as a shell script");
        this.#children(node, around);
        return;
      case "Pipeline":
        this.#pipeline(node, around);
        return;
      case "Redirected": {
        for (const redirect of node.redirects) this.#redirect(redirect, node, around);
        const inner = this.#step(node, node.command, around);
        this.#visit(node.command, {
          ...inner,
          input: this.#inputOf(node.redirects, around),
          from: this.#filesOf(node.redirects, around),
          output: this.#takerOf(node.redirects, around),
        });
        return;
      }
      case "Command":
        this.#command(node, around);
        return;
      case "Coproc": {
        // In `$( )`, bash 5.2 reads `coproc rm x` as the command `COPROC rm x`; other versions start `rm`.
        const isOdd = node.body.type === "Command" && around.spot.blocks.some(({ type }) => type === "Script");
        const doubt = isOdd ? hidden(around, "starts a coprocess in a substitution", "coproc") : {};
        this.#children(node, { ...around, ...doubt, input: null, from: undefined });
        return;
      }
      case "Function":
        this.#children(node, { ...around, input: null, from: undefined, isDefinition: true });
        return;
      case "CommandExpansion":
      case "ProcessSubstitution":
      case "ArithmeticCommandExpansion": {
        this.#isComputed ||= node.type !== "ProcessSubstitution";
        // The parser drops what is nested too deeply and reports no error.
        if (node.script === undefined) this.hide(around, "is too deeply nested to be read", node.text);
        const isFed = node.type === "ProcessSubstitution" && node.operator === ">";
        const captured = around.captured ?? { kind: "text", to: [] };
        // Within arithmetic, bash may read the rest of the substitution as the here-document.
        const isOdd = node.type === "ArithmeticCommandExpansion" && node.text.includes("<<");
        const doubt = isOdd ? hidden(around, "has a here-document in an arithmetic expression", "<<") : {};
        const taken = { output: isFed ? around.output : captured, ...(isFed && { input: null, from: undefined }) };
        this.#children(node, { ...around, ...doubt, ...taken });
        return;
      }
      case "ArithmeticCommand":
        this.#otherwise(node.body, around);
        this.#children(node, around);
        return;
      case "For":
      case "Select":
        this.#assigned.add(node.name.value);
        this.#children(node, around);
        return;
      case "SingleQuoted":
      case "AnsiCQuoted":
        this.#texts.push(node.value);
        return;
      case "Literal":
        if (/\\[$`]/.test(node.text)) this.#texts.push(node.value);
        return;
      case "SimpleExpansion":
        this.#isComputed = true;
        return;
      case "ParameterExpansion":
        this.#isComputed = true;
        if (node.operation?.type === "Transform") this.hide(around, "evaluates a variable's value", node.text);
        if (node.operation?.type === "Slice" || (node.index !== undefined && !/^(?:\d+|[@*])$/.test(node.index.text)))
          this.#evaluates = true;
        if (node.operation?.type === "Default" && node.operation.operator.endsWith("?"))
          around.shell.mayHaveEnded = true;
        this.#children(node, around);
        return;
      case "ArithmeticWord":
        if (/[A-Za-z_$]/.test(node.value)) this.#evaluates = true;
        this.#children(node, around);
        return;
      case "TestUnary":
        if (/^-[vR]$/.test(node.operator)) this.#evaluates = true;
        this.#children(node, around);
        return;
      case "TestBinary":
        if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator)) this.#evaluates = true;
        this.#children(node, around);
        return;
      default:
        this.#children(node, around);
        return;
    }
  }

  #pipeline(node: Extract<SyntaxNode, { type: "Pipeline" }>, around: Around): void {
    let { input, from, fedBy } = around;
    let taken: ReadCommand[] = [];
    for (const command of node.commands) {
      const inner = this.#step(node, command, around);
      const isLast = command === node.commands.at(-1);
      const before = this.#commands.length;
      const next: ReadCommand[] = [];
      this.#visit(command, {
        ...inner,
        input,
        from,
        ...(fedBy !== undefined && { fedBy }),
        ...(!isLast && { output: { kind: "pipe", to: next } }),
      });
      taken.push(...this.#commands.slice(before));
      taken = next;
      input = printed(command, input ?? undefined, this.source(around.scope, inner.spot)) ?? null;
      from = this.#printedFiles(command, { ...inner, from });
      if (command.type === "Command") fedBy = this.#wordsOf(command, inner);
    }
  }

  #redirect(redirect: Redirection, node: SyntaxNode, around: Around): void {
    const inner = this.#step(node, redirect, around);
    if (redirect.type !== "Redirect") {
      this.#children(redirect, inner);
      return;
    }
    const { operator, target } = redirect;
    if (target === undefined || (operator.endsWith("&") && /^\d*-?$/.test(target.text))) {
      this.#children(redirect, inner);
      return;
    }
    const [part] = target.parts ?? [];
    if (part?.type === "ProcessSubstitution") {
      const text = part.operator === ">" ? this.#outputOf(node, around) : undefined;
      const script = this.#step(part, part.script ?? part, inner);
      if (part.script !== undefined)
        this.#visit(part.script, { ...script, input: part.operator === ">" ? (text ?? null) : around.input });
      return;
    }
    const { values, assumed } = around.scope.valued(target, inner.spot);
    const { through, isDefinition, place } = around;
    const here = { folder: place.folder, through, isDefinition, ...(assumed !== undefined && { assumed }) };
    if (operator !== "<") {
      this.#redirected.push({ values, isWritten: true, keeps: />>|<>/.test(operator), ...here });
      // Two computed file names that are written alike count as the same file.
      const file = values === undefined ? plainOf(target.text) : values.length === 1 ? values[0]?.text : undefined;
      if (file !== undefined) this.#writes(file, this.#outputOf(node, around), operator);
    }
    if (operator === "<" || operator === "<>")
      this.#redirected.push({ values, isWritten: false, keeps: true, ...here });
    this.#children(redirect, inner);
  }

  #writes(file: string, text: string | undefined, operator: string): void {
    const path = pathOf(file);
    const before = operator === ">>" && this.written.has(path) ? this.written.get(path) : "";
    this.written.set(path, text === undefined || before === undefined ? undefined : before + text);
  }

  wrote(args: readonly CommandWord[], text: string | undefined): void {
    const isAppended = args.some((word) => /^(?:-a|--append)$/.test(word.text));
    for (const word of args) {
      const file = only(word.values);
      if (file !== undefined && !file.startsWith("-")) this.#writes(file, text, isAppended ? ">>" : ">");
    }
  }

  #wordsOf({ name, args }: Command, around: Around): readonly CommandWord[] {
    return [name, ...args].flatMap((word) =>
      word === undefined
        ? []
        : word.type === "Word"
          ? around.scope.fields(word, around.spot)
          : [this.#assignment(word, around)],
    );
  }

  /** Returns the output of a command, before its redirections. */
  #outputOf(node: SyntaxNode, around: Around): string | undefined {
    const source = this.source(around.scope, around.spot);
    if (node.type === "Redirected") {
      const input = this.#inputOf(node.redirects, around) ?? undefined;
      return printed(node.command, input, source);
    }
    if (node.type !== "Command") return undefined;
    const redirects = node.redirects.filter(({ operator }) => !operator.includes(">"));
    return printed({ ...node, name: node.name, args: node.args, redirects }, around.input ?? undefined, source);
  }

  #inputOf(redirects: readonly Redirection[], around: Around): Input {
    const last = inputIn(redirects);
    if (last === undefined) return around.input === undefined ? around.shell.input : around.input;
    const text = textOf(last, this.source(around.scope, around.spot));
    if (text !== undefined) return text;
    if (
      last.type !== "Redirect" ||
      last.operator !== "<" ||
      last.target?.parts?.some(({ type }) => type === "ProcessSubstitution")
    )
      return null;
    const path = only(last.target === undefined ? undefined : around.scope.of(last.target, around.spot));
    if (path === undefined || /^\/(?:dev|proc)\//.test(path)) return path === "/dev/null" ? "" : null;
    // A file that the text has not written counts as empty here, because `from` reports that the command reads it.
    return this.written.has(path) ? (this.written.get(path) ?? null) : "";
  }

  /** Returns the files that are a command's input: that of its own redirection, else those of the enclosing code. */
  #filesOf(redirects: readonly Redirection[], around: Around): Around["from"] {
    const last = inputIn(redirects);
    if (last === undefined) return around.from;
    return last.type === "Redirect" && last.operator === "<" && last.target !== undefined
      ? [around.scope.word(last.target, around.spot)]
      : undefined;
  }

  /** Returns where a command's output goes: to a file by its own redirection, else where the enclosing code's goes. */
  #takerOf(redirects: readonly Redirection[], around: Around): Output | undefined {
    const last = redirects.findLast(
      ({ type, operator, descriptor }) =>
        type === "Redirect" &&
        /^(?:&?>>?|>[|&])$/.test(operator) &&
        (descriptor === undefined || ("value" in descriptor && descriptor.value === 1)),
    );
    const target = last?.type === "Redirect" ? last.target : undefined;
    const isFile = target !== undefined && !/^(?:\d+-?|-)$/.test(target.text);
    if (!isFile || target.parts?.some(({ type }) => type === "ProcessSubstitution")) return around.output;
    return { kind: "file", to: [], files: around.scope.of(target, around.spot) };
  }

  /** Returns the files that a command prints unchanged. */
  #printedFiles(node: SyntaxNode, around: Around): Around["from"] {
    if (node.type !== "Command" || node.name?.value !== "cat") return undefined;
    const words = node.args.flatMap((word) => (word.type === "Word" ? around.scope.fields(word, around.spot) : []));
    const files = words.filter(({ text }) => !text.startsWith("-"));
    return files.length > 0 ? files : this.#filesOf(node.redirects, around);
  }

  /** Reads `((…))` a second time, because shells other than bash run its text as commands in two subshells. */
  #otherwise(text: string, around: Around): void {
    if (around.depth >= DEEPEST) {
      this.hide(around, "is too deeply nested to be read");
      return;
    }
    const script = this.parser.parse(text);
    if (script.errors !== undefined) return;
    const before = this.#commands.length;
    const inner = { ...around, root: script, depth: around.depth + 1, isConditional: true };
    this.#visit(script, { ...inner, ...hidden(around, "runs as a command in other shells", text) });
    const found = this.#commands
      .splice(before)
      .filter(({ words: [first] }) => first !== undefined && knownOf(first) !== undefined);
    this.#commands.push(...found);
  }

  #command(node: Command, around: Around): void {
    for (const child of node.prefix)
      if (child.type === "Assignment") this.#children(child, this.#step(node, child, around));
    const taken: ReadCommand[] = [];
    for (const word of [node.name, ...node.args])
      if (word !== undefined)
        this.#children(word, { ...this.#step(node, word, around), captured: { kind: "text", to: taken } });
    for (const redirect of node.redirects) this.#redirect(redirect, node, around);
    const here = {
      ...around,
      input: this.#inputOf(node.redirects, around),
      from: this.#filesOf(node.redirects, around),
      output: this.#takerOf(node.redirects, around),
      at: around.depth === 0 ? node.pos : around.at,
    };
    for (const child of node.prefix) if (child.type === "Assignment") this.#loaded(child, here);
    const words = this.#wordsOf(node, around);
    if (words.length === 0) return;
    const hasAssignments = node.prefix.some(({ type }) => type === "Assignment");
    const before = this.#commands.length;
    this.#runs.run(words, here, { hasAssignments, redirects: node.redirects });
    taken.push(...this.#commands.slice(before));
  }

  /** Reads an assignment that is a word of `export` or `declare`. */
  #assignment(node: Extract<SyntaxNode, { type: "Assignment" }>, around: Around): CommandWord {
    const { name, append, value } = node;
    if (value.type !== "Word") return wordOf(node.text);
    const { pieces, values } = around.scope.word(value, around.spot);
    const set = `${name}${append === true ? "+" : ""}=`;
    return {
      ...wordOf(node.text),
      values: values?.map((one) => ({ ...one, text: set + one.text })),
      pieces: [[set], ...pieces],
    };
  }

  #loaded({ name, value }: Extract<SyntaxNode, { type: "Assignment" }>, around: Around): void {
    for (const word of value.type === "ArrayValue" ? value.elements : [value])
      if (word.type === "Word") this.loads(name, around.scope.word(word, around.spot), around);
  }

  loads(name: string, word: CommandWord, around: Around): void {
    if (LOADING.has(name)) this.#loads.push({ name, word, at: around.at });
    if (!TEXT_VARIABLES.test(name)) return;
    const text = knownOf(word);
    const reason = "sets a variable that programs run";
    if (text === undefined) this.hide(around, reason, word.text);
    else {
      const inner = { ...around, ...hidden(around, reason, word.text), isConditional: true, input: "" };
      this.nested(/^(?:BASH_)?ENV$/.test(name) ? `. ${text}` : text, inner);
    }
  }

  hide(around: Around, reason: string, word?: string): void {
    this.add([COMPUTED], { ...around, ...hidden(around, reason, word) }, false);
  }

  evaluates(): void {
    this.#evaluates = true;
  }

  add(words: readonly CommandWord[], around: Around, hasAssignments: boolean): () => void {
    const { certainty, reason, word, shell, through, at, input, from, output } = around;
    this.#words += words.length;
    if (this.#commands.length >= MOST_COMMANDS || this.#words > MOST_WORDS) throw new TooMuch();
    const added = this.#commands.push({
      certainty,
      words,
      ...(reason !== undefined && { reason }),
      ...(word !== undefined && { word }),
      isConditional: around.isConditional || shell.mayHaveEnded,
      hasAssignments,
      through,
      isRunner: false,
      at,
      folder: around.place.folder,
      isDefinition: around.isDefinition,
      ...(around.fedBy !== undefined && { fedBy: around.fedBy }),
      ...(typeof input === "string" && { input }),
      ...(from !== undefined && { from }),
      ...(output !== undefined && { output }),
    });
    return () => {
      const command = this.#commands[added - 1];
      if (command !== undefined) this.#commands[added - 1] = { ...command, isRunner: true };
    };
  }

  nested(written: string, around: Around, scope?: Scope): void {
    const text = ended(written);
    if (around.depth >= DEEPEST) {
      this.hide(around, "is too deeply nested to be read");
      return;
    }
    const script = this.parser.parse(text);
    if (script.errors !== undefined) {
      this.hide(around, "contains a text that cannot be read as a shell script", text.slice(0, 80));
      return;
    }
    const place = { root: script, pos: 0 };
    const spot =
      scope === undefined ? { ...around.spot, path: [...around.spot.path, place] } : { path: [place], blocks: [] };
    const own = scope ?? around.scope;
    if (own.collect(text, script, spot) && scope === undefined) this.#hasGrown = true;
    this.#visit(script, { ...around, scope: own, root: script, spot, depth: around.depth + 1 });
    if (scope !== undefined) for (const name of scope.names) this.#assigned.add(name);
  }
}

/** Drops a backslash at the end of a text, as bash does in a file and in its input. */
function ended(text: string): string {
  return /(?<!\\)(?:\\\\)*\\$/.test(text) ? text.slice(0, -1) : text;
}
