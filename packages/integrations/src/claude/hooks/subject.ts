import { isAbsolute, join, resolve } from "node:path";
import { foldersOf, touchedBy } from "@hookline/runtime/engine";
import { pathPattern } from "./gitignore.ts";
import { type KnownTool, knownTool } from "./names.ts";
import type { RuleCall, RuleWorld } from "./rule.ts";

/** Whether patterns of rules about this tool are paths. */
export function hasFiles({ pattern }: KnownTool): boolean {
  return pattern === "reads" || pattern === "writes";
}

/** Returns the paths that a file tool's call reads, writes or searches; `undefined` if they are unknown. */
export function searchedBy({ tool_name, tool_input }: RuleCall, { cwd }: RuleWorld): readonly string[] | undefined {
  const path = tool_input[knownTool(tool_name)?.field ?? ""];
  if (!/^(?:Grep|Glob|LS)$/.test(tool_name)) return typeof path === "string" && path !== "" ? [path] : undefined;
  if (path !== undefined && path !== null && typeof path !== "string") return undefined;
  const folder = path || cwd;
  const pattern = tool_input[tool_name === "Glob" ? "pattern" : "glob"];
  if (typeof pattern !== "string") return [folder];
  const plain = plainStart(pattern);
  return plain === "" ? [folder] : [folder, isAbsolute(plain) ? plain : join(folder, plain)];
}

/** Returns the folders at the start of a glob pattern, up to its first wildcard. */
function plainStart(pattern: string): string {
  const at = pattern.search(/[*?[{!]/);
  return at < 0 ? pattern : pattern.slice(0, pattern.lastIndexOf("/", at) + 1);
}

/**
 * Returns the files that the known programs in a shell command read, or write. `undefined` if the command cannot be
 * parsed.
 */
export function namedIn(command: unknown, isWritten: boolean, world: RuleWorld): readonly string[] | undefined {
  const text = typeof command === "string" ? world.shell?.read(command) : undefined;
  if (text?.isRead !== true) return undefined;
  const folders = [world.cwd, ...foldersOf(text).map((folder) => absolute(folder, world.cwd, world.home))];
  const files = touchedBy(text).filter((file) => file.isWritten === isWritten);
  return files.flatMap(({ path, isPattern }) =>
    folders.flatMap((folder) => {
      const whole = absolute(path, folder, world.home);
      return isPattern ? [whole, ...found(whole, world)] : [whole];
    }),
  );
}

/** Makes a path in a command absolute; `~` is the home folder. */
export function absolute(path: string, folder: string, home: string): string {
  if (path === "~" || path.startsWith("~/")) return join(home, path.slice(1));
  return resolve(folder, path);
}

/** The most paths to which one glob pattern is expanded. */
const MOST_FOUND = 2_000;

/** Expands a glob pattern as a shell does: hidden files match only a pattern that begins with a dot. */
export function found(pattern: string, { files }: Pick<RuleWorld, "files">): readonly string[] {
  let tops = ["/"];
  for (const name of pattern.split("/").filter((one) => one !== "")) {
    const isPlain = !/[*?[]/.test(name);
    const fits = pathPattern(name);
    tops = tops
      .flatMap((top) => {
        if (isPlain) return files.stat(join(top, name)) === undefined ? [] : [join(top, name)];
        return (files.list(top) ?? []).flatMap((entry) =>
          (name.startsWith(".") || !entry.name.startsWith(".")) && fits.test(entry.name, false)
            ? [join(top, entry.name)]
            : [],
        );
      })
      .slice(0, MOST_FOUND);
  }
  return tops;
}
