import { commandsOf, type ShellText } from "./commands.ts";
import { loadParser, type Parser } from "./parser.ts";
import { allStarted } from "./wrapped.ts";

/** Parses shell texts, and caches the latest one, because many rules ask about it. */
export class ShellReader {
  readonly #parser: Parser;
  readonly #latest = new Map<string, { readonly text: string; readonly read: ShellText | undefined }>();

  constructor(parser: Parser) {
    this.#parser = parser;
  }

  /** The commands in a text; `undefined` if it cannot be parsed. */
  commands(text: string): ShellText | undefined {
    return this.#once("commands", text, commandsOf);
  }

  /**
   * These commands, and all that they start through wrappers and other shells; `undefined` if a text cannot be parsed.
   */
  started(text: string): ShellText | undefined {
    return this.#once("started", text, allStarted);
  }

  #once(way: string, text: string, read: typeof commandsOf): ShellText | undefined {
    const latest = this.#latest.get(way);
    if (latest?.text === text) return latest.read;
    const found = read(text, this.#parser);
    this.#latest.set(way, { text, read: found });
    return found;
  }
}

/** A reader, with the parser loaded. */
export async function loadShell(): Promise<ShellReader> {
  return new ShellReader(await loadParser());
}
