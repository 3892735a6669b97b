import { resolve } from "node:path";
import type { NatsConnection } from "@nats-io/transport-node";
import { readPrivate, systemClock } from "../kit.ts";
import { type Bus, busOf } from "../link/bus.ts";
import { connected } from "../link/connected.ts";
import { Link } from "../link/link.ts";
import { namesOf } from "../name/subjects.ts";
import { type Membership, membership } from "../place/joined.ts";
import { readSigningKey, type SigningKey, sha256 } from "../policy/key.ts";
import { type Manifest, requireCurrent, signedManifest } from "../policy/manifest.ts";
import { Refused } from "../policy/refused.ts";
import { readSource } from "../policy/source.ts";
import { blobsIn, KEYS, readKey } from "../store/buckets.ts";
import { publishSource, rollBack } from "../store/publish.ts";
import { trustedRoot } from "../store/trusted.ts";
import { channelOf, daysOf, type FleetArgs, type FleetIo, FleetUsage, say, wanted, word } from "./io.ts";
import { type RolledOut, waitForWorkers } from "./wait.ts";

/** How many days a version is valid by default. */
const DAYS = 90;

/** `fleet publish FOLDER --channel C --key FILE`: signs the hooks in a folder as the next version of a channel. */
export async function publishPolicy(args: FleetArgs, io: FleetIo): Promise<number> {
  const isRollback = args.flags["rollback"] === true;
  const isTrial = args.flags["dry-run"] === true;
  if (isRollback && args.words.length > 0)
    throw new FleetUsage("--rollback takes no folder: it publishes the previous version again");
  const source = isRollback ? undefined : readSource(resolve(io.cwd, word(args, 0, "FOLDER, with the hooks,")));
  const channel = channelOf(args);
  const key = keyIn(resolve(io.cwd, wanted(args, "key", "the private key that signs policy")));
  const wait = waitOf(args);
  return withServer(io, async ({ connection, bus, member }) => {
    const { fleet, creds } = member;
    const root = await trustedRoot(bus, fleet, member.root);
    const options = { bus, root, channel, key, now: Date.now(), daysValid: daysOf(args, DAYS), isTrial };
    const published = source === undefined ? await rollBack(options) : await publishSource(source, options);
    if (!isTrial) await look(bus, fleet, channel);
    const { manifest, digest, uploaded } = published;
    const out = isTrial || wait === 0 ? undefined : await waitForWorkers({ connection, bus, creds }, published, wait);
    const isOut = out === undefined || out.serving.length >= wait;
    say(args, io, { ...summary(manifest, digest), uploaded, dryRun: isTrial, ...out }, [
      `${isTrial ? "Would publish" : "Published"} version ${manifest.version} of ${channel} in the fleet ${fleet} (${digest.slice(0, 16)}).`,
      ...lines(manifest),
      ...(out === undefined ? [] : rolloutLines(out, wait)),
    ]);
    return isOut ? 0 : 1;
  });
}

/** Returns how many workers `--wait` waits for; 0 without it. */
function waitOf({ flags }: FleetArgs): number {
  const text = flags["wait"];
  if (text === undefined) return 0;
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 1000) return count;
  throw new FleetUsage(`--wait is not a number from 1 to 1000: ${String(text)}`);
}

function rolloutLines({ serving, missing }: RolledOut, wanted: number): string[] {
  const names = serving.length === 0 ? "" : `: ${serving.join(", ")}`;
  return [
    `${serving.length} of ${wanted} workers serve it${names}`,
    ...missing.map(({ worker, version }) => `${worker} does not: it serves version ${version}`),
  ];
}

/**
 * `fleet verify FOLDER` or `fleet verify --channel C`: checks whether agents would accept a folder, or what the server
 * has.
 */
export async function verifyPolicy(args: FleetArgs, io: FleetIo): Promise<number> {
  if (args.words.length > 0) {
    const folder = resolve(io.cwd, word(args, 0, "FOLDER"));
    const { choices } = readSource(folder);
    say(args, io, { folder, files: choices.files.length, hooks: choices.hooks }, [
      `${folder} can be published.`,
      ...lines(choices),
    ]);
    return 0;
  }
  const channel = channelOf(args);
  return withServer(io, async ({ bus, member }) => {
    const { fleet } = member;
    const root = await trustedRoot(bus, fleet, member.root);
    const stored = await readKey(bus, fleet, { bucket: "policy", key: KEYS.channel(channel) });
    if (stored === undefined) throw new Refused("missing", `nothing has been published to ${channel} yet`);
    const signed = signedManifest(stored.data, { root, channel });
    requireCurrent(signed, root, Date.now());
    const blobs = blobsIn(bus, fleet);
    for (const { path, sha256: hash, bytes } of signed.manifest.files) {
      const content = await blobs(hash);
      if (content === undefined) throw new Refused("missing", `the content of ${path} is not on the server`);
      if (content.length !== bytes || sha256(content) !== hash)
        throw new Refused("hash", `${path} is not the file that was signed`);
    }
    const { manifest, digest } = signed;
    say(args, io, summary(manifest, digest), [
      `Version ${manifest.version} of ${channel} (${digest.slice(0, 16)}) is signed by root ${root.version} of the fleet ${fleet}, and all of its files are on the server.`,
      ...lines(manifest),
    ]);
    return 0;
  });
}

interface Served {
  readonly connection: NatsConnection;
  readonly bus: Bus;
  readonly member: Membership;
}

async function withServer(io: FleetIo, work: (served: Served) => Promise<number>): Promise<number> {
  const member = membership(io.hooklineHome, io.env);
  if (member === undefined)
    throw new Error(
      "this machine belongs to no fleet; set HOOKLINE_FLEET_URL, HOOKLINE_FLEET_CREDS and HOOKLINE_FLEET_ROOT",
    );
  const { url, creds } = member;
  const link = new Link({ url, creds, clock: systemClock, connectMs: 10_000 });
  try {
    const connection = await connected(link, url);
    return await work({ connection, bus: await busOf(connection), member });
  } finally {
    link.close();
  }
}

/** Announces that a channel has something new. The notice may be lost, since agents also look by themselves. */
async function look(bus: Bus, fleet: string, channel: string): Promise<void> {
  await bus.tell(namesOf(fleet).policy(channel));
}

function summary(manifest: Manifest, digest: string): object {
  const { fleet, channel, version, expires, files, hooks } = manifest;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return { fleet, channel, version, digest, expires, files: files.length, bytes, hooks };
}

function lines({ files, hooks }: Pick<Manifest, "files" | "hooks">): string[] {
  const rules = hooks.map(({ file, where, events, may, needs, onFailure }) =>
    where === "agent"
      ? `${file}: in each agent`
      : `${file}: asked at ${events.join(", ")}; may ${may.join(", ")}; gets ${needs.join(", ")}; ${onFailure} if it fails`,
  );
  return [`${files.length} ${files.length === 1 ? "file" : "files"}`, ...rules];
}

function keyIn(path: string): SigningKey {
  const read = readPrivate(path);
  if (read.state === "absent") throw new Error(`${path} does not exist`);
  if (read.state === "refused") throw new Error(`${path}: ${read.problem}. ${read.remedy}`);
  try {
    return readSigningKey(read.text);
  } catch (thrown) {
    throw new Error(`${path}: ${(thrown as Error).message}`, { cause: thrown });
  }
}
