import type { CommandWord, Values } from "@hookline/runtime/command";

/** Returns the possible values of a word or a redirection; if unknown, the most likely ones. */
export function valuesOf({ values, assumed }: Pick<CommandWord, "values" | "assumed">): Values {
  return values ?? assumed;
}
