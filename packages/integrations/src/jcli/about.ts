import { basename } from "node:path";
import type { About, SettingRows } from "@hookline/runtime/dialect";

/** hookline's settings for j-cli's hooks. */
export const settings = {
  stopUserInput: {
    type: ["prompt", "reply"],
    says: "what `user_input` of j-cli's event `stop` contains: the person's prompt or the model's reply",
    default: "prompt",
  },
} as const satisfies SettingRows;

/** Describes j-cli, except its events. Source: seed 003, spec/jcli.md. */
export const about: About = {
  label: "j-cli",
  ranks: { jcli: 10 },
  settings,
  folders: { home: ".jdata", project: ".jcli" },
  hookFiles: ["hooks.yaml", "hook.yaml"],
  movedBy: ["J_DATA_PATH"],
  variables: ["JCLI_HOOK_EVENT", "JCLI_CWD", "JCLI_HOOK_DIR"],
  mistaken: [
    ["project", ".jcli/hook.yaml", ".jcli/hooks.yaml"],
    ["project", ".jcli/hooks.json", ".jcli/hooks.yaml"],
    ["home", ".jdata/agent/hooks.json", ".jdata/agent/hooks.yaml"],
    ["project", ".jcli/agent/hooks.yaml", ".jcli/hooks.yaml"],
    ["home", ".jdata/hooks.yaml", ".jdata/agent/hooks.yaml"],
    ["home", ".jdata/agent/hook.yaml", ".jdata/agent/hooks.yaml"],
    ["home", ".jcli/hooks.yaml", ".jdata/agent/hooks.yaml"],
    ["project", ".hookline/hook.yaml", ".hookline/hooks.yaml"],
    ["hookline", "hook.yaml", "hooks.yaml"],
  ],
  holds: { hooks: "A hook's folder holds a HOOK.yaml." },
  starter: async () => (await import("./hooks/starter.ts")).starter,
  homePlace({ path, isFolder, has }) {
    if (isFolder) return has("HOOK.yaml") ? { path: `.jdata/agent/hooks/${basename(path)}` } : undefined;
    return /\.ya?ml$/.test(path) ? { path: ".jdata/agent/hooks.yaml" } : undefined;
  },
};
