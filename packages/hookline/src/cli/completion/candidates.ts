import { AGENT_FLAGS, takes } from "../../start/args.ts";
import { COMMANDS, type CommandAbout } from "../../start/commands.ts";
import { type Completes, FLAGS } from "../../start/flags.ts";
import { hasFleetPackage } from "../../start/fleet-package.ts";

/** A possible completion at the cursor. */
export interface Candidate {
  /** The completed word; `:file` and `:folder` let the shell complete paths. */
  readonly word: string;
  readonly says?: string;
}

/** Kinds of names that completion looks up, such as sessions and hooks. Shells complete files and folders. */
export type Named = Exclude<Completes, readonly string[] | "file" | "folder">;

/** Looks up the names with which a word can be completed, such as the ids of all sessions. */
export type Names = (kind: Named) => Promise<readonly string[]>;

/** Returns completions for the last of these words, which may be empty. The first word is not the program's name. */
export async function complete(line: readonly string[], names: Names): Promise<readonly Candidate[]> {
  const current = line.at(-1) ?? "";
  const { words, pending, given, isOver } = read(line.slice(0, -1));
  if (pending !== undefined) return valuesOf(pending, current, names);
  const [, flag, begun] = /^--([^=]+)=(.*)$/s.exec(current) ?? [];
  if (flag !== undefined && !isOver) {
    const found = await valuesOf(flag, begun ?? "", names);
    return found.map(({ word }) => ({ word: word.startsWith(":") ? word : `--${flag}=${word}` }));
  }
  const place = placeOf(words);
  if (current.startsWith("-") && !isOver) return matching(flagsOf(place.command?.name ?? place.group, given), current);
  const own = place.command?.words ?? [];
  const word = own[place.at] ?? own.findLast(({ many }) => many);
  const found = word?.completes === undefined ? [] : await values(word.completes, current, names);
  return [...matching(place.next, current), ...found];
}

/** Parses an unfinished command line: words (only these after `--`), flags, and the flag whose value comes next. */
function read(line: readonly string[]): {
  readonly words: readonly string[];
  readonly given: ReadonlySet<string>;
  readonly pending: string | undefined;
  readonly isOver: boolean;
} {
  const words: string[] = [];
  const given = new Set<string>();
  let pending: string | undefined;
  let isOver = false;
  for (const word of line) {
    if (pending !== undefined) pending = undefined;
    else if (isOver || word === "-" || !word.startsWith("-")) words.push(word);
    else if (word === "--") isOver = true;
    else {
      const name = flagNamed(word);
      if (name === undefined) continue;
      given.add(name);
      const isAlone = ["boolean", "optional"].includes(FLAGS[name]?.kind ?? "");
      if (!isAlone && !word.includes("=")) pending = name;
    }
  }
  return { words, given, pending, isOver };
}

/** Returns the name of the flag in a word, long or short. */
function flagNamed(word: string): string | undefined {
  const [, long] = /^--([^=]+)/.exec(word) ?? [];
  return Object.keys(FLAGS).find((name) => (long === undefined ? FLAGS[name]?.short === word[1] : name === long));
}

/** Returns the subcommand that was typed, how many of its own arguments follow it (`at`), and what may come next. */
function placeOf(words: readonly string[]): {
  readonly group?: string;
  readonly command?: CommandAbout | undefined;
  readonly at: number;
  readonly next: readonly Candidate[];
} {
  const [group = "", action = ""] = words;
  const named = (name: string): CommandAbout | undefined => COMMANDS.find((one) => one.name === name);
  const actions = COMMANDS.filter(({ name }) => name.startsWith(`${group} `));
  const list = named(`${group} list`);
  if (words.length === 0 || (group === "help" && words.length === 1)) return { at: 0, next: firstWords() };
  if (actions.length === 0) return { group, command: named(group), at: words.length - 1, next: [] };
  if (words.length === 1) {
    const next = actions.map(({ name, says }) => ({ word: name.slice(group.length + 1), says }));
    // The action `list` may be left out, so the words that follow it are possible too.
    return { group, ...(list?.words !== undefined && { command: list }), at: 0, next };
  }
  const command = named(`${group} ${action}`);
  return command === undefined
    ? { group, command: list, at: words.length - 1, next: [] }
    : { group, command, at: words.length - 2, next: [] };
}

function firstWords(): readonly Candidate[] {
  const firsts = new Set(COMMANDS.map(({ name }) => name.split(" ")[0] as string));
  if (!hasFleetPackage()) firsts.delete("fleet");
  return [...firsts].map((word) => {
    const own = COMMANDS.filter(({ name }) => name.split(" ")[0] === word);
    const actions = own.flatMap(({ name }) => name.split(" ").slice(1));
    return { word, says: actions.length > 0 ? actions.join(", ") : (own[0]?.says ?? "") };
  });
}

/**
 * Lists the flags of a command such as `hooks` or `hooks list`; without a command, those of the agent. Leaves out flags
 * that were typed already and may not be repeated.
 */
function flagsOf(command: string | undefined, given: ReadonlySet<string>): readonly Candidate[] {
  const isKnown = COMMANDS.some(({ name }) => name === command || name.split(" ")[0] === command);
  const flags = isKnown
    ? Object.entries(FLAGS).filter(([, flag]) => takes(flag, command ?? ""))
    : Object.entries(AGENT_FLAGS);
  return flags
    .filter(([name, { kind }]) => !given.has(name) || kind === "list" || kind === "many")
    .map(([name, { help }]) => ({ word: `--${name}`, says: help }));
}

/**
 * Returns completions of a flag's value: from the table of flags, otherwise from the value's form in `--help`, such as
 * `a|b` or `FILE`. In a list, only the last item is completed.
 */
async function valuesOf(name: string, current: string, names: Names): Promise<readonly Candidate[]> {
  const { completes, value = "" } = FLAGS[name] ?? {};
  const begun = value === "LIST" ? current.slice(0, current.lastIndexOf(",") + 1) : "";
  const written = /^[a-z-]+(\|[a-z-]+)+$/.test(value)
    ? value.split("|")
    : WRITTEN.find(([form]) => form.test(value))?.[1];
  const kind = completes ?? written;
  if (kind === undefined) return [];
  const found = await values(kind, current.slice(begun.length), names);
  return begun === "" ? found : found.map(({ word }) => ({ word: `${begun}${word}` }));
}

/** Maps values in `--help`, such as `FILE`, to what completes them. */
const WRITTEN: readonly (readonly [RegExp, Completes])[] = [
  [/\b(FILE|PATH)\b/, "file"],
  [/^(DIR|FOLDER)$/, "folder"],
];

/** The kinds of names for which a file may be given too. */
const FILES: readonly Completes[] = ["hook", "trust", "session"];

async function values(completes: Completes, current: string, names: Names): Promise<readonly Candidate[]> {
  if (completes === "file" || completes === "folder") return [{ word: `:${completes}` }];
  const all = typeof completes === "string" ? await names(completes) : completes;
  const found = matching(
    all.map((word) => ({ word })),
    current,
  );
  return FILES.includes(completes) ? [...found, { word: ":file" }] : found;
}

function matching(all: readonly Candidate[], current: string): readonly Candidate[] {
  return all.filter(({ word }) => word.startsWith(current));
}
