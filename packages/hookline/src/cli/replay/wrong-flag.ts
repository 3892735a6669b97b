import { HooklineError } from "@hookline/runtime";

/** The error for an invalid flag or source, with what to do about it. */
export function wrongFlag(option: string, problem: string, remedy: string): HooklineError {
  return new HooklineError("INVALID_OPTION", { option, problem, remedy });
}
