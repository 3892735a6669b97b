import { NOTE } from "./record.ts";

/** The kind of each export of a module: "function", "class", another type, or "lacking" for a stand-in. */
export type Kinds = Readonly<Record<string, string>>;

/** Source text of a function that gives the kinds of a module's exports. */
export const KINDS = `(all) => Object.fromEntries(Object.entries(all).filter(([name]) => name !== "default").map(([name, value]) => [
  name,
  typeof value !== "function" ? typeof value
    : Object.hasOwn(value, Symbol.for("hookline.lacks")) ? "lacking"
    : /^class\\b/.test(Function.prototype.toString.call(value)) ? "class" : "function",
]))`;

/** The first lines of an extension that notes what objects have: `kindsOf` gives the kind of each member, inherited ones too. */
export const LOOK = `${NOTE}
function kindsOf(object) {
  const kinds = {};
  for (let part = object; part !== null && part !== Object.prototype; part = Object.getPrototypeOf(part))
    for (const name of Object.getOwnPropertyNames(part))
      if (!/^(constructor|__esModule)$/.test(name)) kinds[name] ??= typeof object[name];
  return kinds;
}
`;
