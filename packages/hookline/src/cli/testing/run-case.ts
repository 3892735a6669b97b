import { type Fields, messageOf } from "@hookline/ground";
import { HooklineError, type Outcome } from "@hookline/runtime";
import { type SampleOptions, sampleEvent, samplePayload } from "@hookline/runtime/testing";
import { type EventTarget, readTarget } from "../target.ts";
import { callProblems, sampleCall } from "./call-check.ts";
import type { HookCase } from "./case-file.ts";
import type { Opened } from "./opened.ts";
import { payloadProblems } from "./payload-check.ts";
import { type Came, unmet, type Word, wordOf } from "./verdict.ts";

/** The result of a case: the outcome, and how it differs from the expectation. */
export interface CaseResult {
  readonly one: HookCase;
  /** The differences from the expectation; empty if there are none. */
  readonly problems: readonly string[];
  readonly ms: number;
  /** The outcome of the event in one word; absent if no hook could be asked. */
  readonly word?: Word;
  /** The name of the catalog event about which the hooks were asked. */
  readonly event?: string;
  /** The hooks that were asked, by id. */
  readonly asked: readonly string[];
  readonly outcome?: Outcome;
}

/** Placeholder in a case's texts for the folder with its fixtures. */
const FIXTURES = "{fixtures}";

/** Asks the hooks about a case over their real transports. If that fails, the result has the problem. */
export async function runCase(given: HookCase, opened: Opened): Promise<CaseResult> {
  const one = opened.fixtures === undefined ? given : (filled(given, opened.fixtures) as HookCase);
  try {
    return { ...(await asked(one, opened)), one: given };
  } catch (thrown) {
    const hint = HooklineError.isInstance(thrown) ? `. ${thrown.hint}` : "";
    return { one: given, problems: [`${messageOf(thrown)}${hint}`], ms: 0, asked: [] };
  }
}

async function asked(one: HookCase, { session, lanes, scene }: Opened): Promise<CaseResult> {
  const target = readTarget(one.event, lanes, session);
  const options = {
    ...sampleCall(target, one.tool),
    ...(one.args !== undefined && { args: one.args }),
    model: scene.model,
  };
  const row = rowOf(target);
  const sample = (
    row === undefined ? samplePayload(target.event as never, options) : sampleEvent(row, scene, options)
  ) as Fields;
  const payload: Fields = { ...sample, ...one.payload };
  const wrong = [
    ...payloadProblems(target, one.payload, payload, scene),
    ...callProblems(target, one, payload, session),
  ];
  if (wrong.length > 0) return { one, problems: wrong, ms: 0, asked: [] };
  const outcome = await emit(target, payload, session, one.only);
  const came = cameOf({ outcome, target, payload, options }, { session, lanes, scene });
  const { notRunning } = session.report.summary;
  const idle = notRunning === 1 ? "1 hook here does not run" : `${notRunning} hooks here do not run`;
  return {
    one,
    problems: unmet(one.expect, came, notRunning === 0 ? "" : ` (${idle}: \`hookline hooks\` says why)`),
    ms: outcome.ms,
    word: wordOf(came),
    event: row?.of ?? target.event,
    asked: outcome.hooks
      .filter(({ status }) => status !== "skipped" && status !== "not-reached")
      .map(({ hook }) => hook),
    outcome,
  };
}

/** Asks the hooks about an event; with `only`, the hook with this id alone. */
export async function emit(
  target: EventTarget,
  payload: object,
  session: Opened["session"],
  only?: string,
): Promise<Outcome> {
  if (target.kind === "lane") return session.fire(target.lane.id, target.event, payload);
  const leftOut = only === undefined ? {} : { leftOut: { because: OTHER, has: ({ id }: Named) => id !== only } };
  return session.emit(target.event, payload as never, leftOut) as Outcome | Promise<Outcome>;
}

interface Named {
  readonly id: string;
}

const OTHER = "the case is of another hook";

interface Happened {
  readonly outcome: Outcome;
  readonly target: EventTarget;
  readonly payload: object;
  readonly options?: SampleOptions;
}

/** Returns the result of an event. A dialect's answer is converted to the catalog event's fields. */
export function cameOf(
  { outcome, target, payload, options }: Happened,
  { session, lanes, scene }: Pick<Opened, "session" | "lanes" | "scene">,
): Came {
  const row = rowOf(target);
  const { answer: said } = outcome;
  const answer = (
    row === undefined || Object.keys(said).length === 0
      ? said
      : (row.view.put(said as never, samplePayload(row.of as never, options) as never, scene) ?? {})
  ) as Fields;
  const after: Record<string, unknown> = { ...payload, ...answer };
  for (const { field, to } of outcome.edits) after[field] = to;
  return { answer, after, outcome, isHeard: isHeard(target, session, lanes) };
}

function rowOf(target: EventTarget): Opened["lanes"][number]["rows"][number] | undefined {
  return target.kind === "lane" ? target.lane.rows.find(({ name }) => name === target.event) : undefined;
}

/** Whether any hook listens to the event. */
function isHeard(target: EventTarget, session: Opened["session"], lanes: Opened["lanes"]): boolean {
  const names = (lane: Opened["lanes"][number]): readonly string[] =>
    lane.rows.flatMap(({ of, name }) => (of === target.event ? [name] : []));
  return session
    .hooks()
    .some(({ lane, hook }) =>
      target.kind === "lane"
        ? lane === target.lane.id && hook.event === target.event
        : lanes.some((one) => one.id === lane && names(one).includes(hook.event)),
    );
}

function filled(value: unknown, folder: string): unknown {
  if (typeof value === "string") return value.replaceAll(FIXTURES, folder);
  if (Array.isArray(value)) return value.map((item) => filled(item, folder));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, filled(item, folder)]));
}
