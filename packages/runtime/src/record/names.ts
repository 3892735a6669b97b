/** The member that refers to a value written before, by the byte at which its line begins. */
export const AT = "$at";
/** The member that refers to a list written before, of which `keep` items go on with those of `push`. */
export const LIST = "$list";

const OWN = /^\$+(?:at|list)$/;
const ESCAPED = /^\$\$+(?:at|list)$/;

/** A member's name as it is written: one that a reader would take for a reference gets a `$` more. */
export function escaped(name: string): string {
  return name.charCodeAt(0) === DOLLAR && OWN.test(name) ? `$${name}` : name;
}

/** A member's name as it was before it was written. */
export function unescaped(name: string): string {
  return isEscaped(name) ? name.slice(1) : name;
}

/** Whether a name has been given a `$` more. */
export function isEscaped(name: string): boolean {
  return name.charCodeAt(0) === DOLLAR && ESCAPED.test(name);
}

const DOLLAR = 36;
