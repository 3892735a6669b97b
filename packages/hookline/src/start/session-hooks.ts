import { TrustStore } from "@hookline/runtime";
import { createRegisterHookTool } from "../agent/register-hook.ts";
import { SessionHooks, type SessionHooksParts } from "../agent/session-hooks.ts";
import type { Tool } from "../tool/tool.ts";
import type { Place } from "./place.ts";

/** Makes the tool with which the model registers hooks, and the list of those hooks. Undefined without j-cli. */
export async function sessionHooksOf(
  { dialects, hooklineHome }: Place,
  parts: Omit<SessionHooksParts, "register" | "trust">,
): Promise<{ readonly hooks: SessionHooks; readonly tool: Tool } | undefined> {
  if (!dialects.some(({ id }) => id === "jcli")) return undefined;
  const { jcliRegister } = await import("@hookline/integrations");
  const hooks = new SessionHooks({ ...parts, register: jcliRegister, trust: new TrustStore(hooklineHome) });
  const { TOOL, PARAMETERS } = jcliRegister;
  return { hooks, tool: createRegisterHookTool({ ...TOOL, parameters: PARAMETERS, hooks }) as Tool };
}
