import { basename, dirname } from "node:path";
import type { About, SettingRows } from "@hookline/runtime/dialect";
import { MODULES_OF_FOLDER } from "../in-process/directory.ts";

/** hookline's settings for oh-my-pi's hooks and extensions. */
export const settings = {
  mergeOverrides: {
    type: "boolean",
    says: "merge the answers of several omp hooks to `tool_result` field by field, in place of taking the last one whole",
    default: false,
  },
} as const satisfies SettingRows;

/** Describes oh-my-pi, except its events. Source: seed 002, spec/omp.md. */
export const about: About = {
  label: "oh-my-pi",
  ranks: { "omp-hooks": 30, omp: 40 },
  settings,
  folders: { home: ".omp", project: ".omp" },
  hookFolders: [".claude/hooks"],
  movedBy: [],
  variables: [],
  mistaken: [
    ["project", ".omp/hook", ".omp/hooks/pre"],
    ["project", ".omp/extension", ".omp/extensions"],
    ["home", ".omp/hooks", ".omp/agent/hooks"],
    ["home", ".omp/extensions", ".omp/agent/extensions"],
  ],
  holds: { extensions: MODULES_OF_FOLDER },
  prefixes: ["omp", "hook"],
  starter: async () => (await import("./hooks/starter.ts")).starter,
  homePlace({ path, isFolder }) {
    const folder = dirname(path);
    if (isFolder || !/\.[cm]?[jt]sx?$/.test(path) || !/[\\/]hooks[\\/](?:pre|post)$/.test(folder)) return undefined;
    // omp ignores links in its hook folders, so a module that re-exports the file is put there instead.
    return { path: `.omp/agent/hooks/${basename(folder)}/${basename(path)}`, reexports: true };
  },
};
