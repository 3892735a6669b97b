import { systemClock } from "../kit.ts";
import { busOf } from "../link/bus.ts";
import { connected } from "../link/connected.ts";
import { Link } from "../link/link.ts";
import type { Access } from "../place/joined.ts";
import { presentIn } from "../presence/bucket.ts";
import type { Presence } from "../presence/presence.ts";
import { type FleetArgs, type FleetIo, say } from "./io.ts";

/** The roles that may see the presence of all machines. */
const MAY_LOOK: readonly string[] = ["publisher", "auditor"];

/** A machine whose presence was received lately. */
interface Present extends Omit<Presence, "v"> {
  readonly role: "agent" | "worker";
  /** Time since the machine announced itself. */
  readonly seenMs: number;
}

/** `fleet status --all`: lists the present machines, each with its policy and the backlog of its spool. */
export async function statusOfAll(args: FleetArgs, io: FleetIo, { creds, url }: Access): Promise<number> {
  if (!MAY_LOOK.includes(creds.role))
    throw new Error(
      `${creds.machine} is enrolled as ${creds.role}; only a publisher or an auditor may see all machines`,
    );
  const machines: Present[] = [];
  const problems: { machine: string; problem: string }[] = [];
  const link = new Link({ url, creds, clock: systemClock, connectMs: 10_000 });
  try {
    const bus = await busOf(await connected(link, url));
    for await (const { machine, read } of presentIn(bus, creds)) {
      if (!read.ok) problems.push({ machine, problem: read.problem });
      else {
        const { v: _, ...presence } = read.presence;
        machines.push({ ...presence, role: read.role, seenMs: Math.max(0, Date.now() - presence.t) });
      }
    }
  } finally {
    link.close();
  }
  machines.sort((a, b) => a.role.localeCompare(b.role) || a.machine.localeCompare(b.machine));
  const rows = [["machine", "role", "hookline", "policy", "seen", "spool"], ...machines.map(rowOf)];
  say(args, io, { fleet: creds.fleet, machines, problems }, [
    ...(machines.length === 0 ? [`no machine of the fleet ${creds.fleet} has reported lately`] : table(rows)),
    ...problems.map(({ machine, problem }) => `${machine}: its report is not trusted: ${problem}`),
  ]);
  return problems.length === 0 ? 0 : 1;
}

function rowOf({ machine, role, hookline, channel, bundle, seenMs, spool }: Present): string[] {
  const left = spool === undefined ? "-" : spool.batches === 0 ? "empty" : backlog(spool);
  const policy = `${channel} ${bundle.version} (${bundle.digest.slice(0, 16)})`;
  return [machine, role, hookline, policy, `${Math.round(seenMs / 1000)} s ago`, left];
}

function backlog({ batches, bytes, oldestMs }: NonNullable<Presence["spool"]>): string {
  const of = batches === 1 ? "1 batch" : `${batches} batches`;
  return `${of}, ${Math.ceil(bytes / 1024)} KiB, oldest ${Math.round(oldestMs / 1000)} s`;
}

/** Aligns rows in columns. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
