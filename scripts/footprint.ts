import { existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The most that `npm install -g hookline` may install: packages, and megabytes of files. */
export const MOST = { packages: 12, megabytes: 40 } as const;

/** The size of an installation. */
export interface Footprint {
  /** The number of packages, counted by their folders in `node_modules`. */
  readonly packages: number;
  /** The sizes of all files, in millions of bytes. */
  readonly megabytes: number;
}

/** Counts the packages and bytes that an installation has put into a folder. */
export function footprintOf(folder: string): Footprint {
  let [packages, bytes] = [0, 0];
  const look = (at: string, isHolder: boolean): void => {
    for (const name of readdirSync(at)) {
      const path = join(at, name);
      const stat = lstatSync(path);
      bytes += stat.isDirectory() ? 0 : stat.size;
      if (!stat.isDirectory()) continue;
      const isScope = isHolder && name.startsWith("@");
      if (isHolder && !isScope && existsSync(join(path, "package.json"))) packages += 1;
      look(path, name === "node_modules" || isScope);
    }
  };
  look(folder, false);
  return { packages, megabytes: bytes / 1e6 };
}

/** Describes the footprint, and says whether it is within the promised limits. */
export function judged({ packages, megabytes }: Footprint): { readonly says: string; readonly holds: boolean } {
  const says = `${packages} packages (at most ${MOST.packages}), ${megabytes.toFixed(1)} MB (under ${MOST.megabytes})`;
  return { says, holds: packages > 0 && packages <= MOST.packages && megabytes < MOST.megabytes };
}
