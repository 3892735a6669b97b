import * as v from "valibot";
import { NAME } from "../name/subjects.ts";
import { Refused } from "./refused.ts";

/** Returns the schema of a name of a fleet, channel, machine or writer. */
export const nameSchema = () => v.pipe(v.string(), v.regex(NAME));

/** Largest file of a bundle, in bytes. */
export const MOST_FILE_BYTES = 512 * 1024;
/** Largest bundle, in bytes. */
export const MOST_BUNDLE_BYTES = 16 * 1024 * 1024;
const MOST_FILES = 1000;
const MOST_PATH = 200;

const SEGMENT = /^[A-Za-z0-9._@+-]{1,100}$/;
/** Windows reserves these names for devices, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;

/** A file's name and size in a bundle. */
export interface NamedFile {
  readonly path: string;
  readonly bytes: number;
}

/**
 * Throws `Refused` for files that could not be written side by side below one folder on every system, or that are too
 * large. It must be called before the first byte is written.
 */
export function requireFiles(files: readonly NamedFile[], what: string): void {
  if (files.length > MOST_FILES)
    throw new Refused("size", `${what}: it has ${files.length} files; at most ${MOST_FILES} are allowed`);
  let total = 0;
  const names = new Map<string, string>();
  for (const { path, bytes } of files) {
    const problem = pathProblem(path);
    if (problem !== undefined) throw new Refused("path", `${what}: ${JSON.stringify(path)} ${problem}`);
    if (bytes > MOST_FILE_BYTES)
      throw new Refused("size", `${what}: ${path} has ${bytes} bytes; at most 512 KiB are allowed`);
    total += bytes;
    if (total > MOST_BUNDLE_BYTES) throw new Refused("size", `${what}: its files have more than 16 MiB`);
    requireApart(path, names, what);
  }
}

/** Returns why a bundle may not contain a path, in words; `undefined` if it may. */
export function pathProblem(path: string): string | undefined {
  if (path.length > MOST_PATH) return `is longer than ${MOST_PATH} characters`;
  for (const segment of path.split("/")) {
    if (segment === "" || segment === "." || segment === "..") return "is not a plain relative path";
    if (!SEGMENT.test(segment)) return "has a character that is not a letter of ASCII, a digit or one of . _ @ + -";
    if (segment.endsWith(".")) return "has a name that ends in a dot";
    if (DEVICE.test(segment)) return "has a name that Windows reserves for a device";
  }
  return undefined;
}

/** Throws if some system takes two paths for the same: they differ only in case, or one is a file, one a folder. */
function requireApart(path: string, names: Map<string, string>, what: string): void {
  const segments = path.split("/");
  for (let depth = 1; depth <= segments.length; depth++) {
    const isFile = depth === segments.length;
    const spelt = `${segments.slice(0, depth).join("/")}${isFile ? "" : "/"}`;
    const key = segments.slice(0, depth).join("/").toLowerCase();
    const other = names.get(key);
    if (other === undefined) names.set(key, spelt);
    else if (other !== spelt || isFile)
      throw new Refused(
        "path",
        `${what}: ${JSON.stringify(spelt)} and ${JSON.stringify(other)} are the same name on some systems`,
      );
  }
}
