import type { Instance, Source, Surroundings } from "@hookline/runtime/dialect";
import type { Reads } from "./delivery.ts";

/** One plugin in one session. */
export interface Plugin {
  /** The program to start, with all links resolved. */
  readonly program: string;
  readonly source: Source;
  readonly reads: Reads;
  readonly instance: Instance;
  readonly around: Surroundings;
}

/**
 * Signs that a program takes its data from stdin. `cat` with a here-document is none, nor is `jq` that makes its output
 * from nothing or from a pipe, as for a schema.
 */
const READS_STDIN =
  /stdin|\$\( *cat *\)|`cat`|\bcat *\||(?<!\|\s*)\bjq\b(?![^\n|;]*\s-(?:\w*n\w*|-null-input)\b)|\bread +-|readFileSync\(0/i;

/** Lines that are comments, except the first one's interpreter; what they mention does not count. */
const COMMENTS = /^[ \t]*(?:#(?!!)|\/\/).*$/gm;

/**
 * Searches a program's bytes for how it takes its data. An unreadable program counts as taking it from the environment.
 * Source: spec/chibi.md 2.4, where this distinguished all published plugins.
 */
export function readsOf(bytes: Uint8Array | undefined): Reads {
  if (bytes === undefined) return { hookVariable: true, toolVariable: true, stdin: false, terminal: false };
  const text = new TextDecoder("latin1").decode(bytes);
  return {
    hookVariable: text.includes("CHIBI_HOOK_DATA"),
    toolVariable: text.includes("CHIBI_TOOL_ARGS"),
    stdin: READS_STDIN.test(text.replace(COMMENTS, "")),
    terminal: text.includes("/dev/tty"),
  };
}

/** Returns the variables that chibi sets for every run of a plugin with `-v`. */
export function verbosity({ scene }: Surroundings): Readonly<Record<string, string>> {
  return scene.verbose === true ? { CHIBI_VERBOSE: "1" } : {};
}
