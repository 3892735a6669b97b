import { cleanText } from "@hookline/runtime/internal";
import type { Io } from "../io/io.ts";
import { secretRedactor } from "../provider/secrets.ts";

/** Ways to say something to the person, harmless whatever it holds. */
export interface Person {
  /** A line on stderr: no control sequence reaches the terminal, no key its scrollback. */
  tell(line: string): void;
  /** The asked-for output: as it is for a program, cleaned for a terminal. */
  answer(text: string): void;
}

/** The person behind a command's output. */
export function personOf(io: Io): Person {
  const redact = secretRedactor(io.env);
  return {
    tell: (line) => io.err(`${cleanText(redact(line), { controls: "show" })}\n`),
    answer: (text) => io.out(`${io.stdoutIsTerminal ? cleanText(text) : text}\n`),
  };
}
