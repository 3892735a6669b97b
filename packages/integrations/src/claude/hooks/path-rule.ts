import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Files } from "@hookline/runtime/dialect";
import { spellingsOf } from "@hookline/runtime/engine";
import type { RuleUse } from "./bash-rule.ts";
import { type PathPattern, pathPattern } from "./gitignore.ts";

/** The folders and files that path rules are resolved against. All paths are absolute. */
export interface RulePlace {
  readonly cwd: string;
  readonly home: string;
  /** The settings file's folder; a leading `/` in a path pattern means this folder. */
  readonly folder: string;
  readonly files: Pick<Files, "real" | "stat" | "list"> & Partial<Pick<Files, "read">>;
  /** Whether the file system ignores letter case. */
  readonly ignoresCase?: boolean;
}

/** The longest path that the system accepts. */
const LONGEST = 4_096;

/** The most folder entries that are searched for other names (hard links) of a file. */
const MOST_SEARCHED = 20_000;

/** A path pattern and the folder that it applies to. */
export class PathRule {
  readonly #place: RulePlace;
  readonly #use: RuleUse;
  readonly #pattern: PathPattern;
  readonly #base: string;
  /** Whether the rule has no wildcards, and so names exactly the path `#base`. */
  readonly #isPlain: boolean;

  constructor(text: string, use: RuleUse, place: RulePlace) {
    this.#place = place;
    this.#use = use;
    const [anchor, rest] = anchored(text, use, place);
    const [base, pattern] = literalFolders(anchor, rest);
    this.#base = base;
    this.#isPlain = pattern === "/";
    this.#pattern = pathPattern(pattern, place);
  }

  /**
   * Whether the rule matches a path. A deny or ask rule matches by the path's name, its link target or another hard
   * link. An allow rule must match both name and target.
   *
   * A broken link may lead anywhere later, so behind one a deny or ask rule always matches, and an allow rule never
   * does.
   */
  holds(path: string): boolean {
    const isThere = this.#use === "allow" || this.#place.files.stat(absolute(path, this.#place)) !== undefined;
    // If no file has this path, a tool may still open one under a similar spelling, so the rule covers these too.
    const names = (isThere ? [path] : spellingsOf(path)).flatMap((one) => namesOf(one, this.#place));
    const bases = this.#bases();
    const fits = (name: string | undefined): boolean => this.#fits(name, bases);
    return this.#use === "allow" ? names.every(fits) : names.some(fits) || this.#isOther(path);
  }

  /**
   * Returns a test for entries below a folder, for a walk that does not follow links; `undefined` if the rule can match
   * nothing there. The test itself does not read the disk.
   */
  below(folder: string): ((path: string, isFolder: boolean) => boolean) | undefined {
    const bases = this.#bases();
    const top = real(folder, this.#place) ?? folder;
    const isNear = bases.some((base) =>
      [folder, top].some((one) => isBelow(base, one, this.#place) || isBelow(one, base, this.#place)),
    );
    if (!isNear) return undefined;
    const fits = (path: string, isFolder: boolean): boolean =>
      bases.some((base) => {
        const within = below(base, path, this.#place);
        return within !== undefined && this.#pattern.test(within, isFolder);
      });
    if (top === folder) return fits;
    return (path, isFolder) => fits(path, isFolder) || fits(join(top, path.slice(folder.length)), isFolder);
  }

  /** The existing folders that contain everything the rule can match. */
  get roots(): readonly string[] {
    return this.#bases().filter((base) => this.#place.files.stat(base) !== undefined);
  }

  /** Returns the ids of files that have several hard links, if the rule matches at least one link. */
  ids(): ReadonlySet<string> {
    const { files } = this.#place;
    const found = new Set<string>();
    for (const root of this.roots) {
      const entries = entriesBelow(root, { files, test: this.below(root), most: MOST_SEARCHED });
      for (const path of [root, ...[...entries].flatMap((one) => (one.isInside && !one.isLink ? [one.path] : []))]) {
        const { kind, names = 1, id } = files.stat(path) ?? {};
        if (kind === "file" && names > 1 && id !== undefined && this.holds(path)) found.add(id);
      }
    }
    return found;
  }

  #bases(): readonly string[] {
    return [...new Set([this.#base, real(this.#base, this.#place) ?? this.#base])];
  }

  #fits(path: string | undefined, bases: readonly string[]): boolean {
    if (path === undefined) return this.#use !== "allow";
    return bases.some((base) => {
      const within = below(base, path, this.#place);
      return within !== undefined && this.#pattern.test(within, this.#place.files.stat(path)?.kind === "directory");
    });
  }

  /** Whether the file has another hard link that the rule matches. */
  #isOther(path: string): boolean {
    const { files } = this.#place;
    const found = files.stat(absolute(path, this.#place));
    if (found?.kind !== "file" || found.id === undefined || (found.names ?? 1) < 2) return false;
    const isSame = (one: string): boolean => files.stat(one)?.id === found.id;
    if (this.#isPlain && isSame(this.#base)) return true;
    return this.roots.some((root) => {
      const test = this.below(root);
      for (const { path: one, isFolder, isInside, isLink } of entriesBelow(root, { files, test, most: MOST_SEARCHED }))
        if (!isFolder && !isLink && isInside && isSame(one)) return true;
      return false;
    });
  }
}

/** A folder entry found by `entriesBelow`. */
export interface Entry {
  readonly path: string;
  readonly isFolder: boolean;
  readonly isLink: boolean;
  /** Whether the test matched the entry or one of its parent folders. */
  readonly isInside: boolean;
}

/** Yields the entries below a folder, breadth first. Does not follow links. Stops after `most` entries. */
export function* entriesBelow(
  top: string,
  options: {
    readonly files: Pick<Files, "list">;
    readonly test: ((path: string, isFolder: boolean) => boolean) | undefined;
    readonly most: number;
    /** Whether to leave out what is below a folder. */
    readonly skip?: (path: string) => boolean;
  },
): Generator<Entry, void> {
  const { files, test = () => false, most, skip } = options;
  const open: { path: string; isInside: boolean }[] = [{ path: top, isInside: test(top, true) }];
  let count = 0;
  for (let folder = open.shift(); folder !== undefined; folder = open.shift()) {
    for (const { name, kind } of files.list(folder.path) ?? []) {
      if (++count > most) return;
      const path = join(folder.path, name);
      const isFolder = kind === "directory";
      if (kind === "other") continue;
      const isInside = folder.isInside || test(path, isFolder);
      yield { path, isFolder, isInside, isLink: kind === "link" };
      if (isFolder && skip?.(path) !== true) open.push({ path, isInside });
    }
  }
}

/** Splits a rule's path into the folder it starts at and a pattern in .gitignore syntax. */
function anchored(text: string, use: RuleUse, { cwd, home, folder }: RulePlace): [string, string] {
  const slashed = sep === "\\" ? text.replaceAll("\\", "/") : text;
  if (slashed.startsWith("//")) return [resolve("/"), slashed.slice(1)];
  if (slashed === "~" || slashed.startsWith("~/")) return [home, slashed.slice(1) || "/"];
  if (slashed.startsWith("/")) return [folder, slashed];
  const [up = ""] = /^(?:\.\.?(?:\/|$))*/.exec(slashed) ?? [];
  const base = resolve(cwd, up === "" ? "." : up);
  const rest = slashed.slice(up.length);
  if (up !== "") return [base, `/${rest}`];
  // In deny and ask rules, `dir/**` means any folder of that name, at any depth.
  const isAnyDepth = (use === "deny" || use === "ask") && /^[^/]+\/\*\*\/?$/.test(slashed);
  return [base, isAnyDepth ? `**/${rest}` : rest];
}

/** Moves leading names without wildcards from the pattern into the folder, so that links among them are resolved. */
function literalFolders(base: string, pattern: string): [string, string] {
  if (!pattern.includes("/") || /^[^/]+\/+$/.test(pattern)) return [base, pattern];
  const names = pattern.split("/").filter((name) => name !== "" && name !== ".");
  const plain = names.findIndex((name) => /[*?[\]\\]/.test(name));
  const count = plain < 0 ? names.length : plain;
  const rest = names.slice(count).join("/");
  return [join(base, ...names.slice(0, count)), rest === "" ? "/" : `/${rest}`];
}

/** Returns a path relative to a folder; `undefined` if it is outside. The folder itself is the empty path. */
function below(base: string, path: string, { ignoresCase = false }: RulePlace): string | undefined {
  const [from, to] = ignoresCase ? [base.toLowerCase(), path.toLowerCase()] : [base, path];
  const within = relative(from, to);
  if (within === ".." || within.startsWith(`..${sep}`) || isAbsolute(within)) return undefined;
  return sep === "\\" ? within.replaceAll("\\", "/") : within;
}

/**
 * Returns the absolute forms of a path: as written, and with links resolved. `undefined` stands for a form that cannot
 * be known.
 */
function namesOf(path: string, place: RulePlace): readonly (string | undefined)[] {
  const written = absolute(path, place);
  return [...new Set([resolve(written), real(resolve(written), place), walked(written, place)])];
}

function absolute(path: string, { cwd, home }: RulePlace): string {
  const given = path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : path;
  return isAbsolute(given) ? given : `${cwd}${sep}${given}`;
}

function isBelow(path: string, folder: string, place: RulePlace): boolean {
  return below(folder, path, place) !== undefined;
}

/** Resolves links. If a path is missing, its existing part is resolved. Returns `undefined` behind a broken link. */
function real(path: string, { files }: RulePlace): string | undefined {
  const missing: string[] = [];
  for (let at = path; path.length <= LONGEST; at = dirname(at)) {
    const found = files.real(at);
    if (found !== undefined) {
      const entry = missing.length === 0 ? undefined : files.list(found)?.find(({ name }) => name === missing[0]);
      return entry?.kind === "link" ? undefined : join(found, ...missing);
    }
    if (dirname(at) === at) break;
    missing.unshift(basename(at));
  }
  return path;
}

/** Resolves a path name by name, as the system does: `..` after a link means the parent of the link's target. */
function walked(path: string, { files }: RulePlace): string {
  if (path.length > LONGEST || sep === "\\") return resolve(path);
  let at = "/";
  for (const name of path.split("/")) {
    const next = name === ".." ? dirname(at) : join(at, name);
    at = files.real(next) ?? next;
  }
  return at;
}
