import { systemClock } from "../kit.ts";
import { connected } from "../link/connected.ts";
import { Link } from "../link/link.ts";
import { type Membership, membership } from "../place/joined.ts";
import type { Bundle } from "../policy/bundle.ts";
import { announced } from "../presence/announcer.ts";
import { serveChannel } from "../work/channel.ts";
import { CONCURRENCY, Worker } from "../work/worker.ts";
import { channelOf, type FleetArgs, type FleetIo, FleetUsage, say } from "./io.ts";

/** `fleet serve`: answers the fleet's agents until it is interrupted. */
export async function serveFleet(args: FleetArgs, io: FleetIo): Promise<number> {
  const found = membership(io.hooklineHome, io.env);
  if (found === undefined)
    throw new Error(
      "this machine belongs to no fleet; `hookline fleet join` with the creds of a worker makes it part of one",
    );
  const { creds } = found;
  if (creds.role !== "worker")
    throw new Error(`${creds.machine} is enrolled as ${creds.role}; only a worker may serve`);
  const channel = args.flags["channel"] === undefined ? found.channel : channelOf(args);
  const isVerbose = args.flags["verbose"] === true;
  const serving = await serve(
    { membership: { ...found, channel }, concurrency: concurrencyOf(args), version: io.version },
    {
      say: (line) => io.err(`${line}\n`),
      ...(isVerbose && { asked: (line: string) => io.err(`${line}\n`) }),
    },
  );
  const { fleet, machine: worker } = creds;
  const [newest] = serving.versions();
  say(
    args,
    io,
    { fleet, worker, channel, version: newest?.version ?? null, bundle: newest?.digest ?? null, pid: process.pid },
    [
      newest === undefined
        ? `${worker} waits for the first version of ${channel} in the fleet ${fleet}. Ctrl+C ends it.`
        : `${worker} serves ${channel} of the fleet ${fleet}, now at version ${newest.version} (${newest.digest.slice(0, 16)}). Ctrl+C ends it.`,
    ],
  );
  await io.ended();
  await serving.close();
  return 0;
}

/** A worker that answers agents. */
export interface Serving {
  /** Returns the versions that the worker serves, newest first. */
  versions(): readonly { readonly version: number; readonly digest: string }[];
  close(): Promise<void>;
}

/** Options of a serving worker. */
export interface ServeOptions {
  readonly membership: Membership;
  readonly concurrency: number;
  /** The version of hookline. */
  readonly version: string;
}

/** Connects, loads the newest versions of a channel, and answers from then on. Throws if the server is not there. */
export async function serve(
  { membership, concurrency, version }: ServeOptions,
  { say, asked }: { say(line: string): void; asked?(line: string): void },
): Promise<Serving> {
  const { creds, url, channel } = membership;
  const link = new Link({ url, creds, clock: systemClock, connectMs: 10_000, tell: say });
  const worker = new Worker({ creds, clock: systemClock, concurrency, ...(asked !== undefined && { tell: asked }) });
  const newest = (): Bundle | undefined =>
    [...worker.served].sort((a, b) => b.manifest.version - a.manifest.version)[0];
  const presence = announced({ link, creds, bundle: newest, clock: systemClock, version });
  let stop = (): void => {};
  const close = async (): Promise<void> => {
    stop();
    presence.close();
    link.close();
    await worker.close();
  };
  try {
    const connection = await connected(link, url);
    ({ stop } = await serveChannel({ membership, channel, link, worker, clock: systemClock, tell: say }));
    presence.say();
    await connection.flush();
  } catch (thrown) {
    await close();
    throw thrown;
  }
  const versions = (): ReturnType<Serving["versions"]> =>
    worker.served
      .map(({ digest, manifest: { version } }) => ({ version, digest }))
      .sort((a, b) => b.version - a.version);
  return { versions, close };
}

function concurrencyOf({ flags }: FleetArgs): number {
  const text = flags["concurrency"];
  if (text === undefined) return CONCURRENCY;
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 1000) return count;
  throw new FleetUsage(`--concurrency is not a number from 1 to 1000: ${String(text)}`);
}
