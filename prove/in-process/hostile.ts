import { setImmediate as turn } from "node:timers/promises";
import { omp, pi } from "@hookline/runtime/dialects";
import { ManualClock } from "../../packages/runtime/test/laws/clock.ts";
import { SHAPES, type Shape } from "../../packages/runtime/test/laws/shapes.ts";
import type { Experiment } from "../processes/experiment.ts";
import { inProcessEvents, type Sampled } from "../stage/events.ts";
import { openStaged } from "../stage/functions.ts";
import { straysOf } from "./strays.ts";

/** Matches handlers that produce no answer in any lane. */
const FAILS = /^(throws|rejects|never answers)/;
/** Fields whose answer ends the asking, like the failure of a guard. */
const REFUSALS = ["block", "decision", "cancel"];
const STEP_MS = 10_000;
/** Number of steps of the clock after which a handler without a limit has been named, and is ended by an abort. */
const PATIENCE = 12;

/**
 * R26, R28: whatever a handler does in whatever event, it causes at most one failure, and the other handlers are still
 * asked.
 */
export const hostile: Experiment = {
  id: "R26, R28",
  paths: [],
  async run(tally, { full }) {
    const events = inProcessEvents();
    const strays = await straysOf(async () => {
      for (const [at, event] of events.entries()) {
        for (const [i, shape] of SHAPES.entries()) {
          if (full || (at + i) % 6 === 0) tally.trial(await trial(event, shape));
        }
      }
    });
    for (const stray of strays) tally.trial(`an error escaped: ${String((stray as Error | undefined)?.message)}`);
    tally.figure(`${SHAPES.length} shapes, ${events.length} events`);
  },
};

async function trial({ lane, row, sample }: Sampled, shape: Shape): Promise<string | undefined> {
  const clock = new ManualClock();
  const codes: string[] = [];
  let asked = 0;
  const good = (): void => void (asked += 1);
  const hooks = [good, shape.run, good].map((run, i) => ({ lane, event: row.name, run, path: `/hook-${i}` }));
  await using stage = await openStaged([omp, pi], hooks, {
    runtime: { clock },
    onDiagnostic: ({ code }) => codes.push(code),
  });
  const controller = new AbortController();
  let answer: Readonly<Record<string, unknown>> | undefined;
  const what = `${lane} ${row.name}: a handler that ${shape.name}`;
  const ended = stage.session.fire(lane, row.name, sample(), { signal: controller.signal }).then(
    (outcome) => void (answer = (outcome.answer ?? {}) as typeof answer),
    (thrown: unknown) => void codes.push(`rejected: ${String(thrown)}`),
  );
  for (let i = 0; answer === undefined && i < 2 * PATIENCE; i++) {
    await turn();
    if (answer !== undefined) break;
    clock.advance(STEP_MS);
    if (i === PATIENCE) controller.abort();
  }
  if (answer === undefined) {
    const rejected = codes.find((code) => code.startsWith("rejected"));
    return `${what} ${rejected ?? "is waited for in spite of the abort"}`;
  }
  await ended;
  const failed = codes.some((code) => code.startsWith("HOOK_"));
  if (FAILS.test(shape.name) && !failed) return `${what} is not reported`;
  const refused = REFUSALS.some((name) => Boolean(answer?.[name])) || controller.signal.aborted;
  if (asked === 2 || refused || !FAILS.test(shape.name)) return undefined;
  return `${what} kept the next from being asked (${asked} of 2)`;
}
