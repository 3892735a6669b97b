import type { Io } from "@hookline/ground/system";

/** Returns a function that asks a person a yes-or-no question; undefined if there is no terminal to ask on. */
export function yesAsker(io: Io): ((question: string) => Promise<boolean>) | undefined {
  if (!io.stdinIsTerminal || !io.stdoutIsTerminal || io.ask === undefined) return undefined;
  return async (question) => isYes(await io.ask?.(`${question} [y/N] `));
}

/** Whether an answer that a person typed is a yes. */
export function isYes(answer = ""): boolean {
  return /^y(es)?$/i.test(answer.trim());
}
