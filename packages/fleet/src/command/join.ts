import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { systemClock } from "../kit.ts";
import { busOf } from "../link/bus.ts";
import { connected } from "../link/connected.ts";
import { Link } from "../link/link.ts";
import { FILES, fleetFolder, type Joined, membership, pinIn, writeMembership } from "../place/joined.ts";
import type { Bundle } from "../policy/bundle.ts";
import { coverageOf } from "../policy/coverage.ts";
import { Refused } from "../policy/refused.ts";
import { policyPlace } from "../policy/take.ts";
import { type Creds, readCreds } from "../sign/creds.ts";
import { Follower } from "../store/follow.ts";
import { takeRoots } from "../store/trusted.ts";
import { channelOf, type FleetArgs, type FleetIo, say, wanted, word } from "./io.ts";

/** How long `join` waits for the server, in ms. */
const PATIENCE_MS = 10_000;

/** `fleet join URL --creds FILE --root FILE`: this machine follows the fleet's policy from now on. */
export async function joinFleet(args: FleetArgs, io: FleetIo): Promise<number> {
  const url = word(args, 0, "URL, the fleet's server,");
  const path = resolve(io.cwd, wanted(args, "creds", "the file that `hookline fleet enroll` printed"));
  const root = pinIn(wanted(args, "root", "the file root.json that `hookline fleet root` made"), io.cwd);
  const channel = channelOf(args);
  const text = readFileSync(path, "utf8");
  const creds = readCreds(text);
  const before = membershipOf(io);
  if (before !== undefined && before !== creds.fleet)
    throw new Error(`this machine belongs to the fleet ${before}; leave it first: hookline fleet leave`);
  const { fleet, machine, role } = creds;
  const joined: Joined = { v: 1, url, fleet, machine, channel, root };
  const bundle = await taken(joined, creds, fleetFolder(io.hooklineHome));
  writeMembership(io.hooklineHome, joined, text);
  const covered = (bundle === undefined ? [] : coverageOf(bundle.manifest)).map(({ event, needs, rules, tools }) => ({
    event,
    ...(tools !== undefined && { tools: [...tools] }),
    hooks: rules.map(({ file }) => file),
    leaves: [...needs],
  }));
  const version = bundle?.manifest.version ?? null;
  say(args, io, { fleet, machine, channel, url, version, asked: covered }, [
    `This machine is ${machine} of the fleet ${fleet}.`,
    ...(bundle === undefined ? [] : [`It follows ${channel}, now at version ${version}.`]),
    ...covered.map(
      ({ event, tools, hooks, leaves }) =>
        `Asked at ${event}${tools === undefined ? "" : ` of ${tools.join(", ")}`}: ${hooks.join(", ")}. What leaves this machine: ${leaves.join(", ")}.`,
    ),
    ...NOTES[role === "agent" && bundle === undefined ? "none" : role],
  ]);
  return 0;
}

/** Next steps for the person after `fleet join`, by the machine's role; `none` if the channel is still empty. */
const NOTES: Readonly<Record<Creds["role"] | "none", readonly string[]>> = {
  none: [
    "Nothing has been published to its channel yet. Until then guarded calls are refused. `hookline fleet leave` takes the machine out again.",
  ],
  agent: [
    "While no worker answers, calls that these hooks guard are refused. `hookline fleet leave` takes the machine out again.",
  ],
  worker: ["It answers as soon as `hookline fleet serve` runs."],
  publisher: ["`hookline fleet publish` publishes from here."],
  auditor: [],
  approver: [],
};

/** Connects, pins the root and takes the channel's newest version; `undefined` for a role that follows no policy. */
async function taken({ url, channel, fleet, root }: Joined, creds: Creds, folder: string): Promise<Bundle | undefined> {
  const link = new Link({ url, creds, clock: systemClock, connectMs: PATIENCE_MS });
  try {
    const bus = await busOf(await connected(link, url));
    if (creds.role === "auditor" || creds.role === "approver") return undefined;
    const place = policyPlace(folder);
    const roots = await takeRoots(place, { fleet, pin: root }, bus);
    if (creds.role === "publisher") return undefined;
    const follower = new Follower({
      place,
      roots,
      channel,
      bus,
      clock: systemClock,
      // A machine that joins has no earlier version to keep, so it does not wait for workers.
      answers: async () => true,
      load: async () => ({ use: () => {}, drop: () => {} }),
      tell: () => {},
    });
    await follower.look();
    if (follower.problem !== undefined) throw new Refused("missing", follower.problem);
    return follower.current;
  } finally {
    link.close();
  }
}

/** `fleet leave`: this machine leaves its fleet and asks nobody any more. */
export async function leaveFleet(args: FleetArgs, io: FleetIo): Promise<number> {
  const folder = fleetFolder(io.hooklineHome);
  const fleet = membershipOf(io);
  const path = join(folder, FILES.joined);
  if (!existsSync(path)) {
    const problem =
      fleet === undefined ? "this machine belongs to no fleet" : "only variables put it in a fleet; unset them";
    throw new Error(`there is nothing to leave: ${problem}`);
  }
  // The record of seen versions is removed first: without it the other files do not count.
  const { seen, roots, bundles } = policyPlace(folder);
  for (const one of [join(folder, FILES.joined), join(folder, FILES.creds), seen, roots, bundles])
    rmSync(one, { recursive: true, force: true });
  say(args, io, { fleet: fleet ?? null }, [
    `This machine has left the fleet${fleet === undefined ? "" : ` ${fleet}`}.`,
  ]);
  return 0;
}

/** Returns the fleet's name; `undefined` if there is no fleet, or if it cannot be read. */
function membershipOf({ hooklineHome, env }: FleetIo): string | undefined {
  try {
    return membership(hooklineHome, env)?.fleet;
  } catch {
    return undefined;
  }
}
