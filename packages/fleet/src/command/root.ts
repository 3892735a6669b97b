import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { writePrivate } from "@hookline/runtime/internal";
import { Authority } from "../identity/authority.ts";
import { busOf } from "../link/bus.ts";
import { newKeyText, readSigningKey, type SigningKey, sha256 } from "../policy/key.ts";
import { nextRoot, pinnedRoot, type Root, sealRoot } from "../policy/root.ts";
import { makePresence } from "../presence/bucket.ts";
import { makeStream } from "../spool/make-stream.ts";
import { makeBuckets } from "../store/buckets.ts";
import { publishRoot } from "../store/publish.ts";
import { asAdministrator } from "./connected.ts";
import { daysOf, type FleetArgs, type FleetIo, FleetUsage, say, word } from "./io.ts";

/** How long a root counts unless something else is said. */
const ROOT_DAYS = 365;
const DAY_MS = 24 * 60 * 60 * 1000;

/** `fleet root rotate DIR` and `fleet root publish DIR URL`: which keys sign a fleet's policy. */
export async function fleetRoot(args: FleetArgs, io: FleetIo): Promise<number> {
  const action = word(args, 0, "rotate or publish");
  const folder = resolve(io.cwd, word(args, 1, "DIR, the folder that `hookline fleet init` made,"));
  const authority = Authority.open(folder);
  if (action === "rotate") return rotate(authority, args, io);
  if (action === "publish") return publishRoots(authority, args, io);
  throw new FleetUsage(`there is no \`fleet root ${action}\`: choose rotate or publish`);
}

function rotate(authority: Authority, args: FleetArgs, io: FleetIo): number {
  const { folder, fleet } = authority;
  const { version, pin, place, expires } = newRoot(authority, daysOf(args, ROOT_DAYS));
  say(args, io, { fleet, version, pin, folder: place, expires }, [
    `${place} has root ${version} of the fleet ${fleet}, with new keys for it and for policy.`,
    `Its SHA-256, which machines pin: ${pin}`,
    `Put it on the server: hookline fleet root publish ${folder} URL`,
    `Sign policy with: hookline fleet publish FOLDER --channel stable --key ${join(place, "policy.pem")}`,
  ]);
  return 0;
}

/** A root in a fleet's folder. */
export interface NewRoot {
  readonly version: number;
  /** SHA-256 of its file. */
  readonly pin: string;
  /** The folder with the root and its keys. */
  readonly place: string;
}

/** Makes new keys for a fleet, and the root that lists them, signed by the keys before. */
export function newRoot({ folder, fleet }: Authority, days = ROOT_DAYS): NewRoot & { readonly expires: number } {
  const before = rootsIn(folder).at(-1);
  const version = (before?.version ?? 0) + 1;
  const place = placeOf(folder, version);
  const texts = { root: newKeyText(), policy: newKeyText() };
  const [own, policy] = [readSigningKey(texts.root), readSigningKey(texts.policy)];
  const expires = Date.now() + days * DAY_MS;
  const role = ({ keyid }: SigningKey) => ({ keyids: [keyid], threshold: 1 });
  const public_ = ({ keyid, bytes }: SigningKey) =>
    [keyid, { type: "ed25519", public: bytes.toString("base64") }] as const;
  const root: Root = {
    v: 1,
    fleet,
    version,
    expires,
    keys: Object.fromEntries([own, policy].map(public_)),
    roles: { root: role(own), policy: role(policy), approvals: { keyids: [], threshold: 1 } },
  };
  const old = before && readSigningKey(readFileSync(join(placeOf(folder, before.version), "root.pem"), "utf8"));
  const bytes = sealRoot(root, old === undefined ? [own] : [old, own]);
  if (before === undefined) pinnedRoot(bytes, sha256(bytes));
  else nextRoot(bytes, pinnedRoot(before.bytes, sha256(before.bytes)));
  for (const [name, text] of Object.entries(texts)) writePrivate(join(place, `${name}.pem`), text);
  // The root goes last: without it, the keys beside it count for nothing.
  writePrivate(join(place, "root.json"), bytes.toString());
  return { version, pin: sha256(bytes), place, expires };
}

/** The newest root in a fleet's folder; `undefined` where there is none. */
export function newestRoot({ folder }: Authority): NewRoot | undefined {
  const last = rootsIn(folder).at(-1);
  return last && { version: last.version, pin: sha256(last.bytes), place: placeOf(folder, last.version) };
}

async function publishRoots(authority: Authority, args: FleetArgs, io: FleetIo): Promise<number> {
  const pins = await putRoots(authority, word(args, 2, "URL, the fleet's server,"));
  const { fleet } = authority;
  say(args, io, { fleet, roots: pins }, [
    `The fleet ${fleet} has its buckets and its stream on the server, and these roots:`,
    ...pins.map(({ version, pin }) => `${version}  ${pin}`),
  ]);
  return 0;
}

/** Makes what a fleet keeps on its server, with a token of some minutes that may do so, and puts the roots there. */
export async function putRoots(
  authority: Authority,
  url: string,
): Promise<readonly { readonly version: number; readonly pin: string }[]> {
  const { folder, fleet } = authority;
  const roots = rootsIn(folder);
  if (roots.length === 0) throw new Error(`${folder} has no root yet; make one: hookline fleet root rotate ${folder}`);
  await asAdministrator(authority, url, async (connection) => {
    await makeBuckets(connection, fleet);
    await makeStream(connection, { fleet });
    await makePresence(connection, fleet);
    const bus = await busOf(connection);
    for (const { bytes } of roots) await publishRoot(bus, pinnedRoot(bytes, sha256(bytes)), bytes);
  });
  return roots.map(({ version, bytes }) => ({ version, pin: sha256(bytes) }));
}

function placeOf(folder: string, version: number): string {
  return join(folder, "policy", `${version}`);
}

/** The roots in a fleet's folder, oldest first. */
function rootsIn(folder: string): { readonly version: number; readonly bytes: Buffer }[] {
  const place = join(folder, "policy");
  if (!existsSync(place)) return [];
  return readdirSync(place)
    .filter((name) => /^[1-9]\d*$/.test(name) && existsSync(join(place, name, "root.json")))
    .map((name) => ({ version: Number(name), bytes: readFileSync(join(place, name, "root.json")) }))
    .sort((a, b) => a.version - b.version);
}
