import { basename, dirname, relative } from "node:path";
import type { Files } from "@hookline/ground";
import { globMatch } from "../dialect/glob.ts";
import { isInside } from "../dialect/project.ts";
import type { SteadyFiles } from "./steady.ts";

const KEY =
  /^(?:\.env.*|\.netrc|\.npmrc|\.pypirc|\.pgpass|id_(?:rsa|dsa|ecdsa|ed25519).*|credentials(?:\.\w+)?|.*\.(?:pem|key|p12|pfx|keystore|jks|kdbx|gpg|asc))$/i;

/** Returns whether the text of a file must never be shown or kept: environment files, keys, and what git ignores. */
export function isSecret(path: string, root: string, files: SteadyFiles): boolean {
  return KEY.test(basename(path)) || isIgnored(path, root, files);
}

/** Returns whether tools may write a file unasked although hooks use it, such as `.env` or a lock file. */
export function isOwnBusiness(path: string): boolean {
  return /^(?:\.env.*|.*\.lock|.*-lock\.\w+|.*\.lockb|npm-shrinkwrap\.json|go\.sum)$/i.test(basename(path));
}

/** Returns whether git ignores a project's file. In `.gitignore` and `.git/info/exclude` the nearest rule decides. */
export function isIgnored(path: string, root: string, files: SteadyFiles): boolean {
  if (!isInside(path, root) || path === root) return false;
  return files.once(`ignored ${root}\0${path}`, () => isSaidIgnored(path, root, files));
}

function isSaidIgnored(path: string, root: string, files: SteadyFiles): boolean {
  const parent = dirname(path);
  // Everything in an ignored folder is ignored, even if a pattern includes it again.
  if (parent !== root && isIgnored(parent, root, files)) return true;
  for (let at = parent; ; at = dirname(at)) {
    const says = verdictOf(`${at}/.gitignore`, at, path, files);
    if (says !== undefined) return says;
    if (at === root || dirname(at) === at) break;
  }
  return verdictOf(`${root}/.git/info/exclude`, root, path, files) ?? false;
}

function verdictOf(rules: string, folder: string, path: string, files: Files): boolean | undefined {
  const bytes = files.read(rules);
  if (bytes === undefined) return undefined;
  const lines = new TextDecoder().decode(bytes).split(/\r?\n/).reverse();
  for (const line of lines) {
    const [, not = "", given = ""] = /^(!?)(.*?)\s*$/.exec(line) ?? [];
    if (given === "" || given.startsWith("#")) continue;
    const isFolderOnly = given.endsWith("/");
    const pattern = given.replace(/^\//, "").replace(/\/$/, "");
    const below = relative(folder, path);
    const isAnchored = given.replace(/\/$/, "").includes("/");
    const isMatch = isAnchored ? globMatch(pattern, below) : globMatch(pattern, basename(path));
    if (isMatch && (!isFolderOnly || files.stat(path)?.kind === "directory")) return not === "";
  }
  return undefined;
}
