import type { AssistantMessage, Message, NeutralRequest, OfferedTool } from "@hookline/runtime";
import type { Model, ProviderCall, ProviderRequest, ToolSpec } from "../provider/provider.ts";
import { convertToLlm } from "../session/to-llm.ts";
import { ask, type Run } from "./core.ts";

/** A request that the hooks have shaped, or that one of them stopped. */
export type Prepared =
  | { readonly kind: "ready"; readonly request: ProviderRequest; readonly hidden: ReadonlySet<string> }
  | { readonly kind: "stopped"; readonly feedback: string | undefined };

/** Builds one request of the main loop: tools, context, the neutral request. Nothing of it is stored. */
export async function prepareRequest(run: Run): Promise<Prepared> {
  const { core, signal } = run;
  const offered = await selectTools(run);
  const messages = core.store.buildSessionContext().messages;
  const context = await ask(
    core,
    "model.context",
    { messages, systemPrompt: run.systemPrompt, model: core.model.id },
    signal,
  );
  if (context.answer.stop) return { kind: "stopped", feedback: context.answer.feedback };
  const { inject = [], additionalContext = [] } = context.answer;
  const systemPrompt = [context.answer.systemPrompt ?? run.systemPrompt, ...additionalContext, ...run.nextContext].join(
    "\n\n",
  );
  run.nextContext = [];
  const shaped: readonly Message[] = [...(context.answer.messages ?? messages), ...inject.flat()];
  const neutral: NeutralRequest = {
    model: modelRef(core.model),
    systemPrompt,
    messages: convertToLlm(shaped),
    tools: offered,
  };
  const answer = (await ask(core, "model.request", { request: neutral }, signal)).answer.request ?? neutral;
  const names = new Set(answer.tools.map(({ name }) => name));
  return {
    kind: "ready",
    request: providerRequest(run, answer),
    hidden: new Set([...core.tools().keys()].filter((name) => !names.has(name))),
  };
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

/** Sends the request and shows the reply as it comes. The message is complete but neither ended nor stored. */
export async function stream(run: Run, request: ProviderRequest): Promise<AssistantMessage> {
  const { core, signal } = run;
  const apiKey = await core.apiKey();
  const call: ProviderCall = {
    signal,
    sessionId: core.store.getSessionId(),
    ...(apiKey !== undefined && { apiKey }),
    ...(core.hooks.has("model.wire") && {
      onWire: async (body: unknown) => (await ask(core, "model.wire", { body }, signal)).answer.body,
    }),
    ...(core.hooks.has("model.headers") && {
      onHeaders: async (headers: Record<string, string | null>) => ({
        ...((await ask(core, "model.headers", { headers }, signal)).answer.headers ?? headers),
      }),
    }),
    onResponse: async ({ status, headers }) => {
      await ask(core, "model.responded", { status, headers: { ...headers } });
    },
  };
  let begun = false;
  for await (const event of core.provider.stream(request, call)) {
    if (event.type === "done") return start(run, event.message, begun);
    if (event.type === "error") return start(run, event.error, begun);
    if (!begun) {
      begun = true;
      await start(run, event.partial, false);
    }
    if (event.type === "start") continue;
    core.tell({ type: "message_update", message: event.partial, assistantMessageEvent: event });
    if (core.hooks.has("message.update")) await ask(core, "message.update", { message: event.partial, event });
  }
  throw new Error(`The provider "${core.provider.name}" ended its stream without a final event.`);
}

async function start(run: Run, message: AssistantMessage, begun: boolean): Promise<AssistantMessage> {
  if (begun) return message;
  run.core.tell({ type: "message_start", message });
  await ask(run.core, "message.start", { message });
  return message;
}
