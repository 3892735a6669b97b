import type { HttpReport, HttpTransport } from "../../packages/runtime/src/port/http.ts";
import { createHttpTransport, type HttpTransportOptions } from "../../packages/runtime/src/transport/http/transport.ts";
import type { Served } from "../../packages/runtime/test/http/servers.ts";
import { clock } from "../../packages/runtime/test/process/clock.ts";

/** How far a call may exceed its limit before it counts as hanging, in ms. */
const LATE_MS = 5000;

/** Makes a transport that is closed at the end of the block. */
export function asker(options: Partial<HttpTransportOptions> = {}): HttpTransport & AsyncDisposable {
  const transport = createHttpTransport({ clock, ...options });
  return { ...transport, [Symbol.asyncDispose]: () => transport.close() };
}

/** Returns the report; `undefined` if the call exceeds its limit. */
export async function inTime(asking: Promise<HttpReport>, limitMs: number): Promise<HttpReport | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), limitMs + LATE_MS);
  try {
    return await Promise.race([asking, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether all connections of a server end by themselves. */
export async function isLeft({ sockets }: Served): Promise<boolean> {
  const until = performance.now() + LATE_MS;
  while (sockets.size > 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 5));
  return sockets.size === 0;
}
