import type { Script } from "unbash";
import type { Certainty, Output } from "./reading.ts";
import type { Scope } from "./scope.ts";
import type { Spot } from "./spot.ts";
import type { CommandWord } from "./word.ts";

const MOST_WAYS = 16;

/** A command's standard input: a text, `null` if it is not known, `undefined` if the shell text provides none. */
export type Input = string | null | undefined;

/** The context of a part of a shell text: what surrounds it and what it inherits. */
export interface Around {
  readonly scope: Scope;
  readonly root: Script;
  readonly spot: Spot;
  readonly isConditional: boolean;
  readonly input: Input;
  /** Files whose content is the command's input. */
  readonly from: readonly CommandWord[] | undefined;
  /** The destination of the command's output, unless it is shown. */
  readonly output?: Output | undefined;
  /** The destination of the output of command substitutions in the command's words. */
  readonly captured?: Output;
  /** The 0-based offset of the command in the text; commands of a nested text have that of the command that runs it. */
  readonly at: number;
  readonly depth: number;
  /** How certain it is that the commands in this part of the text run. */
  readonly certainty: Certainty;
  readonly reason?: string;
  readonly word?: string;
  readonly through: readonly string[];
  /** The process that runs this part of the text: whether it may have ended, and its input. */
  readonly shell: { mayHaveEnded: boolean; input?: Input };
  /**
   * The working folder of the process that runs this part of the text, relative to the folder in which the text starts;
   * `undefined` if it is computed. `stack` contains the folders that `pushd` saved.
   */
  readonly place: { folder: string | undefined; stack: readonly (string | undefined)[] };
  /** The words of the previous command in the pipe. */
  readonly fedBy?: readonly CommandWord[];
  /** Whether this is the body of a function or alias at its definition, rather than at a call. */
  readonly isDefinition: boolean;
  /** The names of the functions that are being called, to stop recursion. */
  readonly calls: readonly string[];
}

/** Makes the fields of a command that may run although the text does not show it: `hidden`, and the reason to report. */
export function hidden(
  around: Around,
  reason: string,
  word?: string,
): { certainty: Certainty; reason: string; word?: string } {
  // An unknown command stays unknown, and the first reason is the one that is reported.
  const certainty = around.certainty === "unknown" ? "unknown" : "hidden";
  if (around.reason !== undefined)
    return { certainty, reason: around.reason, ...(around.word !== undefined && { word: around.word }) };
  return { certainty, reason, ...(word !== undefined && { word }) };
}

/** Returns a word's value, if only one is possible. */
export function only(values: CommandWord["values"]): string | undefined {
  return values?.length === 1 ? values[0]?.text : undefined;
}

/** Returns every possible value of a word; `undefined` if it is computed or has too many. */
export function waysOf({ pieces }: CommandWord): readonly string[] | undefined {
  let all = [""];
  for (const piece of pieces) {
    if (piece === undefined || all.length * piece.length > MOST_WAYS) return undefined;
    all = all.flatMap((one) => piece.map((more) => one + more));
  }
  return [...new Set(all)];
}
