import { LACKS } from "../../port/module.ts";
import type { Exports } from "./provide.ts";

/** Names that are there to be imported and no more, in texts by what a module does instead. */
export type Lacking = Readonly<Record<string, string>>;

/** Reading one of these is no use: an importer looks at a class without wanting anything of it. */
const HARMLESS = new Set<string | symbol>(["prototype", "name", "length", "then", LACKS, Symbol.hasInstance]);

/**
 * A value that is there to be imported and throws when it is used: called, made with `new`, or asked for a member.
 * It may be extended and tested against with `instanceof`.
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

/** The values of names, which stand in a table by what to do instead. */
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
