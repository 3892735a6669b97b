import { existsSync, statSync } from "node:fs";
import type { Files } from "@hookline/ground";
import { lineOfPath, lineOfVariable } from "../client/place.ts";

/** Variables that move the places in which hooks and settings lie; where they differ, other hooks may run. */
const DECIDING: readonly string[] = [
  "HOME",
  ...["CONFIG_HOME", "DATA_HOME", "CACHE_HOME", "STATE_HOME", "CONFIG_DIRS", "DATA_DIRS", "RUNTIME_DIR"].map(
    (name) => `XDG_${name}`,
  ),
];

/** How long before a search a change may have been made and not be seen, in ms: the clock of a file system ticks. */
const TICK_MS = 20;

/** The paths that the search for a session's hooks looked at, as lines of the table (`place.ts`). */
export interface Looked {
  /** By path, with the paths that are not there. */
  readonly paths: ReadonlyMap<string, string>;
  readonly variables: readonly string[];
  /** False if something was changed during the search: nobody knows whether it was seen. */
  readonly isSteady: boolean;
}

/** Notes every path that hooks are searched in. */
export class Looking {
  readonly #paths = new Set<string>();
  readonly #listed = new Set<string>();
  readonly #beganMs = Date.now() - TICK_MS;
  readonly #deciding: readonly string[];

  /** @param moving the variables that move the folders in which dialects' hooks lie */
  constructor(moving: readonly string[]) {
    this.#deciding = [...DECIDING, ...moving];
  }

  /** The files, whose paths are noted. */
  over(files: Files): Files {
    const looking = this;
    const note = (path: string): string => {
      this.#paths.add(path);
      return path;
    };
    return {
      read: (path) => files.read(note(path)),
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
   * Returns the paths that were looked at, as they are now: `deciding`, the paths that decide which hooks run; what was not
   * there; and each folder whose names were listed. Left out are `busy` folders, in which anything is made and removed all
   * the time (the homes and the project): what counts in them was looked at itself. So is data that a hook names, which the
   * hook may write.
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
