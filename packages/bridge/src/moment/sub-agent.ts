import { type Fields, isFields } from "@hookline/ground";
import type { Payload } from "@hookline/runtime";
import type { AgentTool } from "@hookline/runtime/engine";
import type { HostHooks } from "../host/host.ts";
import { maybeText } from "../host/payload.ts";

/** The hooks' decision about a sub-agent that is about to start. */
export interface SpawnVerdict {
  readonly refused?: string;
  /** The arguments of the call with a rewritten prompt. */
  readonly args?: Fields;
}

/** Asks hooks about each sub-agent that a call starts or gives work to. `starts` names the arguments to read. */
export async function askSpawn(
  hooks: HostHooks,
  { starts, kind }: Pick<AgentTool, "starts" | "kind">,
  args: Fields,
  model: string,
): Promise<SpawnVerdict> {
  // A tool that can also do other things starts a sub-agent only in a call with a prompt.
  if (starts === undefined || (kind !== "starts" && args[starts.prompt] === undefined)) return {};
  const { list, prompt: field, type: kindOf, otherwise } = starts;
  const listed = list === undefined ? undefined : args[list];
  const given = list === undefined ? [args] : Array.isArray(listed) ? listed.filter(isFields) : [];
  const asked: Fields[] = [];
  for (const one of given) {
    const prompt =
      typeof one[field] === "string" ? one[field] : one[field] === undefined ? "" : JSON.stringify(one[field]);
    const type = maybeText(one, kindOf) ?? maybeText(args, kindOf) ?? otherwise;
    const { answer } = await hooks.emit("agent.spawn", { type, prompt, model, tools: [], depth: 1 });
    if (answer.cancel) return { refused: answer.reason || "A hook refused this sub-agent." };
    asked.push(answer.prompt === undefined || answer.prompt === prompt ? one : { ...one, [field]: answer.prompt });
  }
  if (asked.every((one, at) => one === given[at])) return {};
  return { args: list === undefined ? (asked[0] as Fields) : { ...args, [list]: asked } };
}

/** Notifies hooks of a sub-agent that has started; returns texts for its model. */
export async function askSpawned(hooks: HostHooks, model: string, prompt = ""): Promise<readonly string[]> {
  const { answer } = await hooks.emit("agent.spawned", { prompt, model, tools: [] });
  return (answer.additionalContext ?? []).filter((text) => text.trim() !== "");
}

/** How often hooks may make one sub-agent continue. Source: docs/reference/sources.md, ruling 5. */
const MOST = 5;

/** Asks the hooks whether a sub-agent may stop; returns the text with which it must continue, or `undefined`. */
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

/** Notifies hooks that a sub-agent has stopped, for a host that ignores the answer. */
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
