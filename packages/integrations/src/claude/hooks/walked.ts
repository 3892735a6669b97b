import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { lenientText } from "@hookline/ground";
import type { Files } from "@hookline/runtime/dialect";
import { foldersOf, isInside, type Walk, walksOf } from "@hookline/runtime/engine";
import { pathPattern } from "./gitignore.ts";
import { entriesBelow, type PathRule } from "./path-rule.ts";
import type { RuleWorld } from "./rule.ts";
import { absolute, found } from "./subject.ts";

/** The limit on folder entries that a search for denied files looks at. */
const MOST_ENTRIES = 50_000;
/** The limit on denied files that a message names. */
const MOST_NAMED = 3;

/** The files that a command would print or copy although rules forbid reading them. */
export interface Walked {
  /** The paths of the files, relative to the working folder if they are in it. */
  readonly files: readonly string[];
  /** A sentence that says how to change the command. */
  readonly remedy: string;
}

/** Finds the files that a command would print or copy although one of the rules forbids reading them. */
export function walkedBy(command: unknown, rules: readonly PathRule[], world: RuleWorld): Walked | undefined {
  const text = typeof command === "string" ? world.shell?.read(command) : undefined;
  if (text === undefined) return undefined;
  const folders = foldersFrom(foldersOf(text), world);
  for (const walk of walksOf(text)) {
    const from =
      walk.from === undefined ? folders : folders.map((one) => absolute(walk.from as string, one, world.home));
    const files = from.flatMap((folder) =>
      walk.places.flatMap(({ text: place, isPattern }) => {
        const whole = absolute(place, folder, world.home);
        const tops = isPattern ? found(whole, world) : [whole];
        return tops.flatMap((top) => deniedBelow(top, rules, { world, walk, folder }));
      }),
    );
    if (files.length === 0) continue;
    const named = new Map(files.map((file) => [nameIn(file, world.cwd), file]));
    const advice = [...new Set(files.map(({ out, isFolder }) => walk.advice(out, isFolder)))].join(" ");
    const wholly = walk.instead === undefined ? advice : `${walk.instead} ${advice}`;
    const remedy = advice === "" ? "Name other files." : `Leave that out with ${wholly}, or name other files.`;
    return { files: [...named.keys()].slice(0, MOST_NAMED), remedy };
  }
  return undefined;
}

/** Returns the first file below a folder that any of the rules matches; `undefined` if there is none. */
export function deniedFile(top: string, rules: readonly PathRule[], world: RuleWorld): string | undefined {
  const [first] = deniedBelow(top, rules, { world });
  return first && nameIn(first, world.cwd);
}

interface Denied {
  readonly path: string;
  /** The name to exclude: the file's, or that of a parent folder if the rule matches the folder. */
  readonly out: string;
  readonly isFolder: boolean;
}

function nameIn({ path }: Denied, cwd: string): string {
  const way = relative(cwd, path);
  return way.startsWith("..") || isAbsolute(way) ? path : way;
}

/** Returns every folder that the command may be in, after any of its `cd`s. */
function foldersFrom(changes: readonly string[], { cwd, home }: RuleWorld): string[] {
  const all = [cwd];
  for (const change of changes.slice(0, 8)) all.push(...all.slice(-8).map((one) => absolute(change, one, home)));
  return [...new Set(all)];
}

function deniedBelow(
  given: string,
  rules: readonly PathRule[],
  { world, walk, folder }: { readonly world: RuleWorld; readonly walk?: Walk; readonly folder?: string },
): Denied[] {
  const { files } = world;
  if (files.stat(given)?.kind !== "directory") {
    const isDenied = walk?.isList === true && rules.some((rule) => rule.holds(given));
    return isDenied ? [{ path: given, out: basename(given), isFolder: false }] : [];
  }
  const top = files.real(given) ?? given;
  const ignore = walk?.skipsIgnored === false ? undefined : new IgnoreFiles(files);
  const base = walk?.program === "rg" ? (files.real(folder ?? top) ?? top) : top;
  const isOut = (path: string, isFolder: boolean): boolean => {
    const way = relative(base, path);
    if (way === "") return false;
    if (walk?.leavesOut(way, isFolder) === true) return true;
    if (walk?.skipsHidden !== false && /(?:^|\/)\.[^/]*$/.test(way)) return true;
    return ignore?.has(path, isFolder) === true;
  };
  return rules.flatMap((rule) => {
    const test = rule.below(top) ?? (() => false);
    const starts = rule.roots.map((root) => (isInside(top, root) ? top : root)).filter((one) => isInside(one, top));
    const direct = [...new Set(starts)].flatMap((start): Denied[] => {
      for (let at = start; at !== top; at = dirname(at)) if (isOut(at, files.stat(at)?.kind === "directory")) return [];
      if (files.stat(start)?.kind === "file") return test(start, false) ? [denied(start, top, test)] : [];
      const skip = (path: string): boolean => isOut(path, true);
      for (const { path, isFolder, isInside, isLink } of entriesBelow(start, { files, test, most: MOST_ENTRIES, skip }))
        if (!isFolder && !isLink && isInside && !isOut(path, false)) return [denied(path, top, test)];
      return [];
    });
    return direct.length > 0 ? direct : byOtherNames(rule, top, { files, walk, isOut });
  });
}

/** Finds the first link or hard link below a folder that leads to a file that the rule matches. */
function byOtherNames(
  rule: PathRule,
  top: string,
  { files, walk, isOut }: { readonly files: RuleWorld["files"]; readonly walk: Walk | undefined; isOut: IsOut },
): Denied[] {
  const ids = rule.ids();
  if (ids.size === 0 && walk?.followsLinks !== true) return [];
  const skip = (path: string): boolean => isOut(path, true);
  for (const { path, isFolder, isLink } of entriesBelow(top, { files, test: undefined, most: MOST_ENTRIES, skip })) {
    const isOther = isLink
      ? walk?.followsLinks === true && rule.holds(path)
      : !isFolder && ids.has(files.stat(path)?.id ?? "");
    if (isOther && !isOut(path, false)) return [denied(path, top, () => false)];
  }
  return [];
}

type IsOut = (path: string, isFolder: boolean) => boolean;

/** Returns the file and the name to exclude: its topmost parent folder that the rule matches, or else itself. */
function denied(path: string, top: string, test: (path: string, isFolder: boolean) => boolean): Denied {
  let out = path;
  for (let at = dirname(path); at !== top && isInside(at, top); at = dirname(at)) if (test(at, true)) out = at;
  return { path, out: out.slice(out.lastIndexOf("/") + 1), isFolder: out !== path };
}

/** Reads the ignore files of a repository as search programs do. */
class IgnoreFiles {
  readonly #files: Pick<Files, "list" | "stat"> & Partial<Pick<Files, "read">>;
  readonly #lines = new Map<string, readonly Line[]>();

  constructor(files: RuleWorld["files"]) {
    this.#files = files;
  }

  /** Whether the ignore file nearest to a path excludes it. Does not check the path's parent folders. */
  has(path: string, isFolder: boolean): boolean {
    for (let at = dirname(path); ; at = dirname(at)) {
      const line = this.#in(at).findLast(({ test }) => test.test(relative(at, path), isFolder));
      if (line !== undefined) return line.isOut;
      if (dirname(at) === at || this.#files.stat(join(at, ".git")) !== undefined) return false;
    }
  }

  #in(folder: string): readonly Line[] {
    const known = this.#lines.get(folder);
    if (known !== undefined) return known;
    const lines = [".gitignore", ".ignore", ".rgignore"].flatMap((name) =>
      lenientText(this.#files.read?.(resolve(folder, name)) ?? "")
        .split(/\r?\n/)
        .filter((line) => line.trim() !== "" && !line.startsWith("#"))
        .map((line) => ({ isOut: !line.startsWith("!"), test: pathPattern(line.replace(/^!/, "").trimEnd()) })),
    );
    this.#lines.set(folder, lines);
    return lines;
  }
}

interface Line {
  readonly isOut: boolean;
  readonly test: ReturnType<typeof pathPattern>;
}
