import { join, relative, sep } from "node:path";
import { type DirEntry, decodeText, parseJson, type Tier } from "@hookline/ground";
import type { Files } from "@hookline/runtime/dialect";
import { type Diagnostic, diagnose } from "@hookline/runtime/dialect";
import { type CandidateState, globFiles, globMatch, isGlob } from "@hookline/runtime/engine";
import { noFolder } from "../settings-hooks/definition-file.ts";

/** Tells the user what belongs in a folder of extensions, when something else was found there. */
export const MODULES_OF_FOLDER =
  "Modules end with .ts or .js; a folder needs an index.ts, an index.js, or a package.json that lists its modules.";

/** The modules in a directory, in order, and the problems found while looking. */
export interface Entries {
  readonly paths: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Finds the modules in an extensions directory, one level deep: its `.ts` and `.js` files, and what `packageEntries`
 * finds in each subdirectory. Files and subdirectories are sorted together, bytewise by name. A missing directory has
 * no modules.
 *
 * Source: spec/pi.md 3.2.
 */
export function directoryEntries(files: Files, directory: string, keys: readonly string[]): Entries {
  const paths: string[] = [];
  const diagnostics: Diagnostic[] = [];
  diagnostics.push(...noFolder(files, directory));
  for (const entry of files.list(directory) ?? []) {
    const path = join(directory, entry.name);
    if (isDirectory(files, path, entry)) {
      const found = packageEntries(files, path, keys);
      paths.push(...(found?.paths ?? []));
      diagnostics.push(...(found?.diagnostics ?? []));
    } else if (isModule(entry.name)) paths.push(path);
  }
  return { paths, diagnostics };
}

/**
 * Finds the modules that a directory declares: the files that its `package.json` lists under one of `keys` as
 * `extensions`, or else `index.ts`, or else `index.js`. Returns `undefined` if there are none. Listed files that do not
 * exist are left out, a listed directory means its files, and `!` or `-` before an entry excludes what it names.
 */
export function packageEntries(files: Files, directory: string, keys: readonly string[]): Entries | undefined {
  const manifest = readManifest(files, directory, keys);
  const diagnostics = manifest.problem === undefined ? [] : [manifest.problem];
  const listed = listedModules(files, directory, manifest.extensions ?? []);
  if (listed.length > 0) return { paths: listed, diagnostics };
  for (const name of ["index.ts", "index.js"]) {
    const path = join(directory, name);
    if (files.stat(path)?.kind === "file") return { paths: [path], diagnostics };
  }
  return diagnostics.length > 0 ? { paths: [], diagnostics } : undefined;
}

/** The part of a package's manifest that concerns extensions. */
export interface Manifest {
  /** The key under which the extensions are listed: the first of `readManifest`'s `keys` that the file has. */
  readonly key?: string;
  readonly extensions?: readonly string[];
  readonly problem?: Diagnostic;
}

/** Reads `extensions` under the first of `keys` that the directory's `package.json` has; `{}` without one. */
export function readManifest(files: Files, directory: string, keys: readonly string[]): Manifest {
  const path = join(directory, "package.json");
  const read = readJson(files, path);
  if (read === undefined) return {};
  if (!read.ok) return { problem: read.problem };
  for (const key of keys) {
    const part = fieldOf(read.value, key);
    if (part === undefined) continue;
    const extensions = fieldOf(part, "extensions");
    if (extensions === undefined) return { key };
    if (Array.isArray(extensions)) return { key, extensions: extensions.filter((entry) => typeof entry === "string") };
    const problem = `"${key}.extensions" is not a list`;
    const remedy = "Make it a list of paths; until then the usual places are searched.";
    return { key, problem: diagnose("BAD_ENTRY", { path, line: read.lineOf("extensions"), problem, remedy }) };
  }
  return {};
}

/** A parsed JSON file, or why it cannot be read. `lineOf` returns the 1-based line where a key first occurs. */
export type JsonFile =
  | { readonly ok: true; readonly value: unknown; lineOf(key: string): number }
  | { readonly ok: false; readonly problem: Diagnostic };

/** Returns why an existing file cannot be read; `undefined` if it does not exist. */
export function lostFile(files: Files, path: string): Diagnostic | undefined {
  const problem = files.fault?.(path) ?? (files.stat(path)?.kind === "directory" ? "it is a folder" : undefined);
  return problem === undefined ? undefined : diagnose("UNREADABLE", { path, problem });
}

/** Reads a JSON file; `undefined` if it does not exist. */
export function readJson(files: Files, path: string): JsonFile | undefined {
  const bytes = files.read(path);
  if (bytes === undefined) {
    const problem = lostFile(files, path);
    return problem === undefined ? undefined : { ok: false, problem };
  }
  const decoded = decodeText(bytes);
  if (!decoded.ok) return { ok: false, problem: diagnose("SYNTAX", { path, line: 1, problem: decoded.message }) };
  const { text } = decoded;
  const lineAt = (index: number): number => text.slice(0, Math.max(0, index)).split("\n").length;
  try {
    return { ok: true, value: parseJson(text), lineOf: (key) => lineAt(text.indexOf(`"${key}"`)) };
  } catch (thrown) {
    const message = (thrown as SyntaxError).message;
    const at = /position (\d+)/.exec(message)?.[1];
    const line = at === undefined ? 1 : lineAt(Number(at));
    // The parser's own message quotes the file's text, which must not appear in a report.
    const problem = "it is not valid JSON";
    return { ok: false, problem: diagnose("SYNTAX", { path, line, problem }) };
  }
}

/** Returns a field of a JSON object; `undefined` for any other value. */
export function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

/** Returns the files that a list of paths, directories and patterns names, in order, each once. */
export function listedModules(files: Files, directory: string, entries: readonly string[]): string[] {
  const listed = entries
    .filter((entry) => !isOverride(entry))
    .flatMap((entry) => (isGlob(entry) ? globFiles(files, directory, entry) : [join(directory, entry)]))
    .flatMap((path) => {
      const kind = files.stat(path)?.kind;
      if (kind === "directory") return (packageEntries(files, path, []) ?? directoryEntries(files, path, [])).paths;
      return kind === "file" ? [path] : [];
    });
  return [...new Set(listed)].filter((path) => isEnabled(path, entries, directory));
}

function isDirectory(files: Files, path: string, entry: DirEntry): boolean {
  return entry.kind === "directory" || (entry.kind === "link" && files.stat(path)?.kind === "directory");
}

/** Whether a file is a module. Declaration files contain no code. */
function isModule(name: string): boolean {
  return (name.endsWith(".ts") && !name.endsWith(".d.ts")) || name.endsWith(".js");
}

/** Whether an entry of a list of extensions enables or disables others instead of naming one. */
export function isOverride(entry: string): boolean {
  return /^[!+-]/.test(entry);
}

/**
 * Whether a list leaves a path enabled. `!pattern` excludes, `+path` includes again, `-path` excludes for good. A
 * pattern is tested on the path below `base`, the whole path and the bare file name; a path after `+` or `-` must equal
 * one of the first two.
 *
 * Source: spec/pi.md 3.1.
 */
export function isEnabled(path: string, entries: readonly string[], base: string): boolean {
  const below = relative(base, path).split(sep).join("/");
  const whole = path.split(sep).join("/");
  const name = whole.slice(whole.lastIndexOf("/") + 1);
  const named = (sign: string, fits: (text: string) => boolean): boolean =>
    entries.some((entry) => entry.startsWith(sign) && fits(entry.slice(1).replace(/^\.\//, "")));
  const exactly = (text: string): boolean => text === below || text === whole;
  const loosely = (text: string): boolean => [below, whole, name].some((candidate) => globMatch(text, candidate));
  if (named("-", exactly)) return false;
  return named("+", exactly) || !named("!", loosely);
}

/** A module and the tier of the folder where it was found. */
export interface PlacedModule {
  readonly path: string;
  readonly tier: Tier;
  readonly state?: CandidateState;
  /** Whether the module is in one of hookline's own folders, where pi or omp does not look. */
  readonly onlyHere?: true;
}

/**
 * Keeps each file once, in order. A file that is also in a folder of pi or omp loses `onlyHere`. If a project's folder
 * and one of the user's lead to the same file, it counts as the user's, so that a project cannot take over the user's
 * files (ruling 56). Otherwise the first place counts.
 */
export function eachOnce<M extends PlacedModule>(files: Files, modules: readonly M[]): M[] {
  const real = new Map(modules.map((module) => [module, files.real(module.path) ?? module.path]));
  const elsewhere = new Set(modules.filter(({ onlyHere }) => !onlyHere).map((module) => real.get(module)));
  const runs = ({ state = "runs" }: M): boolean => state === "runs";
  const owned = new Set(modules.filter((one) => one.tier !== "project" && runs(one)).map((one) => real.get(one)));
  const seen = new Set<string | undefined>();
  return modules.flatMap((module) => {
    const path = real.get(module);
    const isTaken = owned.has(path) && (module.tier === "project" || !runs(module));
    if (seen.has(path) || isTaken) return [];
    seen.add(path);
    if (!module.onlyHere || !elsewhere.has(path)) return [module];
    const { onlyHere: _, ...shared } = module;
    return [shared as M];
  });
}
