import { dirname, join } from "node:path";
import type { Tier } from "@hookline/ground";
import type { Scan } from "@hookline/runtime/dialect";
import { type HomeFolder, homeFolders, projectAbove } from "@hookline/runtime/engine";
import { resolvePath } from "../../in-process/explicit.ts";

/** The level of a settings file; hooks of all levels run, in this order. */
export type Level = "user" | "project" | "local" | "given" | "managed";

/** The level of a handler: its settings file's, or its plugin's, by who enables it: person, project or administrator. */
export type OwnerLevel = Level | "plugin" | "project-plugin" | "managed-plugin";

/** The owner of a file's hooks: the administrator, the person or the project. */
export type OwnerTier = Extract<Tier, "managed" | "user" | "project">;

/** Levels of files that a person writes. */
export const PERSONAL: readonly Level[] = ["user", "given"];
/** Levels of files that a project brings along. */
export const PROJECT: readonly Level[] = ["project", "local"];

/** Whether hooks of a level are a project's, which reach nothing of the person's. */
export function isOfProject(level: OwnerLevel): boolean {
  return level === "project-plugin" || (PROJECT as readonly OwnerLevel[]).includes(level);
}

/** Returns the owner of a level's hooks. */
export function tierOf(level: OwnerLevel): OwnerTier {
  if (isOfProject(level)) return "project";
  return level === "managed" || level === "managed-plugin" ? "managed" : "user";
}

/** A file of settings that may define hooks and rules. */
export interface SettingsLocation {
  readonly level: Level;
  readonly tier: OwnerTier;
  readonly path: string;
  /** The meaning of a leading `/` in a rule: the project, or the folder of the person's settings. */
  readonly folder: string;
  /** In a folder above the session's: its deny and ask rules count, and nothing else of it. */
  readonly isAbove?: true;
}

/** The folder of Claude Code's managed settings. */
const MANAGED = "claude-code";

/** The command line prefix of a file with Claude Code's settings. */
export const PREFIX = "claude";

/**
 * Where settings are looked for, in the order in which their hooks run: the user's, the project's, the project's local
 * ones, those named on the command line, the managed ones. Source: spec/claude.md 1, C1.
 */
export function placesOf(scan: Scan): SettingsLocation[] {
  const homes = configFolders(scan);
  const project = join(scan.cwd, ".claude");
  const given = givenPaths(scan).filter((path) => !isFolder(path, scan));
  return [
    ...homes.map(
      // A folder in the project belongs to the project, whatever names it (decision 58).
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

/** The folders that hold a person's settings, their plugins and their skills. */
export function configFolders(scan: Scan): HomeFolder[] {
  return homeFolders(scan, "CLAUDE_CONFIG_DIR", join(scan.home, ".claude"));
}

/** The folders of plugins that the command line names. */
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

/** The managed files that only their owner can write; others count as absent and are reported. */
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

/** Whether anybody but its owner can write a managed file, which must then be ignored. */
export function isLoose({ path, level }: SettingsLocation, { files }: Scan): boolean {
  const isOpen = (one: string): boolean => ((files.stat(one)?.mode ?? 0) & 0o022) !== 0;
  return level === "managed" && (isOpen(path) || isOpen(dirname(path)));
}
