import { join } from "node:path";
import type { Tier } from "@hookline/ground";
import type { Candidate, Diagnostic, Found, Scan } from "@hookline/runtime/dialect";
import { type CandidateState, globFiles, hooklineFolders, isGlob } from "@hookline/runtime/engine";
import { directoryEntries, eachOnce, isEnabled, isOverride, packageEntries } from "../../in-process/directory.ts";
import { explicitModules, folderModules, type GivenModules, resolvePath } from "../../in-process/explicit.ts";
import { moduleFiles } from "../../in-process/module-text.ts";
import { ownPackageAt, ownPackageLists, type PackageAt } from "../../in-process/own-packages.ts";
import { agentDir, agentDirs, CONFIG_DIR_NAME } from "./modules.ts";
import { packageAt, packageModules, packageRoot } from "./packages.ts";
import { type PackageEntry, type PiSettings, readSettings } from "./settings.ts";

/** The modules found in one place, in order. */
interface ModuleGroup {
  readonly tier: Tier;
  readonly modules: readonly Module[];
  readonly searched: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

interface Module {
  readonly path: string;
  readonly state?: CandidateState;
  readonly reason?: string;
  readonly onlyHere?: true;
}

/** The folders of pi and of hookline in one tier, and pi's settings there. */
interface Home {
  readonly tier: Tier;
  readonly pi: string;
  readonly hookline: string;
  readonly settings: PiSettings;
}

/**
 * Finds pi's extensions without running any: those in the project's own folders, the user's, those that the settings
 * name, and those named on the command line, in this order. If a setting says so, the order is that of pi's command
 * line (ruling 8). A file that is found twice runs once, as `eachOnce` decides.
 */
export function discover(scan: Scan): Found {
  const [own, stray] = agentDirs(scan);
  const [, strayHookline] = hooklineFolders(scan);
  const project = homeOf(scan, "project", join(scan.cwd, CONFIG_DIR_NAME), join(scan.cwd, ".hookline"));
  const user = homeOf(scan, "user", own?.path ?? agentDir(scan), scan.hooklineHome);
  // If an environment variable names a folder by a relative path, the folder belongs to the project.
  const strays =
    stray === undefined && strayHookline === undefined
      ? []
      : [homeOf(scan, "project", stray?.path ?? project.pi, strayHookline?.path ?? project.hookline)];
  const explicit = given(explicitModules(scan, "pi"), "user");
  const places =
    scan.settings.extensionOrder === "cli"
      ? [
          explicit,
          ...[project, ...strays, user].flatMap((home) => [named(scan, home), ...folders(scan, home)]),
          ...packages(scan, [project, ...strays, user]),
          ...ownPackages(scan),
        ]
      : [
          ...[project, ...strays].flatMap((home) => folders(scan, home)),
          ...folders(scan, user),
          ...[project, ...strays].map((home) => named(scan, home)),
          named(scan, user),
          ...packages(scan, [project, ...strays, user]),
          ...ownPackages(scan),
          explicit,
        ];
  const modules = places.flatMap(({ tier, modules }) => modules.map((module) => ({ ...module, tier })));
  return {
    searched: [...new Set(places.flatMap((place) => place.searched))],
    candidates: [
      ...settingsFaults([project, ...strays, user]),
      ...eachOnce(scan.files, modules).map((module) => candidate(scan, module, module.tier)),
    ],
    diagnostics: places.flatMap((place) => place.diagnostics),
  };
}

/** Reports unreadable settings files as broken hooks, since the hooks that they name are lost (ruling 59). */
function settingsFaults(homes: readonly Home[]): Candidate[] {
  return homes.flatMap(({ tier, settings: { path, unreadable } }) =>
    unreadable === undefined
      ? []
      : [
          {
            lane: "pi",
            source: { path, tier, dialect: "pi" },
            state: "broken" as const,
            reason: unreadable,
            files: [],
            definition: undefined,
          },
        ],
  );
}

function homeOf(scan: Scan, tier: Tier, pi: string, hookline: string): Home {
  return { tier, pi, hookline, settings: readSettings(scan.files, pi) };
}

function candidate(scan: Scan, { path, state = "runs", reason, onlyHere }: Module, tier: Tier): Candidate {
  return {
    lane: "pi",
    source: { path, tier, dialect: "pi", api: "extension" },
    state,
    ...(reason !== undefined && { reason }),
    ...(onlyHere && { onlyHere }),
    files: state === "broken" ? [] : moduleFiles(scan, path),
    onFailure: "tool_call refuses, user_bash does not run, everything else goes on",
    definition: undefined,
  };
}

/** Finds the modules in a tier's extension folders: pi's, and hookline's as far as the modules are written for pi. */
function folders(scan: Scan, { tier, pi, hookline, settings }: Home): ModuleGroup[] {
  const directory = join(pi, "extensions");
  const { paths, diagnostics } = directoryEntries(scan.files, directory, ["pi"]);
  const modules = paths.map((path) => switched(path, settings, pi));
  return [
    { tier, modules, searched: [directory], diagnostics },
    given(folderModules(scan, join(hookline, "extensions"), "pi"), tier),
  ];
}

function given({ modules, searched, diagnostics }: GivenModules, tier: Tier): ModuleGroup {
  return {
    tier,
    modules: modules.map(({ path, why, broken }) => ({
      path,
      onlyHere: true,
      ...(broken === undefined ? { reason: why } : { state: "broken", reason: broken }),
    })),
    searched,
    diagnostics,
  };
}

/** Returns the modules in a tier's `extensions` setting. Paths and patterns start at the settings' folder. */
function named(scan: Scan, { tier, pi, settings }: Home): ModuleGroup {
  const { files, home } = scan;
  const modules = settings.extensions
    .filter((entry) => !isOverride(entry))
    .flatMap((entry): readonly Module[] => {
      if (isGlob(entry)) return globFiles(files, pi, entry).map((path) => switched(path, settings, pi));
      const path = resolvePath(entry, pi, home);
      const kind = files.stat(path)?.kind;
      if (kind === undefined)
        return [{ path, state: "broken", reason: `there is no such file; ${settings.path} names it` }];
      const paths =
        kind === "directory"
          ? (packageEntries(files, path, ["pi"]) ?? directoryEntries(files, path, ["pi"])).paths
          : [path];
      return paths.map((found) => switched(found, settings, pi));
    });
  return { tier, modules, searched: [settings.path], diagnostics: settings.diagnostics };
}

/** Marks a module as disabled if an entry of the tier's settings excludes it. */
function switched(path: string, settings: PiSettings, base: string): Module {
  if (isEnabled(path, settings.extensions, base)) return { path };
  return { path, state: "disabled", reason: `${settings.path} switches it off` };
}

/** Finds the modules of the packages in pi's settings. */
function packages(scan: Scan, homes: readonly Home[]): ModuleGroup[] {
  return homes.map(({ tier, pi, settings }) =>
    placeOf(scan, tier, settings.path, settings.packages, ({ source }) => {
      const installed = packageRoot(source, pi, scan.home);
      return packageAt(scan, source, installed);
    }),
  );
}

/** Finds the modules for pi in the packages of hookline's own lists. */
function ownPackages(scan: Scan): ModuleGroup[] {
  return ownPackageLists(scan).map((list) => {
    const entries = list.sources.map((source) => ({ source }));
    return placeOf(scan, list.tier, list.path, entries, ({ source }) => ownPackageAt(scan, list, source));
  });
}

function placeOf(
  scan: Scan,
  tier: Tier,
  path: string,
  entries: readonly PackageEntry[],
  at: (entry: PackageEntry) => PackageAt,
): ModuleGroup {
  const searched: string[] = [];
  const modules: Module[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const entry of entries) {
    const found = at(entry);
    searched.push("root" in found ? found.root : found.folder);
    if ("problem" in found) {
      // A project's package is fetched only after the user approves the list, so a missing one is no broken hook.
      if (tier === "project") diagnostics.push(found.problem);
      else modules.push({ path: found.folder, state: "broken", reason: found.reason });
      continue;
    }
    const { root } = found;
    const kind = scan.files.stat(root)?.kind;
    if (kind === "file") modules.push({ path: root });
    else if (kind !== undefined) modules.push(...packageModules(scan.files, root, entry).map((path) => ({ path })));
    else modules.push({ path: root, state: "broken", reason: `there is no such folder; ${path} names it` });
  }
  return { tier, modules, searched, diagnostics };
}
