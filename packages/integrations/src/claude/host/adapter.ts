import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { At, HostAdapter, Scope } from "@hookline/bridge/kit";
import { groupsFormat } from "@hookline/bridge/kit";
import { events, SKILL_COMMAND } from "./events.ts";

/** The first version of Claude Code that knows `onFailure`; older ones may reject the entry. Source: spec/claude.md. */
const KNOWS_ON_FAILURE = [2, 1, 295];
/** The first version of Claude Code that has the event `PreSkillShellCommand`. */
const KNOWS_SKILL_COMMAND = [2, 1, 332];
/** The time limit for `claude --version`, in ms. */
const LIMIT_MS = 10_000;

/**
 * Installs into Claude Code's settings. Guards get `onFailure: block` if the installed version knows it. A project's
 * file never has it, since everybody who works on the project may have another version. Source: spec/bridge.md 3.
 */
export const adapter: HostAdapter = {
  path: (scope, at) => join(folderOf(scope, at), "settings.json"),
  unit: "s",
  // Claude Code runs hooks in the folder that the agent has changed to. This variable names the session's first
  // folder.
  folder: "CLAUDE_PROJECT_DIR",
  format(scope, at) {
    let isKnown: boolean | undefined;
    return groupsFormat({
      handler({ event }) {
        if (scope === "project" || events[event]?.guard !== true) return {};
        isKnown ??= isAtLeast(KNOWS_ON_FAILURE, at);
        return isKnown ? { onFailure: "block" } : {};
      },
    });
  },
  leavesOut: (event, scope, at) =>
    event === SKILL_COMMAND && (scope === "project" || !isAtLeast(KNOWS_SKILL_COMMAND, at)),
  trust: {
    how: (scope, { cwd }) =>
      scope === "project"
        ? `Claude Code runs a project's hooks when you trust the folder: it asks when you start it in ${cwd}.`
        : undefined,
    given: async (path, at) => path === join(folderOf("user", at), "settings.json") || "unknown",
  },
  // How Claude Code's settings turn hooks off. Source: spec/claude.md.
  off: {
    all: [["disableAllHooks"], true],
    first: ({ cwd }) => [join(cwd, ".claude/settings.local.json")],
  },
  notes(scope, at) {
    if (scope === "user" && isAtLeast(KNOWS_ON_FAILURE, at)) return [];
    const why =
      scope === "user"
        ? "version 2.1.295 or newer, which can refuse instead, was not found on your path"
        : "the entries of a project leave out what older versions may not know";
    return [`Claude Code continues if it ends a hook or cannot start one: ${why}.`];
  },
};

function folderOf(scope: Scope, { home, cwd, env }: At): string {
  return scope === "user" ? env["CLAUDE_CONFIG_DIR"] || join(home, ".claude") : join(cwd, ".claude");
}

/** Whether the `claude` on the user's `PATH` is of this version or a newer one; false if its version is unknown. */
function isAtLeast(version: readonly number[], { cwd, env }: At): boolean {
  const { stdout, status } = spawnSync("claude", ["--version"], { cwd, env, encoding: "utf8", timeout: LIMIT_MS });
  const found = status === 0 ? /^(\d+)\.(\d+)\.(\d+)\b/.exec(stdout.trim()) : null;
  if (found === null) return false;
  const parts = found.slice(1).map(Number);
  const differs = version.findIndex((part, index) => part !== parts[index]);
  return differs < 0 || (parts[differs] as number) > (version[differs] as number);
}
