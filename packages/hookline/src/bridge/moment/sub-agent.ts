import type { Payload } from "@hookline/runtime";
import type { HostHooks } from "../host.ts";
import { type Fields, maybeText } from "../payload.ts";

/** How a host's tool that starts a sub-agent names its arguments. */
export interface SpawnTool {
  readonly name: string;
  readonly prompt: string;
  readonly type: string;
  /** The kind of agent that is started where none is named. */
  readonly otherwise: string;
}

/** What the hooks made of a sub-agent that is about to start. */
export interface SpawnVerdict {
  readonly refused?: string;
  /** The arguments of the call with a rewritten prompt. */
  readonly args?: Fields;
}

/** Asks those who judge sub-agents about a call that starts one; says nothing about any other call. */
export async function askSpawn(
  hooks: HostHooks,
  tool: SpawnTool,
  call: { readonly tool: string; readonly args: Fields },
  model: string,
): Promise<SpawnVerdict> {
  if (call.tool !== tool.name) return {};
  const prompt = maybeText(call.args, tool.prompt) ?? "";
  const type = maybeText(call.args, tool.type) ?? tool.otherwise;
  const { answer } = await hooks.emit("agent.spawn", { type, prompt, model, tools: [], depth: 1 });
  if (answer.cancel) return { refused: answer.reason || "A hook refused this sub-agent." };
  if (answer.prompt === undefined || answer.prompt === prompt) return {};
  return { args: { ...call.args, [tool.prompt]: answer.prompt } };
}

/** Tells of a sub-agent that has started; gives texts for its model. */
export async function askSpawned(hooks: HostHooks, model: string, prompt = ""): Promise<readonly string[]> {
  const { answer } = await hooks.emit("agent.spawned", { prompt, model, tools: [] });
  return (answer.additionalContext ?? []).filter((text) => text.trim() !== "");
}

/** How often hooks may send one sub-agent on; not every host limits it. Source: decision 5. */
const MOST = 5;

/** Asks whether a sub-agent may stop; gives the text to go on with, or nothing. */
export async function askDone(hooks: HostHooks, payload: Fields): Promise<string | undefined> {
  const key = `sent on: ${maybeText(payload, "agent_id") ?? ""}`;
  const count = (hooks.memory.get(key) as number | undefined) ?? 0;
  const { answer } = await hooks.emit("agent.done", doneOf(payload, count));
  const feedback = (answer.feedback ?? []).join("\n\n");
  if (answer.stop || feedback === "" || count >= MOST) {
    hooks.memory.delete(key);
    return undefined;
  }
  hooks.memory.set(key, count + 1);
  return feedback;
}

/** Tells that a sub-agent has stopped, where the host takes no answer. */
export async function tellDone(hooks: HostHooks, payload: Fields): Promise<void> {
  await hooks.emit("agent.done", doneOf(payload, 0));
}

function doneOf(payload: Fields, retryCount: number): Payload<"agent.done"> {
  return {
    prompt: "",
    reply: maybeText(payload, "last_assistant_message") ?? "",
    messages: [],
    retryCount,
    stopHookActive: payload["stop_hook_active"] === true || retryCount > 0,
  };
}
