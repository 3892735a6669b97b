import type { Bus } from "../link/bus.ts";
import { nextOn, type Stored } from "../link/stream.ts";
import { namesOf } from "../name/subjects.ts";

/** The messages in a fleet's stream of decisions, oldest first; of one machine, if it is named. */
export async function* storedIn(bus: Bus, fleet: string, machine = "*"): AsyncGenerator<Stored, void> {
  const names = namesOf(fleet);
  const subject = names.decisions(machine, "*");
  for (let seq = 1; ; seq++) {
    const stored = await nextOn(bus, { stream: names.stream, subject, seq });
    if (stored === undefined) return;
    seq = stored.seq;
    yield stored;
  }
}
