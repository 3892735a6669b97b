import { basename, dirname } from "node:path";
import type { About, SettingRows } from "@hookline/runtime/dialect";

/** hookline's settings for chibi's plugins. */
export const settings = {
  guardFailure: {
    type: ["open", "closed"],
    says: "what it means if a chibi guard exits with an error: the call passes (`open`) or is refused (`closed`)",
    default: "open",
    guards: true,
    project: {
      adds: "`closed`, for the project's own plugins",
      because: "it makes the project's own guards refuse more, and reaches nobody else's",
      only: "closed",
    },
  },
  linkDirectories: { type: "strings", says: "folders to which links in chibi's plugin folder may lead" },
} as const satisfies SettingRows;

const MODULE_OR_YAML = /\.(?:[cm]?[jt]s|[jt]sx|ya?ml)$/;

/** Describes chibi, except its events. Source: seed 004, spec/chibi.md. */
export const about: About = {
  label: "chibi",
  ranks: { chibi: 20 },
  settings,
  folders: { home: ".chibi", project: ".chibi" },
  movedBy: ["CHIBI_HOME"],
  variables: ["CHIBI_HOOK", "CHIBI_HOOK_DATA", "CHIBI_TOOL_ARGS", "CHIBI_TOOL_NAME", "CHIBI_VERBOSE"],
  mistaken: [
    ["project", ".chibi/plugins", ".hookline/plugins"],
    ["home", ".chibi/plugin", ".chibi/plugins"],
    ["project", ".hookline/plugin", ".hookline/plugins"],
    ["hookline", "plugin", "plugins"],
  ],
  starter: async () => (await import("./hooks/starter.ts")).starter,
  homePlace({ path, isFolder, has }) {
    const name = basename(path);
    if (isFolder ? !has(name) : MODULE_OR_YAML.test(path)) return undefined;
    return { path: `.chibi/plugins/${name}`, settings: { linkDirectories: [dirname(path)] } };
  },
};
