import fc from "fast-check";
import type { Diagnostic } from "../../../ground/src/error/diagnostic.ts";
import type { CatalogRow, Failure, Feed, Kind, Schedule } from "../../src/catalog/row.ts";
import { answerOnly, any, collect, type Fold, halt, last, record, strictest } from "../../src/fold/index.ts";
import { Instance } from "../../src/hook/instance.ts";
import type { Lane, LaneRow, Plan } from "../../src/hook/lane.ts";
import { Registry } from "../../src/hook/registry.ts";
import type { DispatchContext } from "../../src/run/context.ts";
import { Deadlines } from "../../src/run/deadline.ts";
import { dispatch } from "../../src/run/dispatch.ts";
import type { Outcome } from "../../src/run/outcome.ts";
import { ManualClock } from "./clock.ts";
import { reader } from "./reader.ts";
import { type Expected, type ReferenceStation, reference, scene } from "./reference.ts";
import { act, handlerOf, type Say, type Script, TIMEOUT_MS, type Touch } from "./script.ts";

type Fields = any;

/** One row of a made-up dialect, as far as it is varied. */
export interface RowCase {
  readonly schedule: Schedule;
  readonly feeds: { readonly input: Feed; readonly items: Feed; readonly text: Feed };
  /** Whether earlier answers survive a block. */
  readonly keeps: boolean;
  /** Whether a failure blocks. */
  readonly closed: boolean;
  readonly scripts: readonly Script[];
}

export interface LaneCase {
  readonly isolate: boolean;
  readonly rows: readonly RowCase[];
}

export interface Case {
  readonly kind: "guard" | "transform";
  /** Whether the first answer that stops ends a transform. */
  readonly ends: boolean;
  readonly lanes: readonly LaneCase[];
}

export const PAYLOAD: Fields = { args: { command: "ls" }, items: { command: "x" }, text: "t" };

// ---- generators

const word = fc.constantFrom("ls", "rm", "cat", "x", "y");
const answer = fc
  .record(
    {
      input: word.map((command) => ({ command })),
      items: word.map((command) => ({ command })),
      text: word,
      note: word,
      rewrite: word,
      ask: fc.constant(true),
      block: fc.constant(true),
      reason: word,
    },
    { requiredKeys: [] },
  )
  .map((fields) => ({ ...fields }));

const say: fc.Arbitrary<Say> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ what: "nothing" } as const) },
  { weight: 6, arbitrary: answer.map((given) => ({ what: "answer" as const, answer: given })) },
  { weight: 2, arbitrary: fc.constant({ what: "echo" } as const) },
  { weight: 2, arbitrary: word.map((message) => ({ what: "throw" as const, message })) },
  { weight: 1, arbitrary: fc.constant({ what: "bad" } as const) },
  { weight: 1, arbitrary: fc.constant({ what: "hang" } as const) },
);
const touch: fc.Arbitrary<Touch> = fc.record({
  how: fc.constantFrom("edit" as const, "assign" as const),
  field: fc.constantFrom("input", "items"),
  to: word,
});

export const script = (inPlace: boolean): fc.Arbitrary<Script> =>
  fc.record({
    touch: inPlace ? fc.array(touch, { maxLength: 2 }) : fc.constant([]),
    say,
    on: fc.option(fc.record({ command: word, say }), { nil: undefined }),
    mode: fc.constantFrom("sync" as const, "async" as const, "thenable" as const, "twice" as const),
    ticks: fc.nat({ max: 6 }),
  });

const feed = fc.constantFrom<Feed>("original", "chain", "draft");

export const rowCase = (isolate: boolean, kind: Case["kind"]): fc.Arbitrary<RowCase> =>
  fc.constantFrom<Schedule>("series", "all", ...(kind === "guard" ? [] : (["parallel"] as const))).chain((schedule) => {
    const parallel = schedule === "parallel";
    const fed = parallel ? fc.constant<Feed>("original") : feed;
    return fc.record({
      schedule: fc.constant(schedule),
      feeds: fc.record({ input: fed, items: fed, text: parallel ? fed : fc.constantFrom<Feed>("original", "chain") }),
      keeps: fc.boolean(),
      closed: fc.boolean(),
      scripts: fc.array(script(isolate && !parallel), { maxLength: 4 }),
    });
  });

export const laneCase = (kind: Case["kind"]): fc.Arbitrary<LaneCase> =>
  fc.boolean().chain((isolate) =>
    fc.record({
      isolate: fc.constant(isolate),
      rows: fc.array(rowCase(isolate, kind), { minLength: 1, maxLength: 2 }),
    }),
  );

export const aCase: fc.Arbitrary<Case> = fc.constantFrom("guard" as const, "transform" as const).chain((kind) =>
  fc.record({
    kind: fc.constant(kind),
    ends: fc.boolean(),
    lanes: fc.array(laneCase(kind), { minLength: 1, maxLength: 3 }),
  }),
);

// ---- rows

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The catalog's row of a case. */
export function catalogRow({ kind, ends }: Pick<Case, "kind" | "ends">): CatalogRow {
  const inner = record<any>({
    decision: strictest(),
    reason: last(),
    args: last(),
    items: last(),
    text: last(),
    note: collect(),
    stop: any(),
  });
  const merged = (given: any, before: any): any => ({ ...before, ...given });
  const guarding = kind === "guard";
  const by = guarding ? (given: any) => given.decision === "deny" : (given: any) => given.stop === true;
  return {
    name: "test.event",
    fires: "",
    agents: "all",
    kind: (guarding ? "guard" : "transform") satisfies Kind,
    schedule: guarding || ends ? "series" : "all",
    fold: halt<any, any>({ name: "end", by, keep: merged }, inner) as Fold<never, unknown>,
    feeds: { args: "chain", items: "chain", text: "chain" },
    read: reader as never,
    failed: () => undefined,
    ...(guarding && {
      guard: {
        judges: "args",
        refuse: (reason: string) => ({ decision: "deny", reason }),
        refused: (given: any) => given.decision === "deny",
      },
    }),
    payload: () => undefined as never,
    answer: () => undefined as never,
    since: "",
  };
}

/** A dialect's row of a case. */
export function laneRow(of: RowCase, kind: Case["kind"], name: string): LaneRow {
  const inner = record<any>({ input: last(), items: last(), text: last(), note: last(), rewrite: last(), ask: any() });
  const keep = of.keeps ? (given: any, before: any) => ({ ...before, ...given }) : answerOnly;
  const closed = (failure: Failure): any => ({ block: true, reason: failure.message });
  return {
    name,
    of: "test.event",
    kind,
    schedule: of.schedule,
    fold: halt<any, any>({ name: "block", by: (given) => given.block === true, keep }, inner) as Fold<never, unknown>,
    feeds: of.feeds,
    read: reader as never,
    failed: (failure) => (of.closed ? closed(failure) : undefined) as never,
    timeoutMs: TIMEOUT_MS,
    view: {
      get: ((payload: Fields) => ({
        type: name,
        input: payload.args,
        items: payload.items,
        text: payload.text,
      })) as never,
      put: ((outcome: Fields, payload: Fields) => put(outcome, payload, kind)) as never,
    },
    since: "",
  };
}

function put(outcome: Fields, payload: Fields, kind: Case["kind"]): Fields | undefined {
  if (outcome.block)
    return kind === "guard" ? { decision: "deny", reason: outcome.reason ?? "blocked" } : { stop: true };
  const edit: Fields = {};
  const args = outcome.rewrite === undefined ? outcome.input : { command: outcome.rewrite };
  if (args !== undefined && !same(args, payload.args)) edit.args = args;
  for (const name of ["items", "text"])
    if (outcome[name] !== undefined && !same(outcome[name], payload[name])) edit[name] = outcome[name];
  if (outcome.note !== undefined) edit.note = outcome.note;
  if (outcome.ask) edit.decision = "ask";
  return Object.keys(edit).length > 0 ? edit : undefined;
}

// ---- running

/** The result of a real dispatch. */
export interface Ran {
  readonly outcome: Outcome;
  /** Whether it settled without a promise. */
  readonly atOnce: boolean;
  readonly shown: Expected["shown"];
  readonly reported: readonly Diagnostic[];
  /** The payload afterwards, which nobody may have changed. */
  readonly payload: Fields;
  /** The payload as the dispatch has left it, and what is to be asked about it in shadow with the same clock. */
  readonly final: Fields;
  readonly shadow: Plan | undefined;
  readonly context: DispatchContext;
  readonly clock: ManualClock;
}

export interface How {
  /** The ids of the hooks in shadow. */
  inShadow?(id: string): boolean;
  readonly trace?: boolean;
  readonly signal?: AbortSignal;
  report?(diagnostic: Diagnostic): void;
}

/** Lets everything run that can without the clock. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Runs a case through the real loop, the clock going on whenever nothing else does. */
export async function run(of: Case, how: How = {}): Promise<Ran> {
  const clock = new ManualClock();
  const reported: Diagnostic[] = [];
  const shown: { hook: string; pass: 1 | 2; event: unknown }[] = [];
  const lanes: Lane[] = of.lanes.map((lane, l) => ({
    id: `lane${l}`,
    isolate: lane.isolate,
    live: false,
    rows: lane.rows.map((row, r) => laneRow(row, of.kind, `event${r}`)),
  }));
  const row = catalogRow(of);
  const inShadow = (hook: { readonly id: string }): boolean => how.inShadow?.(hook.id) ?? false;
  const registry = new Registry(lanes, new Map([[row.name, row]]), () => {}, inShadow);
  of.lanes.forEach((lane, l) => {
    const instance = new Instance(`lane${l}`, { path: "p", tier: "user" }, registry);
    lane.rows.forEach((cells, r) => {
      for (const one of cells.scripts) {
        const handler = handlerOf(one, lane.isolate);
        instance.on({
          event: `event${r}`,
          run: ((event: any, call: any) => {
            shown.push({ hook: call.hook.id, pass: call.pass, event: structuredClone(event) });
            return handler(event, call);
          }) as never,
        });
      }
    });
  });
  const payload = structuredClone(PAYLOAD);
  const plan = registry.plan(row.name);
  if (plan === undefined) throw new Error("a case without handlers has no plan");
  let final: object | undefined;
  const context: DispatchContext = {
    scene,
    clock,
    deadlines: new Deadlines(clock),
    signal: how.signal,
    trace: how.trace ?? false,
    final: (left) => (final = left),
    report: (diagnostic) => {
      reported.push(diagnostic);
      how.report?.(diagnostic);
    },
  };
  const begun = dispatch(plan, payload, context);
  let outcome: Outcome | undefined = begun instanceof Promise ? undefined : begun;
  const atOnce = outcome !== undefined;
  if (begun instanceof Promise) void begun.then((value) => (outcome = value));
  for (let i = 0; outcome === undefined; i++) {
    if (i > 1000) throw new Error("the dispatch does not end");
    await settle();
    if (outcome === undefined && clock.timers > 0) clock.advance(TIMEOUT_MS / 2);
  }
  const ended = JSON.stringify(outcome);
  await settle();
  if (JSON.stringify(outcome) !== ended) throw new Error("the outcome has changed after the end");
  return { outcome, atOnce, shown, reported, payload, final, shadow: plan.shadow, context, clock };
}

/** Returns the required result of a case. */
export function expected(of: Case, inShadow: (id: string) => boolean = () => false): Expected {
  return reference(
    catalogRow(of),
    stationsOf(of, (id) => !inShadow(id)),
    PAYLOAD,
  );
}

/** The stations of a case with those hooks that are meant. */
export function stationsOf(of: Case, isMeant: (id: string) => boolean): ReferenceStation[] {
  return of.lanes.flatMap((lane, l) =>
    lane.rows.flatMap((row, r) => {
      const hooks = row.scripts
        .map((one, i) => ({ id: `lane${l}:p#event${r}[${i}]`, act: (event: unknown) => act(one, event) }))
        .filter(({ id }) => isMeant(id));
      const cells = laneRow(row, of.kind, `event${r}`);
      return hooks.length === 0 ? [] : [{ lane: `lane${l}`, isolate: lane.isolate, row: cells, hooks }];
    }),
  );
}

/** Whether a case has any handler. */
export function anyHooks(of: Case): boolean {
  return of.lanes.some((lane) => lane.rows.some((row) => row.scripts.length > 0));
}

/** A case as one line, for reading a counterexample. */
export function decisionOf(outcome: { readonly answer: unknown }): string {
  return (outcome.answer as Fields).decision ?? "allow";
}
