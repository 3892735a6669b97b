import { join, resolve } from "node:path";
import type { At, HostAdapter } from "@hookline/bridge/kit";
import { groupsFormat } from "@hookline/bridge/kit";

/**
 * Installs into Qwen Code's settings, which have Claude Code's format. The time limits are written in ms, which Qwen
 * Code expects for numbers from 1000 on. Source: spec/bridge.md 3.
 */
export const adapter: HostAdapter = {
  path: (scope, at) => join(scope === "user" ? folderOf(at) : join(at.cwd, ".qwen"), "settings.json"),
  unit: "ms",
  format: () => groupsFormat({ hasComments: true }),
  off: { all: [["disableAllHooks"], true] },
  trust: {
    how: (scope, { cwd }) =>
      scope === "project"
        ? `If \`security.folderTrust\` is on in your settings, Qwen Code runs a project's hooks only in a folder that you trust: start it in ${cwd} and type /permissions.`
        : undefined,
  },
};

/** Returns Qwen Code's folder. `QWEN_HOME` may begin with `~`. */
function folderOf({ home, cwd, env }: At): string {
  return resolve(cwd, (env["QWEN_HOME"] || "~/.qwen").replace(/^~(?=\/|$)/, home));
}
