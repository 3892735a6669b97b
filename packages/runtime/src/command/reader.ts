import { loadParser, type Parser } from "./parser.ts";
import { readCommands } from "./read.ts";
import type { Reading } from "./reading.ts";

/** Reads shell texts, and keeps the latest reading, because many rules ask about one text. */
export class CommandReader {
  readonly #parser: Parser;
  #latest: { readonly text: string; readonly reading: Reading } | undefined;

  constructor(parser: Parser) {
    this.#parser = parser;
  }

  /** Reads what a shell text runs. Never throws: what cannot be read is a hidden command. */
  read(text: string): Reading {
    if (this.#latest?.text !== text) this.#latest = { text, reading: readCommands(text, this.#parser) };
    return this.#latest.reading;
  }
}

/** Returns a reader, with the parser loaded. */
export async function loadReader(): Promise<CommandReader> {
  return new CommandReader(await loadParser());
}
