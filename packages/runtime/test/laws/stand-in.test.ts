import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { STAND_IN_LANE, WHILE_LOADING } from "../../src/host/stand-in.ts";
import { createRuntime, type Session, trustEverything } from "../../src/index.ts";
import { Steps, worldOf } from "./stand-in-world.ts";

/** What is done in one schedule: which wait goes on, and how; or something that happens from outside. */
const action = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("step" as const), pick: fc.nat(), fails: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("renew" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reload" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove" as const), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("add" as const), pick: fc.nat() }) },
);

const behaviour = fc.record({
  found: fc.boolean(),
  state: fc.constantFrom("runs", "runs", "runs", "broken", "disabled"),
  waits: fc.nat({ max: 2 }),
  registers: fc.constantFrom("before", "after", "never", "observer"),
  ends: fc.constantFrom("returns", "throws", "hangs"),
});

const REQUIRED = ["a", "b", "a#pre_tool_execution"];

/** Broken invariants of what a session would ask now: the names for which neither a handler nor a stand-in is there. */
function unguarded(session: Session, home: string): string[] {
  const hooks = session.hooks();
  return REQUIRED.filter((name) => {
    const [file = "", event] = name.split("#");
    const isLive = hooks.some(
      ({ lane, hook }) =>
        lane !== STAND_IN_LANE && hook.path === join(home, file) && (event === undefined || hook.event === event),
    );
    const own = [join(home, name), WHILE_LOADING];
    const refuses = hooks.some(
      ({ lane, hook }) =>
        lane === STAND_IN_LANE && own.includes(hook.path) && ["tool.before", "prompt.before"].includes(hook.event),
    );
    return !isLive && !refuses;
  });
}

test("at every wait a handler of each required hook is registered, or its stand-in", async () => {
  const home = mkdtempSync(join(tmpdir(), "hookline-stand-in-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const runs = Number(process.env["HOOKLINE_SCHEDULES"] ?? 300);
  await fc.assert(
    fc.asyncProperty(
      fc.array(behaviour, { minLength: 3, maxLength: 3 }),
      fc.array(action, { maxLength: 40 }),
      async (items, actions) => {
        const steps = new Steps();
        const world = worldOf(home, items, steps);
        const runtime = createRuntime({ dialects: [world.dialect], consent: trustEverything, home, env: {} });
        let session: Session | undefined;
        const opening = runtime
          .open({
            scene: { sessionId: "s", cwd: home },
            settings: { required: REQUIRED.map((name) => join(home, name)) },
          })
          .then((opened) => {
            session = opened;
          });
        opening.catch(() => {});
        for (const act of [
          ...actions,
          ...Array.from({ length: 12 }, () => ({ kind: "step" as const, pick: 0, fails: false })),
        ]) {
          if (act.kind === "step") steps.go(act.pick, act.fails);
          else if (act.kind === "remove") world.remove(act.pick);
          else if (act.kind === "add") world.add(act.pick);
          else if (session !== undefined)
            (act.kind === "renew" ? session.renew(["model"]) : session.load()).catch(() => {});
          await steps.quiet();
          if (session !== undefined) expect(unguarded(session, home)).toEqual([]);
        }
      },
    ),
    { numRuns: runs },
  );
});
