import type { Fields } from "@hookline/ground";
import type { CatalogRow } from "../catalog/row.ts";
import { equal } from "../lens/equal.ts";
import type { Edit, HookRun, LaneAnswer } from "../run/outcome.ts";

/** The decision about a call or a text before a person is asked, strictest first. */
export type Decision = "deny" | "ask" | "allow";

/** The folded answer of the hooks of one side, baseline or candidate, at a recorded moment. */
export interface SideAnswer {
  readonly decision: Decision;
  readonly reason?: string;
  /** The folded answer. Its fields, except those in `ABOUT`, change the payload. */
  readonly handed: Readonly<Record<string, unknown>>;
  readonly hooks: readonly Pick<HookRun, "hook" | "lane" | "status" | "answer" | "ms" | "problem">[];
  readonly edits: readonly Pick<Edit, "hook" | "lane" | "field" | "from" | "to">[];
  /** The answer of each lane, if known. */
  readonly lanes?: readonly LaneAnswer[];
  readonly ms: number;
}

/** The answer that allows everything and edits nothing. */
export const NOTHING: SideAnswer = { decision: "allow", handed: {}, hooks: [], edits: [], ms: 0 };

/** Fields of an answer that express the decision; all other fields change the payload. */
const ABOUT: ReadonlySet<string> = new Set(["decision", "reason", "cancel", "rest", "terminate"]);

/** Fields of an answer that stop a text, a request or a change of the session. */
const HOLDING: readonly string[] = ["stop", "cancel", "handled"];

/** Returns the decision of an event's folded answer. */
export function decisionOf(row: CatalogRow, answer: Fields): Decision {
  if (row.guard?.refused(answer) === true || answer["halt"] !== undefined) return "deny";
  const { decision } = answer;
  if (decision === "deny" || decision === "ask") return decision;
  return HOLDING.some((field) => Boolean(answer[field])) ? "deny" : "allow";
}

/** Makes a `SideAnswer` from an event's folded answer; `rest` provides the fields that are not in it. */
export function saidOf(
  row: CatalogRow,
  answer: Fields,
  rest: Pick<SideAnswer, "hooks" | "edits" | "ms" | "lanes">,
): SideAnswer {
  const { reason, cancel } = answer;
  const why = typeof reason === "string" ? reason : typeof cancel === "string" ? cancel : undefined;
  return { decision: decisionOf(row, answer), ...(why !== undefined && { reason: why }), handed: answer, ...rest };
}

/**
 * Returns whether two answers, of baseline and candidate, change this payload in the same way. A field with the
 * payload's own value is no change.
 */
export function handSame(a: SideAnswer, b: SideAnswer, payload: Fields): boolean {
  if (a.handed === b.handed || (isEmpty(a.handed) && isEmpty(b.handed))) return true;
  for (const field of new Set([...Object.keys(a.handed), ...Object.keys(b.handed)])) {
    if (ABOUT.has(field)) continue;
    const [one, other] = [a.handed[field] ?? payload[field], b.handed[field] ?? payload[field]];
    if (!equal(one, other) && !equal(plain(one), plain(other))) return false;
  }
  return true;
}

function isEmpty(fields: Fields): boolean {
  for (const _ in fields) return false;
  return true;
}

/** Returns a value as JSON gives it back, without the `timestamp` of messages, which differs on each run. */
function plain(value: unknown): unknown {
  try {
    return value === undefined ? undefined : JSON.parse(JSON.stringify(value, withoutTime));
  } catch {
    return value;
  }
}

function withoutTime(this: unknown, name: string, value: unknown): unknown {
  const isTime = name === "timestamp" && typeof value === "number";
  return isTime && typeof (this as { readonly role?: unknown }).role === "string" ? undefined : value;
}

/** Returns the hook that refused or asked: the last one that answered in the lane that made the decision. */
export function deciderOf(row: CatalogRow, said: SideAnswer): string | undefined {
  const lane = said.lanes?.find(({ answer }) => decisionOf(row, answer) === said.decision)?.lane;
  const answered = said.hooks.filter(
    ({ status }) => status === "answered" || status === "failed" || status === "timed-out",
  );
  return (answered.findLast((run) => run.lane === lane) ?? answered.at(-1))?.hook;
}

/** Returns the hook that made an edit which the other answer, of baseline or candidate, does not have. */
export function editorOf(said: SideAnswer, other: SideAnswer): string | undefined {
  const isThere = (edit: SideAnswer["edits"][number]): boolean =>
    other.edits.some(
      ({ hook, field, to }) => hook === edit.hook && field === edit.field && equal(plain(to), plain(edit.to)),
    );
  return said.edits.findLast((edit) => !isThere(edit))?.hook;
}

/** Returns the hooks that failed. */
export function failuresOf(said: SideAnswer): readonly string[] {
  if (said.hooks.length === 0) return NONE;
  return said.hooks.filter(({ status }) => status === "failed" || status === "timed-out").map(({ hook }) => hook);
}

const NONE: readonly string[] = [];
