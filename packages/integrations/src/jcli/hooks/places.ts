import { dirname, join } from "node:path";
import type { Tier } from "@hookline/ground";
import type { Scan } from "@hookline/runtime/dialect";
import { type HomeFolder, homeFolders, hooklineFolders } from "@hookline/runtime/engine";

/** A place where hooks may be defined. */
export interface HookLocation {
  /** `file`: a `hooks.yaml`. `folders`: a folder whose subfolders each contain a `HOOK.yaml`. */
  readonly kind: "file" | "folders";
  readonly path: string;
  readonly tier: Tier;
  /** Whether this is one of hookline's own files, which are read more strictly. */
  readonly own: boolean;
  /** The folder that probably contains the scripts of the hooks in this place. */
  readonly root: string;
}

/**
 * Returns the places of hooks in the order in which these run: the user's, then the project's; in each tier j-cli's
 * file, its folders, and hookline's own file. The project is the nearest folder upwards that contains `.jcli`; folders
 * above it are not searched, even if it has no hooks. Source: seed 003; spec/jcli.md 2.1; ruling 51.
 */
export function placesOf(scan: Scan): HookLocation[] {
  const { cwd, home } = scan;
  const project = projectOf(scan);
  const inProject = { tier: "project", root: project ?? cwd } as const;
  const from = ({ tier }: HomeFolder) => (tier === "user" ? { tier, root: home } : inProject);
  const data = homeFolders(scan, "J_DATA_PATH", join(home, ".jdata")).flatMap((folder): HookLocation[] => [
    { kind: "file", path: join(folder.path, "agent", "hooks.yaml"), own: false, ...from(folder) },
    { kind: "folders", path: join(folder.path, "agent", "hooks"), own: false, ...from(folder) },
  ]);
  const own = hooklineFolders(scan).map(
    (folder): HookLocation => ({ kind: "file", path: join(folder.path, "hooks.yaml"), own: true, ...from(folder) }),
  );
  const isUsers = ({ tier }: HookLocation): boolean => tier === "user";
  return [
    ...[...data, ...own].filter(isUsers),
    ...[...data, ...own].filter((place) => !isUsers(place)),
    { kind: "file", path: join(project ?? cwd, ".jcli", "hooks.yaml"), own: false, ...inProject },
    { kind: "folders", path: join(project ?? cwd, ".jcli", "hooks"), own: false, ...inProject },
    { kind: "file", path: join(cwd, ".hookline", "hooks.yaml"), own: true, tier: "project", root: cwd },
  ];
}

function projectOf({ cwd, files }: Scan): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (files.stat(join(folder, ".jcli"))?.kind === "directory") return folder;
    if (dirname(folder) === folder) return undefined;
  }
}
