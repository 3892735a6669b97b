import type { CommandWord, Values } from "./word.ts";

/**
 * How well it is known that a command runs.
 *
 * - `certain`: the text runs it if execution gets there.
 * - `hidden`: the text does not show what it runs, as in `$PROGRAM x` and `curl … | sh`.
 * - `unknown`: a program that no table lists has words that could be a command.
 */
export type Certainty = "certain" | "hidden" | "unknown";

/** The destination of a command's output. */
export interface Output {
  /**
   * `pipe`: other commands read it as input; `file`: it is written to files; `text`: it becomes words of commands or
   * values of variables.
   */
  readonly kind: "pipe" | "file" | "text";
  /** The commands that receive the output; empty for variables. */
  readonly to: readonly ReadCommand[];
  /** The files that the output is written to; `undefined` if their names are computed. */
  readonly files?: Values;
}

/** One command that a text runs, or may run. */
export interface ReadCommand {
  readonly certainty: Certainty;
  /** The program and its arguments, without assignments and redirections; never empty. */
  readonly words: readonly CommandWord[];
  /** Why the command is not certain: a clause whose subject is the text, such as "computes the name of a program". */
  readonly reason?: string;
  /** The word, as it is written, that makes the command uncertain. */
  readonly word?: string;
  /**
   * Whether the command runs only under a condition: in a branch, a loop, a function, a trap, or after something that
   * may end the shell.
   */
  readonly isConditional: boolean;
  /** Whether assignments such as `A=1` precede the program. */
  readonly hasAssignments: boolean;
  /** The programs that start the command, outermost first, such as `sudo` and `timeout`. */
  readonly through: readonly string[];
  /** Whether the command does nothing but start the next command of the reading. */
  readonly isRunner: boolean;
  /** The 0-based offset of the command in the text. */
  readonly at: number;
  /** The command's input, if the text contains it. */
  readonly input?: string;
  /** The working folder, relative to the one in which the text starts (empty for that one); `undefined` if computed. */
  readonly folder: string | undefined;
  /** The words of the previous command in the pipe. */
  readonly fedBy?: readonly CommandWord[];
  /**
   * Whether the command is in the body of a function or an alias that the text defines. Each call of the function is
   * read again, with the words of the call.
   */
  readonly isDefinition: boolean;
  /** The files that are the command's input: redirected, or printed by `cat`. */
  readonly from?: readonly CommandWord[];
  /** The destination of the command's output, unless it is shown. */
  readonly output?: Output;
}

/** A variable that the text sets for the programs that it starts. */
export interface SetVariable {
  readonly name: string;
  readonly word: CommandWord;
  readonly at: number;
}

/** A file that a redirection opens. */
export interface RedirectedFile {
  readonly values: Values;
  /** The likeliest values of the file's name, if they are not certain. */
  readonly assumed?: Values;
  readonly isWritten: boolean;
  /** Whether the file's earlier content stays: with `>>`, or if it is only read. */
  readonly keeps: boolean;
  /** The working folder, relative to the one in which the text starts; `undefined` if it is computed. */
  readonly folder: string | undefined;
  /** The programs that start the redirected command, outermost first, such as `sudo`. */
  readonly through: readonly string[];
  readonly isDefinition: boolean;
}

/** Everything that a shell text runs. Includes loops, functions, substitutions and texts for other shells. */
export interface Reading {
  readonly commands: readonly ReadCommand[];
  readonly redirected: readonly RedirectedFile[];
  /** The content of files that the text writes, if it is known, by the paths as written. */
  readonly written: ReadonlyMap<string, string>;
  /** Names of the variables that the text sets. */
  readonly assigned: readonly string[];
  /** The variables that make programs load what they name, with their values. */
  readonly loaded: readonly SetVariable[];
  /** Whether a part of the text is computed: a variable, or a command's output. */
  readonly isComputed: boolean;
  /** False if the text is no shell script or too long: its only command is then hidden and may be anything. */
  readonly isRead: boolean;
}

/** Returns whether a redirection of a text writes a file; `/dev/null` does not count. */
export function writesFiles({ redirected }: Pick<Reading, "redirected">): boolean {
  return redirected.some(
    ({ values, isWritten }) => isWritten && !(values?.length === 1 && values[0]?.text === "/dev/null"),
  );
}
