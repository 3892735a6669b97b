import { join } from "node:path";
import { baseOf, knownOf, loadReader, type ReadCommand } from "@hookline/runtime/command";
import { globbed, mentioned, onlyReads, plainOf } from "./command.ts";
import { landingOf } from "./landing.ts";

/** hookline's own commands that no tool call may run, whoever agrees to it. */
const COMMANDS: readonly (readonly string[])[] = [["bridge", "pause"]];

/** The program, as `npx` takes it, as a path and as a script. */
const PROGRAM = /^hookline(?:@[\w.^~-]+)?(?:\.[cm]?[jt]s)?$/;

/** Programs whose words are never run. */
const INERT: ReadonlySet<string> = new Set(
  "echo printf cat grep egrep fgrep rg head tail less more wc diff which type man ls git gh".split(" "),
);

/** Separators of two words in a shell text and in code. */
const GAP = "[\\s\"'`,()\\[\\]]{1,8}";

/** Matches each text that runs one of the commands, or hides what it runs; no other text needs to be read. */
const MAY = new RegExp(
  `[$\`\\\\{]|\\b(?:(?:ba|da|k|z|fi)?sh|eval|source|xargs|hookline|${COMMANDS.flat().join("|")})\\b`,
  "i",
);

/** The folder in which a command runs, and the homes that it may name. */
export interface HomePlace {
  readonly cwd: string;
  readonly home: string;
  readonly hooklineHome: string;
}

/** The commands of these that a shell text runs or may run. A file that a program is given is not looked into. */
export async function neverRun(text: string): Promise<string | undefined> {
  if (!MAY.test(text) && !MAY.test(plainOf(text))) return undefined;
  const { commands } = (await loadReader()).read(text);
  const row = COMMANDS.find((words) => commands.some((one) => mayRun(one, words)));
  return row && `Only a person may run \`hookline ${row.join(" ")}\`, in a terminal of their own.`;
}

/** The reason for refusing a shell text that names hookline's home and does more than read. */
export async function changesHome(text: string, place: HomePlace): Promise<string | undefined> {
  const { hooklineHome } = place;
  const plain = plainOf(text);
  const homes = new Set([hooklineHome, landingOf(hooklineHome)]);
  const inside = new Set([...homes].flatMap((home) => [home, join(home, "run"), join(home, "run/bridge/pause")]));
  const isNamed =
    /\$hookline_home\b/.test(plain) ||
    mentioned(plain, homes, place) !== undefined ||
    globbed(plain, inside, place) !== undefined;
  if (!isNamed || (await onlyReads(text))) return undefined;
  return `${hooklineHome} decides which hooks run, so only a person may change it.`;
}

/**
 * Whether a command is or may be one of hookline's. A computed word may be any, if another one is written out; code that
 * names the words in their order is taken for a program that runs them.
 */
function mayRun({ words, certainty }: ReadCommand, row: readonly string[]): boolean {
  const [program, ...args] = words;
  if (program !== undefined && INERT.has(baseOf(program) ?? "")) return false;
  const within = new RegExp(`\\bhookline(?:\\.\\w+)?${GAP}(?:[^\\s"',]+${GAP}){0,4}?${row.join(GAP)}\\b`);
  if (args.some((word) => within.test(knownOf(word) ?? word.text))) return true;
  return words.some((word, at) => {
    // An alias and a function are hidden: their names stand for any program.
    const base = at === 0 && certainty === "hidden" ? undefined : baseOf(word);
    if (base === undefined ? at > 0 : !PROGRAM.test(base)) return false;
    const rest = words.slice(at + 1).filter(({ text }) => !text.startsWith("-"));
    const next = rest.slice(0, row.length).map(knownOf);
    const fits = next.length > 0 && next.every((value, i) => value === undefined || value === row[i]);
    const isWhole = next.length === row.length || next.includes(undefined);
    return fits && isWhole && (base !== undefined || next.some((value) => value !== undefined));
  });
}
