import { addressOf } from "../link/address.ts";
import { access, membership } from "../place/joined.ts";
import type { HookRule } from "../policy/manifest.ts";
import { type FleetArgs, type FleetIo, say } from "./io.ts";
import { statusOfAll } from "./present.ts";
import { findFleet, keptPolicy, waitingIn, waitingText } from "./state.ts";

interface Trouble {
  readonly t: number;
  readonly code: "policy" | "connection" | "worker" | "version";
  readonly message: string;
}

/** `fleet status`: shows whether the fleet can be reached, and which worker answers. */
export async function fleetStatus(args: FleetArgs, io: FleetIo): Promise<number> {
  if (args.flags["all"] === true) return statusOfAll(args, io, required(access(io.hooklineHome, io.env)));
  const found = required(membership(io.hooklineHome, io.env));
  const lastErrors: Trouble[] = [];
  const trouble = (code: Trouble["code"], message: string): void =>
    void lastErrors.push({ t: Date.now(), code, message });
  const { bundle, ageMs, stale } = keptPolicy(found);
  if (stale !== undefined) trouble("policy", stale);
  const { connected, problem, version, warning, asks, worker } = await findFleet(found, bundle);
  if (problem !== undefined) trouble("connection", problem);
  if (warning !== undefined) trouble("version", warning);
  const filesAt = (where: HookRule["where"]): string[] =>
    (bundle?.manifest.hooks ?? []).filter((rule) => rule.where === where).map(({ file }) => file);
  const [remote, local] = [filesAt("worker"), filesAt("agent")];
  if (connected && asks && worker === undefined) trouble("worker", "no worker answers");
  const { fleet, machine, channel } = found;
  const spool = waitingIn(found);
  const server = version === undefined ? null : { version, tls: addressOf(found.url).needsTls };
  const { version: held, expires } = bundle?.manifest ?? {};
  const inUse = bundle && { version: held, digest: bundle.digest, ageMs, expires };
  say(
    args,
    io,
    {
      fleet,
      machine,
      connected,
      server,
      channel,
      bundle: inUse ?? null,
      stale: stale ?? null,
      worker: worker ?? null,
      spool,
      remote,
      local,
      lastErrors,
    },
    [
      `${machine} of the fleet ${fleet}, channel ${channel}, ${addressOf(found.url).shown}`,
      connected ? `connected to nats-server ${version}` : "not connected",
      bundle === undefined
        ? "no policy"
        : `version ${held} (${bundle.digest.slice(0, 16)}): ${[...remote, ...local].join(", ")}`,
      ...(worker === undefined ? [] : [`${worker} answers`]),
      ...(spool.batches === 0 ? [] : [waitingText(spool)]),
      ...lastErrors.map(({ code, message }) => `${code}: ${message}`),
    ],
  );
  return connected && stale === undefined ? 0 : 1;
}

function required<T>(found: T | undefined): T {
  if (found !== undefined) return found;
  throw new Error("this machine belongs to no fleet; `hookline fleet join` makes it part of one");
}
