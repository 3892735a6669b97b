import { isAbsolute, join, resolve, sep } from "node:path";
import type { CommandWord } from "@hookline/runtime/command";
import { loadReader } from "@hookline/runtime/command";
import type { Files } from "@hookline/runtime/dialect";
import { interpreterOf } from "@hookline/runtime/engine";

/** The folders and variables by which the words of a command are resolved to files. */
export interface ScriptPlaces {
  readonly cwd: string;
  /** The values of variables that a command may use, including HOME. */
  readonly variables: Readonly<Record<string, string>>;
  /** A further folder that is searched for programs. */
  readonly folder?: string | undefined;
  /** Only files below these folders count as the hook's own; an interpreter elsewhere does not. */
  readonly roots: readonly string[];
  readonly files: Files;
}

/** Returns the files that a shell command visibly names. Their content determines what the hook does. */
export function scriptsOf(command: string, places: ScriptPlaces): string[] {
  const { cwd, variables, folder, roots, files } = places;
  const found = new Set<string>();
  // A word may consist of quoted and unquoted parts.
  for (const [written] of command.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"';|&()<>])+/g)) {
    const word = written.replace(/"([^"]*)"|'([^']*)'/g, "$1$2");
    if (word === "" || word.startsWith("-") || word.includes("\0")) continue;
    const known = expand(word, variables);
    const isOwn = (path: string): boolean =>
      roots.some((root) => isInside(path, root)) && files.stat(path)?.kind === "file";
    const isWhole = isAbsolute(known);
    const path = isWhole ? known : resolve(cwd, known);
    if (isOwn(path)) found.add(path);
    else if (!isWhole && folder !== undefined && isOwn(join(folder, known))) found.add(join(folder, known));
  }
  return [...found];
}

function expand(word: string, variables: Readonly<Record<string, string>>): string {
  if (!/[~$]/.test(word)) return word;
  const home = variables["HOME"] ?? "";
  return word
    .replace(/^~(?=\/|$)/, home)
    .replace(/\$(?:\{(\w+)\}|(\w+))/g, (whole, braced: string | undefined, bare: string | undefined) => {
      const name = braced ?? bare ?? "";
      return Object.hasOwn(variables, name) ? (variables[name] as string) : whole;
    });
}

function isInside(path: string, root: string): boolean {
  return path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** Builtins of bash that usually do not exist as programs in PATH. */
const BUILTINS: ReadonlySet<string> = new Set(
  (
    ". : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable " +
    "eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd " +
    "read readarray readonly return set shift shopt source suspend test time times trap true type typeset ulimit umask " +
    "unalias unset wait"
  ).split(" "),
);

/** The folders and variables with which a command is started. */
export interface StartPlaces extends ScriptPlaces {
  /** The value of PATH. Without it, programs are not looked for. */
  readonly path: string | undefined;
}

/**
 * Describes a program, or an interpreter's script, that a shell command would certainly start and that is missing or
 * not executable. A command is not judged if it may check for the file, create it, or change its folder first.
 */
export async function absentStart(command: string, places: StartPlaces): Promise<string | undefined> {
  const { variables, files } = places;
  const whole = expand(command, variables);
  // A quick check by words: in most commands nothing is missing, and then nothing has to be parsed.
  const words = [...whole.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"';|&()<>])+/g)].map(([word]) =>
    word.replaceAll(/["']/g, ""),
  );
  const isDoubtful = (word: string, at: number): boolean => {
    const mayStart = at === 0 || /^[\w@%+.~-]*\/[\w@%+./-]+$/.test(word) || isInterpreter(words[at - 1]);
    return mayStart && problemOf(expand(word, variables), at === 0, places) !== undefined;
  };
  if (!words.some(isDoubtful)) return undefined;
  const { commands, redirected, isRead } = (await loadReader()).read(whole);
  if (!isRead || commands.some(({ words: [first] }) => /^(?:cd|pushd|popd|source|\.)$/.test(first?.text ?? "")))
    return undefined;
  // Wrappers such as `sudo` are left out, since their words contain those of the command that they start.
  const texts = commands.flatMap(({ through, words: all }) => (through.length === 0 ? all.map(onlyValue) : []));
  const made = redirected.flatMap(({ values = [] }) => values.map(({ text }) => text));
  for (const { certainty, isConditional, words: given } of commands) {
    if (certainty !== "certain" || isConditional) continue;
    const [program, ...args] = given.map(onlyValue);
    if (program === undefined) continue;
    const script = scriptOf(program, args);
    for (const [word, isProgram] of [[program, true] as const, [script, false] as const]) {
      const known = word?.startsWith("~/") ? expand(word, variables) : word;
      // If the command names the file a second time, it may check for it or create it.
      if (known === undefined || texts.filter((one) => one === word).length > 1 || made.includes(known)) continue;
      const isFound =
        !isProgram &&
        JAVASCRIPT.test(program) &&
        [".js", ".cjs", ".mjs", ".json", ".ts"].some(
          (end) => files.stat(resolve(places.cwd, known + end)) !== undefined,
        );
      const problem = isFound ? undefined : problemOf(known, isProgram, places);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function isInterpreter(word = ""): boolean {
  return interpreterOf(word.split("/").at(-1) ?? "") !== undefined;
}

const JAVASCRIPT = /(?:^|\/)(?:node|nodejs|tsx|ts-node|bun|deno)$/;

function onlyValue({ values }: CommandWord): string | undefined {
  return values?.length === 1 && values[0]?.isPattern === false ? values[0].text : undefined;
}

/** Returns the file from which an interpreter reads its code. */
function scriptOf(program: string, args: readonly (string | undefined)[]): string | undefined {
  const reader = interpreterOf(program.split("/").at(-1) ?? "");
  if (reader === undefined) return undefined;
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    if (word === undefined || reader.code.test(word) || /^(?:-|-s|-m|run)$/.test(word)) return undefined;
    if (reader.valued.test(word)) at += 1;
    else if (!/^[-+]/.test(word)) return /^(?:[a-z]+:\/\/|\/(?:dev|proc)\/)/.test(word) ? undefined : word;
    // An unknown option may take the next word as its value, so the script is unclear, except in shells and Python.
    else if (reader.language !== "shell" && reader.language !== "python") return undefined;
  }
  return undefined;
}

/** Says what is wrong with a program or script; `undefined` if it can run, or if the word's value is unknown. */
function problemOf(word: string, isProgram: boolean, { cwd, folder, path, files }: StartPlaces): string | undefined {
  if (word === "" || /[$`*?[{}=]/.test(word)) return undefined;
  if (isProgram && !word.includes("/")) {
    const folders = path?.split(":").filter((one) => isAbsolute(one)) ?? [];
    if (sep === "\\" || folders.length === 0 || BUILTINS.has(word)) return undefined;
    const isHere = [...folders, ...(folder === undefined ? [] : [folder])].some(
      (one) => files.stat(join(one, word)) !== undefined,
    );
    return isHere ? undefined : `the program ${word} is in no folder of PATH`;
  }
  const stats = [cwd, folder].flatMap((base) => (base === undefined ? [] : (files.stat(resolve(base, word)) ?? [])));
  const [stat] = stats;
  if (stat === undefined) return `${isProgram ? "the program" : "the script"} ${word} is not there`;
  if (!isProgram || stats.some(({ kind, mode = 0o111 }) => kind === "file" && (mode & 0o111) !== 0)) return undefined;
  return stat.kind === "file" ? `the program ${word} is not executable` : `the program ${word} is a folder`;
}
