import type { Collection } from "@hookline/fleet";
import { messageOf } from "@hookline/runtime/internal";
import { fleetSource } from "@hookline/runtime/replay";
import type { Io } from "../../io/io.ts";
import { type Arguments, textFlag } from "../../start/args.ts";
import type { Place } from "../../start/place.ts";
import type { FoundSources } from "./find.ts";
import { wrongFlag } from "./wrong-flag.ts";

/**
 * What the machines of a fleet have decided since a time (epoch ms), read from its stream with an auditor's creds. Throws
 * without such creds; rejects if the server cannot be reached.
 */
export async function fleetSources(
  args: Arguments,
  { env }: Pick<Io, "env">,
  { hooklineHome }: Pick<Place, "hooklineHome">,
  since: number,
): Promise<FoundSources> {
  const machine = machineOf(args);
  const { auditorOf, readDecisions, recordingsIn } = await import("@hookline/fleet");
  let auditor: ReturnType<typeof auditorOf>;
  try {
    auditor = auditorOf(hooklineHome, env);
  } catch (thrown) {
    throw wrongFlag("--fleet", `cannot be read: ${messageOf(thrown)}`, "`hookline fleet audit` needs the same creds.");
  }
  const broken = new AbortController();
  const interrupt = (): void => broken.abort();
  process.once("SIGINT", interrupt);
  let collection: Collection | undefined;
  try {
    collection = await readDecisions(auditor, { machine, signal: broken.signal });
  } catch (thrown) {
    if (!broken.signal.aborted) throw thrown;
  } finally {
    process.off("SIGINT", interrupt);
  }
  const sources = (collection === undefined ? [] : recordingsIn(collection, since)).map(fleetSource);
  const machines = new Set(sources.map((source) => source.machine));
  const whose = machine === undefined ? `the fleet ${auditor.fleet}` : `${machine} in the fleet ${auditor.fleet}`;
  return {
    sources,
    notes:
      sources.length === 0
        ? []
        : [`${counted(sources.length, "session")} of ${counted(machines.size, "machine")} in the fleet's stream.`],
    since,
    none: `There are no decisions of ${whose} since ${new Date(since).toISOString().slice(0, 16)}Z.`,
    advice: "Agents send them once they have joined; --since reads further back.",
    isInterrupted: broken.signal.aborted,
    close: () => collection?.close(),
  };
}

/** The machine of `--machine`; throws for flags and words that do not go with a fleet. */
function machineOf(args: Arguments): string | undefined {
  const machine = textFlag(args, "machine");
  if (args.flags["fleet"] !== true)
    throw wrongFlag("--machine", "names a machine of a fleet, but no fleet is read", "Add --fleet.");
  const other = args.words[0] ?? (args.flags["agents"] === undefined ? undefined : "--agents");
  if (other !== undefined)
    throw wrongFlag("--fleet", `reads no other source, but ${other} is named`, "Replay that by itself.");
  if (machine === undefined || /^[a-z0-9-]{1,40}$/.test(machine)) return machine;
  throw wrongFlag("--machine", `is no machine's name: ${machine}`, "Give 1 to 40 of the characters a-z, 0-9 and -.");
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
