import type { Bus } from "../link/bus.ts";
import { nextOn, type Stored } from "../link/stream.ts";
import { namesOf } from "../name/subjects.ts";

/**
 * Reads the messages in a fleet's stream of decisions, oldest first. `machine` limits them to those of one machine, and
 * `from` is the number of the first.
 */
export async function* storedIn(
  bus: Bus,
  fleet: string,
  { machine = "*", from = 1 }: { readonly machine?: string | undefined; readonly from?: number } = {},
): AsyncGenerator<Stored, void> {
  const names = namesOf(fleet);
  const subject = names.decisions(machine, "*");
  for (let seq = from; ; seq++) {
    const stored = await nextOn(bus, { stream: names.stream, subject, seq });
    if (stored === undefined) return;
    seq = stored.seq;
    yield stored;
  }
}
