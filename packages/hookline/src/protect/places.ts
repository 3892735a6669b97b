import { type Stats, statSync } from "node:fs";
import { isAbsolute, resolve, sep } from "node:path";
import { abouts } from "@hookline/integrations/abouts";
import { landings } from "./landing.ts";

const ALL = Object.values(abouts);

/** Folder names of hookline and other agents, such as `.claude`. Only a person may change folders of these names. */
const FOLDERS: readonly string[] = [
  ...new Set([
    ".hookline",
    ...ALL.flatMap(({ folders, hasMoreInFolders }) => (hasMoreInFolders ? [] : [folders.home, folders.project])),
  ]),
];
const HOOK_FOLDERS: readonly string[] = ALL.flatMap(({ hookFolders }) => hookFolders ?? []);
const FILES: readonly string[] = ["hookline.lock"];

/** Environment variables that set the path of an agent's folder or file. */
const MOVED_BY: readonly string[] = ["HOOKLINE_HOME", "HOOKLINE_FLEET_CREDS", ...ALL.flatMap(({ movedBy }) => movedBy)];

/** The facts that determine which files and folders only a person may change. */
export interface ProtectedParts {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly hooklineHome: string;
  /** Returns the files and folders in which hooks of this session were found or looked for, including missing ones. */
  hookPlaces(): readonly string[];
  /** Whether a new file with this name would be run as a hook, or would change what a hook of this session runs. */
  wouldReach(path: string): boolean;
}

/**
 * The places that only a person may change (guarantees R54): hook files of all dialects, settings, approvals, lock
 * file. They are protected even if they are missing, through all kinds of links, and in any letter case.
 */
export class ProtectedPlaces {
  readonly #parts: ProtectedParts;

  constructor(parts: ProtectedParts) {
    this.#parts = parts;
  }

  /**
   * Returns the place to which a write would go if it is protected; undefined otherwise. `link/..` is resolved in both
   * ways that programs use: to the folder of the link, and to the folder above its target.
   */
  reached(path: string): string | undefined {
    const { cwd } = this.#parts;
    const landingOf = landings();
    const places = this.#places(landingOf);
    const folded = [...places].map(fold);
    const full = resolve(cwd, path);
    const written = isAbsolute(path) ? path : `${cwd}${sep}${path}`;
    const ends = new Set([landingOf(full), landingOf(written)]);
    return [...ends].find((landing) => {
      const isNew = statOf(landing) === undefined;
      return (
        [full, landing].some(
          (one) => isNamed(one) || isInside(fold(one), folded) || (isNew && this.#parts.wouldReach(one)),
        ) || isSameFile(landing, places)
      );
    });
  }

  /** Returns every protected place of this session, both as written and with links resolved. */
  all(): ReadonlySet<string> {
    return this.#places(landings());
  }

  #places(landingOf: (path: string) => string): ReadonlySet<string> {
    const { cwd, env, hooklineHome } = this.#parts;
    const moved = MOVED_BY.flatMap((name) => env[name] || []).map((folder) => resolve(cwd, folder));
    const given = [hooklineHome, ...moved, ...this.#parts.hookPlaces()].map((place) => resolve(cwd, place));
    return new Set(given.flatMap((place) => [place, landingOf(place)]));
  }
}

/** Whether a path is one of the given places or inside one. */
function isInside(path: string, places: readonly string[]): boolean {
  return places.some((place) => path === place || path.startsWith(`${place}/`));
}

/** Whether a path is a hard link to one of the given files. */
function isSameFile(path: string, places: ReadonlySet<string>): boolean {
  const target = statOf(path);
  if (target === undefined || target.isDirectory() || target.nlink < 2) return false;
  return [...places].some((place) => {
    const other = statOf(place);
    return other?.ino === target.ino && other.dev === target.dev;
  });
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    // A path that cannot be inspected cannot be written either.
    return undefined;
  }
}

/** Whether a path is protected by the name of its file or of a folder in it. */
function isNamed(path: string): boolean {
  const parts = fold(path).split("/");
  return (
    parts.some((part) => FOLDERS.includes(part)) ||
    FILES.includes(parts.at(-1) ?? "") ||
    HOOK_FOLDERS.some((folder) => `/${parts.join("/")}/`.includes(`/${folder}/`))
  );
}

/** Normalizes a path so that names compare as on file systems that ignore case and Unicode composition. */
export function fold(path: string): string {
  return path.replaceAll("\\", "/").normalize("NFC").toLowerCase().normalize("NFC");
}

/** Words in a command, such as `.claude` or `trust.json`, that hint at a change of hooks or approvals. */
export const TELLING_WORDS: readonly string[] = [
  ...FOLDERS,
  ...FILES,
  ...HOOK_FOLDERS,
  ...MOVED_BY.map((name) => name.toLowerCase()),
  ...ALL.flatMap(({ hookFiles }) => hookFiles ?? []),
  "trust.json",
  "hookline_run_id",
];
