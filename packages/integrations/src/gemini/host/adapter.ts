import { join, resolve } from "node:path";
import type { At, HostAdapter } from "@hookline/bridge/kit";
import { groupsFormat } from "@hookline/bridge/kit";

/**
 * Installs into Gemini CLI's settings: Claude Code's format, with time limits in ms. Hooks of a group run one after the
 * other.
 */
export const adapter: HostAdapter = {
  path: (scope, at) => join(scope === "user" ? homeOf(at) : at.cwd, ".gemini/settings.json"),
  unit: "ms",
  format: () => groupsFormat({ group: { sequential: true }, hasComments: true }),
  // Gemini CLI's command `/hooks disable` adds a hook's name to the setting `hooksConfig.disabled`.
  off: { all: [["hooksConfig", "enabled"], false], some: ["hooksConfig", "disabled"] },
  trust: {
    how: (scope, { cwd }) =>
      scope === "project"
        ? `Gemini CLI runs a project's hooks only in a folder that you trust: it asks when you start it in ${cwd}. In print mode it ends with 55 there.`
        : undefined,
  },
};

/** Returns the folder that contains Gemini CLI's `.gemini`: `GEMINI_CLI_HOME`, or else the home folder. */
function homeOf({ home, cwd, env }: At): string {
  return resolve(cwd, env["GEMINI_CLI_HOME"] || home);
}
