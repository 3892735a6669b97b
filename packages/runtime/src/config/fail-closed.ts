import { catalog } from "../catalog/catalog.ts";
import { type Diagnostic, diagnose } from "../error/diagnostic.ts";
import type { Hook } from "../hook/hook.ts";
import type { Lane } from "../hook/lane.ts";
import { isHookId, type NamedFrom, namedPath } from "./expected.ts";

/** A hook with the lane that it is registered in. */
interface Registered {
  readonly lane: Lane;
  readonly hook: Hook;
}

/** The hooks whose failures the settings close: named by the file that defines them, or one by one by their ids. */
export class FailClosed {
  readonly #named: ReadonlyMap<string, string>;

  /** A file may be relative to the home folder (`~/`) or to the working folder. */
  constructor(names: readonly string[], from: NamedFrom) {
    this.#named = new Map(names.map((name) => [name, namedPath(name, from)]));
  }

  /** Whether a file is named. */
  file(path: string): boolean {
    return this.#named.size > 0 && [...this.#named.values()].includes(path);
  }

  /** Whether a hook is named, itself or by its file. */
  hook(id: string, path: string): boolean {
    return this.#named.has(id) || this.file(path);
  }

  /** Names that close nothing; a file that does not run has a stand-in and is reported with it. */
  vain(hooks: () => readonly Registered[], isShadow: (hook: Hook) => boolean): readonly Diagnostic[] {
    if (this.#named.size === 0) return [];
    const all = hooks();
    return [...this.#named].flatMap(([name, path]) => {
      const meant = all.filter(({ hook }) => hook.id === name || hook.source.path === path);
      if (meant.some((one) => closes(one) && !isShadow(one.hook))) return [];
      if (meant.length === 0 && !isHookId(name)) return [];
      const problem =
        meant.length === 0
          ? "is not a hook that runs"
          : meant.some(closes)
            ? "is in shadow, where it decides nothing"
            : "guards nothing and redacts nothing";
      return [diagnose("FAIL_CLOSED_VAIN", { name, problem })];
    });
  }
}

/** Whether a failure of the hook can refuse or withhold anything. */
function closes({ lane, hook }: Registered): boolean {
  return lane.rows.some(({ name, kind, of }) => {
    if (name !== hook.event || kind === "observe" || kind === "shutdown") return false;
    return kind === "guard" || catalog.get(of)?.withhold !== undefined;
  });
}
