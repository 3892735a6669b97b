import type { Diagnostic, EventName, TraceLine } from "@hookline/runtime";
import { omp, pi } from "@hookline/runtime/dialects";
import { catalog } from "@hookline/runtime/engine";
import { samplePayload } from "@hookline/runtime/testing";
import { ManualClock } from "../../packages/runtime/test/laws/clock.ts";
import type { Experiment } from "../processes/experiment.ts";
import { inProcessEvents } from "../stage/events.ts";
import { openStaged, type Placed } from "../stage/functions.ts";
import { straysOf } from "./strays.ts";

type Listener = (given: Diagnostic | TraceLine) => unknown;

const BAD: Readonly<Record<string, Listener>> = {
  throws: () => {
    throw new Error("listener");
  },
  "throws nothing": () => {
    throw undefined;
  },
  "throws a text": () => {
    throw "listener";
  },
  rejects: async () => {
    throw new Error("listener");
  },
  "rejects later": async () => {
    await Promise.resolve();
    throw new Error("listener");
  },
  "never answers": () => new Promise(() => {}),
  "answers a refusal": () => ({ block: true, decision: "deny" }),
  "changes what it is told": (given) => {
    for (const key of Object.keys(given)) Reflect.deleteProperty(given, key);
  },
  "freezes what it is told": (given) => Object.freeze(given),
  "throws a hostile object": () => {
    throw new Proxy(
      {},
      {
        get: () => {
          throw new Error("get");
        },
        getPrototypeOf: () => {
          throw new Error("prototype");
        },
      },
    );
  },
};

/** R35: whatever a listener does, every event has the same outcome. */
export const listeners: Experiment = {
  id: "R35",
  paths: [],
  async run(tally, { full }) {
    const events = [...catalog.keys()] as EventName[];
    const calm = await outcomes(events, () => {});
    for (const [name, listener] of Object.entries(BAD)) {
      const strays = await straysOf(async () => {
        const found = await outcomes(events, listener);
        for (const [i, event] of events.entries())
          tally.trial(found[i] === calm[i] ? undefined : `${event} comes to something else when a listener ${name}`);
      });
      // A listener must catch errors of its own promise itself.
      const escaped = name.startsWith("rejects") ? [] : strays;
      for (const stray of escaped) tally.trial(`a listener that ${name}: ${String(stray)}`);
      if (!full && name === "rejects") break;
    }
    tally.figure(`${Object.keys(BAD).length} listeners, ${events.length} events`);
  },
};

/** Returns the outcomes of the events as text, with a failing handler in each lane and one with an odd answer. */
async function outcomes(events: readonly EventName[], listener: Listener): Promise<string[]> {
  const hooks = inProcessEvents().flatMap(({ lane, row }): Placed[] => [
    { lane, event: row.name, run: () => ({ odd: 1, text: "edited" }), path: "/odd" },
    { lane, event: row.name, run: () => Promise.reject(new Error("boom")), path: "/broken" },
  ]);
  await using stage = await openStaged([omp, pi], hooks, {
    runtime: { clock: new ManualClock() },
    onDiagnostic: (diagnostic) => void listener(structuredClone(diagnostic)),
    trace: { payloads: true, write: (line) => void listener(structuredClone(line)) },
  });
  const found: string[] = [];
  for (const event of events) found.push(JSON.stringify(await stage.session.emit(event, samplePayload(event))));
  return found;
}
