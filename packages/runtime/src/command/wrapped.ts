import { COMPUTED, commandsOf, type ShellCommand, type ShellText, type ShellWord, wordOf } from "./commands.ts";
import type { Parser } from "./parser.ts";
import { interpreterOf, WRAPPERS } from "./programs.ts";

/** The wrappers to look through: each program, with its options that take a word. */
export type Wrappers = ReadonlyMap<string, RegExp>;

const DEEPEST = 8;
const MOST_WRAPPERS = 16;

const ANYTHING: ShellCommand = { words: [COMPUTED], hasAssignments: false };

/**
 * A command, and all that it starts through wrappers, outermost first; after very many wrappers the command may be
 * anything.
 */
export function throughWrappers(command: ShellCommand, wrappers: Wrappers): readonly ShellCommand[] {
  const all: ShellCommand[] = [];
  let next: readonly ShellCommand[] = [command];
  for (let depth = 0; next.length > 0; depth++) {
    if (depth > MOST_WRAPPERS) return [...all, ANYTHING];
    all.push(...next);
    next = next.flatMap(spread).flatMap((one) => within(one, wrappers));
  }
  return all;
}

/**
 * The commands of a text, and all that they start through any wrapper, `find -exec`, another shell or `eval`.
 * `undefined` if one of the texts cannot be parsed.
 */
export function allStarted(text: string, parser: Parser): ShellText | undefined {
  return started(text, parser, 0);
}

function started(text: string, parser: Parser, depth: number): ShellText | undefined {
  const read = depth > DEEPEST ? undefined : commandsOf(text, parser);
  if (read === undefined) return undefined;
  const commands = read.commands.flatMap((one) => throughWrappers(one, WRAPPERS));
  const redirected = [...read.redirected];
  for (const one of [...commands]) {
    for (const inner of textsOf(one)) {
      const nested = inner === undefined ? ANY_TEXT : started(inner, parser, depth + 1);
      if (nested === undefined) return undefined;
      commands.push(...nested.commands);
      redirected.push(...nested.redirected);
    }
  }
  return { commands, redirected, isComputed: read.isComputed };
}

const ANY_TEXT: ShellText = { commands: [ANYTHING], redirected: [], isComputed: true };

/** A command whose program is a variable with several words, expanded for each of its values. */
function spread(command: ShellCommand): readonly ShellCommand[] {
  const [first, ...rest] = command.words;
  if (first?.isSplit !== true || !first.values?.some(({ text }) => /\s/.test(text))) return [command];
  return first.values.map(({ text }) => ({
    ...command,
    words: [...text.trim().split(/\s+/).map(wordOf), ...rest],
  }));
}

/** What a command starts as a wrapper; empty if it is not one. */
function within({ words, hasAssignments }: ShellCommand, wrappers: Wrappers): readonly ShellCommand[] {
  const [first, ...args] = words;
  const names = first?.values?.map(({ text }) => (wrappers === WRAPPERS ? lastName(text) : text)) ?? [];
  const name = names.find((one) => wrappers.has(one) || one === "find");
  const rest = name === undefined ? [] : name === "find" ? executed(args, wrappers) : inner(name, args, wrappers);
  return rest.length === 0 ? [] : [{ words: rest, hasAssignments }];
}

/** Wrappers whose first operand is not the program. */
const LED: ReadonlySet<string> = new Set(["timeout", "flock", "chroot"]);

function inner(name: string, args: readonly ShellWord[], wrappers: Wrappers): readonly ShellWord[] {
  const valued = wrappers.get(name) as RegExp;
  let isLed = LED.has(name);
  let at = 0;
  for (; at < args.length; at++) {
    const value = args[at]?.values?.[0]?.text;
    const isOption = value?.startsWith("-") === true;
    if (name === "command" && isOption && /^-\w*[vV]/.test(value)) return [];
    // With options, xargs counts as a command itself for rules that look through few wrappers.
    if (name === "xargs" && isOption && wrappers !== WRAPPERS) return [];
    if (value !== undefined && valued.test(value)) at += 1;
    else if (isOption || (name === "env" && value !== undefined && /^\w+=/.test(value))) continue;
    else if (isLed) isLed = false;
    else break;
  }
  const rest = args.slice(at);
  if (rest.length === 0 || (name !== "xargs" && name !== "parallel")) return rest;
  // Words that xargs adds are not listed.
  return [...rest.map(filledIn), COMPUTED];
}

function lastName(path: string): string {
  return path.split("/").at(-1) ?? "";
}

/** The command behind `find -exec`. */
function executed(args: readonly ShellWord[], wrappers: Wrappers): readonly ShellWord[] {
  if (wrappers !== WRAPPERS) return [];
  const at = args.findIndex(({ text }) => /^-(?:exec|ok)(?:dir)?$/.test(text));
  if (at < 0) return [];
  const rest = args.slice(at + 1);
  const end = rest.findIndex(({ values }) => values?.[0]?.text === ";" || values?.[0]?.text === "+");
  return rest.slice(0, end < 0 ? rest.length : end).map(filledIn);
}

/** `{}` is whatever was found. */
function filledIn(word: ShellWord): ShellWord {
  return word.text.includes("{}") ? COMPUTED : word;
}

/** Texts that a command passes to a shell; `undefined` for a computed one. */
function textsOf({ words: [first, ...args] }: ShellCommand): readonly (string | undefined)[] {
  const name = lastName(first?.values?.[0]?.text ?? "");
  if (name === "eval" || name === "watch") {
    const parts = (name === "eval" ? args : inner(name, args, WRAPPERS)).map(onlyValue);
    return parts.length === 0 ? [] : [parts.every((part) => part !== undefined) ? parts.join(" ") : undefined];
  }
  if (name === "trap") return args.slice(0, 1).map(onlyValue);
  const shell = interpreterOf(name);
  const option =
    shell?.language === "shell" ? shell.code : /^(?:su|script|flock|runuser)$/.test(name) ? COMMAND : undefined;
  if (option === undefined) return [];
  const at = args.findIndex(({ values }) => option.test(values?.[0]?.text ?? ""));
  if (at < 0) return [];
  return args[at + 1]?.values?.map(({ text }) => text) ?? [undefined];
}

const COMMAND = /^(?:-c|--command)$/;

function onlyValue({ values }: ShellWord): string | undefined {
  return values?.length === 1 ? values[0]?.text : undefined;
}
