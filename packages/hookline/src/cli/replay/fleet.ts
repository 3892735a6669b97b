import type { Collection } from "@hookline/fleet";
import type { Io } from "@hookline/ground/system";
import { wrongUse } from "@hookline/ground/system";
import type { Arguments } from "../../start/args.ts";
import type { Place } from "../../start/place.ts";
import { auditorHere, machineFlag } from "../auditor.ts";
import type { FoundSources } from "./find.ts";

/**
 * Finds the decisions that a fleet's machines have sent since a time (epoch ms). Throws if this machine has no
 * auditor's credentials; rejects if the server cannot be reached.
 */
export async function fleetSources(
  args: Arguments,
  { env }: Pick<Io, "env">,
  { hooklineHome }: Pick<Place, "hooklineHome">,
  since: number,
): Promise<FoundSources> {
  const machine = machineOf(args);
  const { auditor, code } = await auditorHere(hooklineHome, env);
  const broken = new AbortController();
  const interrupt = (): void => broken.abort();
  process.once("SIGINT", interrupt);
  let collection: Collection | undefined;
  try {
    collection = await code.readDecisions(auditor, { machine, signal: broken.signal });
  } catch (thrown) {
    if (!broken.signal.aborted) throw thrown;
  } finally {
    process.off("SIGINT", interrupt);
  }
  const sources = collection === undefined ? [] : code.recordingsIn(collection, since);
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
    advice: "Agents send them after they join; --since looks further back.",
    isInterrupted: broken.signal.aborted,
    close: () => collection?.close(),
  };
}

/** Returns the machine of `--machine`; throws for flags that cannot be combined with `--fleet`. */
function machineOf(args: Arguments): string | undefined {
  const machine = machineFlag(args);
  const other = args.words[0] ?? (args.flags["agents"] === undefined ? undefined : "--agents");
  if (other !== undefined)
    throw wrongUse("--fleet", `reads no other source, but ${other} is named`, "Replay that source separately.");
  return machine;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
