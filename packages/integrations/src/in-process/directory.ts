import { join, relative, sep } from "node:path";
import { type DirEntry, decodeText, parseJson, type Tier } from "@hookline/ground";
import type { Files } from "@hookline/runtime/dialect";
import { type Diagnostic, diagnose } from "@hookline/runtime/dialect";
import { type CandidateState, globFiles, globMatch, isGlob } from "@hookline/runtime/engine";
import { noFolder } from "../settings-hooks/definition-file.ts";

/** Tells a person who put something else into a folder of extensions what belongs there. */
export const MODULES_OF_FOLDER =
  "Modules end with .ts or .js; a folder needs an index.ts, an index.js, or a package.json that lists its modules.";

/** Modules that a directory offers, in order, and what was wrong on the way. */
export interface Entries {
  readonly paths: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The modules of an extensions directory, one level deep: its `.ts` and `.js` files, and of each subdirectory
 * what `packageEntries` finds there. Sorted bytewise by name, whatever they are. Absent directories offer nothing.
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
 * The modules that a directory declares: the files that its `package.json` lists under one of `keys` as `extensions`,
 * else `index.ts`, else `index.js`; `undefined` if there are none. Missing listed files are left out, listed
 * directories stand for their files, and `!` and `-` before an entry exclude what it names.
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

/** The part of a package's manifest that is about its extensions. */
export interface Manifest {
  /** The key of the manifest that was found. */
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
    const remedy = "Make it a list of paths; without it the usual places are looked at.";
    return { key, problem: diagnose("BAD_ENTRY", { path, line: read.lineOf("extensions"), problem, remedy }) };
  }
  return {};
}

/** A JSON file that could be read, or why not. `lineOf` is the 1-based line where a key first stands. */
export type JsonFile =
  | { readonly ok: true; readonly value: unknown; lineOf(key: string): number }
  | { readonly ok: false; readonly problem: Diagnostic };

/** Returns why a file cannot be read that something is there for; `undefined` where nothing is. */
export function lostFile(files: Files, path: string): Diagnostic | undefined {
  const problem = files.fault?.(path) ?? (files.stat(path)?.kind === "directory" ? "it is a folder" : undefined);
  return problem === undefined ? undefined : diagnose("UNREADABLE", { path, problem });
}

/** Reads a JSON file; `undefined` where there is none. */
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
    // The parser's message quotes the file's text, which does not belong in a report.
    const problem = "it is not valid JSON";
    return { ok: false, problem: diagnose("SYNTAX", { path, line, problem }) };
  }
}

/** A field of a JSON object; `undefined` for anything else. */
export function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

/** Files of a list of paths, directories and patterns, in order, each once. */
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

/** Declaration files hold no code. */
function isModule(name: string): boolean {
  return (name.endsWith(".ts") && !name.endsWith(".d.ts")) || name.endsWith(".js");
}

/** Whether an entry of a list of extensions switches others on or off instead of naming one. */
export function isOverride(entry: string): boolean {
  return /^[!+-]/.test(entry);
}

/**
 * Whether a list keeps a path enabled: `!pattern` excludes, `+path` includes again, `-path` excludes for good. Patterns
 * are tested on the path below `base`, on the whole path and on the bare name, paths only on the first two.
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

/** A module that was found at a place of a tier. */
export interface PlacedModule {
  readonly path: string;
  readonly tier: Tier;
  readonly state?: CandidateState;
  /** Its place is one of hookline's, where the module's own program does not look. */
  readonly onlyHere?: true;
}

/**
 * Each file once, in order; one that also stands where its own program looks is not only hookline's. If a project's place and a person's lead to the same file, by link or by name, it belongs
 * to the person: a project never takes over their files (decision 56). Otherwise the first place counts.
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
