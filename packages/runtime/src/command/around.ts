import type { Script } from "unbash";
import type { Certainty, Output } from "./reading.ts";
import type { Scope } from "./scope.ts";
import type { Spot } from "./spot.ts";
import type { CommandWord } from "./word.ts";

const MOST_WAYS = 16;

/** A command's input: a text, `null` if it is not known, or nothing at all of the text's own. */
export type Input = string | null | undefined;

/** The surroundings of a part of a text. */
export interface Around {
  readonly scope: Scope;
  readonly root: Script;
  readonly spot: Spot;
  readonly isConditional: boolean;
  readonly input: Input;
  /** Files whose content is the input. */
  readonly from: readonly CommandWord[] | undefined;
  /** The taker of the output, unless it is shown. */
  readonly output?: Output | undefined;
  /** The taker of the output of the substitutions in the words of a command. */
  readonly captured?: Output;
  /** 0-based offset of the command in the text that is read, also for what a part of the text starts. */
  readonly at: number;
  readonly depth: number;
  /** The certainty of each command found here. */
  readonly certainty: Certainty;
  readonly reason?: string;
  readonly word?: string;
  readonly through: readonly string[];
  /** The process that runs this part: whether it may have ended, and its own input. */
  readonly shell: { mayHaveEnded: boolean; input?: Input };
  /** The working folder of that process, relative to where the text starts; `undefined` if it is computed; `stack` is that of `pushd`. */
  readonly place: { folder: string | undefined; stack: readonly (string | undefined)[] };
  /** The words of the command before it in a pipe. */
  readonly fedBy?: readonly CommandWord[];
  /** Whether it is the body of a function or an alias where it is defined, and not where it is called. */
  readonly isDefinition: boolean;
  /** The functions that are being called here. */
  readonly calls: readonly string[];
}

/** Returns what is known of a command that one thing more keeps from being certain. */
export function hidden(
  around: Around,
  reason: string,
  word?: string,
): { certainty: Certainty; reason: string; word?: string } {
  // An unknown command stays unknown, and the first reason is the one to tell.
  const certainty = around.certainty === "unknown" ? "unknown" : "hidden";
  if (around.reason !== undefined)
    return { certainty, reason: around.reason, ...(around.word !== undefined && { word: around.word }) };
  return { certainty, reason, ...(word !== undefined && { word }) };
}

/** A word's value, if it can have only one. */
export function only(values: CommandWord["values"]): string | undefined {
  return values?.length === 1 ? values[0]?.text : undefined;
}

/** Every value of a word; `undefined` if it is computed, or there are too many. */
export function waysOf({ pieces }: CommandWord): readonly string[] | undefined {
  let all = [""];
  for (const piece of pieces) {
    if (piece === undefined || all.length * piece.length > MOST_WAYS) return undefined;
    all = all.flatMap((one) => piece.map((more) => one + more));
  }
  return [...new Set(all)];
}
