import { subcommandOf } from "./options.ts";
import type { ReadCommand } from "./reading.ts";
import { SUBCOMMANDS } from "./runners.ts";
import { baseOf, type CommandWord, knownOf, wordOf } from "./word.ts";

/**
 * Returns a command in every form that something that refuses compares with: as it is written, with its program's base
 * name for a path, and without the options before a sub-command (`git -C folder push` is `git push` too).
 */
export function formsOf({ words }: Pick<ReadCommand, "words">): readonly (readonly CommandWord[])[] {
  const [first, ...args] = words;
  const base = first === undefined ? undefined : baseOf(first);
  if (first === undefined || base === undefined || base === "") return [words];
  const program = wordOf(base);
  const { plain } = subcommandOf(base, args);
  return [
    words,
    ...(knownOf(first) === base ? [] : [[program, ...args]]),
    ...(plain === undefined ? [] : [[program, ...plain]]),
  ];
}

/** Returns the position of a command's sub-command, if its program has sub-commands. */
export function subcommandAt([first]: readonly CommandWord[]): number | undefined {
  return first !== undefined && SUBCOMMANDS.has(baseOf(first) ?? "") ? 1 : undefined;
}
