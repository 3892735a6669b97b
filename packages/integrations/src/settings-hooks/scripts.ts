import { isAbsolute, join, resolve, sep } from "node:path";
import type { CommandWord } from "@hookline/runtime/command";
import { loadReader } from "@hookline/runtime/command";
import type { Files } from "@hookline/runtime/dialect";
import { interpreterOf } from "@hookline/runtime/engine";

/** The folders to which a command's words may refer. */
export interface ScriptPlaces {
  readonly cwd: string;
  /** Known values of the variables that a command may name, HOME among them. */
  readonly variables: Readonly<Record<string, string>>;
  /** A folder that is searched for programs as well. */
  readonly folder?: string | undefined;
  /** Files elsewhere, such as interpreters, are not the hook's own. */
  readonly roots: readonly string[];
  readonly files: Files;
}

/** The files that a shell command visibly names: their bytes decide what the hook does. */
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

/** Builtins of bash that are in none of the folders of PATH. */
const BUILTINS: ReadonlySet<string> = new Set(
  (
    ". : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable " +
    "eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd " +
    "read readarray readonly return set shift shopt source suspend test time times trap true type typeset ulimit umask " +
    "unalias unset wait"
  ).split(" "),
);

/** The place in which a command is started. */
export interface StartPlaces extends ScriptPlaces {
  /** The value of PATH; without it programs are not looked for. */
  readonly path: string | undefined;
}

/**
 * Says what a shell command certainly starts and is not there, or is not executable: a program, or the script of an
 * interpreter. A command that looks whether it is there, that may make it, or that changes its folder is not judged.
 */
export async function absentStart(command: string, places: StartPlaces): Promise<string | undefined> {
  const { variables, files } = places;
  const whole = expand(command, variables);
  // Most commands start what is there, and then nothing has to be parsed.
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
  // A wrapper's words hold those of the command that it starts.
  const texts = commands.flatMap(({ through, words: all }) => (through.length === 0 ? all.map(onlyValue) : []));
  const made = redirected.flatMap(({ values = [] }) => values.map(({ text }) => text));
  for (const { certainty, isConditional, words: given } of commands) {
    if (certainty !== "certain" || isConditional) continue;
    const [program, ...args] = given.map(onlyValue);
    if (program === undefined) continue;
    const script = scriptOf(program, args);
    for (const [word, isProgram] of [[program, true] as const, [script, false] as const]) {
      const known = word?.startsWith("~/") ? expand(word, variables) : word;
      // A file that is named elsewhere too may be looked for, or made.
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

/** The file that an interpreter reads its code from. */
function scriptOf(program: string, args: readonly (string | undefined)[]): string | undefined {
  const reader = interpreterOf(program.split("/").at(-1) ?? "");
  if (reader === undefined) return undefined;
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    if (word === undefined || reader.code.test(word) || /^(?:-|-s|-m|run)$/.test(word)) return undefined;
    if (reader.valued.test(word)) at += 1;
    else if (!/^[-+]/.test(word)) return /^(?:[a-z]+:\/\/|\/(?:dev|proc)\/)/.test(word) ? undefined : word;
    // An option that is not known may take the next word.
    else if (reader.language !== "shell" && reader.language !== "python") return undefined;
  }
  return undefined;
}

/** Says what is wrong with a program or a script; nothing for a word that the shell computes. */
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
