import type { CommandWord, Values } from "@hookline/runtime/command";

/** Returns the values of a word or a redirection, or else those that it most likely has. */
export function valuesOf({ values, assumed }: Pick<CommandWord, "values" | "assumed">): Values {
  return values ?? assumed;
}
