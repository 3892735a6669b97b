import { basename, dirname, extname, join } from "node:path";
import type { Tier } from "@hookline/ground";
import type { Candidate, Diagnostic, Found, Scan } from "@hookline/runtime/dialect";
import { type CandidateState, hooklineFolders } from "@hookline/runtime/engine";
import { directoryEntries, eachOnce, packageEntries } from "../../in-process/directory.ts";
import { explicitModules, folderModules, type GivenModules, resolvePath } from "../../in-process/explicit.ts";
import { moduleFiles } from "../../in-process/module-text.ts";
import { fetchedRoot, isPackageSource } from "../../in-process/package-source.ts";
import { agentDir, discoverHooks } from "./capability.ts";
import { type OmpSettings, readSettings } from "./settings.ts";

/** The one of omp's two interfaces that a module is written for (ruling 17). */
export type Api = "hook" | "extension";

/** The definition that is stored with a candidate and needed to load it. */
export interface Definition {
  readonly api: Api;
}

interface Module {
  readonly path: string;
  readonly tier: Tier;
  readonly state?: CandidateState;
  readonly reason?: string;
  readonly onlyHere?: true;
  /** The path of the identical copy that runs instead. */
  readonly twin?: string;
}

interface ModuleGroup {
  readonly modules: readonly Module[];
  readonly searched: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Finds omp's hooks and extensions without running any. Extensions are in the project's folders, the user's, on the
 * command line and in the settings; hooks are in the folders of all providers. A file that is found twice runs once, as
 * `eachOnce` decides.
 *
 * Source: spec/omp.md 3; rulings 3, 17, 24, 51.
 */
export async function discover(scan: Scan): Promise<Found> {
  const settings = await readSettings(scan);
  const hooks = discoverHooks(scan, settings.disabled);
  const explicit = given(explicitModules(scan, "omp"), "user");
  const [, stray] = hooklineFolders(scan);
  const places = [
    ...folders(scan, "project", join(scan.cwd, ".omp"), join(scan.cwd, ".hookline")),
    ...(stray === undefined ? [] : [given(folderModules(scan, join(stray.path, "extensions"), "omp"), "project")]),
    ...folders(scan, "user", agentDir(scan.home), scan.hooklineHome),
    explicit,
    named(scan, settings),
  ];
  const realOf = (path: string): string => scan.files.real(path) ?? path;
  const wanted = new Set(explicit.modules.map(({ path }) => realOf(path)));
  const tierOf = ({ path, tier }: Module): Tier => (wanted.has(realOf(path)) ? "user" : tier);
  const modules = [
    ...hooks.items.map((item) => ({ ...item, tier: tierOf(item), make: hookCandidate })),
    ...places
      .flatMap((place) => place.modules)
      .map((module) => ({ ...switched(module, settings), tier: tierOf(module), make: extensionCandidate })),
  ];
  const candidates = eachOnce(scan.files, modules).map(({ make, ...module }) =>
    make(module, (module.state ?? "runs") === "runs" ? moduleFiles(scan, module.path) : []),
  );
  return {
    searched: [...new Set([hooks, ...places, settings].flatMap(({ searched }) => searched))],
    candidates,
    diagnostics: [hooks, ...places, settings].flatMap(({ diagnostics }) => diagnostics),
  };
}

/** Makes the candidate of a file that is loaded as a hook. */
export function hookCandidate(module: Module, files: readonly string[]): Candidate {
  return candidate("omp-hooks", "hook", module, files, {
    onFailure: "tool_call refuses, everything else goes on; there is no time limit",
  });
}

function extensionCandidate(module: Module, files: readonly string[]): Candidate {
  return candidate("omp", "extension", module, files, {
    onFailure: "tool_call refuses, everything else goes on",
  });
}

function candidate(
  lane: string,
  api: Api,
  { path, tier, state = "runs", reason, twin, onlyHere }: Module,
  files: readonly string[],
  more: Partial<Candidate>,
): Candidate {
  const definition: Definition = { api };
  return {
    lane,
    source: { path, tier, dialect: "omp", api },
    state,
    ...(reason !== undefined && { reason }),
    ...(twin !== undefined && { twin }),
    ...(onlyHere && { onlyHere }),
    files,
    ...more,
    definition,
  };
}

/** Finds the modules in a tier's extension folders: omp's, and hookline's as far as the modules are written for omp. */
function folders(scan: Scan, tier: Tier, omp: string, hookline: string): ModuleGroup[] {
  const directory = join(omp, "extensions");
  const { paths, diagnostics } = directoryEntries(scan.files, directory, ["omp", "pi"]);
  return [
    { modules: paths.map((path) => ({ path, tier })), searched: [directory], diagnostics },
    given(folderModules(scan, join(hookline, "extensions"), "omp"), tier),
  ];
}

function given({ modules, searched, diagnostics }: GivenModules, tier: Tier): ModuleGroup {
  return {
    modules: modules.map(({ path, why, broken }) => ({
      path,
      tier,
      onlyHere: true,
      ...(broken === undefined ? { reason: why } : { state: "broken", reason: broken }),
    })),
    searched,
    diagnostics,
  };
}

/** Returns the modules that omp's settings list as `extensions`: files and folders, relative to the working folder. */
function named(scan: Scan, { extensions }: OmpSettings): ModuleGroup {
  const modules: Module[] = [];
  const searched: string[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const { entry, tier, path: settings } of extensions) {
    const fetched = isPackageSource(entry) ? fetchedRoot(scan, entry) : undefined;
    if (fetched !== undefined && "problem" in fetched) {
      if (tier === "project") diagnostics.push(fetched.problem);
      else modules.push({ path: fetched.folder, tier, state: "broken", reason: fetched.reason });
      continue;
    }
    const path = fetched?.root ?? resolvePath(entry, scan.cwd, scan.home);
    searched.push(path);
    const kind = scan.files.stat(path)?.kind;
    if (kind === undefined) {
      modules.push({ path, tier, state: "broken", reason: `there is no such file; ${settings} names it` });
    } else if (kind === "directory") {
      const found =
        packageEntries(scan.files, path, ["omp", "pi"]) ?? directoryEntries(scan.files, path, ["omp", "pi"]);
      modules.push(...found.paths.map((one) => ({ path: one, tier })));
      diagnostics.push(...found.diagnostics);
    } else modules.push({ path, tier });
  }
  return { modules, searched, diagnostics };
}

/**
 * Marks an extension as disabled if `disabledExtensions` contains its id. The id is the file's name, or for an index
 * file the folder's.
 */
function switched(module: Module, { disabled }: OmpSettings): Module {
  const stem = basename(module.path, extname(module.path));
  const id = `extension-module:${stem === "index" ? basename(dirname(module.path)) : stem}`;
  const off = module.state === undefined ? disabled.by(id, module.tier) : undefined;
  return off === undefined ? module : { ...module, state: "disabled", reason: `${off} lists ${id}` };
}
