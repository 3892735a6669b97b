import type { Call } from "@hookline/runtime/dialect";
import { HookFailure, readJson } from "@hookline/runtime/dialect";
import type { LlmReport } from "@hookline/runtime/engine";

/** Returns the text of a model's reply. Throws a `HookFailure` that says why there is none. */
export function replyOf(report: LlmReport, call: Pick<Call, "note">, timeoutMs: number): string {
  if (report.ok) return report.text;
  // The provider's error message may quote the prompt, so only traces contain it.
  call.note(report.message, true);
  switch (report.cause) {
    case "timed-out":
      throw new HookFailure("timeout", `no answer within ${timeoutMs} ms`);
    case "aborted":
      throw new HookFailure("aborted", "aborted");
    case "no-model":
      throw new HookFailure("threw", "there is no model to ask");
    case "too-large":
      // Counts as hookline's failure, so that the guard refuses: a call must not pass because it was made very long.
      throw new HookFailure("engine", "the event is larger than the model's context window", "TOO_LARGE");
    case "failed":
      throw new HookFailure("threw", "the request to the model failed");
  }
}

/** Removes a code fence that surrounds the whole reply. */
export function unfenced(reply: string): string {
  return /^\s*```\w*\s*\n(.*)\n\s*```\s*$/s.exec(reply)?.[1] ?? reply;
}

/**
 * The limit on unclosed braces that are tried as the start of an object. Beyond it, the rest of the reply is searched
 * as a whole.
 */
const MOST_OPEN = 200;

/**
 * Finds the object that refuses, in a reply that is not one clear answer. `no` matches the member that refuses. Returns
 * an empty object if that object is not valid JSON, and `undefined` if no complete object refuses.
 */
export function refusalIn(reply: string, no: RegExp): Readonly<Record<string, unknown>> | undefined {
  let open = 0;
  for (let from = reply.indexOf("{"); from >= 0; ) {
    if (open > MOST_OPEN) return no.test(reply.slice(from)) ? {} : undefined;
    const to = endOf(reply, from);
    if (to === undefined) open += 1;
    const object = reply.slice(from, to ?? from);
    if (no.test(object)) {
      const read = readJson(object);
      return read.ok ? (read.value as Readonly<Record<string, unknown>>) : {};
    }
    from = reply.indexOf("{", to ?? from + 1);
  }
  return undefined;
}

/** Returns the end of the object that begins at `from`; `undefined` if it is not closed. */
function endOf(text: string, from: number): number | undefined {
  const parts = /"(?:\\.|[^"\\])*"|[{}]/gs;
  parts.lastIndex = from;
  let depth = 0;
  for (let part = parts.exec(text); part !== null; part = parts.exec(text)) {
    if (part[0] === "{") depth += 1;
    else if (part[0] === "}" && --depth === 0) return parts.lastIndex;
  }
  return undefined;
}
