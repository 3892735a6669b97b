import type { About } from "@hookline/runtime/dialect";

/** Matches the names of files that hold guards. */
export const GUARD_FILE = /(?<!\.d)\.(?:ts|m?js)$/;

/** Describes hookline's own guards, except their events, which are the catalogue's. */
export const about: About = {
  label: "hookline",
  ranks: { hookline: 60 },
  settings: {},
  folders: { home: ".hookline", project: ".hookline" },
  movedBy: [],
  variables: [],
  mistaken: [
    ["project", ".hookline/guard", ".hookline/guards"],
    ["hookline", "guard", "guards"],
  ],
  holds: { guards: "Guards are files that end with .ts, .js or .mjs and export what guard() returns." },
  prefixes: ["hookline"],
  starter: async () => (await import("./hooks/starter.ts")).starter,
};
