import { join } from "node:path";
import { ADAPTER_FILE } from "../../../start/own-adapters.ts";
import { moduleAdapter } from "../../extension/adapter.ts";
import { extensionText } from "../../extension/text.ts";
import type { At, HostAdapter, Scope } from "../../install/adapter.ts";
import { host } from "./index.ts";

/** oh-my-pi loads what lies in its folders of extensions, a project's too, without a trust step. */
export const adapter: HostAdapter = {
  ...moduleAdapter(host, (scope, at) => join(folderOf(scope, at), "extensions", ADAPTER_FILE), extensionText),
  trust: {},
};

function folderOf(scope: Scope, { home, cwd, env }: At): string {
  return scope === "user" ? env["PI_CODING_AGENT_DIR"] || join(home, ".omp/agent") : join(cwd, ".omp");
}
