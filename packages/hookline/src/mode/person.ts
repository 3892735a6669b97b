import { cleanText } from "@hookline/ground";
import type { Io } from "@hookline/ground/system";
import { secretRedactor } from "../provider/secrets.ts";

/** Ways to print something for the person, safe for any text. */
export interface Person {
  /** Prints a line on stderr: no control sequence reaches the terminal, no key its scrollback. */
  tell(line: string): void;
  /** Prints the requested output: unchanged for a program, cleaned for a terminal. */
  answer(text: string): void;
}

/** The person who reads a command's output. */
export function personOf(io: Io): Person {
  const redact = secretRedactor(io.env);
  return {
    tell: (line) => io.err(`${cleanText(redact(line), { controls: "show" })}\n`),
    answer: (text) => io.out(`${io.stdoutIsTerminal ? cleanText(text) : text}\n`),
  };
}
