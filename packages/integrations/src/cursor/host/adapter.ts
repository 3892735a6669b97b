import { join } from "node:path";
import type { HostAdapter } from "@hookline/bridge/kit";
import { flatFormat } from "@hookline/bridge/kit";
import { events } from "./events.ts";

/**
 * Installs into Cursor's hooks file. Cursor runs the user's hooks in its own folder and names the project's folder in
 * an environment variable. Guards fail closed. Source: Cursor's documentation, spec/bridge.md 3.
 */
export const adapter: HostAdapter = {
  path: (scope, { home, cwd }) => join(scope === "user" ? home : cwd, ".cursor/hooks.json"),
  unit: "s",
  format: () =>
    flatFormat({
      command: "command",
      limit: "timeout",
      fields: ({ event }) => (events[event]?.guard === true ? { failClosed: true } : {}),
    }),
  folder: "CURSOR_PROJECT_DIR",
  trust: {
    how: (scope, { cwd }) =>
      scope === "project"
        ? `Cursor runs a project's hooks in a workspace that you trust: open ${cwd} and trust it.`
        : undefined,
  },
  // Cursor also runs the hooks in Claude Code's settings if its setting for other agents' hooks is on.
  reads: [{ host: "claude", scopes: ["user", "project"] }],
};
