import { join, resolve } from "node:path";
import type { Dialect } from "../dialect/dialect.ts";

/** The reason why something must run. `found`: it has run in this session and is being reloaded. */
export type Demand = "setting" | "project" | "lock" | "found";

/** Something that must run: a file of hooks, one event's hooks of a file, or an entry of a lock. */
export interface Expected {
  /** The name that a person knows; unique in a list. */
  readonly name: string;
  /** Absolute path of the definition. */
  readonly path: string;
  /** Only hooks on this event count; a dialect's name or the catalog's. */
  readonly event?: string;
  readonly by: Demand;
  /** `handler`: it needs a registered handler. `load`: it only needs to be fully loaded. */
  readonly needs: "handler" | "load";
  /** For a lock entry: which of the path's entries is meant, as the lock identifies it. */
  readonly entry?: { readonly lane: string; readonly definition: string };
}

/** The folders against which file names are resolved. */
export interface NamedFrom {
  readonly cwd: string;
  readonly home: string;
}

/** The names under `required` and `failClosed` in settings; duplicates count once. */
export interface Demands {
  readonly required?: readonly string[] | undefined;
  readonly failClosed?: readonly string[] | undefined;
  readonly project?:
    | { readonly required?: readonly string[] | undefined; readonly failClosed?: readonly string[] | undefined }
    | undefined;
}

/**
 * Everything that settings say must run (decision 54). A name is a path, from `~/`, absolute, or relative to the
 * working folder, with a suffix `#event` for one event's hooks. A hook's id under `failClosed` requires nothing more.
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

/** Whether a name is the id of one hook, as `hooks explain` shows it: `lane:path#event[index]`. */
export function isHookId(name: string): boolean {
  return /#[^#/]+\[\d+\]$/.test(name);
}

/** The absolute path that a person's file name means. */
export function namedPath(name: string, { cwd, home }: NamedFrom): string {
  return name.startsWith("~/") ? join(home, name.slice(2)) : resolve(cwd, name);
}

function expectedFile(name: string, by: Demand, from: NamedFrom): Expected {
  const [, path = name, event] = /^(.*)#([^#/]+)$/s.exec(name) ?? [];
  return { name, path: namedPath(path, from), by, needs: "handler", ...(event !== undefined && { event }) };
}
