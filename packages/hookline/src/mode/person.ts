import { cleanText } from "@hookline/ground";
import type { Io } from "@hookline/ground/system";
import { secretRedactor } from "../provider/secrets.ts";

/** Functions that print text for the person, safe for any text. */
export interface Person {
  /** Prints a line on stderr, without control sequences and without API keys. */
  tell(line: string): void;
  /** Prints the requested output on stdout: unchanged for a program, without control sequences for a terminal. */
  answer(text: string): void;
}

/** Makes the functions that print for the person who runs a command. */
export function personOf(io: Io): Person {
  const redact = secretRedactor(io.env);
  return {
    tell: (line) => io.err(`${cleanText(redact(line), { controls: "show" })}\n`),
    answer: (text) => io.out(`${io.stdoutIsTerminal ? cleanText(text) : text}\n`),
  };
}
