import { relative, resolve } from "node:path";
import { globOf, knownOf, loadReader, type ReadCommand } from "@hookline/runtime/command";
import { writesFiles } from "@hookline/runtime/engine";
import { fold, type ProtectedPlaces, TELLING_WORDS } from "./places.ts";

/** Programs that only read the files in their arguments. */
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

/** Matches hookline's own commands that approve or set up hooks, or that join, leave or run a fleet of machines. */
const CONSENTING = /\b(?:trust\s+(?:approve|revoke|--)|hooks\s+(?:init|import)|fleet\s+(?:join|leave|dev|serve))\b/;

/** The folders and the protected places to which the paths in a command are compared. */
export interface CommandPlace {
  readonly cwd: string;
  readonly home: string;
  readonly places: ProtectedPlaces;
}

/**
 * Returns the word, such as `.hookline`, by which a command seems to change hooks or approvals. Undefined if the
 * command seems harmless. A command can hide its effects, so approvals also cover the bytes of a project's hooks.
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

/** Removes quoting from a command and writes each variable without braces, as `$name`. */
export function plainOf(command: string): string {
  const text = command.replaceAll(/\\\n/g, "").replaceAll(/\\(.)/gs, "$1").replaceAll(/["']/g, "");
  return fold(text.replaceAll(/\$\{(\w+)\}/g, "$$$1"));
}

/** Returns the spelling of the first protected path that a command contains; undefined if it contains none. */
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

/** Removes each `${…}`, because brackets and braces in it are no patterns. */
function withoutVariables(text: string): string {
  for (let left = text, depth = 0; ; depth++) {
    const next = left.replaceAll(/\$\{[^{}]*\}/g, "");
    if (next === left || depth === DEEPEST) return next;
    left = next;
  }
}

const DEEPEST = 8;

/** Whether the shell expands a word. A lone `[` is the name of a program. */
function isPattern(word: string): boolean {
  const brace = word.indexOf("{");
  const inside = brace < 0 ? "" : word.slice(brace, word.lastIndexOf("}") + 1);
  return /[*?]|\[\]?[^\]]+\]/.test(word) || /,|\.\./.test(inside);
}

/** Returns the first word that the shell would expand to a protected path. */
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

/** Compiles one name in a path, such as `set*`. Braces match any text; a leading star or set matches no dot. */
function partPattern(part: string): Pick<RegExp, "test"> {
  if (!isPattern(part)) return { test: (text) => text === part };
  if (/[{}]/.test(part)) return /^/;
  const glob = globOf(part, "any");
  return { test: (text) => glob.test(text) && !(text.startsWith(".") && /^[*?[]/.test(part)) };
}

/** Whether all commands in a text only read files, without redirections to files. */
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
