import type { CommandWord, Values } from "./word.ts";

/**
 * How well it is known that a command runs.
 *
 * - `certain`: the text runs it when its flow gets there.
 * - `hidden`: the text keeps from a reader what it runs, as `$PROGRAM x` and `curl … | sh` do.
 * - `unknown`: a program that is in none of the tables has words that could be a command.
 */
export type Certainty = "certain" | "hidden" | "unknown";

/** A taker of a command's output. */
export interface Output {
  /** `pipe`: the input of commands; `file`: files; `text`: words of commands, or the values of variables. */
  readonly kind: "pipe" | "file" | "text";
  /** The commands that get it; empty for variables. */
  readonly to: readonly ReadCommand[];
  /** The files; `undefined` if their names are computed. */
  readonly files?: Values;
}

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
  /** 0-based offset in the text. */
  readonly at: number;
  /** Its input, if the text says it. */
  readonly input?: string;
  /** Its working folder, relative to where the text starts (empty for that folder); `undefined` if it is computed. */
  readonly folder: string | undefined;
  /** The words of the command before it in a pipe. */
  readonly fedBy?: readonly CommandWord[];
  /** Whether it is in a function or an alias that the text defines; each call of one is read again, with its words. */
  readonly isDefinition: boolean;
  /** The files that are its input: redirected, or printed by `cat`. */
  readonly from?: readonly CommandWord[];
  /** The taker of its output, unless it is shown. */
  readonly output?: Output;
}

/** A variable that the text sets for what it starts. */
export interface SetVariable {
  readonly name: string;
  readonly word: CommandWord;
  readonly at: number;
}

/** A file that a redirection opens. */
export interface RedirectedFile {
  readonly values: Values;
  /** As that of a word. */
  readonly assumed?: Values;
  readonly isWritten: boolean;
  /** Whether what the file held stays: `>>`, or a file that is only read. */
  readonly keeps: boolean;
  /** Working folder, relative to where the text starts; `undefined` if it is computed. */
  readonly folder: string | undefined;
  /** The programs that start what writes it, outermost first. */
  readonly through: readonly string[];
  readonly isDefinition: boolean;
}

/** One reading of a shell text, in any part of it: lists, loops, functions, substitutions, texts for other shells. */
export interface Reading {
  readonly commands: readonly ReadCommand[];
  readonly redirected: readonly RedirectedFile[];
  /** Files that the text writes and whose text is known, by their paths as they are written. */
  readonly written: ReadonlyMap<string, string>;
  /** Names of the variables that the text sets. */
  readonly assigned: readonly string[];
  /** The variables that make programs load what they name, with their values. */
  readonly loaded: readonly SetVariable[];
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
