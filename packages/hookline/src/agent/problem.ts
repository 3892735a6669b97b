import { HooklineError } from "@hookline/runtime";
import { messageOf } from "@hookline/runtime/internal";

/** What the person is told of something thrown: what happened, then what to do where that is known. */
export function problemText(thrown: unknown): string {
  return HooklineError.isInstance(thrown) ? `${thrown.message}\n${thrown.hint}` : messageOf(thrown);
}
