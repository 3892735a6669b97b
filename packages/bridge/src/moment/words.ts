import type { Fields } from "@hookline/ground";
import { type NativeAnswer, SILENCE } from "../client/native-answer.ts";

/** Writes an answer as one JSON object with the event's own fields in it; silence if there is nothing to say. */
export function spoken(event: string, said: Fields, specific: Fields): NativeAnswer {
  const own = Object.keys(specific).length > 0 && { hookSpecificOutput: { hookEventName: event, ...specific } };
  const all = { ...said, ...own };
  return Object.keys(all).length === 0 ? SILENCE : { ...SILENCE, stdout: JSON.stringify(all) };
}

/**
 * Returns a reason that is never empty: hosts ignore a refusal without one. Source: spec/hosts/codex
 * (pre-deny-noreason, stop-block-noreason).
 */
export function reasonOf(given: string): string {
  return given.trim() === "" ? "A hook refused this." : given;
}
