/** The member name of a reference to an earlier value; its value is the byte offset of that value's line. */
export const AT = "$at";
/** The member name of a list that continues an earlier one: its first `keep` items, then `push`. */
export const LIST = "$list";

const OWN = /^\$+(?:at|list)$/;
const ESCAPED = /^\$\$+(?:at|list)$/;

/** Escapes a member's name with a further `$`, if a reader would take it for a reference. */
export function escaped(name: string): string {
  return OWN.test(name) ? `$${name}` : name;
}

/** Removes the `$` that `escaped` has added to a member's name. */
export function unescaped(name: string): string {
  return isEscaped(name) ? name.slice(1) : name;
}

/** Returns whether `escaped` has added a `$` to a name. */
export function isEscaped(name: string): boolean {
  return ESCAPED.test(name);
}
