import { HooklineError } from "../error/error.ts";

/** Makes the error for a wrong command line. The command then exits with 2. */
export function wrongUse(option: string, problem: string, remedy: string): HooklineError {
  return new HooklineError("WRONG_USE", { option, problem, remedy });
}
