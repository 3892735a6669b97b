import { notMatched } from "@hookline/runtime/engine";
import { IN_SHADOW } from "../hook/in-shadow.ts";
import type { FullValue, HookAsked, InspectedSource, Moment } from "./api.ts";
import { BadRequest } from "./bad-request.ts";
import { bytesOf, cutTo, pointedAt, whole } from "./cut.ts";
import type { FullMoment } from "./moment-file.ts";
import type { MomentIndex } from "./moment-index.ts";

/** The maximum size of the server's response to a request, in bytes. */
const MOST_BYTES = 8 * 1024 * 1024;
/** Bytes of a response that are reserved for the fields other than `moment`. */
const AROUND_BYTES = 256 * 1024;
/** The number of characters in a piece of a value; each has at most six bytes as JSON. */
const PIECE = 1 << 20;
const RELATED = 200;

/** Returns everything that is known about a moment. */
export function momentAnswer(index: MomentIndex, n: number, source: Pick<InspectedSource, "kind" | "level">): Moment {
  const moment = momentIn(index, n);
  const told = { ...moment, hooks: moment.hooks.map(withReason) };
  const line = index.rows.get("line", n - 1);
  const { value, cut } = cutTo(told, MOST_BYTES - AROUND_BYTES);
  return {
    v: 1,
    item: index.item(n),
    ...(line > 0 && { line }),
    moment: value,
    cut,
    missing: missingOf(moment, source),
    related: index.related(n, RELATED).map((other) => index.item(other)),
  };
}

/** Returns a whole value of a moment, or the piece that begins at a character. */
export function fullValue(index: MomentIndex, n: number, path: string, from: number): FullValue {
  const moment = momentIn(index, n);
  const value = pointedAt({ ...moment, hooks: moment.hooks.map(withReason) }, path);
  if (value === undefined) throw new BadRequest(`The moment ${n} has no value at ${path}.`, 404, "not-found");
  const isText = typeof value === "string";
  const text = isText ? value : JSON.stringify(value, null, 1);
  const piece = whole(text.slice(from), PIECE);
  const next = from + piece.length;
  return {
    v: 1,
    path,
    text: piece,
    kind: isText ? "text" : "json",
    from,
    ...(next < text.length && piece.length > 0 && { next }),
  };
}

/** Reads a moment from its file; throws if there is none, or if it can no longer be read. */
export function momentIn(index: MomentIndex, n: number): FullMoment {
  if (!Number.isSafeInteger(n) || n < 1 || n > index.count)
    throw new BadRequest(`There is no moment ${n}; there are ${index.count}.`, 404, "not-found");
  try {
    return index.moment(n);
  } catch (thrown) {
    const line = index.rows.get("line", n - 1);
    const why = thrown instanceof Error && thrown.message !== "" ? `: ${thrown.message}` : "";
    throw new BadRequest(`The moment ${n} (line ${line}) can no longer be read${why}.`, 410, "gone");
  }
}

/** Adds why a hook did not run, in the words of `hookline hooks explain`. */
function withReason(hook: HookAsked): HookAsked {
  if (hook.shadow === true) return { ...hook, why: IN_SHADOW };
  if (hook.status === "skipped") return { ...hook, why: hook.problem ?? notMatched(hook.filter) };
  return hook.status === "not-reached" ? { ...hook, why: hook.problem ?? NOT_REACHED } : hook;
}

const NOT_REACHED = "the outcome was settled before it was asked";

function missingOf(
  { payload, redacted, hooks, edits }: FullMoment,
  { kind, level }: Pick<InspectedSource, "kind" | "level">,
): string[] {
  const missing: string[] = [];
  if (kind === "trace") missing.push("A trace has no payloads. Record with `hookline --record` to have them.");
  else if (kind === "running" && payload === undefined)
    missing.push(
      "This moment was before the recording began, so its payload was not kept. `/inspect record` begins one.",
    );
  else if (level === "log")
    missing.push(
      "Only decisions were logged, with sizes and digests for values. Record with `hookline --record` to have the values.",
    );
  if (redacted !== undefined && redacted.length > 0)
    missing.push(
      `A hook has changed ${redacted.join(", ")}, which may have held a secret: the value is as the hook left it, and the original is not kept.`,
    );
  if (hooks.some(({ status, shadow }) => status === "asked" && shadow !== true))
    missing.push("For hooks that said nothing, the time is recorded for guards only.");
  if (kind === "trace" && edits.some((edit) => isDigest(edit.to)))
    missing.push("This trace has sizes and digests in place of values. Trace with --trace-payloads to have them.");
  return missing;
}

function isDigest(value: unknown): boolean {
  return typeof value === "object" && value !== null && "digest" in value && "chars" in value;
}

/** Whether a response is small enough to be sent. */
export function isSmall(answer: unknown): boolean {
  return bytesOf(answer) <= MOST_BYTES;
}
