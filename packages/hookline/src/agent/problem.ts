import { messageOf } from "@hookline/ground";
import { HooklineError } from "@hookline/runtime";

/** The text of an error for the person: what happened, then what to do if that is known. */
export function problemText(thrown: unknown): string {
  return HooklineError.isInstance(thrown) ? `${thrown.message}\n${thrown.hint}` : messageOf(thrown);
}
