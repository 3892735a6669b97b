import fc from "fast-check";
import { expect, test } from "vitest";
import { trials } from "../../../../scripts/trials.ts";
import type { Outcome } from "../../src/run/outcome.ts";
import { MOST_WAITING, Shadows } from "../../src/session/shadows.ts";
import { aCase, anyHooks, type Case, expected, run, settle, stationsOf } from "./cases.ts";
import { scene } from "./reference.ts";
import { TIMEOUT_MS } from "./script.ts";
import { RUNS as ALL } from "./seed.ts";
import { dialectOf, openWith } from "./session.ts";

const RUNS = { ...ALL, numRuns: trials(300) };

/** A case and which of its hooks are in shadow, by the place of each among all. */
const shadowed = fc.tuple(aCase.filter(anyHooks), fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }));

function inShadowOf(of: Case, flags: readonly boolean[]): (id: string) => boolean {
  const ids = stationsOf(of, () => true).flatMap(({ hooks }) => hooks.map(({ id }) => id));
  const shadows = new Set(ids.filter((_, at) => flags[at % flags.length]));
  return (id) => shadows.has(id);
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

/** Returns the decision without the text of a refusal. */
const decided = ({ answer }: { readonly answer: object }): unknown =>
  plain({ ...answer, reason: undefined } satisfies object);

/** Asks what a case has left to be asked in shadow, and gives what was told of it. */
async function askShadows({ shadow, context, clock, final }: Awaited<ReturnType<typeof run>>): Promise<Outcome[]> {
  const told: Outcome[] = [];
  const shadows = new Shadows({ context, answered: ({ outcome }) => void told.push(outcome) });
  if (shadow === undefined) return told;
  shadows.queue(shadow, final, { scene, accept: undefined });
  let isSettled = false;
  void shadows.settled().then(() => (isSettled = true));
  for (let i = 0; !isSettled; i++) {
    if (i > 1000) throw new Error("the shadows do not settle");
    await settle();
    clock.advance(TIMEOUT_MS / 2);
  }
  return told;
}

test("hooks in shadow change no outcome, no edit and nothing that others see", async () => {
  await fc.assert(
    fc.asyncProperty(shadowed, async ([one, flags]) => {
      const inShadow = inShadowOf(one, flags);
      const ran = await run(one, { inShadow });
      const want = expected(one, inShadow);
      expect(decided(ran.outcome)).toEqual(decided(want));
      expect(ran.outcome.edits.map(({ field, to }) => [field, plain(to)])).toEqual(
        want.edits.map(({ field, to }) => [field, plain(to)]),
      );
      expect(ran.shown.map(plain)).toEqual(want.shown.map(plain));
      expect(plain(ran.final)).toEqual(plain(want.payload));
    }),
    RUNS,
  );
});

test("each hook in shadow is asked exactly once, about the final value; its answer is reported and never folded", async () => {
  await fc.assert(
    fc.asyncProperty(shadowed, async ([one, flags]) => {
      const inShadow = inShadowOf(one, flags);
      const ran = await run(one, { inShadow });
      const before = ran.shown.length;
      const outcome = plain(ran.outcome);
      const told = await askShadows(ran);
      const { payload } = expected(one, inShadow);
      const want = stationsOf(one, inShadow).flatMap(({ row, hooks }) =>
        hooks.map(({ id }) => ({ hook: id, pass: 1, event: plain(row.view.get(payload as never, scene)) })),
      );
      const byHook = (a: { readonly hook: string }, b: { readonly hook: string }): number => (a.hook < b.hook ? -1 : 1);
      expect(
        ran.shown
          .slice(before)
          .map(plain)
          .sort(byHook as never),
      ).toEqual(want.map(plain).sort(byHook as never));
      expect(told.flatMap(({ hooks }) => hooks).map(({ shadow, pass }) => [shadow, pass])).toEqual(
        want.map(() => [true, 1]),
      );
      for (const { answer, edits, said, notices } of told)
        expect([answer, edits, said, notices]).toEqual([{}, [], [], []]);
      expect(plain(ran.outcome)).toEqual(outcome);
    }),
    RUNS,
  );
});

test("every moment of a hook in shadow is asked or counted as dropped, whatever it does and whenever the session ends", async () => {
  const behaviour = fc.constantFrom("answers", "rewrites", "throws", "hangs", "waits");
  await fc.assert(
    fc.asyncProperty(
      fc.array(behaviour, { minLength: 1, maxLength: 4 }),
      fc.nat({ max: MOST_WAITING + 100 }),
      fc.nat({ max: 6 }),
      async (kinds, moments, pauses) => {
        const dialects = kinds.map((kind, at) =>
          dialectOf(`lane${at}`, "tool.before", (instance) => {
            instance.on({
              event: "tool.before",
              run: () => {
                if (kind === "throws") throw new Error("broken");
                if (kind === "rewrites") return { args: { command: "rm -rf /" } };
                if (kind === "hangs") return new Promise(() => {});
                return kind === "waits" ? settle() : { decision: "deny", reason: "no" };
              },
            });
          }),
        );
        const shadow = kinds.map((_, at) => `/lane${at}`);
        const { session, clock } = await openWith({ dialects, settings: { shadow } });
        for (let i = 0; i < moments; i++) {
          const call = { toolCallId: `c${i}`, tool: "bash", args: { command: "ls" } };
          expect((await session.emit("tool.before", call)).answer).toEqual({});
          if (i % 50 === 0) for (let n = 0; n < pauses; n++) await settle();
        }
        const hooks = session.hooks().map(({ hook }) => hook);
        let isClosed = false;
        const closing = session.close().then(() => (isClosed = true));
        for (let i = 0; !isClosed && i < 5000; i++) {
          await settle();
          clock.advance(20);
        }
        await closing;
        for (const { metrics } of hooks) {
          const { asked = 0, dropped = 0 } = metrics.shadow ?? {};
          expect(asked + dropped).toBe(moments);
          expect(metrics.blocked).toBe(0);
        }
      },
    ),
    { ...RUNS, numRuns: trials(30) },
  );
});
