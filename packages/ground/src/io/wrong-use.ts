import { HooklineError } from "../error/error.ts";

/** The error for a command line that asks for what does not exist; the command exits with 2. */
export function wrongUse(option: string, problem: string, remedy: string): HooklineError {
  return new HooklineError("WRONG_USE", { option, problem, remedy });
}
