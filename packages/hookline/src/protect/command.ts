import { relative, resolve } from "node:path";
import { knownOf, loadReader, type ReadCommand } from "@hookline/runtime/command";
import { writesFiles } from "@hookline/runtime/engine";
import { fold, type ProtectedPlaces, TELLING_WORDS } from "./places.ts";

/** Programs that do not change the files they are given, as long as nothing is redirected. */
const READERS: ReadonlySet<string> = new Set([
  ...["cat", "ls", "head", "tail", "wc", "grep", "egrep", "fgrep", "rg", "stat", "file", "diff", "cmp", "du", "pwd"],
  ...[
    "cd",
    "echo",
    "printf",
    "sha256sum",
    "md5sum",
    "realpath",
    "readlink",
    "basename",
    "dirname",
    "test",
    "true",
    "nl",
  ],
]);
const GIT_READERS: ReadonlySet<string> = new Set(["status", "diff", "log", "show", "blame", "ls-files"]);

/** The agent's own commands that give consent or set up a hook. */
const CONSENTING = /\b(?:trust\s+(?:approve|revoke|--)|hooks\s+(?:init|import)|fleet\s+(?:join|leave|dev|serve))\b/;

/** The context in which a command is read. */
export interface CommandPlace {
  readonly cwd: string;
  readonly home: string;
  readonly places: ProtectedPlaces;
}

/**
 * The word by which a shell command seems to change what only a person may change; undefined if there is none. A best
 * effort: a command can hide what it does, which is why a project's hooks are bound to their bytes as well.
 */
export async function suspicion(command: string, place: CommandPlace): Promise<string | undefined> {
  const plain = plainOf(command);
  const consenting = CONSENTING.exec(plain)?.[0];
  if (consenting !== undefined) return consenting;
  const all = place.places.all();
  const telling =
    TELLING_WORDS.find((word) => plain.includes(word)) ??
    mentioned(plain, all, place, (path) => [path.split("/").slice(-2).join("/")]) ??
    globbed(plain, new Set([...all, ...TELLING_WORDS.map((word) => resolve(place.cwd, word))]), place);
  return telling !== undefined && !(await onlyReads(command)) ? telling : undefined;
}

/** A command without what only quotes, with each plain variable as `$name`. */
export function plainOf(command: string): string {
  const text = command.replaceAll(/\\\n/g, "").replaceAll(/\\(.)/gs, "$1").replaceAll(/["']/g, "");
  return fold(text.replaceAll(/\$\{(\w+)\}/g, "$$$1"));
}

/** One of these places that a plain command names, in any of the ways in which a path is written. */
export function mentioned(
  plain: string,
  all: ReadonlySet<string>,
  { cwd, home }: Pick<CommandPlace, "cwd" | "home">,
  also: (path: string) => readonly string[] = () => [],
): string | undefined {
  for (const path of all) {
    const inside = relative(cwd, path);
    const names = [path, ...(inside.startsWith("..") ? [] : [inside]), ...below(path, home), ...also(path)];
    const name = names.map(fold).find((one) => one.length > 3 && isWord(plain, one));
    if (name !== undefined) return name;
  }
  return undefined;
}

function below(path: string, home: string): string[] {
  return path.startsWith(`${home}/`) ? ["~", "$home"].map((top) => top + path.slice(home.length)) : [];
}

function isWord(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
    if (!/[\w-]/.test(text[at - 1] ?? " ") && !/[\w-]/.test(text[at + name.length] ?? " ")) return true;
  return false;
}

/** A text whose `${…}` are empty: the brackets and braces in them are no patterns. */
function withoutVariables(text: string): string {
  for (let left = text, depth = 0; ; depth++) {
    const next = left.replaceAll(/\$\{[^{}]*\}/g, "");
    if (next === left || depth === DEEPEST) return next;
    left = next;
  }
}

const DEEPEST = 8;

/** Whether the shell expands a word; a lone bracket is the program of that name. */
function isPattern(word: string): boolean {
  const brace = word.indexOf("{");
  const inside = brace < 0 ? "" : word.slice(brace, word.lastIndexOf("}") + 1);
  return /[*?]|\[[^\]]+\]/.test(word) || /,|\.\./.test(inside);
}

/** A pattern that the shell would expand to a protected place. */
export function globbed(
  plain: string,
  all: ReadonlySet<string>,
  { cwd, home }: Pick<CommandPlace, "cwd" | "home">,
): string | undefined {
  const words = withoutVariables(plain)
    .split(/[\s;&|()<>=]+/)
    .filter(isPattern);
  if (words.length === 0) return undefined;
  const folded = [...all].map(fold);
  return words.find((word) => {
    const full = fold(resolve(cwd, word.replace(/^(?:~|\$home)(?=\/)/, home)));
    const pattern = full.split("/").map(partPattern);
    return folded.some((path) => {
      const parts = path.split("/");
      return pattern.length <= parts.length && pattern.every((part, at) => part.test(parts[at] as string));
    });
  });
}

/** One part of a path as a shell pattern; braces match anything, since they may contain anything. */
function partPattern(part: string): RegExp {
  if (!isPattern(part)) return new RegExp(`^${part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`);
  if (/[{}]/.test(part)) return /^/;
  const body = part
    .replaceAll(/[.+^$()|\\]/g, "\\$&")
    .replaceAll("?", ".")
    .split(/\*+/)
    // The text after a star is matched at its first occurrence and never searched again, so many stars stay fast.
    .map((text, at, all) => (at === 0 ? text : at === all.length - 1 ? `.*${text}` : `(?=(.*?${text}))\\${at}`))
    .join("");
  const dotted = part.startsWith(".") ? "" : "(?!\\.)";
  try {
    return new RegExp(`^${/^[*?[]/.test(part) ? dotted : ""}${body.replaceAll("[!", "[^")}$`);
  } catch {
    return /^/;
  }
}

/** Whether every command of a text only reads, and nothing is written by redirection. */
export async function onlyReads(text: string): Promise<boolean> {
  const reading = (await loadReader()).read(text);
  return !writesFiles(reading) && reading.assigned.length === 0 && reading.commands.every(reads);
}

function reads({ certainty, words: [program, ...args], hasAssignments }: ReadCommand): boolean {
  const name = program === undefined ? undefined : knownOf(program);
  if (certainty !== "certain" || hasAssignments || name === undefined) return false;
  const all = args.map(({ text }) => text);
  if (name === "git") return GIT_READERS.has(all[0] ?? "") && !all.some((word) => word.startsWith("--output"));
  if (name === "find") return !all.some((word) => /^-(?:delete|exec|ok|fprint|fls)/.test(word));
  return READERS.has(name) && !all.some((word) => word.startsWith("--pre"));
}
