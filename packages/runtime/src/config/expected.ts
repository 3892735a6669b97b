import { join, resolve } from "node:path";

/** Who demands that something runs. `found`: it ran in the session so far, and is loaded anew. */
export type Demand = "setting" | "project" | "lock" | "found";

/** Something that must run: a file of hooks, one event's hooks of a file, or an entry of a lock. */
export interface Expected {
  /** As a person knows it; unique in a list. */
  readonly name: string;
  /** Absolute path of the definition. */
  readonly path: string;
  /** Only this event's hooks count, in a dialect's words or the catalog's. */
  readonly event?: string;
  readonly by: Demand;
  /** `handler`: a registered handler counts. `load`: that it was loaded whole counts. */
  readonly needs: "handler" | "load";
  /** For an entry of a lock: which of the path's entries is meant, as the lock identifies it. */
  readonly entry?: { readonly lane: string; readonly definition: string };
}

/** Where names of files are resolved. */
export interface NamedFrom {
  readonly cwd: string;
  readonly home: string;
}

/** What settings name as required or fail-closed; the same name twice counts once. */
export interface Demands {
  readonly required?: readonly string[] | undefined;
  readonly failClosed?: readonly string[] | undefined;
  readonly project?:
    | { readonly required?: readonly string[] | undefined; readonly failClosed?: readonly string[] | undefined }
    | undefined;
}

/**
 * Everything that settings say must run (decision 54). A name is a path, from `~/`, absolute, or relative to the working
 * folder, with `#event` behind it for the hooks of one event. An id of a hook under `failClosed` demands nothing more.
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

/** Whether a name is the id of one hook, as `hooks explain` shows it: `lane:path#event[index]`. */
export function isHookId(name: string): boolean {
  return /#[^#/]+\[\d+\]$/.test(name);
}

/** The absolute path that a person's name of a file means. */
export function namedPath(name: string, { cwd, home }: NamedFrom): string {
  return name.startsWith("~/") ? join(home, name.slice(2)) : resolve(cwd, name);
}

function expectedFile(name: string, by: Demand, from: NamedFrom): Expected {
  const [, path = name, event] = /^(.*)#([^#/]+)$/s.exec(name) ?? [];
  return { name, path: namedPath(path, from), by, needs: "handler", ...(event !== undefined && { event }) };
}
