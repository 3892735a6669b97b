import { join } from "node:path";
import { type Fields, isFields, type Tier } from "@hookline/ground";
import type { Files, Scan } from "@hookline/runtime/dialect";
import { type Diagnostic, diagnose } from "@hookline/runtime/dialect";
import { fieldOf, readJson } from "../../in-process/directory.ts";
import { agentDir, agentDirs, CONFIG_DIR_NAME } from "./modules.ts";

/** The part of pi's settings that concerns extensions. */
export interface PiSettings {
  readonly path: string;
  readonly extensions: readonly string[];
  readonly packages: readonly PackageEntry[];
  readonly diagnostics: readonly Diagnostic[];
  /** The reason why the file cannot be parsed, so that the hooks it names are lost. */
  readonly unreadable?: string;
}

/** The kinds of texts that a package may contain besides extensions. */
export const textKinds = ["skills", "prompts", "themes"] as const;

/** The kind of a package's texts: `skills`, `prompts` or `themes`. */
export type TextKind = (typeof textKinds)[number];

/** A package in the settings. Each list limits which of the package's own files are used; an empty list means none. */
export interface PackageEntry {
  readonly source: string;
  readonly extensions?: readonly string[];
  readonly texts?: Readonly<Partial<Record<TextKind, readonly string[]>>>;
}

/** Reads the `settings.json` of a folder. An unusable entry is reported, and the others count. */
export function readSettings(files: Files, directory: string): PiSettings {
  const path = join(directory, "settings.json");
  const read = readJson(files, path);
  if (read === undefined) return { path, extensions: [], packages: [], diagnostics: [] };
  if (!read.ok) {
    const { problem } = read;
    const nothing = { path, extensions: [], packages: [], diagnostics: [problem] };
    return problem.code === "SYNTAX" ? { ...nothing, unreadable: problem.message } : nothing;
  }
  const diagnostics: Diagnostic[] = [];
  const list = <T>(key: string, entryOf: (entry: unknown) => T | undefined, remedy: string): T[] => {
    const value = fieldOf(read.value, key) ?? [];
    const bad = (problem: string): number =>
      diagnostics.push(diagnose("BAD_ENTRY", { path, line: read.lineOf(key), problem, remedy }));
    if (!Array.isArray(value)) {
      bad(`"${key}" is not a list`);
      return [];
    }
    return value.flatMap((entry: unknown, i) => {
      const found = entryOf(entry);
      if (found !== undefined) return [found];
      bad(`entry ${i + 1} of "${key}" cannot be read`);
      return [];
    });
  };
  return {
    path,
    extensions: list("extensions", textOf, "Give a list of paths."),
    packages: list("packages", packageOf, "Give a list of paths, or of objects with a source."),
    diagnostics,
  };
}

/**
 * Returns a copy of pi's settings for an extension. For a project's extension, the project's settings are merged into
 * the user's. Other extensions get only the user's, since nobody has approved the project's.
 */
export function effectiveSettings(scan: Scan, tier: Tier): object {
  const [own] = agentDirs(scan);
  const folders = [own?.path ?? agentDir(scan), ...(tier === "project" ? [join(scan.cwd, CONFIG_DIR_NAME)] : [])];
  return folders
    .map((folder) => readJson(scan.files, join(folder, "settings.json")))
    .reduce<object>((all, read) => (read?.ok === true && isFields(read.value) ? merged(all, read.value) : all), {});
}

/** Merges objects key by key. Any other value is replaced. */
function merged(under: object, over: object): object {
  const known = under as Fields;
  const all = Object.entries(over).map(([key, value]) => {
    const other = known[key];
    return [key, isFields(value) && isFields(other) ? merged(other, value) : value];
  });
  return { ...under, ...Object.fromEntries(all) };
}

function textOf(entry: unknown): string | undefined {
  return typeof entry === "string" && entry !== "" ? entry : undefined;
}

function packageOf(entry: unknown): PackageEntry | undefined {
  if (textOf(entry) !== undefined) return { source: entry as string };
  const source = textOf(fieldOf(entry, "source"));
  if (source === undefined) return undefined;
  const lists: Record<string, readonly string[]> = {};
  for (const key of ["extensions", ...textKinds]) {
    const list = fieldOf(entry, key);
    if (list === undefined) continue;
    if (!Array.isArray(list) || !list.every((part) => typeof part === "string")) return undefined;
    lists[key] = list;
  }
  const { extensions, ...texts } = lists;
  return { source, ...(extensions !== undefined && { extensions }), ...(Object.keys(texts).length > 0 && { texts }) };
}
