import type { EventName } from "@hookline/runtime";
import { omp, pi } from "@hookline/runtime/dialects";
import { catalog } from "@hookline/runtime/engine";
import { samplePayload } from "@hookline/runtime/testing";
import { inProcessEvents } from "../stage/events.ts";
import type { Experiment } from "../stage/experiment.ts";
import { type Handler, openStaged } from "../stage/functions.ts";

/** A handler that overwrites everything that it can reach, also later. */
const vandal: Handler = (event) => {
  const damage = (): void => ruin(event, new Set(), 0);
  damage();
  setImmediate(damage);
};

function ruin(value: unknown, seen: Set<unknown>, depth: number): void {
  if (typeof value !== "object" || value === null || seen.has(value) || depth > 12) return;
  seen.add(value);
  // An abort signal is the session's own object, not data.
  if (value instanceof AbortSignal) return;
  for (const key of Object.keys(value)) {
    try {
      ruin(Reflect.get(value, key), seen, depth + 1);
      Reflect.set(value, key, "ruined");
    } catch {
      // The write has failed: a frozen value protects the payload just as a copy would.
    }
  }
  Reflect.set(value, "added", "ruined");
}

/** R22: whatever a handler writes into its event, the host's own payload stays the same, byte for byte. */
export const payloads: Experiment = {
  id: "R22",
  async run(tally) {
    const hooks = inProcessEvents().map(({ lane, row }) => ({ lane, event: row.name, run: vandal, path: `/${lane}` }));
    await using stage = await openStaged([omp, pi], hooks);
    const library = await openStaged([], []);
    for (const event of catalog.keys() as Iterable<EventName>) {
      library.session.on(event, vandal as never);
      for (const [who, { session }] of Object.entries({ "modules'": stage, "library's": library })) {
        const payload = samplePayload(event);
        const before = shown(payload);
        await session.emit(event, payload);
        await new Promise((resolve) => setImmediate(resolve));
        await new Promise((resolve) => setImmediate(resolve));
        tally.trial(shown(payload) === before ? undefined : `${event}: the ${who} handlers changed the host's payload`);
      }
    }
    await library[Symbol.asyncDispose]();
    tally.figure(`every path of ${catalog.size} payloads, at once and later`);
  },
};

const shown = (payload: object): string =>
  JSON.stringify(payload, (key, value: unknown) => (key === "signal" ? undefined : value));
