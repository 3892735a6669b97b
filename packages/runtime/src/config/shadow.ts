import { type Diagnostic, diagnose, type Tier } from "@hookline/ground";
import type { Hook } from "../hook/hook.ts";
import { isHookId, type NamedFrom, namedPath } from "./expected.ts";

/** Hooks that settings put in shadow, by file or by hook id. */
export interface ShadowSettings {
  readonly shadow?: readonly string[] | undefined;
  readonly project?: { readonly shadow?: readonly string[] | undefined } | undefined;
}

/** A name in the settings, its owner, and its meaning. */
interface Named {
  readonly name: string;
  readonly by: "person" | "project";
  /** The absolute path of a file, or an id with the path in it absolute. */
  readonly meant: string;
}

/** An administrator's hooks stay in force. */
const MANAGED: Tier = "managed";

/** The kind of source that a project may put in shadow: its own. */
const OWN: Tier = "project";

/**
 * The hooks in shadow: they are asked after the decision, without effect. A name is a file, for all its hooks, or the
 * id of one hook. Hooks that an administrator manages stay in force whatever is named.
 */
export class Shadow {
  readonly #named: readonly Named[];

  /** A file may be relative to the home folder (`~/`) or to the working folder. */
  constructor({ shadow = [], project }: ShadowSettings, from: NamedFrom) {
    const meaning =
      (by: Named["by"]) =>
      (name: string): Named => ({ name, by, meant: meantBy(name, from) });
    this.#named = [...shadow.map(meaning("person")), ...(project?.shadow ?? []).map(meaning("project"))];
  }

  /** Whether a hook is named, itself or by its file. */
  has({ id, source }: Pick<Hook, "id" | "source">): boolean {
    return this.#named.length > 0 && this.#by(id, source) !== undefined;
  }

  /** Whether all of a file's hooks are in shadow. */
  hasFile(source: Hook["source"]): boolean {
    return this.#named.length > 0 && this.#by(undefined, source) !== undefined;
  }

  /** Whether a file, or one of its hooks, is named. */
  concerns({ path }: Hook["source"]): boolean {
    return this.#named.some(({ name, meant }) => meant === path || (isHookId(name) && meant.includes(path)));
  }

  /** Names that are not in shadow, with the reason; and names that only a project has put there. */
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

/** Splits an id of a hook into its lane, its path or name, and its event with a number. */
const ID = /^([^:/]+):(.+)(#[^#/]+\[\d+\])$/s;

/** The path in a file name or a hook id. */
export function pathIn(name: string): string {
  return isHookId(name) ? (ID.exec(name)?.[2] ?? name) : name;
}

/** The meaning of a name: an absolute path, or a hook's id. */
export function meantBy(name: string, from: NamedFrom): string {
  const [, lane, path = "", event] = isHookId(name) ? (ID.exec(name) ?? []) : [];
  if (lane === undefined) return namedPath(name, from);
  // A hook with its own name has no path in its id.
  return /[/\\]|^~/.test(path) ? `${lane}:${namedPath(path, from)}${event}` : name;
}
