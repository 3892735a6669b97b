import { existsSync, statSync } from "node:fs";
import type { Files } from "@hookline/ground";
import { lineOfPath, lineOfVariable } from "../client/place.ts";

/** Variables that say where hooks and settings are: with another value, other hooks may be found. */
const DECIDING: readonly string[] = [
  "HOME",
  ...["CONFIG_HOME", "DATA_HOME", "CACHE_HOME", "STATE_HOME", "CONFIG_DIRS", "DATA_DIRS", "RUNTIME_DIR"].map(
    (name) => `XDG_${name}`,
  ),
];

/** File times are coarse: a change up to this many ms before a search counts as made during the search. */
const TICK_MS = 20;

/** The paths that the search for a session's hooks read, as lines of the table of guards (`place.ts`). */
export interface Looked {
  /** The lines of the table of guards by path, including paths that do not exist. */
  readonly paths: ReadonlyMap<string, string>;
  readonly variables: readonly string[];
  /** False if a path changed during the search for hooks, which may have missed the change. */
  readonly isSteady: boolean;
}

/** Records every path in which hooks are searched. */
export class Looking {
  readonly #paths = new Set<string>();
  readonly #listed = new Set<string>();
  readonly #beganMs = Date.now() - TICK_MS;
  readonly #deciding: readonly string[];

  /** `moving` names more variables that say where hooks are: those of the dialects. */
  constructor(moving: readonly string[]) {
    this.#deciding = [...DECIDING, ...moving];
  }

  /** Wraps `files` so that each path is recorded. */
  over(files: Files): Files {
    const looking = this;
    const note = (path: string): string => {
      this.#paths.add(path);
      return path;
    };
    return {
      read: (path) => files.read(note(path)),
      head: (path) => files.head?.(note(path)),
      stat: (path) => files.stat(note(path)),
      list(path) {
        looking.#listed.add(path);
        return files.list(note(path));
      },
      real: (path) => files.real(note(path)),
      fault: (path) => files.fault?.(note(path)),
    };
  }

  /**
   * Returns the table's lines for the paths and variables that decide which hooks are found. The paths are the recorded
   * ones that are missing or were listed as folders, and the files in `deciding`. Other files are left out, since hooks
   * may write them, and so are the folders in `busy` (the homes and the project), which always change.
   */
  end(deciding: readonly string[], busy: readonly string[], env: Readonly<Record<string, string>>): Looked {
    const counts = (path: string): boolean => !busy.includes(path) && (this.#listed.has(path) || !existsSync(path));
    const paths = [...new Set([...[...this.#paths].filter(counts), ...deciding])];
    return {
      paths: new Map(paths.map((path) => [path, lineOfPath(path)])),
      variables: this.#deciding.map((name) => lineOfVariable(name, env[name])),
      isSteady: paths.every((path) => changedMs(path) < this.#beganMs),
    };
  }
}

function changedMs(path: string): number {
  try {
    return statSync(path).ctimeMs;
  } catch {
    return 0;
  }
}
