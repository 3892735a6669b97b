import { join } from "node:path";
import type { At, HostAdapter, Scope } from "@hookline/bridge/kit";
import { ADAPTER_FILE, extensionText, moduleAdapter } from "@hookline/bridge/kit";
import { host } from "./index.ts";

/** oh-my-pi loads what lies in its folders of extensions, a project's too, without a trust step. */
export const adapter: HostAdapter = {
  ...moduleAdapter(host, (scope, at) => join(folderOf(scope, at), "extensions", ADAPTER_FILE), extensionText),
  trust: {},
};

function folderOf(scope: Scope, { home, cwd, env }: At): string {
  return scope === "user" ? env["PI_CODING_AGENT_DIR"] || join(home, ".omp/agent") : join(cwd, ".omp");
}
