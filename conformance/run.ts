import type { Outcome } from "@hookline/runtime";
import { catalog, type Dialect } from "@hookline/runtime/dialect";
import { type GenericSchema, safeParse } from "valibot";
import type { Case } from "./case.ts";
import { fromData, toData } from "./data.ts";
import { judge, type Observation } from "./judge.ts";
import { sceneOf } from "./scene.ts";
import { indexOf, laneOf, Stage } from "./stage.ts";

/** Runs a case against the tables of these dialects; what differs from what it expects, or nothing. */
export async function runCase(one: Case, dialects: readonly Dialect[]): Promise<string | undefined> {
  try {
    return judge(one, await observe(one, dialects));
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

/**
 * Emits the case's event in a session of the real runtime. Of a dialect the tables are used as they are; its loader is
 * replaced by one that registers the case's hooks, each as a source of its own at `/case/<lane>/<index>`.
 * Throws for a case that cannot be run, such as one with an event that nobody has.
 */
export async function observe(one: Case, dialects: readonly Dialect[]): Promise<Observation> {
  const stage = new Stage(one);
  check(one, stage.played(dialects));
  const diagnostics: string[] = [];
  const runtime = stage.runtime(dialects);
  const scene = sceneOf(one);
  const session = await runtime.open({
    scene,
    settings: { shadow: stage.shadow },
    onDiagnostic: ({ code }) => diagnostics.push(code),
  });
  const asked = scene.agentId === undefined ? session : session.within(scene);
  const abort = new AbortController();
  try {
    const started = stage.clock.now();
    if (one.abortAtMs !== undefined) stage.clock.timer(one.abortAtMs, () => abort.abort());
    let outcome: Outcome | undefined;
    for (let n = 0; n < (one.times ?? 1); n++) {
      const emitted = asked.emit(one.event as never, fromData(one.payload) as never, { signal: abort.signal });
      outcome = await stage.clock.settle<Outcome>(emitted);
      await session.shadowsSettled();
    }
    return {
      answer: toData(outcome?.answer),
      saw: stage.saw,
      asked: stage.asked,
      diagnostics,
      edited: (outcome?.edits ?? []).map(({ field, hook }) => `${field} by ${indexOf(hook) ?? hook}`),
      tookMs: stage.clock.now() - started,
    };
  } finally {
    // An event that never ended would be waited for.
    abort.abort();
    await runtime.close();
  }
}

/** Throws for what no host tells, and for hooks of lanes and events that there are not. */
function check(one: Case, dialects: readonly Dialect[]): void {
  const host = catalog.get(one.event);
  if (host === undefined) throw new Error(`hookline has no event "${one.event}"`);
  const [issue] = safeParse(host.payload() as GenericSchema, fromData(one.payload)).issues ?? [];
  if (issue !== undefined)
    throw new Error(
      `the payload is not that of ${one.event}: ${issue.path?.map(({ key }) => key).join(".")}: ${issue.message}`,
    );
  for (const hook of one.hooks) {
    const id = laneOf(one, hook);
    const lane = dialects.flatMap(({ lanes }) => lanes).find((other) => other.id === id);
    if (lane === undefined) throw new Error(`there is no lane "${id}"`);
    if (!lane.rows.some((row) => row.name === hook.event)) throw new Error(`${id} has no event "${hook.event}"`);
    if (!lane.isolate && (hook.edit ?? hook.push) !== undefined)
      throw new Error(`a hook of ${id} is a program, which cannot edit its event in place`);
  }
}
