import type { Fields } from "@hookline/ground";
import type { CatalogRow } from "../catalog/row.ts";
import type { LaneRow, Plan } from "../hook/lane.ts";
import type { MomentEdit, MomentHook, MomentLine } from "./line.ts";

/** The parts of a moment that redaction changes, and the paths of the values that were redacted. */
export type Told = Pick<MomentLine, "payload" | "hooks" | "edits" | "outcome" | "redacted">;

/**
 * Returns a moment as its last redactor left it. A text that hooks have changed or withheld is recorded only in its
 * final form, without earlier values and without the hooks' answers.
 */
export function asLeft(
  row: CatalogRow,
  told: Told & { readonly payload: Fields; readonly outcome: Fields },
  isWithheld: boolean,
): Told {
  if (row.withhold === undefined) return told;
  const { payload, outcome } = told;
  const changed = Object.keys(row.feeds).filter((name) => {
    const left = outcome[name];
    return left === undefined ? isWithheld && name in payload : left !== payload[name];
  });
  if (changed.length === 0) return told;
  const copies = changed
    .flatMap((name) => row.recorded?.copies?.[name] ?? [])
    .filter((name) => payload[name] !== undefined && !changed.includes(name));
  return {
    payload: {
      ...Object.fromEntries(Object.entries(payload).filter(([name]) => !copies.includes(name))),
      ...Object.fromEntries(changed.map((name) => [name, outcome[name]])),
    },
    outcome,
    hooks: told.hooks.map(withoutWords),
    edits: told.edits.map(withoutValues),
    redacted: [...changed, ...copies].map((name) => `payload.${name}`),
  };
}

/** Returns a moment without the payload fields that later hooks have redacted or may redact. */
export function withoutFields<T extends Told>(told: T, fields: readonly string[]): T {
  const payload = told.payload as Fields;
  const gone = fields.filter((name) => name in payload);
  if (gone.length === 0) return told;
  const rest = (of: unknown): Fields =>
    Object.fromEntries(Object.entries(of as Fields).filter(([name]) => !fields.includes(name)));
  return {
    ...told,
    payload: rest(payload),
    outcome: rest(told.outcome),
    hooks: told.hooks.map(withoutWords),
    edits: told.edits.map(withoutValues),
    redacted: [...new Set([...(told.redacted ?? []), ...gone.map((name) => `payload.${name}`)])],
  };
}

/**
 * Returns a moment in which the values in some fields are emptied, such as those of `headers`. Keys stay; the hooks'
 * answers are left out.
 */
export function namesOnly<T extends Told>(told: T, fields: readonly string[]): T {
  const bare = (of: unknown): Fields =>
    Object.fromEntries(
      Object.entries(of as Fields).map(([name, value]) => {
        const isNamed = fields.includes(name) && typeof value === "object" && value !== null;
        return [name, isNamed ? Object.fromEntries(Object.keys(value).map((key) => [key, ""])) : value];
      }),
    );
  return {
    ...told,
    payload: bare(told.payload),
    outcome: bare(told.outcome),
    hooks: told.hooks.map(withoutWords),
    edits: told.edits.map(withoutValues),
    redacted: fields.map((name) => `payload.${name}`),
  };
}

/** Returns whether hooks of a plan can change what they are shown. */
export function mayEdit(plan: Plan | undefined): boolean {
  // `feeds` only says what later hooks see: a redactor or transform can change even an `original` field.
  const changes = ({ kind, feeds }: LaneRow): boolean =>
    kind === "redactor" || kind === "transform" || Object.values(feeds).some((feed) => feed !== "original");
  return plan?.stations.some(({ row }) => changes(row)) === true;
}

/** Returns a hook's entry without its answer, problem and stderr, which may quote redacted content. */
export function withoutWords<T extends Pick<MomentHook, "answer" | "problem" | "stderr">>({
  answer: _answer,
  problem: _problem,
  stderr: _stderr,
  ...hook
}: T): Omit<T, "answer" | "problem" | "stderr"> {
  return hook;
}

function withoutValues({ from: _from, to: _to, ...edit }: MomentEdit): MomentEdit {
  return edit;
}
