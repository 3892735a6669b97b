import { join } from "node:path";
import type { At, HostAdapter, Scope } from "@hookline/bridge/kit";
import { ADAPTER_FILE, extensionText, moduleAdapter } from "@hookline/bridge/kit";
import { host } from "./index.ts";

/** Installs into oh-my-pi's folders of extensions, which it loads without asking for trust, even in a project. */
export const adapter: HostAdapter = {
  ...moduleAdapter(host, (scope, at) => join(folderOf(scope, at), "extensions", ADAPTER_FILE), extensionText),
  trust: {},
};

function folderOf(scope: Scope, { home, cwd, env }: At): string {
  return scope === "user" ? env["PI_CODING_AGENT_DIR"] || join(home, ".omp/agent") : join(cwd, ".omp");
}
