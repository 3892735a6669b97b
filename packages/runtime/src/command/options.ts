import { type OptionKind, type Options, RUNNERS, type Runner, SUBCOMMANDS } from "./runners.ts";
import { type CommandWord, knownOf, wordOf } from "./word.ts";

/** A runner's words, taken apart. */
export interface Parsed {
  /** The command that it runs. */
  readonly command: readonly CommandWord[];
  /** Other readings of the words, if an option is not known. */
  readonly others: readonly (readonly CommandWord[])[];
  /** The option that is not known. */
  readonly odd: string | undefined;
  /** Texts for a shell in its options. */
  readonly texts: readonly CommandWord[];
  /** Words in its options that it splits itself, with what follows them. */
  readonly splits: readonly { readonly word: CommandWord; readonly rest: readonly CommandWord[] }[];
  readonly hasText: boolean;
  /** The options that it is given, without dashes. */
  readonly flags: readonly string[];
  /** The text for which `xargs -I` puts a line of its input. */
  readonly replaced: string | undefined;
}

/** Reads the options of a runner, in every spelling: apart, attached, in one word, abbreviated, with `=`. */
export function parsedOptions(runner: Runner, args: readonly CommandWord[]): Parsed {
  const texts: CommandWord[] = [];
  const splits: { word: CommandWord; rest: readonly CommandWord[] }[] = [];
  const flags: string[] = [];
  const others: (readonly CommandWord[])[] = [];
  let odd: string | undefined;
  let replaced: string | undefined;
  let { lead } = runner;
  let at = 0;
  let isOver = false;
  const take = (kind: OptionKind, name: string, attached: string | undefined): void => {
    flags.push(name);
    if (kind === "flag" || (kind === "attached" && attached === undefined)) {
      if (/^(?:i|replace)$/.test(name) && runner.adds) replaced = "{}";
      return;
    }
    const word = attached === undefined ? args[++at] : wordOf(attached);
    if (word === undefined) return;
    if (kind === "text") texts.push(word);
    if (kind === "split") splits.push({ word, rest: args.slice(at + 1) });
    if (runner.adds && /^(?:I|i|J|replace)$/.test(name)) replaced = knownOf(word);
  };
  for (; at < args.length; at++) {
    const word = args[at] as CommandWord;
    const text = knownOf(word);
    if (!isOver && text === "--") {
      isOver = true;
      if (runner.from === "option") break;
      if (runner.from === "end" || lead === 0) {
        at += 1;
        break;
      }
      continue;
    }
    if (!isOver && text?.startsWith("--")) {
      const [, name = "", attached] = /^--([^=]*)(?:=([\s\S]*))?$/.exec(text) ?? [];
      const [full, kind] = longOption(runner.options, name);
      if (kind !== undefined) take(kind, full, attached);
      else if (attached === undefined) {
        odd ??= text;
        others.push(args.slice(at + 2));
      }
      continue;
    }
    if (!isOver && text !== undefined && /^-./.test(text)) {
      if (runner.options.hasNumbers && /^-\d+$/.test(text)) continue;
      const rest = text.slice(1);
      for (let letter = 0; letter < rest.length; letter++) {
        const kind = runner.options.kinds.get(rest[letter] as string);
        const attached = rest.slice(letter + 1);
        if (kind === undefined) {
          odd ??= text;
          others.push(args.slice(at + 2));
          break;
        }
        take(kind, rest[letter] as string, kind === "flag" || attached === "" ? undefined : attached.replace(/^=/, ""));
        if (kind !== "flag") break;
      }
      continue;
    }
    if (!isOver && text === "-" && lead === 0) continue;
    if (runner.from === "option" || runner.from === "end" || runner.from === "both") {
      if (runner.from !== "both" || args.slice(at).some((one) => /^-\w*c|^--(?:session-)?command/.test(one.text)))
        continue;
    }
    if (runner.hasAssignments && /^[^=]+=/.test(text ?? word.text)) continue;
    if (lead === 0) break;
    lead -= 1;
  }
  const command = args.slice(at);
  const hasText = texts.length > 0 || splits.length > 0;
  const isSplit = splits.length > 0;
  return { command: isSplit ? [] : command, others, odd, texts, splits, hasText, flags, replaced };
}

function longOption({ kinds }: Options, name: string): readonly [string, OptionKind | undefined] {
  const exact = name.length > 1 ? kinds.get(name) : undefined;
  if (exact !== undefined) return [name, exact];
  const near = [...kinds.keys()].filter((one) => one.length > 1 && one.startsWith(name));
  return near.length === 1 || new Set(near.map((one) => kinds.get(one))).size === 1
    ? [near[0] ?? name, near[0] === undefined ? undefined : kinds.get(near[0])]
    : [name, undefined];
}

/** A program with its sub-command. */
export interface Subcommand {
  /** The program, and its sub-commands as far as the table of runners has them. */
  readonly name: string;
  readonly args: readonly CommandWord[];
  /** The words without options before the sub-command. */
  readonly plain: readonly CommandWord[] | undefined;
  /** Texts that options give a shell, as `git -c alias.x='!rm'` does. */
  readonly texts: readonly { readonly text: string; readonly isSure: boolean }[];
}

/** Finds the sub-command of a program, behind the options that may precede it. */
export function subcommandOf(program: string, args: readonly CommandWord[]): Subcommand {
  const texts: { text: string; isSure: boolean }[] = [];
  let name = program;
  let rest = args;
  let plain: readonly CommandWord[] | undefined;
  for (let options = SUBCOMMANDS.get(name); options !== undefined; options = deeper(name)) {
    const at = operandAt(options, rest, program === "git" ? texts : undefined);
    const sub = rest[at] === undefined ? undefined : knownOf(rest[at]);
    if (plain === undefined && at > 0 && at < rest.length) plain = rest.slice(at);
    if (sub === undefined) break;
    rest = rest.slice(at + 1);
    name = `${name} ${sub}`;
  }
  if (program === "git" && /^git config\b/.test(name))
    for (const word of rest)
      if (word.text.includes("!")) texts.push({ text: (knownOf(word) ?? "").replace(/^!/, ""), isSure: false });
  return { name, args: rest, plain, texts };
}

/** Options of a sub-command that has sub-commands itself. */
function deeper(name: string): Options | undefined {
  return SUBCOMMANDS.get(name) ?? (GROUPS.has(name) ? NO_OPTIONS : undefined);
}

const NO_OPTIONS: Options = { kinds: new Map(), hasNumbers: false };
const GROUPS: ReadonlySet<string> = new Set(
  [...RUNNERS.keys()].flatMap((name) => {
    const words = name.split(" ");
    return words.slice(2).map((_, at) => words.slice(0, at + 2).join(" "));
  }),
);

function operandAt(
  { kinds }: Options,
  args: readonly CommandWord[],
  texts: { text: string; isSure: boolean }[] | undefined,
): number {
  let at = 0;
  for (; at < args.length; at++) {
    const text = knownOf(args[at] as CommandWord);
    if (text === undefined || !/^-./.test(text)) break;
    const name = text.startsWith("--") ? text.slice(2) : text.slice(1, 2);
    const isValue = kinds.get(name) === "value" && (text.startsWith("--") ? !text.includes("=") : text.length === 2);
    if (texts !== undefined && text.startsWith("-c")) {
      const given = text.length > 2 ? text.slice(2) : knownOf(args[at + 1] ?? wordOf(""));
      const [, key = "", value = ""] = /^([^=]*)=([\s\S]*)$/.exec(given ?? "") ?? [];
      if (/^alias\./i.test(key))
        texts.push({ text: value.startsWith("!") ? value.slice(1) : `git ${value}`, isSure: false });
      else if (
        /(?:pager|editor|sshcommand|fsmonitor|askpass|helper|external|textconv|process|clean|smudge|driver|program|cmd)$/i.test(
          key,
        ) &&
        !/^(?:true|false)$/.test(value)
      )
        texts.push({ text: value.replace(/^!/, ""), isSure: false });
    }
    if (isValue) at += 1;
  }
  return at;
}
