import { join, resolve } from "node:path";
import type { Dialect } from "../dialect/dialect.ts";

/**
 * Says who requires that a hook runs. `found`: nobody does, but the hook has run in this session and is being reloaded.
 */
export type Demand = "setting" | "project" | "lock" | "found";

/** Something that must run: a file of hooks, one event's hooks of a file, or an entry of a lock. */
export interface Expected {
  /** The name in messages to a person, unique in its list of requirements. */
  readonly name: string;
  /** The absolute path of the file that defines the required hook or entry. */
  readonly path: string;
  /** If set, only hooks on this event are required; a dialect's event name or the catalog's. */
  readonly event?: string;
  readonly by: Demand;
  /** `handler`: the hook must register a handler. `load`: it must load without an error, even if it registers none. */
  readonly needs: "handler" | "load";
  /**
   * The lock entry that is required, if the lock requires it: identified by lane and definition, as several entries may
   * have one path.
   */
  readonly entry?: { readonly lane: string; readonly definition: string };
}

/** The folders that file names in settings are relative to. */
export interface NamedFrom {
  readonly cwd: string;
  readonly home: string;
}

/** The names under `required` and `failClosed` in settings; a name that occurs twice counts once. */
export interface Demands {
  readonly required?: readonly string[] | undefined;
  readonly failClosed?: readonly string[] | undefined;
  readonly project?:
    | { readonly required?: readonly string[] | undefined; readonly failClosed?: readonly string[] | undefined }
    | undefined;
}

/**
 * Returns everything that settings require to run (ruling 54). A name is a path, from `~/`, absolute, or relative to
 * the working folder, with a suffix `#event` for the hooks of one event. Ids of hooks under `failClosed` are left out:
 * they do not require the hook to run.
 */
export function expectedBySettings(settings: Demands, from: NamedFrom): Expected[] {
  const found = new Map<string, Expected>();
  const add = (names: readonly string[] | undefined, by: Demand): void => {
    for (const name of names ?? []) if (!found.has(name)) found.set(name, expectedFile(name, by, from));
  };
  const files = (names: readonly string[] | undefined): readonly string[] | undefined =>
    names?.filter((name) => !isHookId(name));
  add(settings.required, "setting");
  add(files(settings.failClosed), "setting");
  add(settings.project?.required, "project");
  add(files(settings.project?.failClosed), "project");
  return [...found.values()];
}

/** Returns everything that dialects require to load. */
export function expectedByDialects(dialects: readonly Pick<Dialect, "mustLoad">[]): Expected[] {
  return dialects.flatMap(({ mustLoad = [] }) => mustLoad.map((one) => ({ ...one, by: "setting", needs: "load" })));
}

/** Returns whether a name is the id of one hook, as `hooks explain` shows it: `lane:path#event[index]`. */
export function isHookId(name: string): boolean {
  return /#[^#/]+\[\d+\]$/.test(name);
}

/** Returns the absolute path of a file name that a person has written. */
export function namedPath(name: string, { cwd, home }: NamedFrom): string {
  return name.startsWith("~/") ? join(home, name.slice(2)) : resolve(cwd, name);
}

function expectedFile(name: string, by: Demand, from: NamedFrom): Expected {
  const [, path = name, event] = /^(.*)#([^#/]+)$/s.exec(name) ?? [];
  return { name, path: namedPath(path, from), by, needs: "handler", ...(event !== undefined && { event }) };
}
