import { loadParser, type Parser } from "./parser.ts";
import { readCommands } from "./read.ts";
import type { Reading } from "./reading.ts";

/** Reads shell texts. The latest reading is kept, because many rules ask about the same text. */
export class CommandReader {
  readonly #parser: Parser;
  #latest: { readonly text: string; readonly reading: Reading } | undefined;

  constructor(parser: Parser) {
    this.#parser = parser;
  }

  /** Finds the commands that a shell text runs. Never throws: what cannot be read becomes a `hidden` command. */
  read(text: string): Reading {
    if (this.#latest?.text !== text) this.#latest = { text, reading: readCommands(text, this.#parser) };
    return this.#latest.reading;
  }
}

/** Loads the parser and returns a reader. */
export async function loadReader(): Promise<CommandReader> {
  return new CommandReader(await loadParser());
}
