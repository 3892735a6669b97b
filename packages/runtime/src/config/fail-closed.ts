import { type Diagnostic, diagnose } from "@hookline/ground";
import { catalog } from "../catalog/catalog.ts";
import type { Hook } from "../hook/hook.ts";
import type { Lane } from "../hook/lane.ts";
import { type Demands, type Expected, expectedBySettings, isHookId, type NamedFrom } from "./expected.ts";
import { isOf } from "./presence.ts";
import { meantBy } from "./shadow.ts";

/** A hook with the lane that it is registered in. */
interface Registered {
  readonly lane: Pick<Lane, "id" | "rows">;
  readonly hook: Pick<Hook, "id" | "event" | "source">;
}

/** A name under `failClosed` in settings. It means one hook (`id`), or all hooks or one event's hooks of a `file`. */
type Named = Pick<Expected, "name" | "by"> & { readonly id?: string; readonly file?: Expected };

/** The folders, lanes and functions that are needed to match names with hooks. */
interface Matching extends NamedFrom {
  readonly lanes: readonly Lane[];
  /** Returns a path with all links resolved. */
  real(path: string): string;
}

/**
 * The hooks whose failures refuse, by the setting `failClosed`: those of a file, of one event in a file, or single ones
 * by id.
 */
export class FailClosed {
  readonly #named: readonly Named[];
  readonly #matching: Matching;
  readonly #real = new Map<string, string>();

  /**
   * File names, including those in ids, are relative to the home folder (`~/`) or to the working folder. A name may
   * also be a link to the file. A project can only name its own hooks.
   */
  constructor({ failClosed, project }: Pick<Demands, "failClosed" | "project">, matching: Matching) {
    const files = expectedBySettings({ failClosed, project: { failClosed: project?.failClosed } }, matching);
    const idsBy = (names: readonly string[] | undefined, by: Expected["by"]): Named[] =>
      (names ?? []).filter(isHookId).map((name) => ({ name, by, id: meantBy(name, matching) }));
    this.#named = [
      ...idsBy(failClosed, "setting"),
      ...idsBy(project?.failClosed, "project"),
      ...files.map((file) => ({ name: file.name, by: file.by, file })),
    ];
    this.#matching = matching;
  }

  /** Returns whether `failClosed` names a definition, by its file or by one of its events in the file. */
  file(source: Hook["source"], lane: string, events: readonly string[]): boolean {
    return this.#named.some(
      (one) =>
        this.#isIn(one, source) && (events.length === 0 || events.some((event) => this.#isFor(one, lane, event))),
    );
  }

  /** Returns whether `failClosed` names a hook, by its id, by its file, or by its event in the file. */
  hook(hook: Registered["hook"], lane: string): boolean {
    return this.#named.some((one) => this.#isMeant(one, hook, lane));
  }

  /**
   * Returns a diagnostic for each name that has no effect after a load. Leaves out a file of which no hook runs,
   * because its stand-in is reported.
   */
  vain(hooks: () => readonly Registered[], isShadow: (hook: Hook) => boolean): readonly Diagnostic[] {
    if (this.#named.length === 0) return [];
    const all = hooks();
    // A link may be changed before the next load, so resolved paths are forgotten.
    this.#real.clear();
    return this.#named.flatMap((one) => {
      const { name, file } = one;
      const meant = all.filter(({ hook, lane }) => this.#isMeant(one, hook, lane.id));
      if (meant.some((each) => closes(each) && !isShadow(each.hook as Hook))) return [];
      if (meant.length === 0 && file !== undefined) return [];
      const problem =
        meant.length === 0
          ? "is not a hook that runs"
          : meant.some(closes)
            ? "is in shadow, where it decides nothing"
            : "guards nothing and redacts nothing";
      return [diagnose("FAIL_CLOSED_VAIN", { name, problem })];
    });
  }

  #isMeant(one: Named, { id, event, source }: Registered["hook"], lane: string): boolean {
    if (one.file !== undefined) return this.#isIn(one, source) && this.#isFor(one, lane, event);
    return one.id === id && (one.by !== "project" || source.tier === "project");
  }

  #isIn({ file, by }: Named, { path, tier }: Hook["source"]): boolean {
    if (file === undefined || (by === "project" && tier !== "project")) return false;
    return file.path === path || this.#realOf(file.path) === this.#realOf(path);
  }

  #isFor({ file }: Named, lane: string, event: string): boolean {
    return file !== undefined && isOf(file, lane, event, this.#matching.lanes);
  }

  #realOf(path: string): string {
    const known = this.#real.get(path) ?? this.#matching.real(path);
    this.#real.set(path, known);
    return known;
  }
}

/** Returns whether a failure of the hook can refuse or withhold anything. */
function closes({ lane, hook }: Registered): boolean {
  return lane.rows.some(({ name, kind, of }) => {
    if (name !== hook.event || kind === "observe" || kind === "shutdown") return false;
    return kind === "guard" || catalog.get(of)?.withhold !== undefined;
  });
}
