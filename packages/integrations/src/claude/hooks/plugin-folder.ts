import { basename, join, resolve, sep } from "node:path";
import { isFields, jsonLines, readJson } from "@hookline/ground";
import type { Files } from "@hookline/runtime/dialect";
import { readDefinitionFile } from "../../settings-hooks/definition-file.ts";
import { type Groups, readGroups, readSettings, type SettingsFile } from "./settings-file.ts";

/** An unusable part of a plugin. */
export interface PluginFault {
  readonly path: string;
  readonly line?: number;
  readonly problem: string;
}

/** A file of a plugin that defines hooks. */
export interface PluginHooks {
  readonly path: string;
  readonly file: SettingsFile;
}

/** A plugin's folder, as far as it matters for hooks. */
export interface PluginFolder {
  readonly name: string;
  /** The hook files, in the order in which their hooks run. */
  readonly hooks: readonly PluginHooks[];
  readonly faults: readonly PluginFault[];
  /** The options that the plugin's manifest declares, by key. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** A marketplace's entry for a plugin, without the plugin's location. */
export interface MarketplaceEntry {
  /** The path of the marketplace's file. */
  readonly path: string;
  readonly hooks?: unknown;
  /** Whether the plugin's own manifest counts. A marketplace's entry can turn this off. */
  readonly isStrict: boolean;
}

/** The path of a plugin's manifest, relative to the plugin's folder. */
export const MANIFEST = join(".claude-plugin", "plugin.json");
const USUAL = join("hooks", "hooks.json");

/** Parses a file that must hold a JSON object. Returns a `problem` if it does not. */
export function readObject(
  files: Files,
  path: string,
):
  | { readonly value: Readonly<Record<string, unknown>>; readonly lines: (pointer: string) => number }
  | { readonly problem: string } {
  const found = readDefinitionFile(files, path);
  if ("problem" in found) return found;
  const read = readJson(found.bytes);
  if (!read.ok) return { problem: read.message };
  if (!isFields(read.value)) return { problem: "it is not a JSON object" };
  return { value: read.value, lines: jsonLines(found.bytes) };
}

/** Whether something exists at a path, even if it is unreadable. */
export function isThere(files: Files, path: string): boolean {
  return files.stat(path) !== undefined || files.fault?.(path) !== undefined;
}

/**
 * Reads the hooks of a plugin: those in `hooks/hooks.json`, and those that `hooks` names in the plugin's manifest and
 * marketplace entry. Each `hooks` is a path, a list of paths or the hooks themselves. Source:
 * code.claude.com/docs/en/plugins-reference, "Hooks".
 */
export function readPlugin(root: string, files: Files, entry?: MarketplaceEntry): PluginFolder {
  const hooks: PluginHooks[] = [];
  const faults: PluginFault[] = [];
  const reading: Reading = { root, files, hooks, faults, seen: new Set() };
  const manifest = join(root, MANIFEST);
  const has = isThere(files, manifest);
  const read = has ? readObject(files, manifest) : undefined;
  if (read !== undefined && "problem" in read) faults.push({ path: manifest, problem: read.problem });
  const { value = {}, lines = () => 1 } = read !== undefined && "value" in read ? read : {};
  if (isThere(files, join(root, USUAL))) takeFile(join(root, USUAL), reading);
  if (value["hooks"] !== undefined && entry?.isStrict === false)
    faults.push({
      path: manifest,
      line: lines("/hooks"),
      problem: `${entry.path} has "strict": false for this plugin, so its manifest may not have hooks of its own`,
    });
  else if (value["hooks"] !== undefined)
    takeHooks(value["hooks"], { path: manifest, lines, pointer: "/hooks" }, reading);
  if (entry?.hooks !== undefined)
    takeHooks(entry.hooks, { path: entry.path, lines: () => 1, pointer: "/hooks" }, reading);
  const { name, userConfig } = value;
  return {
    name: typeof name === "string" && /^[\w.-]{1,100}$/.test(name) ? name : basename(root),
    hooks,
    faults,
    options: isFields(userConfig) ? userConfig : {},
  };
}

interface Reading {
  readonly root: string;
  readonly files: Files;
  readonly hooks: PluginHooks[];
  readonly faults: PluginFault[];
  /** Real paths of the files that were read, so that none is read twice. */
  readonly seen: Set<string>;
}

interface At {
  readonly path: string;
  readonly lines: (pointer: string) => number;
  readonly pointer: string;
}

function takeHooks(given: unknown, { path, lines, pointer }: At, reading: Reading): void {
  const at = { path, line: lines(pointer) };
  if (Array.isArray(given)) {
    for (const [i, one] of given.entries()) takeHooks(one, { path, lines, pointer: `${pointer}/${i}` }, reading);
    return;
  }
  if (typeof given === "string") {
    const full = resolve(reading.root, given);
    const real = reading.files.real(full) ?? full;
    const isInside = [reading.root, reading.files.real(reading.root) ?? ""].some((folder) => isBelow(real, folder));
    if (!isThere(reading.files, full))
      reading.faults.push({ ...at, problem: `"hooks" names ${full}, which is not there` });
    else if (!isInside)
      reading.faults.push({ ...at, problem: `"hooks" names ${full}, which is not in the plugin's folder` });
    else takeFile(full, reading);
    return;
  }
  // Hooks written directly in a manifest may be wrapped in another `hooks`, as in a hooks file.
  const isWhole = isFields(given) && isFields(given["hooks"]);
  const groups = isWhole ? readGroups(given["hooks"], lines, `${pointer}/hooks`) : readGroups(given, lines, pointer);
  reading.hooks.push({ path, file: fileOf(groups) });
}

function takeFile(path: string, { files, faults, hooks, seen }: Reading): void {
  const real = files.real(path) ?? path;
  if (seen.has(real)) return;
  seen.add(real);
  const found = readDefinitionFile(files, path);
  const file = "problem" in found ? found : readSettings(found.bytes);
  if ("problem" in file) {
    faults.push({ path, problem: file.problem });
    return;
  }
  if (file.handlers.length === 0 && file.faults.length === 0 && !file.hasHooks)
    faults.push({ path, problem: 'it has no "hooks"; write {"hooks": {"EVENT": [{"hooks": [HANDLER…]}]}}' });
  hooks.push({ path, file });
}

function fileOf(groups: Groups): SettingsFile {
  return { ...groups, hasHooks: true, settings: {} };
}

function isBelow(path: string, folder: string): boolean {
  return folder !== "" && path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
