import { statSync } from "node:fs";
import { messageOf, systemClock } from "@hookline/runtime/internal";
import { ping } from "../lane/ping.ts";
import { addressOf } from "../link/address.ts";
import { Link } from "../link/link.ts";
import { versionWarning } from "../link/version.ts";
import { access, type Membership, membership } from "../place/joined.ts";
import type { Bundle } from "../policy/bundle.ts";
import { coverageOf } from "../policy/coverage.ts";
import { type HookRule, requireCurrent } from "../policy/manifest.ts";
import { bundleInUse, policyPlace } from "../policy/take.ts";
import { Backlog } from "../presence/backlog.ts";
import { keptRoots } from "../store/trusted.ts";
import { type FleetArgs, type FleetIo, say } from "./io.ts";
import { statusOfAll } from "./present.ts";

const PATIENCE_MS = 5000;

/** Nothing is left. */
const EMPTY = { batches: 0, bytes: 0, oldestMs: 0 } as const;

interface Trouble {
  readonly t: number;
  readonly code: "policy" | "connection" | "worker" | "version";
  readonly message: string;
}

/** `fleet status`: whether the fleet can be reached, and who answers. */
export async function fleetStatus(args: FleetArgs, io: FleetIo): Promise<number> {
  if (args.flags["all"] === true) return statusOfAll(args, io, required(access(io.hooklineHome, io.env)));
  const found = required(membership(io.hooklineHome, io.env));
  const lastErrors: Trouble[] = [];
  const trouble = (code: Trouble["code"], message: string): void =>
    void lastErrors.push({ t: Date.now(), code, message });
  const { bundle, stale } = keptPolicy(found);
  if (stale !== undefined) trouble("policy", stale);
  const link = new Link({ url: found.url, creds: found.creds, clock: systemClock, connectMs: PATIENCE_MS });
  try {
    const connected = await link.ready(PATIENCE_MS);
    if (!connected) trouble("connection", link.problem ?? "no answer");
    const version = link.connection?.info?.version;
    const warning = version === undefined ? undefined : versionWarning(version, found.url);
    if (warning !== undefined) trouble("version", warning);
    const filesAt = (where: HookRule["where"]): string[] =>
      (bundle?.manifest.hooks ?? []).filter((rule) => rule.where === where).map(({ file }) => file);
    const [remote, local] = [filesAt("worker"), filesAt("agent")];
    const isAsked = connected && bundle !== undefined && coverageOf(bundle.manifest).length > 0;
    const worker = isAsked ? await ping(link, found.creds, { digest: bundle.digest, mostMs: PATIENCE_MS }) : undefined;
    if (isAsked && worker === undefined) trouble("worker", "no worker answers");
    const { fleet, machine, channel } = found;
    const spool = new Backlog(found.spool).at(Date.now()) ?? EMPTY;
    const server = version === undefined ? null : { version, tls: addressOf(found.url).needsTls };
    const { version: held, expires } = bundle?.manifest ?? {};
    const inUse = bundle && { version: held, digest: bundle.digest, ageMs: ageOf(bundle.folder), expires };
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
        ...(spool.batches === 0
          ? []
          : [
              `${spool.batches} batches of decisions wait to be sent, ${spool.bytes} bytes, the oldest for ${Math.round(spool.oldestMs / 1000)} s`,
            ]),
        ...lastErrors.map(({ code, message }) => `${code}: ${message}`),
      ],
    );
    return connected && stale === undefined ? 0 : 1;
  } finally {
    link.close();
  }
}

function required<T>(found: T | undefined): T {
  if (found !== undefined) return found;
  throw new Error("this machine belongs to no fleet; `hookline fleet join` makes it part of one");
}

/** What this machine keeps of its fleet's policy. */
interface Kept {
  readonly bundle: Bundle | undefined;
  /** Why it counts no more. */
  readonly stale: string | undefined;
}

function keptPolicy({ folder, fleet, root: pin, channel }: Membership): Kept {
  const place = policyPlace(folder);
  try {
    const { root } = keptRoots(place, { fleet, pin });
    const bundle = bundleInUse(place, { root, channel });
    if (bundle === undefined) return { bundle, stale: `no policy of ${channel} was taken yet` };
    return { bundle, stale: problemOf(() => requireCurrent(bundle, root, Date.now())) };
  } catch (thrown) {
    return { bundle: undefined, stale: messageOf(thrown) };
  }
}

function problemOf(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (thrown) {
    return messageOf(thrown);
  }
}

function ageOf(folder: string): number {
  return Math.max(0, Math.round(Date.now() - statSync(folder).mtimeMs));
}
