import { join } from "node:path";
import type { At, HostAdapter, Scope } from "@hookline/bridge/kit";
import { ADAPTER_FILE, extensionText, moduleAdapter } from "@hookline/bridge/kit";
import { host } from "./index.ts";

/** Installs into pi's folders of extensions. pi loads a project's extensions only if the user trusts the project. */
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
