import { realpathSync } from "node:fs";
import { join, resolve, sep } from "node:path";

/** The places outside of the output cache that file tools may read. */
export interface AllowedPlaces {
  /** Files and folders; a leading `~` means the home folder. */
  readonly paths: readonly string[];
  readonly home: string;
  readonly cwd: string;
  /** Whether permission rules forbid reading a file. */
  isLeftOut?(path: string): boolean;
}

/** Returns the real path of a file that may be read, or throws an error for the model. Source: spec/chibi.md 3. */
export function allowedFile(path: string, places: AllowedPlaces): string {
  const { paths } = places;
  if (paths.length === 0) {
    throw new Error(
      "File path access is not allowed. Use cache_id to access cached tool outputs, or ask for the folder to be added to toolOutputCache.allowedPaths.",
    );
  }
  let real: string;
  try {
    real = realpathSync.native(absolute(path, places));
  } catch (error) {
    throw new Error(`Could not resolve path '${path}': ${(error as Error).message}`, { cause: error });
  }
  if (!paths.some((allowed) => isInside(real, allowed, places))) {
    throw new Error(`Path '${path}' is not under any allowed path. Allowed: ${paths.join(", ")}`);
  }
  if (places.isLeftOut?.(real) === true) throw new Error(`Path '${path}' must not be read: a rule denies it.`);
  return real;
}

function isInside(real: string, allowed: string, places: AllowedPlaces): boolean {
  try {
    const folder = realpathSync.native(absolute(allowed, places));
    return real === folder || real.startsWith(folder.endsWith(sep) ? folder : folder + sep);
  } catch {
    return false;
  }
}

function absolute(path: string, { home, cwd }: AllowedPlaces): string {
  if (path === "~") return home;
  return path.startsWith("~/") ? join(home, path.slice(2)) : resolve(cwd, path);
}
