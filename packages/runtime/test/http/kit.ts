import { onTestFinished } from "vitest";
import type { HttpTransport } from "../../src/port/http.ts";
import { createHttpTransport, type HttpTransportOptions } from "../../src/transport/http/transport.ts";
import { alarm } from "../process/clock.ts";
import type { Served } from "./servers.ts";

/** How long the transport keeps an idle connection, in ms. */
export const IDLE_MS = 1500;

/**
 * A transport that is closed with the test. Unless it gets a clock, an idle connection is kept however long the machine
 * takes for the next call.
 */
export function transportOf(options: Partial<HttpTransportOptions> = {}): HttpTransport {
  const transport = createHttpTransport({ clock: alarm(IDLE_MS), ...options });
  onTestFinished(() => transport.close());
  return transport;
}

/** Has a server stop with the test. */
export async function during<S extends Served>(serving: Promise<S>): Promise<S> {
  const served = await serving;
  onTestFinished(() => served[Symbol.asyncDispose]());
  return served;
}

/** Waits until something holds; the limit of the test ends the wait. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}
