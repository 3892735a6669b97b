import { dirname, join, resolve } from "node:path";
import type { Tier } from "../../error/diagnostic.ts";
import type { Scan } from "../dialect.ts";

/** A place where hooks may be defined. */
export interface Place {
  /** `file`: a `hooks.yaml`; `folders`: a folder of folders, each with a `HOOK.yaml`. */
  readonly kind: "file" | "folders";
  readonly path: string;
  readonly tier: Tier;
  /** One of hookline's own files, which are read more strictly. */
  readonly own: boolean;
  /** The folder whose files the hooks may be expected to use. */
  readonly root: string;
}

/**
 * Where hooks are looked for, in the order in which they run: the user's, then the project's; in each tier j-cli's file,
 * its folders, and hookline's own file. A project is the nearest folder upwards that has a `.jcli` folder; if that has
 * no hooks, those above it are not asked. Source: seed 003; spec/jcli.md 2.1; decision 51.
 */
export function placesOf(scan: Scan): Place[] {
  const { cwd, home, hooklineHome, env } = scan;
  const given = env["J_DATA_PATH"];
  const data = given === undefined || given === "" ? join(home, ".jdata") : resolve(cwd, given);
  const user = { tier: "user", root: home } as const;
  const project = projectOf(scan);
  const inProject = { tier: "project", root: project ?? cwd } as const;
  return [
    { kind: "file", path: join(data, "agent", "hooks.yaml"), own: false, ...user },
    { kind: "folders", path: join(data, "agent", "hooks"), own: false, ...user },
    { kind: "file", path: join(hooklineHome, "hooks.yaml"), own: true, ...user },
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
