import { diagnose } from "../../error/diagnostic.ts";
import { lineOf, type Owner } from "../inprocess/owner.ts";

type Execute = (...args: unknown[]) => unknown;
type Definition = Readonly<Record<string, unknown>> & { readonly execute?: unknown };

/**
 * A tool whose `execute` takes its arguments in omp's older order, `(id, params, onUpdate, ctx, signal)`, where the
 * definition says `toolArgs: "legacy"`. Both orders have five parameters, so nothing else can tell them apart;
 * a TypeError of a tool that says nothing is reported together with this remedy.
 *
 * Source: spec/omp.md 9, R14.
 */
export function inToolOrder(owner: Owner, definition: unknown): unknown {
  const given = (definition ?? {}) as Definition;
  if (typeof given.execute !== "function") return definition;
  const execute = given.execute.bind(definition) as Execute;
  const ordered: Execute =
    given["toolArgs"] === "legacy"
      ? (id, params, signal, onUpdate, ctx) => execute(id, params, onUpdate, ctx, signal)
      : async (...args) => {
          try {
            return await execute(...args);
          } catch (thrown) {
            if ((thrown as { readonly name?: unknown } | null)?.name === "TypeError")
              report(owner, String(given["name"]));
            throw thrown;
          }
        };
  return Object.assign(Object.create(Object.getPrototypeOf(given)) as object, given, { execute: ordered });
}

function report(owner: Owner, name: string): void {
  const { source } = owner.instance;
  owner.instance.report(
    diagnose(
      "LINT",
      {
        path: source.path,
        line: lineOf(owner, `"${name}"`, `'${name}'`),
        problem: `the tool "${name}" failed with a TypeError`,
        remedy:
          'If its execute takes (id, params, onUpdate, ctx, signal), add toolArgs: "legacy" to it; the order here is (id, params, signal, onUpdate, ctx).',
      },
      { source },
    ),
  );
}
