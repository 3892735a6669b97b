import { dirname, join } from "node:path";
import type { Tier } from "@hookline/ground";
import type { Scan } from "@hookline/runtime/dialect";
import { type HomeFolder, homeFolders, projectAbove } from "@hookline/runtime/engine";
import { resolvePath } from "../../in-process/explicit.ts";

/** The level of a settings file. Hooks of all levels run, in this order. */
export type Level = "user" | "project" | "local" | "given" | "managed";

/**
 * The level of a handler: that of its settings file, or for a plugin, whether the user, project or administrator
 * enables it.
 */
export type OwnerLevel = Level | "plugin" | "project-plugin" | "managed-plugin";

/** The owner of a file's hooks: the administrator, the user or the project. */
export type OwnerTier = Extract<Tier, "managed" | "user" | "project">;

/** Levels of files that the user writes. */
export const PERSONAL: readonly Level[] = ["user", "given"];
/** Levels of files that come with a project. */
export const PROJECT: readonly Level[] = ["project", "local"];

/** Whether hooks of a level belong to a project, and so must not affect anything of the user's. */
export function isOfProject(level: OwnerLevel): boolean {
  return level === "project-plugin" || (PROJECT as readonly OwnerLevel[]).includes(level);
}

/** Returns the owner of a level's hooks. */
export function tierOf(level: OwnerLevel): OwnerTier {
  if (isOfProject(level)) return "project";
  return level === "managed" || level === "managed-plugin" ? "managed" : "user";
}

/** A settings file that may define hooks and rules. */
export interface SettingsLocation {
  readonly level: Level;
  readonly tier: OwnerTier;
  readonly path: string;
  /** The folder that a leading `/` in a rule means: the project's, or that of the user's settings. */
  readonly folder: string;
  /** The file is in a parent folder of the session's. Only its deny and ask rules count. */
  readonly isAbove?: true;
}

/** The folder of Claude Code's managed settings, below `/etc`. */
const MANAGED = "claude-code";

/** The prefix on the command line for a settings file or plugin of Claude Code, as in `claude:PATH`. */
export const PREFIX = "claude";

/**
 * Returns the places of settings files, in the order in which their hooks run: the user's, the project's, the project's
 * local ones, those named on the command line, the managed ones. Source: spec/claude.md 1, C1.
 */
export function placesOf(scan: Scan): SettingsLocation[] {
  const homes = configFolders(scan);
  const project = join(scan.cwd, ".claude");
  const given = givenPaths(scan).filter((path) => !isFolder(path, scan));
  return [
    ...homes.map(
      // A folder inside the project belongs to the project, even if the user's environment names it (ruling 58).
      ({ path, tier }): SettingsLocation => ({ level: tier, tier, path: join(path, "settings.json"), folder: path }),
    ),
    { level: "project", tier: "project", path: join(project, "settings.json"), folder: scan.cwd },
    { level: "local", tier: "project", path: join(project, "settings.local.json"), folder: scan.cwd },
    ...projectAbove(scan).flatMap((folder) =>
      (["project", "local"] as const).map(
        (level): SettingsLocation => ({
          level,
          tier: "project",
          path: join(folder, ".claude", level === "local" ? "settings.local.json" : "settings.json"),
          folder,
          isAbove: true,
        }),
      ),
    ),
    ...given.map((path): SettingsLocation => ({ level: "given", tier: "user", path, folder: dirname(path) })),
    ...managedPlaces(scan),
  ];
}

/** The folders that hold the user's settings, plugins and skills. */
export function configFolders(scan: Scan): HomeFolder[] {
  return homeFolders(scan, "CLAUDE_CONFIG_DIR", join(scan.home, ".claude"));
}

/** Returns the plugin folders that the command line names. */
export function givenFolders(scan: Scan): string[] {
  return givenPaths(scan).filter((path) => isFolder(path, scan));
}

function givenPaths({ explicit, cwd, home }: Scan): string[] {
  return explicit
    .filter((written) => written.startsWith(`${PREFIX}:`))
    .map((written) => resolvePath(written.slice(PREFIX.length + 1), cwd, home));
}

function isFolder(path: string, { files }: Scan): boolean {
  return files.stat(path)?.kind === "directory";
}

/** Returns the places of managed settings files. */
function managedPlaces({ etc = "/etc", files }: Scan): SettingsLocation[] {
  const folder = join(etc, MANAGED);
  const drops = join(folder, "managed-settings.d");
  const names = (files.list(drops) ?? []).map(({ name }) => name).filter((name) => name.endsWith(".json"));
  return [join(folder, "managed-settings.json"), ...names.map((name) => join(drops, name))].map((path) => ({
    level: "managed",
    tier: "managed",
    path,
    folder,
  }));
}

/** Whether anybody except its owner can write a managed file, which must then be ignored. */
export function isLoose({ path, level }: SettingsLocation, { files }: Scan): boolean {
  const isOpen = (one: string): boolean => ((files.stat(one)?.mode ?? 0) & 0o022) !== 0;
  return level === "managed" && (isOpen(path) || isOpen(dirname(path)));
}
