import type { BridgeHost } from "@hookline/bridge/kit";
import { piTools } from "../tools.ts";
import { events } from "./events.ts";

/** pi as a host. It runs hooks in its own process. Source: spec/hosts/pi. */
export const host: BridgeHost = {
  name: "pi",
  label: "pi",
  recorded: "1.6.0",
  dialect: "pi",
  places: ["~/.pi/agent/extensions/hookline-bridge.ts", "./.pi/extensions/hookline-bridge.ts"],
  movedBy: { PI_CODING_AGENT_DIR: "~/.pi/agent" },
  process: {
    names: ["pi", "@earendil-works/pi-coding-agent", "@mariozechner/pi-coding-agent"],
    marks: ["PI_CODING_AGENT"],
  },
  environment: ["PI_*"],
  tools: piTools,
  events,
  adapter: async () => (await import("./adapter.ts")).adapter,
  table: async () => (await import("../losses.ts")).table,
  names: async () => (await import("./names.ts")).names,
};
