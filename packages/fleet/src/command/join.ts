import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { systemClock } from "@hookline/runtime/internal";
import { coverageOf } from "../bundle/bundle.ts";
import { folderBundle } from "../bundle/folder.ts";
import { addressOf } from "../link/address.ts";
import { Link } from "../link/link.ts";
import { FILES, fleetFolder, type Joined, membership, writeMembership } from "../place/joined.ts";
import { readCreds } from "../sign/creds.ts";
import { type FleetArgs, type FleetIo, FleetUsage, say, wanted, word } from "./io.ts";

/** How long `join` waits for the server, in ms. */
const PATIENCE_MS = 10_000;

/** `fleet join URL --creds FILE --root SHA256 --bundle DIR`: this machine asks the fleet's workers from now on. */
export async function joinFleet(args: FleetArgs, io: FleetIo): Promise<number> {
  const url = word(args, 0, "URL, the fleet's server,");
  const path = resolve(io.cwd, wanted(args, "creds", "the file that `hookline fleet enroll` printed"));
  const root = wanted(args, "root", "the SHA-256 that the fleet's people gave you").toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(root)) throw new FleetUsage("--root is no SHA-256: 64 of the digits 0-9 and a-f");
  const folder = resolve(io.cwd, wanted(args, "bundle", "the folder with the fleet's hooks"));
  const { shown } = addressOf(url);
  const text = readFileSync(path, "utf8");
  const creds = readCreds(text);
  const before = membershipOf(io);
  if (before !== undefined && before !== creds.fleet)
    throw new Error(`this machine belongs to the fleet ${before}; leave it first: hookline fleet leave`);
  const bundle = folderBundle(folder);
  const { fleet, machine } = creds;
  const channel = typeof args.flags["channel"] === "string" ? args.flags["channel"] : "stable";
  if (bundle.digest !== root) throw new Error(`${folder} has the SHA-256 ${bundle.digest}, not ${root}`);
  if (bundle.manifest.fleet !== fleet)
    throw new Error(`${folder} is of the fleet ${bundle.manifest.fleet}, not of ${fleet}`);
  if (bundle.manifest.channel !== channel)
    throw new Error(`${folder} is of the channel ${bundle.manifest.channel}, not of ${channel}`);
  const link = new Link({ url, creds, clock: systemClock, connectMs: PATIENCE_MS });
  try {
    if (!(await link.ready(PATIENCE_MS))) throw new Error(`${shown} cannot be reached: ${link.problem ?? "no answer"}`);
  } finally {
    link.close();
  }
  const place = join(fleetFolder(io.hooklineHome), FILES.bundles, bundle.digest);
  if (!existsSync(place)) {
    mkdirSync(join(place, ".."), { recursive: true, mode: 0o700 });
    cpSync(folder, place, { recursive: true });
  }
  const joined: Joined = { v: 1, url, fleet, machine, channel, root };
  writeMembership(io.hooklineHome, joined, text);
  const covered = coverageOf(bundle).map(({ event, needs, rules }) => ({
    event,
    hooks: rules.map(({ file }) => file),
    leaves: [...needs],
  }));
  say(args, io, { fleet, machine, channel, url, asked: covered }, [
    `This machine is ${machine} of the fleet ${fleet}.`,
    ...covered.map(
      ({ event, hooks, leaves }) =>
        `Asked at ${event}: ${hooks.join(", ")}. What leaves this machine: ${leaves.join(", ")}.`,
    ),
    creds.role === "worker"
      ? "It answers as soon as `hookline fleet serve` runs."
      : "While no worker answers, calls that these hooks guard are refused. `hookline fleet leave` ends it.",
  ]);
  return 0;
}

/** `fleet leave`: this machine asks nobody any more. */
export async function leaveFleet(args: FleetArgs, io: FleetIo): Promise<number> {
  const folder = fleetFolder(io.hooklineHome);
  const fleet = membershipOf(io);
  const path = join(folder, FILES.joined);
  if (!existsSync(path)) {
    const problem =
      fleet === undefined ? "this machine belongs to no fleet" : "the environment says which fleet this is";
    throw new Error(`${problem}; there is nothing to leave`);
  }
  // The list goes first: without it, nothing of the rest counts.
  for (const name of [FILES.joined, FILES.creds, FILES.bundles])
    rmSync(join(folder, name), { recursive: true, force: true });
  say(args, io, { fleet: fleet ?? null }, [
    `This machine has left the fleet${fleet === undefined ? "" : ` ${fleet}`}.`,
  ]);
  return 0;
}

/** The fleet's name; `undefined` for none, and for one that cannot be read. */
function membershipOf({ hooklineHome, env }: FleetIo): string | undefined {
  try {
    return membership(hooklineHome, env)?.fleet;
  } catch {
    return undefined;
  }
}
