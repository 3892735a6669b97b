import type { BridgeHost } from "@hookline/bridge/kit";
import { events } from "./events.ts";
import { genericTools } from "./tools.ts";

/**
 * Any program that sends the catalogue's own event names and payloads. Nothing is installed into it: it uses the
 * bridge's protocol, or runs `hookline bridge call generic EVENT`. Described in docs/reference/bridge-protocol.md.
 */
export const host: BridgeHost = {
  name: "generic",
  label: "your program",
  places: [],
  environment: [],
  tools: genericTools,
  events,
  adapter: () => Promise.reject(new Error("nothing is installed into a program that asks by itself")),
  table: async () => ({ cells: {}, absent: {} }),
};
