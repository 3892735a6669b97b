import { lstatSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import type { ManagedPlace } from "../io/io.ts";

/** Where an administrator keeps settings for all users of a machine. No variable can move it (decision 54). */
export const MANAGED_SETTINGS: ManagedPlace = { path: "/etc/hookline/settings.json", uid: 0 };

/** Why a file cannot be trusted as the administrator's; undefined if only the owner can have written it. */
export function managedFault({ path, uid }: ManagedPlace): string | undefined {
  for (const one of [path, dirname(path)]) {
    const stat = lstatSync(one, { throwIfNoEntry: false });
    const problem = stat === undefined ? "it is not there" : faultOf(stat, uid);
    if (problem !== undefined) return one === path ? problem : `its folder ${one}: ${problem}`;
  }
  return undefined;
}

function faultOf(stat: Stats, uid: number): string | undefined {
  if (stat.isSymbolicLink()) return "it is a link";
  if (stat.uid !== uid) return `user ${stat.uid} owns it, not user ${uid}`;
  if ((stat.mode & 0o022) !== 0) return "others than its owner may write it";
  return undefined;
}
