import type { Outcome, Session } from "@hookline/runtime";
import type { Lane, LaneRow } from "@hookline/runtime/internal";

/** The folded answer after one hook, within its lane. */
export interface FoldStep {
  readonly hook: string;
  /** In the dialect's own fields. */
  readonly folded: unknown;
}

/** Folds the answers of an outcome again, step by step, each lane separately. */
export function foldSteps(outcome: Outcome, session: Session, lanes: readonly Lane[]): FoldStep[] {
  const events = new Map(session.hooks().map(({ lane, hook }) => [hook.id, { lane, event: hook.event }]));
  const states = new Map<LaneRow, unknown>();
  const steps: FoldStep[] = [];
  for (const run of outcome.hooks) {
    const about = events.get(run.hook);
    const rows = lanes.find(({ id }) => id === about?.lane)?.rows;
    const row = rows?.find(({ name }) => name === about?.event);
    if (row === undefined || run.answer === undefined || run.pass === 2 || run.shadow) continue;
    const { fold } = row;
    const state = fold.step(states.has(row) ? states.get(row) : fold.empty, run.answer as never);
    states.set(row, state);
    steps.push({ hook: run.hook, folded: fold.result(state) });
  }
  return steps;
}
