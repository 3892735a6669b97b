import { join, resolve } from "node:path";
import type { At, HostAdapter } from "@hookline/bridge/kit";
import { groupsFormat } from "@hookline/bridge/kit";

/** Qwen Code's settings, in Claude Code's shape. Limits of 1000 and more are read as ms. Source: spec/bridge.md 3. */
export const adapter: HostAdapter = {
  path: (scope, at) => join(scope === "user" ? folderOf(at) : join(at.cwd, ".qwen"), "settings.json"),
  unit: "ms",
  format: () => groupsFormat(),
  off: { all: [["disableAllHooks"], true] },
  trust: {
    how: (scope, { cwd }) =>
      scope === "project"
        ? `If \`security.folderTrust\` is on in your settings, Qwen Code runs a project's hooks only in a folder that you trust: start it in ${cwd} and type /permissions.`
        : undefined,
  },
};

/** Qwen Code's own folder; the variable may begin with `~`. */
function folderOf({ home, cwd, env }: At): string {
  return resolve(cwd, (env["QWEN_HOME"] || "~/.qwen").replace(/^~(?=\/|$)/, home));
}
