import type { Fields } from "@hookline/ground";
import { HookFailure } from "@hookline/runtime/dialect";
import type { Oversized } from "./point.ts";
import { shorten } from "./shorten.ts";

/** How a plugin takes its data, judged by what its program's text mentions. */
export interface Reads {
  /** The program mentions `CHIBI_HOOK_DATA`. Without this variable it must not run: it would act on an empty event. */
  readonly hookVariable: boolean;
  /** The program mentions `CHIBI_TOOL_ARGS`, so its stdin is left to the user's terminal. */
  readonly toolVariable: boolean;
  /** The program mentions stdin, or a command that reads stdin. */
  readonly stdin: boolean;
  /** The program mentions `/dev/tty`. Only a run as a tool can open it; hooks run without a terminal. */
  readonly terminal: boolean;
}

/** An event as it is passed to a plugin. */
export interface Delivery {
  /** The value of `CHIBI_HOOK_DATA`; absent if the data is on stdin only. */
  readonly variable: string | undefined;
  /** The event as one line of JSON. */
  readonly stdin: string;
  /** Keys of the editable field whose values were shortened for the plugin; its edits of them are ignored. */
  readonly shortened: ReadonlySet<string>;
}

/** The longest value of `CHIBI_HOOK_DATA` and of `CHIBI_TOOL_ARGS`, in bytes. Linux limits each variable to 128 KiB. */
export const MAX_VALUE_BYTES = 131_055;

const NONE: ReadonlySet<string> = new Set();
const encoder = new TextEncoder();

/** Whether a text can be the value of one of chibi's data variables. */
export function fitsVariable(text: string): boolean {
  // In UTF-8, no UTF-16 code unit takes more than three bytes, so short texts need not be encoded.
  return text.length * 3 <= MAX_VALUE_BYTES || encoder.encode(text).length <= MAX_VALUE_BYTES;
}

/**
 * Puts an event into the environment and on stdin (ruling 39). An event too large for the environment is shortened or
 * refused, as its hook point says (ruling 40). A plugin that mentions stdin but not `CHIBI_HOOK_DATA` gets a large
 * event whole, on stdin only; any other plugin might act on an empty event. Throws a `HookFailure` of cause "engine" if
 * nothing can be sent.
 */
export function deliver(event: Fields, oversized: Oversized, reads: Reads): Delivery {
  const whole = jsonOf(event);
  if (fitsVariable(whole)) return { variable: whole, stdin: `${whole}\n`, shortened: NONE };
  if (reads.stdin && !reads.hookVariable) return { variable: undefined, stdin: `${whole}\n`, shortened: NONE };
  const cut = oversized.how === "shorten" ? shorten(event, (shorter) => fitsVariable(jsonOf(shorter))) : undefined;
  if (cut === undefined) {
    const problem = `the event is larger than the ${MAX_VALUE_BYTES} bytes that fit into CHIBI_HOOK_DATA`;
    throw new HookFailure("engine", problem, "TOO_LARGE");
  }
  const text = jsonOf(cut);
  return { variable: text, stdin: `${text}\n`, shortened: keysCut(event, cut, oversized) };
}

/** Converts to JSON. Throws a `HookFailure` for a value that JSON cannot hold. */
export function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (thrown) {
    const problem = `its data cannot be written as JSON (${thrown instanceof Error ? thrown.name : "unknown"})`;
    throw new HookFailure("engine", problem, "TOO_LARGE");
  }
}

function keysCut(event: Fields, cut: Fields, oversized: Oversized): ReadonlySet<string> {
  if (oversized.how !== "shorten" || oversized.within === undefined) return NONE;
  const before = event[oversized.within] as Fields;
  const after = cut[oversized.within] as Fields;
  return new Set(Object.keys(before).filter((key) => before[key] !== after[key]));
}
