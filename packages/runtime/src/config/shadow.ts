import { type Diagnostic, diagnose, type Tier } from "@hookline/ground";
import type { Hook } from "../hook/hook.ts";
import { isHookId, type NamedFrom, namedPath } from "./expected.ts";

/** The hooks that settings put in shadow, by file or by hook id. */
export interface ShadowSettings {
  readonly shadow?: readonly string[] | undefined;
  readonly project?: { readonly shadow?: readonly string[] | undefined } | undefined;
}

/** A name under `shadow` in settings, with the author of the settings and the file or hook that it means. */
interface Named {
  readonly name: string;
  readonly by: "person" | "project";
  /** The absolute path of a file, or a hook id in which the path is absolute. */
  readonly meant: string;
}

/** The tier of hooks that an administrator manages, which settings cannot put in shadow. */
const MANAGED: Tier = "managed";

/** The tier of hooks that a project's settings may put in shadow: its own. */
const OWN: Tier = "project";

/**
 * The hooks in shadow, which are asked after the decision and without effect. A name is a file, for all its hooks, or
 * the id of one hook. An administrator's hooks cannot be put in shadow.
 */
export class Shadow {
  readonly #named: readonly Named[];

  /** File names may be relative to the home folder (`~/`) or to the working folder. */
  constructor({ shadow = [], project }: ShadowSettings, from: NamedFrom) {
    const meaning =
      (by: Named["by"]) =>
      (name: string): Named => ({ name, by, meant: meantBy(name, from) });
    this.#named = [...shadow.map(meaning("person")), ...(project?.shadow ?? []).map(meaning("project"))];
  }

  /** Returns whether a hook is in shadow, by its id or by its file. */
  has({ id, source }: Pick<Hook, "id" | "source">): boolean {
    return this.#named.length > 0 && this.#by(id, source) !== undefined;
  }

  /** Returns whether all hooks of a file are in shadow. */
  hasFile(source: Hook["source"]): boolean {
    return this.#named.length > 0 && this.#by(undefined, source) !== undefined;
  }

  /** Returns whether `shadow` in settings names a file or one of its hooks. */
  concerns({ path }: Hook["source"]): boolean {
    return this.#named.some(({ name, meant }) => meant === path || (isHookId(name) && meant.includes(path)));
  }

  /**
   * Returns a diagnostic for each name that puts nothing in shadow, with the reason, and for each name by which a
   * project's settings put its own hooks in shadow.
   */
  told(hooks: Iterable<Hook>): readonly Diagnostic[] {
    if (this.#named.length === 0) return [];
    const all = [...hooks];
    return this.#named.flatMap(({ name, by, meant }) => {
      const mine = all.filter(({ id, source }) => id === meant || source.path === meant);
      if (mine.length === 0) return [diagnose("SHADOW_VAIN", { name, problem: "is not a hook that runs" })];
      const [{ source }] = mine as [Hook];
      if (source.tier === MANAGED)
        return [diagnose("SHADOW_VAIN", { name, problem: "is managed by an administrator and stays in force" })];
      if (by === "person") return [];
      if (source.tier !== OWN)
        return [diagnose("SHADOW_VAIN", { name, problem: "is not the project's own and stays in force" })];
      return [diagnose("SHADOW_BY_PROJECT", { name }, { source })];
    });
  }

  #by(id: string | undefined, { path, tier }: Hook["source"]): Named | undefined {
    if (tier === MANAGED) return undefined;
    return this.#named.find(({ by, meant }) => (meant === path || meant === id) && (by === "person" || tier === OWN));
  }
}

/** Splits a hook's id into its lane, its path or name, and its event with the index. */
const ID = /^([^:/]+):(.+)(#[^#/]+\[\d+\])$/s;

/** Returns the path in a file name or a hook id. */
export function pathIn(name: string): string {
  return isHookId(name) ? (ID.exec(name)?.[2] ?? name) : name;
}

/** Returns the absolute path of a file name, or a hook id with its path made absolute. */
export function meantBy(name: string, from: NamedFrom): string {
  const [, lane, path = "", event] = isHookId(name) ? (ID.exec(name) ?? []) : [];
  if (lane === undefined) return namedPath(name, from);
  // The id of a hook that has a name of its own contains no path.
  return /[/\\]|^~/.test(path) ? `${lane}:${namedPath(path, from)}${event}` : name;
}
