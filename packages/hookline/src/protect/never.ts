import { join } from "node:path";
import { baseOf, knownOf, loadReader, type ReadCommand } from "@hookline/runtime/command";
import { globbed, mentioned, onlyReads, plainOf } from "./command.ts";
import { landingOf } from "./landing.ts";

/** Hookline's own commands that no tool call may run, even if a person agrees. */
const COMMANDS: readonly (readonly string[])[] = [["bridge", "pause"]];

/** Matches the name of hookline's program as a command, a script or an argument of `npx`. */
const PROGRAM = /^hookline(?:@[\w.^~-]+)?(?:\.[cm]?[jt]s)?$/;

/** Programs that never run the words in their arguments as commands. */
const INERT: ReadonlySet<string> = new Set(
  "echo printf cat grep egrep fgrep rg head tail less more wc diff which type man ls git gh".split(" "),
);

/** Matches the separators between two words in a shell text or in code. */
const GAP = "[\\s\"'`,()\\[\\]]{1,8}";

/** Matches every text that could run one of `COMMANDS`. Other texts are not parsed. */
const MAY = new RegExp(
  `[$\`\\\\{]|\\b(?:(?:ba|da|k|z|fi)?sh|eval|source|xargs|hookline|${COMMANDS.flat().join("|")})\\b`,
  "i",
);

/** The folder in which a command runs, and the home folders that it may refer to. */
export interface HomePlace {
  readonly cwd: string;
  readonly home: string;
  readonly hooklineHome: string;
}

/** Returns why a shell text must not run: it runs or may run one of `COMMANDS`. Script files are not read. */
export async function neverRun(text: string): Promise<string | undefined> {
  if (!MAY.test(text) && !MAY.test(plainOf(text))) return undefined;
  const { commands } = (await loadReader()).read(text);
  const row = COMMANDS.find((words) => commands.some((one) => mayRun(one, words)));
  return row && `Only a person may run \`hookline ${row.join(" ")}\`, in a terminal of their own.`;
}

/** Returns why a shell text must not run: it refers to hookline's home and does more than read. */
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
 * Whether a command runs, or may run, hookline's command `row`, such as `bridge pause`. A variable such as `$x` may
 * hold any of the words, as long as one word is written out. Code in an argument counts if it has the words in order.
 */
function mayRun({ words, certainty }: ReadCommand, row: readonly string[]): boolean {
  const [program, ...args] = words;
  if (program !== undefined && INERT.has(baseOf(program) ?? "")) return false;
  const within = new RegExp(`\\bhookline(?:\\.\\w+)?${GAP}(?:[^\\s"',]+${GAP}){0,4}?${row.join(GAP)}\\b`);
  if (args.some((word) => within.test(knownOf(word) ?? word.text))) return true;
  return words.some((word, at) => {
    // An alias or function may run any program, so its name counts as unknown.
    const base = at === 0 && certainty === "hidden" ? undefined : baseOf(word);
    if (base === undefined ? at > 0 : !PROGRAM.test(base)) return false;
    const rest = words.slice(at + 1).filter(({ text }) => !text.startsWith("-"));
    const next = rest.slice(0, row.length).map(knownOf);
    const fits = next.length > 0 && next.every((value, i) => value === undefined || value === row[i]);
    const isWhole = next.length === row.length || next.includes(undefined);
    return fits && isWhole && (base !== undefined || next.some((value) => value !== undefined));
  });
}
