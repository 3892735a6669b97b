import { messageOf, systemClock } from "@hookline/runtime/internal";
import type { Bundle } from "../bundle/bundle.ts";
import { bundleInForce } from "../bundle/in-force.ts";
import { Link } from "../link/link.ts";
import { membership } from "../place/joined.ts";
import { announced } from "../presence/announcer.ts";
import type { Creds } from "../sign/creds.ts";
import { openHooks } from "../work/hooks.ts";
import { CONCURRENCY, Worker } from "../work/worker.ts";
import { type FleetArgs, type FleetIo, FleetUsage, say } from "./io.ts";

/** `fleet serve`: answers the fleet's agents until it is interrupted. */
export async function serveFleet(args: FleetArgs, io: FleetIo): Promise<number> {
  const found = membership(io.hooklineHome, io.env);
  if (found === undefined)
    throw new Error(
      "this machine belongs to no fleet; `hookline fleet join` with the creds of a worker makes it part of one",
    );
  const { creds, url } = found;
  if (creds.role !== "worker")
    throw new Error(`${creds.machine} is enrolled as ${creds.role}; only a worker may serve`);
  const bundle = bundleInForce(found);
  const isVerbose = args.flags["verbose"] === true;
  const serving = await serve(
    { creds, url, bundle, concurrency: concurrencyOf(args), version: io.version },
    { err: io.err, ...(isVerbose && { tell: (line: string) => io.err(`${line}\n`) }) },
  );
  say(args, io, { fleet: creds.fleet, worker: creds.machine, bundle: bundle.digest, pid: process.pid }, [
    `${creds.machine} serves the bundle ${bundle.manifest.version} (${bundle.digest.slice(0, 16)}) of the fleet ${creds.fleet}. Ctrl+C ends it.`,
  ]);
  await io.ended();
  await serving.close();
  return 0;
}

/** A worker that answers. */
export interface Serving {
  close(): Promise<void>;
}

/** Loads the hooks of a bundle, connects, and answers from then on. Throws if the hooks or the server are not there. */
export async function serve(
  {
    creds,
    url,
    bundle,
    concurrency,
    version,
  }: {
    readonly creds: Creds;
    readonly url: string;
    readonly bundle: Bundle;
    readonly concurrency: number;
    /** Of hookline. */
    readonly version: string;
  },
  { err, tell }: { err(text: string): void; tell?(line: string): void },
): Promise<Serving> {
  const hooks = await openHooks(bundle, ({ message }) => err(`${message}\n`));
  const link = new Link({ url, creds, clock: systemClock, connectMs: 10_000, tell: (problem) => err(`${problem}\n`) });
  const presence = announced({ link, creds, bundle, clock: systemClock, version });
  const close = async (): Promise<void> => {
    presence.close();
    link.close();
    await hooks.close();
  };
  try {
    if (!(await link.ready(10_000)) || link.connection === undefined)
      throw new Error(`the fleet's server cannot be reached: ${link.problem ?? "no answer"}`);
    const worker = new Worker({
      creds,
      bundle,
      hooks,
      clock: systemClock,
      concurrency,
      ...(tell !== undefined && { tell }),
    });
    link.serve((connection) => worker.listen(connection));
    await link.connection.flush();
    return { close };
  } catch (thrown) {
    await close();
    throw new Error(messageOf(thrown), { cause: thrown });
  }
}

function concurrencyOf({ flags }: FleetArgs): number {
  const text = flags["concurrency"];
  if (text === undefined) return CONCURRENCY;
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 1000) return count;
  throw new FleetUsage(`--concurrency is no number from 1 to 1000: ${String(text)}`);
}
