import type { Message, Outcome } from "@hookline/runtime";
import type { NeutralRequest, OfferedTool } from "@hookline/runtime/engine";
import { ask } from "../hook/ask.ts";
import type { Model, ProviderRequest, ToolSpec } from "../provider/provider.ts";
import { pairToolCalls } from "../session/interrupted.ts";
import { convertToLlm } from "../session/to-llm.ts";
import type { Run } from "./core.ts";

/** A request as hooks have left it, or the answer of the hook that stopped it. */
export type Prepared =
  | { readonly kind: "ready"; readonly request: ProviderRequest; readonly hidden: ReadonlySet<string> }
  | { readonly kind: "stopped"; readonly feedback: string | undefined; readonly by: Pick<Outcome, "said" | "hooks"> };

/** Builds one request of the main loop. Changes of hooks to it are not stored. */
export async function prepareRequest(run: Run): Promise<Prepared> {
  const { core, signal } = run;
  await core.servers?.beforeRequest(signal);
  const offered = await selectTools(run);
  const messages = core.store.buildSessionContext().messages;
  const context = await ask(
    core,
    "model.context",
    { messages, systemPrompt: run.systemPrompt, model: core.model.id },
    signal,
  );
  if (context.answer.stop) return { kind: "stopped", feedback: context.answer.feedback, by: context };
  const { inject = [], additionalContext = [] } = context.answer;
  const waiting = run.nextContext.map(({ text }) => text);
  const systemPrompt = [context.answer.systemPrompt ?? run.systemPrompt, ...additionalContext, ...waiting].join("\n\n");
  const shaped: readonly Message[] = [...(context.answer.messages ?? messages), ...inject];
  const neutral: NeutralRequest = {
    model: modelRef(core.model),
    systemPrompt,
    messages: forModel(shaped),
    tools: offered,
  };
  const requested = await ask(core, "model.request", { request: neutral }, signal);
  const asked = requested.answer;
  if (asked.stop) return { kind: "stopped", feedback: undefined, by: requested };
  if (!signal.aborted) run.nextContext = [];
  const answer = asked.request ?? neutral;
  const names = new Set(answer.tools.map(({ name }) => name));
  return {
    kind: "ready",
    request: providerRequest(run, answer),
    hidden: new Set([...core.tools().keys()].filter((name) => !names.has(name))),
  };
}

/** Prepares messages for providers: no unfinished replies, and a result for every call. */
function forModel(messages: readonly Message[]): readonly Message[] {
  const whole = messages.filter(
    (message) => message.role !== "assistant" || (message.stopReason !== "error" && message.stopReason !== "aborted"),
  );
  return convertToLlm(pairToolCalls(whole, Date.now()));
}

async function selectTools(run: Run): Promise<OfferedTool[]> {
  const { core, signal } = run;
  const all = core.tools();
  const tools = core.activeTools().flatMap((name): OfferedTool[] => {
    const found = all.get(name);
    return found === undefined
      ? []
      : [{ name, description: found.tool.description, parameters: found.tool.parameters, type: found.type }];
  });
  const { include, exclude } = (await ask(core, "tools.select", { tools }, signal)).answer;
  return tools.filter(
    ({ name }) => (include === undefined || include.includes(name)) && exclude?.includes(name) !== true,
  );
}

function modelRef(model: Model): NeutralRequest["model"] {
  return { ...model };
}

function providerRequest(run: Run, neutral: NeutralRequest): ProviderRequest {
  const { core } = run;
  const model = neutral.model.id === core.model.id ? core.model : { ...core.model, id: neutral.model.id };
  return {
    model,
    systemPrompt: neutral.systemPrompt,
    messages: neutral.messages,
    tools: neutral.tools.map(
      ({ name, description, parameters }): ToolSpec => ({
        name,
        description,
        parameters: { type: "object", ...parameters },
      }),
    ),
    ...(neutral.temperature !== undefined && { temperature: neutral.temperature }),
    ...(neutral.maxTokens !== undefined && { maxTokens: neutral.maxTokens }),
    ...(neutral.extra !== undefined && { extra: neutral.extra }),
    thinking: core.thinking,
  };
}
