import { nearest } from "@hookline/ground";
import type { Io } from "@hookline/ground/system";
import { AGENT_FLAGS, type Arguments } from "../start/args.ts";
import { COMMANDS } from "../start/commands.ts";

/** Matches a word that could be a command's name, but no sentence in a language without blanks, such as Chinese. */
const BARE = /^[A-Za-z][\w-]*$/;

const NAMES = COMMANDS.map(({ name }) => name);

/** The number of typing errors in a command without its first word, such as `explan` for `hooks explain`. */
const MOST_EDITS = 1;

/**
 * Returns why a command line without `-p` is not sent as a prompt; undefined if it is. One word is not sent if it looks
 * like a command's name; two are not if they may be a misspelt command, such as `hoks list`.
 */
export async function promptProblem(args: Arguments, io: Io): Promise<string | undefined> {
  const [word = "", second, ...more] = args.words;
  if (args.flags["print"] === true || args.flags["mode"] !== undefined || more.length > 0 || !BARE.test(word)) return;
  const flag = Object.hasOwn(AGENT_FLAGS, word) ? `--${word}` : undefined;
  const meant = second === undefined ? (flag ?? nearCommand(word)) : await nearWith(word, second, args, io);
  if (second !== undefined && meant === undefined) return;
  const typed = args.words.join(" ");
  const hint = meant === undefined ? "" : ` Did you mean \`hookline ${meant}\`?`;
  return `There is no \`hookline ${word === "help" ? typed : word}\`.${hint} To send it as a prompt: hookline -p "${typed}"`;
}

/** Returns the command that a word misspells or is the second word of, such as `hooks explain` for `explain`. */
function nearCommand(word: string): string | undefined {
  return NAMES.find((name) => isAction(name, word)) ?? nearest(word, groups()) ?? nearAction(word, NAMES);
}

/**
 * Returns the command that two words may mean: a group and its action, a command about hooks and its event, or `help`
 * and a topic.
 */
async function nearWith(word: string, second: string, args: Arguments, io: Io): Promise<string | undefined> {
  if (word === "help") {
    const topic = BARE.test(second) ? nearCommand(second) : undefined;
    return topic === undefined ? undefined : `help ${topic}`;
  }
  const group = nearest(word, groups());
  if (NAMES.includes(`${group} ${second}`)) return `${group} ${second}`;
  const ofHooks = NAMES.filter((name) => name.startsWith("hooks "));
  const command = ofHooks.find((name) => isAction(name, word)) ?? nearAction(word, ofHooks);
  if (command === undefined) return undefined;
  const { namesOf } = await import("./completion/names.ts");
  const events = await namesOf("event", args, io);
  const event = events.find((name) => name === second || name.endsWith(`:${second}`)) ?? misspelt(second, events);
  return event === undefined ? undefined : `${command} ${event}`;
}

/** Returns the event nearest to a word that has the form of an event's name. */
function misspelt(word: string, events: readonly string[]): string | undefined {
  return /^\w+[.:]\w+$/.test(word) ? nearest(word, events, 2) : undefined;
}

function groups(): ReadonlySet<string> {
  return new Set(NAMES.map((name) => name.split(" ")[0] as string));
}

function isAction(name: string, action: string): boolean {
  return name.endsWith(` ${action}`);
}

function nearAction(word: string, names: readonly string[]): string | undefined {
  const action = nearest(
    word,
    names.map((name) => name.split(" ")[1] ?? name),
    MOST_EDITS,
  );
  return action === undefined ? undefined : names.find((name) => isAction(name, action));
}
