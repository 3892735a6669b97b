import type { Tier } from "@hookline/ground";
import { type Clock, headersProblem, hookUrl, MAX_MS } from "@hookline/ground";
import type { HttpCall, HttpReport, HttpStream, HttpStreamCall, HttpTransport } from "../../port/http.ts";
import { createSlots } from "../process/slots.ts";
import { type ConnectionTarget, type Resolve, systemResolve } from "./connect.ts";
import { type Ended, exchange, noAnswer, type Seen } from "./exchange.ts";
import { Pool } from "./pool.ts";
import { stream } from "./stream.ts";

/** The options of the transport that calls HTTP hooks. */
export interface HttpTransportOptions {
  readonly clock: Clock;
  /**
   * Resolves host names. Default: the system's resolver. Called once for each new connection; its addresses are
   * checked, and the connection uses one of them.
   */
  readonly resolve?: Resolve;
  /** Certificates to trust instead of Node's, as PEM. */
  readonly ca?: readonly string[];
  /** The number of calls that run at the same time; others wait for a slot. Default 64. */
  readonly concurrency?: number;
}

const DEFAULT_CONCURRENCY = 64;

/**
 * Whether definitions of a tier may reach internal networks. A project's URL, or the answer of its name server, must
 * not reach what only the person's machine can reach (guarantees R56). Any tier may reach this machine if the URL
 * itself names it, because the person has approved that text.
 */
const REACHES_INTERNAL: Readonly<Record<Tier, boolean>> = {
  builtin: true,
  managed: true,
  user: true,
  project: false,
  session: false,
};

/**
 * Returns the HTTP transport. It follows no redirect, uses no proxy and sends nothing to an address that was not
 * checked. After `close` a call reports `aborted`.
 */
export function createHttpTransport(options: HttpTransportOptions): HttpTransport {
  const { clock, resolve = systemResolve, ca, concurrency = DEFAULT_CONCURRENCY } = options;
  const slots = createSlots(concurrency);
  const pools = new Map<string, Pool>();
  const closing = new AbortController();
  const active = new Set<Promise<HttpReport>>();

  function poolOf(protocol: string, reachesInternal: boolean, keeps = true): Pool {
    const key = `${protocol} ${reachesInternal} ${keeps}`;
    const known = pools.get(key);
    if (known !== undefined) return known;
    const made = new Pool(protocol, clock, keeps);
    pools.set(key, made);
    return made;
  }

  async function ask(call: HttpCall): Promise<HttpReport> {
    const queuedAt = clock.now();
    const read = hookUrl(call.url);
    const problem = "problem" in read ? read.problem : (headersProblem(call.headers) ?? timeProblem(call.timeoutMs));
    if ("problem" in read || problem !== undefined)
      return { ...noAnswer("refused", problem ?? ""), queueMs: 0, runMs: 0 };
    const leave = await slots.enter(call.signal);
    const startedAt = clock.now();
    const queueMs = startedAt - queuedAt;
    if (leave === undefined) return { ...noAnswer("aborted", "aborted"), queueMs, runMs: 0 };
    try {
      const { url, isLocal } = read;
      const mayReachInternal = REACHES_INTERNAL[call.tier];
      const target = targetOf(url, isLocal, mayReachInternal);
      const pool = poolOf(url.protocol, mayReachInternal);
      const connecting = { resolve, ca };
      const ended = await bounded(call, clock, closing.signal, (signal, seen) =>
        exchange({ call, url, target, pool, connecting, seen, signal }),
      );
      return { ...ended, queueMs, runMs: clock.now() - startedAt };
    } finally {
      leave();
    }
  }

  async function open(call: HttpStreamCall): Promise<HttpStream> {
    const read = hookUrl(call.url);
    const problem = "problem" in read ? read.problem : (headersProblem(call.headers) ?? timeProblem(call.timeoutMs));
    if ("problem" in read || problem !== undefined) return { status: "refused", problem: problem ?? "" };
    const mayReachInternal = REACHES_INTERNAL[call.tier];
    const target = targetOf(read.url, read.isLocal, mayReachInternal);
    const pool = poolOf(read.url.protocol, mayReachInternal, false);
    const signal = call.signal === undefined ? closing.signal : AbortSignal.any([call.signal, closing.signal]);
    return stream({ call, url: read.url, target, pool, connecting: { resolve, ca }, clock, signal });
  }

  return {
    open,
    ask(call) {
      const asking = ask(call);
      active.add(asking);
      const forget = (): void => void active.delete(asking);
      asking.then(forget, forget);
      return asking;
    },
    async close() {
      slots.close();
      closing.abort();
      await Promise.allSettled(active);
      for (const pool of pools.values()) pool.destroy();
    },
  };
}

function timeProblem(timeoutMs: number): string | undefined {
  return timeoutMs > 0 ? undefined : `its time limit is ${timeoutMs} ms, which is not a valid time`;
}

function targetOf(url: URL, isLocal: boolean, mayReachInternal: boolean): ConnectionTarget {
  const isTls = url.protocol === "https:";
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? (isTls ? 443 : 80) : Number(url.port),
    isTls,
    isLocal,
    mayReachInternal,
  };
}

/**
 * Ends an exchange at the deadline, on abort, or when the transport is closed, whatever it is doing; later events are
 * dropped.
 */
function bounded(
  { timeoutMs, signal }: HttpCall,
  clock: Clock,
  closing: AbortSignal,
  run: (signal: AbortSignal, seen: Seen) => Promise<Ended>,
): Promise<Ended> {
  const stop = new AbortController();
  const seen: Seen = { phase: "connecting", head: {} };
  const { promise, resolve } = Promise.withResolvers<Ended>();
  const end = (ended: Ended): void => {
    timer.cancel();
    signal?.removeEventListener("abort", onAbort);
    closing.removeEventListener("abort", onAbort);
    resolve(ended);
    stop.abort();
  };
  const onAbort = (): void => end({ ...noAnswer("aborted", `aborted while ${seen.phase}`), ...seen.head });
  const limitMs = Math.min(Math.ceil(timeoutMs), MAX_MS);
  const timer = clock.timer(limitMs, () =>
    end({ ...noAnswer("timed-out", `no answer within ${limitMs} ms; it ended while ${seen.phase}`), ...seen.head }),
  );
  // The timer keeps a host with nothing else to do from exiting before the answer.
  timer.hold(true);
  signal?.addEventListener("abort", onAbort, { once: true });
  closing.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted === true || closing.aborted) onAbort();
  else void run(stop.signal, seen).then(end);
  return promise;
}
