import { join } from "node:path";
import fc from "fast-check";
import { STAND_IN_LANE, WHILE_LOADING } from "../../src/session/stand-in.ts";
import { createHookRuntime, type HookSession } from "../../src/session.ts";
import { type Behaviour, Steps, worldOf } from "./stand-in-world.ts";

type Action =
  /** One of the waits ends, well or badly. */
  | { readonly kind: "step"; readonly pick: number; readonly fails: boolean }
  /** Something happens from outside. */
  | { readonly kind: "renew" }
  | { readonly kind: "reload" }
  | { readonly kind: "remove" | "add"; readonly pick: number };

/** The actions of three modules when they are loaded, and other events meanwhile, step by step. */
export interface Schedule {
  readonly items: readonly Behaviour[];
  readonly actions: readonly Action[];
}

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("step" as const), pick: fc.nat(), fails: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("renew" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reload" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove" as const), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("add" as const), pick: fc.nat() }) },
);

/** Most are found and return, so that often something runs before it is made anew. */
const behaviour: fc.Arbitrary<Behaviour> = fc.record({
  found: fc.constantFrom(true, true, true, false),
  state: fc.constantFrom("runs", "runs", "runs", "broken", "disabled"),
  waits: fc.nat({ max: 2 }),
  registers: fc.constantFrom("before", "after", "never", "observer"),
  ends: fc.constantFrom("returns", "returns", "returns", "throws", "hangs"),
});

/** Random schedules. */
export const schedules: fc.Arbitrary<Schedule> = fc.record({
  items: fc.array(behaviour, { minLength: 3, maxLength: 3 }),
  actions: fc.array(action, { maxLength: 40 }),
});

const REQUIRED = ["a", "b", "a#pre_tool_execution"];
/** Ends whatever still waits. */
const REST: readonly Action[] = Array.from({ length: 12 }, () => ({ kind: "step", pick: 0, fails: false }));

/**
 * Runs a schedule; the hooks for which at some step neither a handler nor a stand-in was there, or none. Looks for those
 * that are required, and while modules are made anew for those that ran before.
 */
export async function unguardedIn({ items, actions }: Schedule, home: string): Promise<readonly string[]> {
  const steps = new Steps();
  const world = worldOf(home, items, steps);
  const runtime = createHookRuntime({ dialects: [world.dialect], runUnapprovedProjectHooks: true, home, env: {} });
  const required = REQUIRED.map((name) => join(home, name));
  let session: HookSession | undefined;
  const opening = runtime.open({ scene: { sessionId: "s", cwd: home }, settings: { required } }).then((opened) => {
    session = opened;
  });
  opening.catch(() => {});
  let before: readonly string[] = [];
  let loads = 0;
  const renew = (opened: HookSession): void => {
    // Behind a load, what that load finds is made anew.
    if (loads === 0) before = liveIn(opened);
    opened
      .renew(["model"])
      .catch(() => {})
      .finally(() => {
        before = [];
      });
  };
  const load = (opened: HookSession): void => {
    loads += 1;
    opened
      .load()
      .catch(() => {})
      .finally(() => {
        loads -= 1;
      });
  };
  for (const act of [...actions, ...REST]) {
    if (act.kind === "step") steps.go(act.pick, act.fails);
    else if (act.kind === "add") world.add(act.pick);
    else if (act.kind === "renew") {
      if (session !== undefined) renew(session);
    } else {
      // A hook that is removed by its own module, or that is loaded from the start, is not missed unless it is
      // required.
      before = [];
      if (act.kind === "remove") world.remove(act.pick);
      else if (session !== undefined) load(session);
    }
    await steps.quiet();
    const unguarded = session === undefined ? [] : unguardedNow(session, [...required, ...before]);
    if (unguarded.length > 0) return unguarded;
  }
  return [];
}

function liveIn(session: HookSession): string[] {
  return session.hooks().flatMap(({ lane, hook }) => (lane === STAND_IN_LANE ? [] : [hook.path]));
}

function unguardedNow(session: HookSession, names: readonly string[]): string[] {
  const hooks = session.hooks();
  return names.filter((name) => {
    const [path = "", event] = name.split("#");
    const isLive = hooks.some(
      ({ lane, hook }) => lane !== STAND_IN_LANE && hook.path === path && (event === undefined || hook.event === event),
    );
    const refuses = hooks.some(
      ({ lane, hook }) =>
        lane === STAND_IN_LANE &&
        [name, WHILE_LOADING].includes(hook.path) &&
        ["tool.before", "prompt.before"].includes(hook.event),
    );
    return !isLive && !refuses;
  });
}
