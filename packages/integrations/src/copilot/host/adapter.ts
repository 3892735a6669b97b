import { isAbsolute, join, relative } from "node:path";
import type { At, HostAdapter } from "@hookline/bridge/kit";
import { flatFormat, readJsonFile, realOf } from "@hookline/bridge/kit";

/**
 * Installs into a separate file in Copilot CLI's hooks folder. Entries have no matcher: `*` is invalid there, and such
 * a hook would be skipped silently. Source: spec/bridge.md 3, spec/hosts/copilot/matcher.json.
 */
export const adapter: HostAdapter = {
  path: (scope, at) => join(scope === "user" ? join(homeOf(at), "hooks") : join(at.cwd, ".github/hooks"), FILE),
  unit: "s",
  // In a trusted folder, Copilot CLI also runs the hooks in Claude Code's settings, with Claude Code's events and
  // answers. Source: spec/hosts/copilot/claude-settings.json.
  reads: [{ host: "claude", scopes: ["project"] }],
  format: () => flatFormat({ command: "bash", limit: "timeoutSec", fields: () => ({ type: "command" }) }),
  trust: {
    how: (scope, { cwd }) =>
      scope === "project"
        ? [
            "Copilot CLI runs a project's hooks only in a folder that you trust, and silently skips them elsewhere.",
            `Start \`copilot\` in ${cwd} and trust the folder; it is then named in \`trusted_folders\` of ~/.copilot/config.json.`,
            "GitHub runs the hooks of .github/hooks in its own agents, too: without hookline there, guards refuse.",
          ].join("\n")
        : undefined,
    given: async (path, at) => (path.startsWith(homeOf(at)) ? true : isTrusted(at)),
  },
};

const FILE = "hookline.json";

function homeOf({ home, env }: At): string {
  return env["COPILOT_HOME"] || join(home, ".copilot");
}

/** Whether the user trusts this folder; "unknown" if only a parent folder is trusted. */
function isTrusted(at: At): boolean | "unknown" {
  const settings = readJsonFile(join(homeOf(at), "config.json"), true);
  if (settings === "unreadable") return "unknown";
  const { trusted_folders: folders = settings["trustedFolders"] } = settings;
  const trusted = Array.isArray(folders) ? folders.filter((folder) => typeof folder === "string") : [];
  const here = realOf(at.cwd);
  if (trusted.some((folder) => realOf(folder) === here)) return true;
  const isBelow = (way: string): boolean => !way.startsWith("..") && !isAbsolute(way);
  return trusted.some((folder) => isBelow(relative(realOf(folder), here))) ? "unknown" : false;
}
