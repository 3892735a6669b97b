import { didYouMean, nearest } from "@hookline/ground";
import { EXIT, type Io, plain } from "@hookline/ground/system";
import type { Arguments } from "../start/args.ts";
import { SHELLS } from "../start/commands.ts";
import { complete } from "./completion/candidates.ts";
import { namesOf } from "./completion/names.ts";
import { SCRIPTS } from "./completion/scripts.ts";

/** The word with which a shell's script asks for completions: `hookline completion words -- WORD…`. */
const ASKS = "words";

/** `hookline completion bash|zsh|fish`: prints a script with which the shell asks hookline for completions. */
export async function printCompletion(args: Arguments, io: Io): Promise<number> {
  const [shell, ...words] = args.words;
  if (shell === ASKS) {
    for (const { word, says } of await complete(words, (kind) => namesOf(kind, args, io)))
      io.out(says === undefined ? `${line(word)}\n` : `${line(word)}\t${line(says)}\n`);
    return EXIT.fine;
  }
  const known = SHELLS.find((one) => one === shell);
  if (known !== undefined) {
    io.out(SCRIPTS[known]);
    return EXIT.fine;
  }
  io.err(
    shell === undefined
      ? `For which shell? \`hookline completion SHELL\`, one of ${SHELLS.join(", ")}.\n`
      : `There is no completion for "${plain(shell)}". ${didYouMean(nearest(shell, SHELLS))}There is one for ${SHELLS.join(", ")}.\n`,
  );
  return EXIT.usage;
}

/** Puts a word or description on one line, whatever characters a file's name has. */
function line(text: string): string {
  return plain(text).replaceAll("\t", " ");
}
