import type * as Unbash from "unbash";

/** The parser of shell texts. The syntax tree that it returns includes the errors; it never throws. */
export type Parser = Pick<typeof Unbash, "parse" | "forEachChild">;

let loading: Promise<Parser> | undefined;
let loaded: Parser | undefined;

/** Loads the parser once, on first use. */
export function loadParser(): Promise<Parser> {
  loading ??= import("unbash").then((parser) => (loaded = parser));
  return loading;
}

/** Returns the parser, which must have been loaded. */
export function theParser(): Parser {
  if (loaded === undefined) throw new Error("the parser of commands is not loaded yet");
  return loaded;
}
