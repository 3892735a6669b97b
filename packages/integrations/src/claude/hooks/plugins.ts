import { join, resolve, sep } from "node:path";
import { isFields, pointerPart } from "@hookline/ground";
import { type Candidate, type Diagnostic, diagnose, type Scan, type Source } from "@hookline/runtime/dialect";
import type { ReadFile } from "./config.ts";
import type { Owner, PluginPlace } from "./definition.ts";
import { lostBy } from "./lost.ts";
import {
  givenFolders,
  isOfProject as isOfProjectLevel,
  type OwnerLevel,
  type OwnerTier,
  PERSONAL,
  PROJECT,
  tierOf,
} from "./places.ts";
import { isThere, MANIFEST, type PluginFault, type PluginHooks, readPlugin } from "./plugin-folder.ts";
import { type Located, PluginRegistry, pluginFolders } from "./plugin-registry.ts";
import type { SettingsFile } from "./settings-file.ts";

/** A plugin's file with hooks, and its owner. */
export interface FoundPlugin {
  readonly owner: Owner;
  readonly file: SettingsFile;
  /** The reason why none of the file's hooks runs. */
  readonly off?: string;
}

/** The plugins that settings and the command line name, sorted by name. */
export interface FoundPlugins {
  readonly found: readonly FoundPlugin[];
  /** Unusable plugins and hook files, each with the reason. */
  readonly lost: readonly Candidate[];
  readonly diagnostics: readonly Diagnostic[];
  readonly searched: readonly string[];
  /** The folders of all plugins, with or without hooks. */
  readonly roots: readonly PluginRoot[];
}

/** A plugin's folder and its owner. */
export interface PluginRoot {
  readonly root: string;
  readonly tier: OwnerTier;
  readonly level: OwnerLevel;
  readonly plugin: PluginPlace;
  /** The reason why none of the plugin's hooks runs. */
  readonly off?: string;
}

/** A plugin that settings or the command line enable, and that must still be found. */
interface Wanted {
  readonly id: string;
  readonly level: OwnerLevel;
  /** The settings file that names the plugin. */
  readonly by: Source;
  /** The reason why the plugin does not run although it exists. */
  readonly off?: string;
  /** Whether the command line names the plugin. That is consent, even for a folder of the project. */
  readonly isGiven?: true;
}

/**
 * Finds the plugins in `enabledPlugins` and on the command line, sorted by name. The administrator's settings win over
 * the user's, and these over the project's. A plugin that only a project enables belongs to the project and needs
 * consent. Source: spec/claude.md 1; ruling 56.
 */
export function findPlugins(scan: Scan, files: readonly ReadFile[]): FoundPlugins {
  const registry = new PluginRegistry(scan);
  const lost: Candidate[] = [];
  const diagnostics: Diagnostic[] = [];
  const lose = (source: Source, problem: string, remedy = "Correct it."): void => {
    const { path, line = 1 } = source;
    const diagnostic = diagnose("BAD_ENTRY", { path, line, problem, remedy }, { source: { ...source, line } });
    diagnostics.push(diagnostic);
    lost.push(lostBy(diagnostic, { ...source, line }));
  };
  const wanted = wantedIn(files, registry.installed(), lose, diagnostics);
  const read: Reading = { scan, files, lose };
  const opened = [
    ...wanted.flatMap((one) => {
      const tier = tierOf(one.level);
      const located = registry.locate(one.id, marketplacesIn(files, tier, scan), tier);
      if (!("problem" in located)) return [openedOf(one, located, read)];
      if (one.off === undefined)
        lose(
          one.by,
          `the plugin ${one.id} is enabled but cannot be found: ${located.problem}`,
          `Install it, or take "${one.id}" out of enabledPlugins.`,
        );
      return [];
    }),
    ...givenFolders(scan).map((folder) => givenPlugin(folder, read)),
  ];
  for (const { path, problem } of registry.faults)
    lose({ path, tier: "user", dialect: "claude" }, `it cannot be read, so plugins may be missing: ${problem}`);
  const roots = opened.sort((a, b) => compare(a.plugin.name, b.plugin.name));
  const found = roots.flatMap(({ root, tier, level, plugin, hooks, off }) =>
    hooks.map(({ path, file }) => ({
      owner: { path, tier, level, folder: root, plugin },
      file,
      ...(off !== undefined && { off }),
    })),
  );
  // Plugin folders are protected from the agent's writes. If one contains the project, only its hook files are
  // protected.
  const isAround = (root: string): boolean => root === scan.cwd || isInside(scan.cwd, root);
  const folders = roots.flatMap(({ root }) => (isAround(root) ? [] : [root]));
  const searched = [...registry.searched, ...folders, ...found.map(({ owner }) => owner.path)];
  return { found, roots, lost, diagnostics, searched };
}

interface Reading {
  readonly scan: Scan;
  readonly files: readonly ReadFile[];
  lose(source: Source, problem: string, remedy?: string): void;
}

/** Returns the plugins that settings enable, with the level at which each is enabled. */
function wantedIn(
  files: readonly ReadFile[],
  installed: readonly string[],
  lose: Reading["lose"],
  diagnostics: Diagnostic[],
): Wanted[] {
  const said = new Map<string, Map<"managed" | "person" | "project", { isOn: boolean; by: Source }>>();
  for (const { place, file } of files) {
    const { enabledPlugins: given } = file.settings;
    if (given === undefined) continue;
    const by: Source = { path: place.path, tier: place.tier, dialect: "claude", ...file.at("enabledPlugins") };
    if (!isFields(given)) {
      lose(by, "enabledPlugins must be an object", 'Write {"name@marketplace": true}.');
      continue;
    }
    const who = PERSONAL.includes(place.level) ? "person" : PROJECT.includes(place.level) ? "project" : "managed";
    for (const [id, value] of Object.entries(given)) {
      const { line } = file.at(`enabledPlugins/${pointerPart(id)}`);
      const at = { ...by, line: line === 1 ? (by.line ?? 1) : line };
      const isOn = value === true || Array.isArray(value);
      if (!/^[\w-][\w.-]*@[\w-][\w.-]*$/.test(id))
        lose(at, `"${id.slice(0, 80)}" in enabledPlugins is no name of a plugin`, "Write name@marketplace.");
      else if (isOn || value === false) said.set(id, (said.get(id) ?? new Map()).set(who, { isOn, by: at }));
      else lose(at, `"${id}" in enabledPlugins must be true or false`);
    }
  }
  for (const id of installed) if (!said.has(id)) said.set(id, new Map());
  return [...said].flatMap(([id, one]) => wantedOf(id, one, diagnostics));
}

type PluginSwitches = ReadonlyMap<"managed" | "person" | "project", { readonly isOn: boolean; readonly by: Source }>;

const NOBODY: Source = { path: "", tier: "user", dialect: "claude" };

function wantedOf(id: string, said: PluginSwitches, diagnostics: Diagnostic[]): Wanted[] {
  const [managed, person, project] = [said.get("managed"), said.get("person"), said.get("project")];
  const off = (by: Source): string => `the plugin ${id} is disabled in ${by.path}`;
  if (managed !== undefined)
    return [{ id, level: "managed-plugin", by: managed.by, ...(!managed.isOn && { off: off(managed.by) }) }];
  if (person !== undefined) {
    if (project?.isOn === false && person.isOn) {
      const { path, line = 1 } = project.by;
      const problem = `a project cannot disable the plugin ${id}, which ${person.by.path} enables`;
      diagnostics.push(diagnose("LINT", { path, line, problem, remedy: "Remove it." }, { source: project.by }));
    }
    return [{ id, level: "plugin", by: person.by, ...(!person.isOn && { off: off(person.by) }) }];
  }
  if (project !== undefined)
    return [{ id, level: "project-plugin", by: project.by, ...(!project.isOn && { off: off(project.by) }) }];
  return [{ id, level: "plugin", by: NOBODY, off: `the plugin ${id} is installed, and no settings enable it` }];
}

/**
 * Returns marketplace folders that settings name by a path. A project's are used for the project's own plugins only.
 */
function marketplacesIn(files: readonly ReadFile[], tier: OwnerTier, { cwd }: Scan): ReadonlyMap<string, string> {
  const own = files.filter(({ place }) => tier === "project" || place.tier !== "project");
  return new Map(
    own.flatMap(({ file }) => {
      const { extraKnownMarketplaces: given } = file.settings;
      return Object.entries(isFields(given) ? given : {}).flatMap(([name, one]): [string, string][] => {
        const source = isFields(one) ? one["source"] : undefined;
        const { source: kind, path } = isFields(source) ? source : {};
        const isLocal = kind === "directory" || kind === "file";
        return isLocal && typeof path === "string" && path !== "" ? [[name, resolve(cwd, path)]] : [];
      });
    }),
  );
}

/** A plugin that was found on the disk, with its hook files. */
interface Opened extends PluginRoot {
  readonly hooks: readonly PluginHooks[];
}

function openedOf(
  { id, level: given, off, isGiven }: Wanted,
  { root, plugins, entry }: Located,
  read: Reading,
): Opened {
  const { scan, lose } = read;
  const folder = readPlugin(root, scan.files, entry);
  // A plugin inside the project belongs to the project, even if the user enables it.
  const isOfProject = given === "plugin" && isGiven !== true && isInside(root, scan.cwd) && !isInside(root, plugins);
  const level = isOfProject ? "project-plugin" : given;
  const tier = tierOf(level);
  if (off === undefined)
    for (const fault of folder.faults) lose(sourceOf(fault, tier), `plugin ${id}: ${fault.problem}`);
  const plugin: PluginPlace = {
    name: id,
    root,
    ...(plugins !== pluginFolders(scan)[0]?.path && { plugins }),
    options: optionsOf(id, folder.options, read.files, level),
  };
  return { root, tier, level, plugin, hooks: folder.hooks, ...(off !== undefined && { off }) };
}

/** Opens a plugin's folder that the command line names, which also enables it. */
function givenPlugin(root: string, read: Reading): Opened {
  const { scan, lose } = read;
  const folder = readPlugin(root, scan.files);
  const by: Source = { path: root, tier: "user", dialect: "claude" };
  if (folder.hooks.length === 0 && folder.faults.length === 0 && !isThere(scan.files, join(root, "skills"))) {
    const isMarketplace = scan.files.stat(join(root, ".claude-plugin", "marketplace.json")) !== undefined;
    const problem = isMarketplace
      ? "it is a marketplace and no plugin with hooks"
      : `it is no plugin with hooks: it has neither hooks/hooks.json nor "hooks" in ${MANIFEST}`;
    lose(by, problem, isMarketplace ? "Name the folder of one of its plugins." : "Name the folder of a plugin.");
  }
  const [{ path: plugins } = { path: "" }] = pluginFolders(scan);
  return openedOf({ id: `${folder.name}@inline`, level: "plugin", by, isGiven: true }, { root, plugins }, read);
}

/**
 * Returns the values of a plugin's options: those in settings, or else the manifest's defaults. Source:
 * plugins-reference, "User configuration".
 */
function optionsOf(
  id: string,
  declared: Readonly<Record<string, unknown>>,
  files: readonly ReadFile[],
  level: OwnerLevel,
): Readonly<Record<string, string>> {
  const values = new Map<string, string>();
  const take = (key: string, value: unknown): void => {
    const isPlain = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
    if (/^\w+$/.test(key) && isPlain && !String(value).includes("\0")) values.set(key, String(value));
  };
  for (const [key, one] of Object.entries(declared)) if (isFields(one)) take(key, one["default"]);
  // A user's value may be a token. A plugin that only a project enables must not get it.
  for (const { file } of files.filter(({ place }) => isOfProjectLevel(place.level) === isOfProjectLevel(level))) {
    const { pluginConfigs } = file.settings;
    const config = isFields(pluginConfigs) ? pluginConfigs[id] : undefined;
    const options = isFields(config) ? config["options"] : undefined;
    for (const [key, value] of Object.entries(isFields(options) ? options : {})) take(key, value);
  }
  return Object.fromEntries(values);
}

function sourceOf({ path, line = 1 }: PluginFault, tier: OwnerTier): Source {
  return { path, tier, line, dialect: "claude" };
}

function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
