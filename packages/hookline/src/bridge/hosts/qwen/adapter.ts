import { join } from "node:path";
import type { HostAdapter } from "../../install/adapter.ts";
import { groupsFormat } from "../../install/groups.ts";

/** Qwen Code's settings, in Claude Code's shape. Limits of 1000 and more are read as ms. Source: spec/bridge.md 3. */
export const adapter: HostAdapter = {
  path: (scope, { home, cwd }) => join(scope === "user" ? home : cwd, ".qwen/settings.json"),
  unit: "ms",
  format: () => groupsFormat(),
  off: { all: [["disableAllHooks"], true] },
  trust: {
    how: (scope, { cwd }) =>
      scope === "project"
        ? `Where \`security.folderTrust\` is on in your settings, Qwen Code runs a project's hooks only in a folder that you trust: start it in ${cwd} and type /permissions.`
        : undefined,
  },
};
