import { messageOf } from "@hookline/ground";
import { HooklineError } from "@hookline/runtime";

/** Formats an error for the person: what happened, then the remedy if one is known. */
export function problemText(thrown: unknown): string {
  return HooklineError.isInstance(thrown) ? `${thrown.message}\n${thrown.hint}` : messageOf(thrown);
}
