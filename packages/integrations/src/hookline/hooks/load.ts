import type { Candidate, Instance, Surroundings } from "@hookline/runtime/dialect";
import { diagnose, isObject } from "@hookline/runtime/dialect";
import { type Guard, type GuardFault, guardSpec, readGuard } from "@hookline/runtime/engine";
import { type LoadTexts, loadModule } from "../../in-process/load.ts";
import { lineOf, type Owner } from "../../in-process/owner.ts";
import type { Exports, Provided } from "../../in-process/provide.ts";
import { watched } from "../../in-process/watchdog.ts";

const texts: LoadTexts = { failed: (problem) => problem, noFactory: () => NOTHING };

const NOTHING = "it exports no guard; write `export default guard({ name, on, run })`, or a list of guards";

/** The packages that a guard can import without installing them. */
const provided: Provided = new Map(
  Object.entries({
    guard: () => import("@hookline/runtime/guard"),
    command: () => import("@hookline/runtime/command"),
  }).map(([name, load]) => {
    const canonical = `@hookline/runtime/${name}`;
    return [canonical, { canonical, pure: async (): Promise<Exports> => ({ ...(await load()) }) }];
  }),
);

/**
 * Loads the guards of a file. A guard with a mistake is left out and reported; the others run. Throws if the file has
 * no guard.
 */
export async function load(candidate: Candidate, instance: Instance, around: Surroundings): Promise<void> {
  const owner: Owner = { around, instance, name: "guard", bound: true };
  const exported = guardsOf(await loadModule(candidate, owner, provided, texts));
  const { source } = instance;
  const told = ({ problem, remedy }: GuardFault, line: number): void =>
    instance.report(
      diagnose("BAD_ENTRY", { path: source.path, line, problem, remedy }, { source: { ...source, line } }),
    );
  const read = exported.map((value, at) => {
    const { name } = (value ?? {}) as { readonly name?: unknown };
    return {
      ...readGuard(value, `export ${at + 1}`),
      line: typeof name === "string" ? lineOf(owner, `"${name}"`, `'${name}'`) : 1,
    };
  });
  if (!read.some(({ guard }) => guard !== undefined)) {
    const [first = { problem: NOTHING }] = read.flatMap(({ faults }) => faults);
    throw new Error(first.problem);
  }
  for (const { guard, faults, line } of read) {
    for (const fault of faults) told(fault, line);
    if (guard === undefined) continue;
    tellTwin(guard, { owner, line });
    const spec = guardSpec(guard);
    instance.on({ ...spec, run: watched(spec.run), at: { line } });
  }
}

/** Returns the guards in a module's default export, also if CommonJS wraps it. */
function guardsOf(exports: Exports): readonly unknown[] {
  const found = exports["default"];
  const inner = (found as { readonly default?: unknown } | null | undefined)?.default ?? found;
  // A file without any export counts as CommonJS, which exports an empty object.
  const isNothing = inner === undefined || (isObject(inner) && Object.keys(inner as object).length === 0);
  return Array.isArray(inner) ? inner : isNothing ? [] : [inner];
}

/** Reports a second guard of the same name. Both are asked. */
function tellTwin({ name }: Guard, { owner, line }: { readonly owner: Owner; readonly line: number }): void {
  const { around, instance } = owner;
  const key = `hookline.guard:${name}`;
  const { path } = instance.source;
  const other = around.shared.get(key);
  if (other === undefined) around.shared.set(key, path);
  else {
    const problem = `there is another guard "${name}", in ${other === path ? "this file" : String(other)}`;
    const remedy = "Both are asked. Rename one, so that reports can tell them apart.";
    instance.report(diagnose("LINT", { path, line, problem, remedy }, { source: { ...instance.source, line } }));
  }
}
