import type * as Unbash from "unbash";

/** The parser of shell texts; a syntax tree comes with errors as values, and nothing is thrown. */
export type Parser = Pick<typeof Unbash, "parse" | "forEachChild">;

let loading: Promise<Parser> | undefined;

/** Loads the parser, once; a start at which nothing needs it does without. */
export function loadParser(): Promise<Parser> {
  loading ??= import("unbash");
  return loading;
}
