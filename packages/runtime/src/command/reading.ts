import type { CommandWord, Values } from "./word.ts";

/**
 * How well it is known that a command runs.
 *
 * - `certain`: the text runs it when its flow gets there.
 * - `hidden`: the text keeps from a reader what it runs, as `$PROGRAM x` and `curl … | sh` do.
 * - `unknown`: a program that is in none of the tables has words that could be a command.
 */
export type Certainty = "certain" | "hidden" | "unknown";

/** One command that a text runs, or may run. */
export interface ReadCommand {
  readonly certainty: Certainty;
  /** The program and its arguments, without assignments and redirections; never empty. */
  readonly words: readonly CommandWord[];
  /** Why it is not certain: a clause whose subject is the text, such as "computes the name of a program". */
  readonly reason?: string;
  /** The word, as it is written, that keeps it from being certain. */
  readonly word?: string;
  /** Whether it runs only under a condition: in a branch, a loop, a function, a trap, or after something that may end. */
  readonly isConditional: boolean;
  /** Whether assignments precede its program. */
  readonly hasAssignments: boolean;
  /** The programs that start it, outermost first, such as `sudo` and `timeout`. */
  readonly through: readonly string[];
  /** Whether it does nothing but start the next command of the reading. */
  readonly isRunner: boolean;
}

/** A file that a redirection opens. */
export interface RedirectedFile {
  readonly values: Values;
  readonly isWritten: boolean;
}

/** One reading of a shell text, in any part of it: lists, loops, functions, substitutions, texts for other shells. */
export interface Reading {
  readonly commands: readonly ReadCommand[];
  readonly redirected: readonly RedirectedFile[];
  /** Names of the variables that the text sets. */
  readonly assigned: readonly string[];
  /** Whether a part of it is computed: a variable, or a command's output. */
  readonly isComputed: boolean;
  /** False for a text that is no shell script, or too long to be read: its only command is hidden, and may be anything. */
  readonly isRead: boolean;
}

/** Whether a redirection of a text writes a file; `/dev/null` is none. */
export function writesFiles({ redirected }: Pick<Reading, "redirected">): boolean {
  return redirected.some(
    ({ values, isWritten }) => isWritten && !(values?.length === 1 && values[0]?.text === "/dev/null"),
  );
}
