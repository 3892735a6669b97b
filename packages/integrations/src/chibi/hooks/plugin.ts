import type { Instance, Source, Surroundings } from "@hookline/runtime/dialect";
import type { Reads } from "./delivery.ts";

/** A chibi plugin as one session has loaded it. */
export interface Plugin {
  /** The program to start, with all links resolved. */
  readonly program: string;
  readonly source: Source;
  readonly reads: Reads;
  readonly instance: Instance;
  readonly around: Surroundings;
}

/**
 * Matches signs that a program reads its stdin. Ignores `cat` with a here-document, and `jq` with `-n` or behind a
 * pipe: these read other input, and plugins use them to print their schema.
 */
const READS_STDIN =
  /stdin|\$\( *cat *\)|`cat`|\bcat *\||(?<!\|\s*)\bjq\b(?![^\n|;]*\s-(?:\w*n\w*|-null-input)\b)|\bread +-|readFileSync\(0/i;

/** Matches comment lines, except a `#!` line: a word in a comment says nothing about how the program reads its data. */
const COMMENTS = /^[ \t]*(?:#(?!!)|\/\/).*$/gm;

/**
 * Guesses from a program's text how it takes its data. Treats an unreadable program as one that takes it from the
 * environment. The guesses are right for all published plugins. Source: spec/chibi.md 2.4.
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

/** Returns the variables that chibi sets for every run of a plugin when it is started with `-v`. */
export function verbosity({ scene }: Surroundings): Readonly<Record<string, string>> {
  return scene.verbose === true ? { CHIBI_VERBOSE: "1" } : {};
}
