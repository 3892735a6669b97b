import { ompTools } from "@hookline/runtime/internal";
import type { BridgeHost } from "../../host.ts";
import { events } from "./events.ts";

/** oh-my-pi, which runs hooks in its own process. Source: spec/hosts/omp. */
export const host: BridgeHost = {
  name: "omp",
  label: "oh-my-pi",
  recorded: "18.2.3",
  dialect: "omp",
  places: ["~/.omp/agent/extensions/hookline-bridge.ts", "./.omp/extensions/hookline-bridge.ts"],
  movedBy: { PI_CODING_AGENT_DIR: "~/.omp/agent" },
  environment: ["OMP_*", "PI_*"],
  tools: ompTools,
  events,
  adapter: async () => (await import("./adapter.ts")).adapter,
  table: async () => (await import("./table.ts")).table,
};
