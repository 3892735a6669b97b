import { statSync } from "node:fs";
import type { Membership } from "@hookline/fleet";
import type { Io } from "@hookline/ground/system";
import type { FleetPackage } from "../start/fleet-package.ts";
import type { Place } from "../start/place.ts";
import { broken, type Check, fine } from "./check.ts";

const HOUR_MS = 60 * 60 * 1000;
/** The policy or the trusted keys (root) of a fleet are reported if they expire within this time, in ms. */
const SOON_MS = 7 * 24 * HOUR_MS;
/** The roles in a fleet whose machines follow its policy and store their decisions for it. */
const FOLLOWING: readonly string[] = ["agent", "worker"];
const REFUSED = "until then, calls that the fleet's closed hooks guard are refused.";

/** Checks this machine's files of its fleet and the connection to it; returns nothing if the machine is in no fleet. */
export async function fleetChecks({ fleet }: Pick<Place, "fleet">, env: Io["env"]): Promise<Check[]> {
  if (fleet === undefined) return [];
  const { access, membership, code, problem = "" } = fleet;
  if (code === undefined)
    return [broken("fleet", problem, "Until then, no run begins, and guarded calls are refused.")];
  if (access === undefined || (membership === undefined && FOLLOWING.includes(access.creds.role)))
    return [broken("fleet", `it cannot be read: ${problem}`, "Correct that; until then, no run begins.")];
  const { findFleet, keptPolicy, waitingIn, waitingText } = code;
  const follows = membership !== undefined && FOLLOWING.includes(access.creds.role) ? membership : undefined;
  const kept = follows === undefined ? undefined : keptPolicy(follows);
  const found = await findFleet(access, kept?.bundle);
  return [
    fine("fleet", `this machine is ${access.machine} of the fleet ${access.fleet}, enrolled as ${access.creds.role}`),
    ...credsCheck(env),
    ...(follows === undefined || kept === undefined ? [] : policyChecks(follows, kept)),
    serverCheck(access.url, found),
    ...(found.connected && found.asks ? [workerCheck(found.worker)] : []),
    ...(follows === undefined ? [] : [spoolCheck(waitingIn(follows))]),
  ];

  function spoolCheck(waiting: ReturnType<typeof waitingIn>): Check {
    if (waiting.batches === 0) return fine("fleet spool", "the fleet has all decisions of this machine");
    return fine("fleet spool", waitingText(waiting), "An agent sends them while it runs and reaches the server.");
  }
}

/** Checks that only the owner can read the credentials file that `HOOKLINE_FLEET_CREDS` names. */
function credsCheck(env: Io["env"]): Check[] {
  const path = env["HOOKLINE_FLEET_CREDS"] ?? "";
  const stat = path === "" || path.startsWith("-----") ? undefined : statSync(path, { throwIfNoEntry: false });
  if (stat === undefined || (stat.mode & 0o077) === 0) return [];
  return [broken("fleet creds", `other users can read ${path}`, `Run: chmod go= ${path}`)];
}

type Kept = ReturnType<FleetPackage["keptPolicy"]>;

function policyChecks({ channel }: Membership, { root, bundle, ageMs = 0, stale }: Kept): Check[] {
  const now = Date.now();
  const checks: Check[] = [];
  if (root !== undefined) {
    const message = `version ${root.version} is valid until ${day(root.expires)}`;
    if (root.expires <= now) checks.push(broken("fleet root", `${message}: it has expired`, "Publish a new root."));
    else if (root.expires - now < SOON_MS) checks.push(fine("fleet root", message, "Publish a new root before that."));
    else checks.push(fine("fleet root", message));
  }
  if (bundle === undefined || stale !== undefined)
    return [
      ...checks,
      broken("fleet policy", stale ?? "", `\`hookline fleet status\` and \`fleet verify\` say more; ${REFUSED}`),
    ];
  const { version, expires } = bundle.manifest;
  const message = `version ${version} of ${channel}, fetched on ${day(now - ageMs)}, is valid until ${day(expires)}`;
  const isSoon = expires - now < SOON_MS;
  return [...checks, fine("fleet policy", message, isSoon ? "Publish the next version before that." : undefined)];
}

type FoundFleet = Awaited<ReturnType<FleetPackage["findFleet"]>>;

function serverCheck(url: string, { connected, problem, version, warning }: FoundFleet): Check {
  if (!connected)
    return broken(
      "fleet server",
      `it cannot be reached: ${problem}`,
      `Check the server, the network and the creds; ${REFUSED}`,
    );
  return fine("fleet server", warning ?? `nats-server ${version} at ${url}`, warning && "Update the server.");
}

function workerCheck(worker: string | undefined): Check {
  if (worker !== undefined) return fine("fleet workers", `${worker} answers`);
  return broken("fleet workers", "no worker answers", `Start one with \`hookline fleet serve\`; ${REFUSED}`);
}

function day(t: number): string {
  return new Date(t).toISOString().slice(0, 10);
}
