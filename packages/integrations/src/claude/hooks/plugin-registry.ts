import { isAbsolute, join, resolve } from "node:path";
import { isFields } from "@hookline/ground";
import type { Scan } from "@hookline/runtime/dialect";
import { type HomeFolder, homeFolders } from "@hookline/runtime/engine";
import type { PluginPlace } from "./definition.ts";
import { configFolders, type OwnerTier } from "./places.ts";
import { isThere, type MarketplaceEntry, type PluginFault, readObject } from "./plugin-folder.ts";

/** The location of a plugin. */
export interface Located {
  readonly root: string;
  /** The plugins folder in which the plugin was found, and which holds the plugin's data. */
  readonly plugins: string;
  readonly entry?: MarketplaceEntry;
}

/** The registry files in one plugins folder. */
interface Registry {
  readonly folder: HomeFolder;
  readonly installed: Readonly<Record<string, unknown>>;
  /** The folders of known marketplaces, by name. */
  readonly marketplaces: ReadonlyMap<string, string>;
}

/** Returns the folders that hold plugins, in order. Source: code.claude.com/docs/en/env-vars. */
export function pluginFolders(scan: Scan): HomeFolder[] {
  return configFolders(scan).flatMap(({ path, tier }) =>
    homeFolders(scan, "CLAUDE_CODE_PLUGIN_CACHE_DIR", join(path, "plugins")).map(
      (one): HomeFolder => ({
        path: one.path,
        tier: tier === "project" ? tier : one.tier,
      }),
    ),
  );
}

/** Returns the folder in which a plugin may keep data that outlives its updates. */
export function dataFolder({ name, plugins = "" }: PluginPlace, scan: Scan): string {
  const [usual] = pluginFolders(scan);
  return join(plugins || (usual?.path ?? ""), "data", name.replaceAll(/[^\w-]/g, "-"));
}

/**
 * Finds plugins by Claude Code's own files: the list of installed plugins, the cache, and the folders of marketplaces.
 *
 * Source: code.claude.com/docs/en/plugins-reference, "Plugin caching and file resolution"; plugin-marketplaces.
 */
export class PluginRegistry {
  readonly faults: PluginFault[] = [];
  readonly searched: string[] = [];
  readonly #scan: Scan;
  readonly #registries: readonly Registry[];

  constructor(scan: Scan) {
    this.#scan = scan;
    this.#registries = pluginFolders(scan).map((folder) => this.#read(folder));
  }

  /** Returns the full names of all plugins that are installed for this project or for all projects. */
  installed(): string[] {
    return this.#registries.flatMap(({ installed }) =>
      Object.keys(installed).filter((id) => this.#installation(installed[id]) !== undefined),
    );
  }

  /**
   * Finds a plugin's folder, or says why it cannot. `extra` are marketplace folders named in settings. For a user's
   * plugin, the plugins folders of a project are ignored.
   */
  locate(id: string, extra: ReadonlyMap<string, string>, tier: OwnerTier): Located | { readonly problem: string } {
    const { files } = this.#scan;
    const at = id.lastIndexOf("@");
    const [name, marketplace] = [id.slice(0, at), id.slice(at + 1)];
    const registries = this.#registries.filter(({ folder }) => tier === "project" || folder.tier === "user");
    const tried: string[] = [];
    for (const { folder, installed, marketplaces } of registries) {
      const plugins = folder.path;
      const base = marketplaces.get(marketplace) ?? join(plugins, "marketplaces", marketplace);
      const entry = this.#entry(base, name);
      const found = this.#installation(installed[id]);
      const roots = [
        ...(found === undefined ? [] : [resolve(plugins, found.installPath)]),
        ...(found?.version === undefined ? [] : [join(plugins, "cache", marketplace, name, found.version)]),
        ...(entry?.root === undefined ? [] : [entry.root]),
        ...(found === undefined ? this.#cached(join(plugins, "cache", marketplace, name)) : []),
      ];
      tried.push(...roots);
      const root = roots.find((path) => files.stat(path)?.kind === "directory");
      if (root !== undefined) return { root, plugins, ...(entry !== undefined && { entry: entry.said }) };
    }
    const own = extra.get(marketplace);
    const entry = own === undefined ? undefined : this.#entry(own, name);
    const plugins = this.#registries[0]?.folder.path ?? "";
    if (entry?.root !== undefined && files.stat(entry.root)?.kind === "directory")
      return { root: entry.root, plugins, entry: entry.said };
    if (entry?.root !== undefined) tried.push(entry.root);
    const installed = join(plugins, "installed_plugins.json");
    return {
      problem:
        tried.length > 0
          ? `${tried[0]} is not there`
          : `neither ${installed} nor a folder of the marketplace "${marketplace}" has it`,
    };
  }

  #read(folder: HomeFolder): Registry {
    const file = join(folder.path, "installed_plugins.json");
    const installed = this.#object(file)["plugins"];
    const known = this.#object(join(folder.path, "known_marketplaces.json"));
    const marketplaces = Object.entries(known).flatMap(([name, one]): [string, string][] => {
      const place = isFields(one) ? one["installLocation"] : undefined;
      return typeof place === "string" && place !== "" ? [[name, resolve(folder.path, place)]] : [];
    });
    return { folder, installed: isFields(installed) ? installed : {}, marketplaces: new Map(marketplaces) };
  }

  #object(path: string): Readonly<Record<string, unknown>> {
    this.searched.push(path);
    if (!isThere(this.#scan.files, path)) return {};
    const read = readObject(this.#scan.files, path);
    if ("value" in read) return read.value;
    this.faults.push({ path, problem: read.problem });
    return {};
  }

  /** Returns the installation record that counts here: one for this project, or else one for all projects. */
  #installation(given: unknown): { readonly installPath: string; readonly version?: string } | undefined {
    const { cwd, files } = this.#scan;
    const here = files.real(cwd) ?? cwd;
    const records = (Array.isArray(given) ? given : [given]).filter(isFields).flatMap((one) => {
      const { installPath, version, projectPath } = one;
      if (typeof installPath !== "string" || installPath === "") return [];
      const isElsewhere = typeof projectPath === "string" && (files.real(projectPath) ?? projectPath) !== here;
      if (isElsewhere) return [];
      const isVersion = typeof version === "string" && /^[\w.+-]+$/.test(version) && !version.startsWith(".");
      return [{ installPath, isOwn: projectPath !== undefined, ...(isVersion && { version }) }];
    });
    return records.find(({ isOwn }) => isOwn) ?? records[0];
  }

  /**
   * Returns the folder of the only cached version of a plugin; nothing if there are several, since it is unknown which
   * one is meant.
   */
  #cached(folder: string): string[] {
    const versions = (this.#scan.files.list(folder) ?? []).filter(({ kind }) => kind === "directory");
    return versions.length === 1 ? [join(folder, versions[0]?.name ?? "")] : [];
  }

  /** Returns a plugin's entry in a marketplace, and its folder if the marketplace's own folder contains it. */
  #entry(folder: string, name: string): { readonly root?: string; readonly said: MarketplaceEntry } | undefined {
    const { files } = this.#scan;
    const isFile = files.stat(folder)?.kind === "file";
    const path = isFile ? folder : join(folder, ".claude-plugin", "marketplace.json");
    if (!isThere(files, path)) return undefined;
    const read = readObject(files, path);
    if ("problem" in read) {
      if (!this.faults.some((fault) => fault.path === path)) this.faults.push({ path, problem: read.problem });
      return undefined;
    }
    const { plugins, metadata } = read.value;
    const one = (Array.isArray(plugins) ? plugins : []).find((each) => isFields(each) && each["name"] === name);
    if (!isFields(one)) return undefined;
    const said = {
      path,
      isStrict: one["strict"] !== false,
      ...(one["hooks"] !== undefined && { hooks: one["hooks"] }),
    };
    const { source } = one;
    if (typeof source !== "string" || isAbsolute(source)) return { said };
    const base = isFields(metadata) && typeof metadata["pluginRoot"] === "string" ? metadata["pluginRoot"] : ".";
    const top = isFile ? resolve(path, "..", "..") : folder;
    return { said, root: source.startsWith("./") ? resolve(top, source) : resolve(top, base, source) };
  }
}
