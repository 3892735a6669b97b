import { join } from "node:path";
import type { At, HostAdapter, Scope } from "@hookline/bridge/kit";
import { ADAPTER_FILE, extensionText, moduleAdapter } from "@hookline/bridge/kit";
import { host } from "./index.ts";

/** pi loads what lies in its folder of extensions; a project's only when the person trusts the project. */
export const adapter: HostAdapter = {
  ...moduleAdapter(host, (scope, at) => join(folderOf(scope, at), "extensions", ADAPTER_FILE), extensionText),
  trust: {
    how: (scope, { cwd }) =>
      scope === "project"
        ? `pi loads a project's extensions when you trust the project: it asks when you start it in ${cwd}.`
        : undefined,
  },
};

function folderOf(scope: Scope, { home, cwd, env }: At): string {
  return scope === "user" ? env["PI_CODING_AGENT_DIR"] || join(home, ".pi/agent") : join(cwd, ".pi");
}
