import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { type Fields, isFields, parseJson } from "@hookline/ground";
import { realOf } from "../client/place.ts";
import type { At } from "./adapter.ts";

/** How many folders above a program are searched for its `package.json`. */
const MOST_UP = 5;

/**
 * Returns the version of the program `name` on the person's PATH; `undefined` if no file shows it. The version is that
 * of its package, or is in the name of its folder. The program is not run.
 */
export function programVersion(name: string, { env }: Pick<At, "env">): string | undefined {
  for (const folder of (env["PATH"] ?? "").split(delimiter)) {
    const found = join(folder, name);
    if (!existsSync(found)) continue;
    const path = realOf(found);
    // Homebrew and Claude Code install programs in `NAME/VERSION` and `NAME/versions/VERSION`.
    const kept = new RegExp(`/${name}/(?:versions/)?(\\d+\\.\\d+\\.\\d+)(?=/|$)`);
    return packageVersion(path, name) ?? kept.exec(path)?.[1];
  }
  return undefined;
}

function packageVersion(path: string, name: string): string | undefined {
  let folder = dirname(path);
  for (let up = 0; up < MOST_UP; up++, folder = dirname(folder)) {
    const { bin, version, name: own } = manifestIn(folder);
    const has = isFields(bin) ? Object.hasOwn(bin, name) : typeof bin === "string" && String(own).endsWith(name);
    if (has && typeof version === "string") return version;
  }
  return undefined;
}

function manifestIn(folder: string): Fields {
  try {
    const manifest = parseJson(readFileSync(join(folder, "package.json")));
    return isFields(manifest) ? manifest : {};
  } catch {
    return {};
  }
}
