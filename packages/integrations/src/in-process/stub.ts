import { LACKS } from "@hookline/runtime/engine";
import type { Exports } from "./provide.ts";

/** Names that exist only to be imported, with texts that say what a module can use instead. */
export type Lacking = Readonly<Record<string, string>>;

/** Reading one of these does not count as use: importers inspect classes. */
const HARMLESS = new Set<string | symbol>(["prototype", "name", "length", "then", LACKS, Symbol.hasInstance]);

/**
 * A value that exists to be imported and throws when it is used: called, constructed, or read. It may be extended and
 * used with `instanceof`.
 */
export function stub(name: string, specifier: string, instead: string): unknown {
  const fail = (): never => {
    throw new Error(`${name} of ${specifier} belongs to the real program and is not here: ${instead}`);
  };
  // A function and not an arrow, so that classes can extend it.
  const target = function lacking(): void {};
  Object.defineProperties(target, { name: { value: name }, [LACKS]: { value: instead } });
  return new Proxy(target, {
    apply: fail,
    construct: fail,
    get: (of, key) => (HARMLESS.has(key) || key in Function.prototype ? Reflect.get(of, key) : fail()),
  });
}

/** The values of names, from a table of alternatives. */
export function stubsOf(table: Lacking, specifier: string): Exports {
  return Object.fromEntries(
    Object.entries(table).flatMap(([instead, names]) =>
      namesOf(names).map((name) => [name, stub(name, specifier, instead)]),
    ),
  );
}

/** The words of a text. */
export function namesOf(text: string): string[] {
  return text.trim().split(/\s+/);
}
