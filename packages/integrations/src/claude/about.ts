import type { About, SettingRows } from "@hookline/runtime/dialect";

/** hookline's own settings for Claude Code's hooks: none, since Claude Code's files hold everything. */
const settings = {} as const satisfies SettingRows;

/** Describes Claude Code, except its events. Source: spec/claude.md. */
export const about: About = {
  label: "Claude Code",
  ranks: { claude: 25 },
  settings,
  folders: { home: ".claude", project: ".claude" },
  hasMoreInFolders: true,
  hookFolders: [
    ".claude/hooks",
    ".claude/plugins",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude-plugin",
  ],
  movedBy: ["CLAUDE_CONFIG_DIR", "CLAUDE_CODE_PLUGIN_CACHE_DIR"],
  variables: [
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_PLUGIN_ROOT",
    "CLAUDE_PLUGIN_DATA",
    "CLAUDE_SKILL_DIR",
    "CLAUDE_ENV_FILE",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_EFFORT",
    "CLAUDE_PID",
    "CLAUDECODE",
  ],
  mistaken: [
    ["project", ".claude/hooks.json", ".claude/settings.json"],
    ["home", ".claude/hooks.json", ".claude/settings.json"],
    ["project", ".claude/hooks/hooks.json", ".claude/settings.json"],
    ["home", ".claude/hooks/hooks.json", ".claude/settings.json"],
    ["project", ".claude/setting.json", ".claude/settings.json"],
    ["project", ".claude/settings.yaml", ".claude/settings.json"],
  ],
  prefixes: ["claude"],
  starter: async () => (await import("./hooks/starter.ts")).starter,
  homePlace({ path, isFolder }) {
    return !isFolder && /(^|\/)settings(\.local)?\.json$/.test(path) ? { path: ".claude/settings.json" } : undefined;
  },
};
