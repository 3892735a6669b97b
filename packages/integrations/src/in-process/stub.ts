import { LACKS } from "@hookline/runtime/engine";
import type { Exports } from "./provide.ts";

/** Names that can be imported but not used, separated by spaces. The key is a text that says what to use instead. */
export type Lacking = Readonly<Record<string, string>>;

/** Properties that may be read without an error: code that only imports a class may inspect them. */
const HARMLESS = new Set<string | symbol>(["prototype", "name", "length", "then", LACKS, Symbol.hasInstance]);

/**
 * Returns a value that can be imported but throws when it is called, constructed or read. It can be extended and used
 * with `instanceof`.
 */
export function stub(name: string, specifier: string, instead: string): unknown {
  const fail = (): never => {
    throw new Error(`${name} of ${specifier} exists only in the real program: ${instead}`);
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

/** Makes a stub for every name in a table. */
export function stubsOf(table: Lacking, specifier: string): Exports {
  return Object.fromEntries(
    Object.entries(table).flatMap(([instead, names]) =>
      namesOf(names).map((name) => [name, stub(name, specifier, instead)]),
    ),
  );
}

/** Splits a text into its words. */
export function namesOf(text: string): string[] {
  return text.trim().split(/\s+/);
}
