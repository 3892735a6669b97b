import { subcommandOf } from "./options.ts";
import type { ReadCommand } from "./reading.ts";
import { SUBCOMMANDS } from "./runners.ts";
import { baseOf, type CommandWord, knownOf, wordOf } from "./word.ts";

/**
 * Returns the forms of a command, any of which a refusing rule may match. They are: as written, with a program's base
 * name instead of its path, and without options before a sub-command (`git -C folder push` is `git push`).
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

/** Returns the position of a command's sub-command; `undefined` if its program has none. */
export function subcommandAt([first]: readonly CommandWord[]): number | undefined {
  return first !== undefined && SUBCOMMANDS.has(baseOf(first) ?? "") ? 1 : undefined;
}
