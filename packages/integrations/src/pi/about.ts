import type { About } from "@hookline/runtime/dialect";
import { MODULES_OF_FOLDER } from "../in-process/directory.ts";

/** Describes pi, except its events. Source: seed 001, spec/pi.md. */
export const about: About = {
  label: "pi",
  ranks: { pi: 50 },
  settings: {},
  folders: { home: ".pi", project: ".pi" },
  movedBy: ["PI_CODING_AGENT_DIR"],
  variables: [],
  mistaken: [
    ["project", ".hookline/extension", ".hookline/extensions"],
    ["hookline", "extension", "extensions"],
    ["project", ".pi/extension", ".pi/extensions"],
    ["project", ".pi/agent/extensions", ".pi/extensions"],
    ["home", ".pi/extensions", ".pi/agent/extensions"],
  ],
  holds: { extensions: MODULES_OF_FOLDER },
  prefixes: ["pi"],
  starter: async () => (await import("./hooks/starter.ts")).starter,
};
