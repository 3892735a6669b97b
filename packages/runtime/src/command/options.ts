import { type OptionKind, type Options, RUNNERS, type Runner, SUBCOMMANDS } from "./runners.ts";
import { type CommandWord, knownOf, wordOf } from "./word.ts";

/** The limit of unknown options, after which a runner's further words are not read. */
export const MOST_ODD = 100;

/** The words after a runner, a program that runs another command, sorted into options and command. */
export interface Parsed {
  /** The command that the runner runs. */
  readonly command: readonly CommandWord[];
  /** Other commands that the words may mean if an option is not in the table of runners. */
  readonly others: readonly (readonly CommandWord[])[];
  /** The first option that is not in the table of runners. */
  readonly odd: string | undefined;
  /** Texts in options that the runner passes to a shell. */
  readonly texts: readonly CommandWord[];
  /**
   * Option values that the runner splits into a command, and the words after them: `rm -r` and `x` in `env -S 'rm -r'
   * x`.
   */
  readonly splits: readonly { readonly word: CommandWord; readonly rest: readonly CommandWord[] }[];
  readonly hasText: boolean;
  /** The options in the call, without their dashes. */
  readonly flags: readonly string[];
  /** Words such as `A=1` that precede the command. */
  readonly assigned: readonly CommandWord[];
  /** The placeholder that `xargs -I` replaces with a line of its input. */
  readonly replaced: string | undefined;
}

/** Reads the options of a program that runs another, such as `sudo`, in all spellings: `-u x`, `-ux`, `-nu x`, `--user=x`, `--us x`. */
export function parsedOptions(runner: Runner, args: readonly CommandWord[]): Parsed {
  const texts: CommandWord[] = [];
  const splits: { word: CommandWord; rest: readonly CommandWord[] }[] = [];
  const flags: string[] = [];
  const assigned: CommandWord[] = [];
  const others: (readonly CommandWord[])[] = [];
  let odd: string | undefined;
  let replaced: string | undefined;
  let { lead } = runner;
  let at = 0;
  let isOver = false;
  const take = (kind: OptionKind, name: string, attached: string | undefined): void => {
    flags.push(name);
    if (kind === "flag" || (kind.startsWith("attached") && attached === undefined)) {
      if (/^(?:i|replace)$/.test(name) && runner.adds) replaced = "{}";
      return;
    }
    const word = attached === undefined ? args[++at] : wordOf(attached);
    if (word === undefined) return;
    if (kind === "text" || kind === "attached text") texts.push(word);
    const setting = kind === "setting" ? /^(?:\w*command\s*[=\s]\s*|exec=)([\s\S]*)$/i.exec(knownOf(word) ?? "") : null;
    if (setting !== null) texts.push(wordOf(setting[1] as string));
    if (kind === "pair") at += 1;
    if (kind === "split") splits.push({ word, rest: args.slice(at + 1) });
    if (kind === "listed")
      splits.push({ word: wordOf((knownOf(word) ?? word.text).replaceAll(",", " ")), rest: args.slice(at + 1) });
    if (runner.adds && /^(?:I|i|J|replace)$/.test(name)) replaced = knownOf(word);
  };
  for (; at < args.length; at++) {
    const word = args[at] as CommandWord;
    const text = knownOf(word);
    if (!isOver && text === "--") {
      // `su root -- -c TEXT` passes `-c TEXT` to its shell, so options after `--` are read too.
      if (runner.from === "option") continue;
      isOver = true;
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
        if (others.length < MOST_ODD) others.push(args.slice(at + 2));
      }
      continue;
    }
    if (!isOver && text !== undefined && /^-./.test(text)) {
      if (runner.options.hasNumbers && /^-\d+$/.test(text)) continue;
      const rest = text.slice(1);
      const whole = rest.length > 1 ? runner.options.kinds.get(rest) : undefined;
      if (whole !== undefined) {
        take(whole, rest, undefined);
        continue;
      }
      for (let letter = 0; letter < rest.length; letter++) {
        const kind = runner.options.kinds.get(rest[letter] as string);
        const attached = rest.slice(letter + 1);
        if (kind === undefined) {
          odd ??= text;
          if (others.length < MOST_ODD) others.push(args.slice(at + 2));
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
    if (runner.hasAssignments && /^[^=]+=/.test(text ?? word.text)) {
      assigned.push(word);
      continue;
    }
    if (lead === 0) break;
    lead -= 1;
  }
  const command = args.slice(at);
  const hasText = texts.length > 0 || splits.length > 0;
  const isSplit = splits.length > 0;
  return { command: isSplit ? [] : command, others, odd, texts, splits, hasText, flags, assigned, replaced };
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
  /** The program with its sub-commands, such as `git bisect run`, as far as the table of runners lists them. */
  readonly name: string;
  readonly args: readonly CommandWord[];
  /** The words from the sub-command on, if options precede it. */
  readonly plain: readonly CommandWord[] | undefined;
  /** Texts in options that the program passes to a shell, as `git -c alias.x='!rm'` does. */
  readonly texts: readonly { readonly text: string; readonly isSure: boolean }[];
}

/** Finds the sub-command of a program, after any options in front of it. */
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
  const add = (text: string | undefined): void => void (text !== undefined && texts.push({ text, isSure: false }));
  for (const [at, word] of rest.entries()) {
    const text = knownOf(word) ?? "";
    // These arguments contain a command: a git remote `ext::COMMAND`, some git settings, `npm pkg set scripts.x=TEXT`.
    if (program === "git" && text.startsWith("ext::")) add(text.slice(5));
    if (/^git config\b/.test(name) && at > 0) add(settingText(knownOf(rest[at - 1] as CommandWord) ?? "", text));
    if (/^\w+ pkg\b/.test(name)) add(/^scripts\.[^=]+=([\s\S]*)$/.exec(text)?.[1]);
  }
  return { name, args: rest, plain, texts };
}

/** Returns the options of a sub-command that has sub-commands itself. */
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
      const run = settingText(key, value);
      if (run !== undefined) texts.push({ text: run, isSure: false });
    }
    if (isValue) at += 1;
  }
  return at;
}

/** Returns the text that git runs because of a setting; `undefined` if git does not run that setting's value. */
function settingText(key: string, value: string): string | undefined {
  if (value.startsWith("!")) return value.slice(1);
  if (/^alias\./i.test(key)) return `git ${value}`;
  const isRun =
    /^pager\.|(?:pager|editor|sshcommand|fsmonitor|askpass|helper|external|textconv|process|clean|smudge|filter|driver|hook|program|command|cmd|proxy|uploadpack|receivepack)$/i;
  return isRun.test(key) && !/^(?:true|false)$/.test(value) ? value : undefined;
}
