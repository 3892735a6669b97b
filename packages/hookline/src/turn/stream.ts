import { type AssistantMessage, joinedSignal, type Operation } from "@hookline/runtime/engine";
import { ask } from "../hook/ask.ts";
import { headersFor } from "../hook/headers.ts";
import { streamed } from "../hook/watch.ts";
import type { ProviderCall, ProviderRequest } from "../provider/provider.ts";
import { armed } from "../rule/injection.ts";
import type { ReadyRule, Rule } from "../rule/rule.ts";
import { type Hit, RuleWatch } from "../rule/watch.ts";
import { holdsReplies } from "./answer.ts";
import type { Run } from "./core.ts";

/**
 * A complete reply with the stream rules that matched. Hooks on `message.end` have not seen it, and it is not stored.
 */
export interface Streamed {
  readonly message: AssistantMessage;
  /** The match of the stream rule that has stopped the reply; undefined if none has. */
  readonly stoppedBy: Hit | undefined;
  /** Stream rules that a call's arguments matched, to be shown with its result; by call id. */
  readonly reminders: ReadonlyMap<string, readonly Rule[]>;
  /** Other stream rules that matched, to be shown to the model after the run. */
  readonly later: readonly Rule[];
}

/** Sends the request and shows the reply as it arrives. Ends `operation` (for telemetry) with the reply. */
export async function stream(run: Run, request: ProviderRequest, operation: Operation): Promise<Streamed> {
  const stop = new AbortController();
  const { signal, leave } = joinedSignal(run.signal, stop.signal);
  try {
    return await streamUntil(stop, run, request, operation, await callFor(run, signal));
  } finally {
    leave();
  }
}

async function streamUntil(
  stop: AbortController,
  run: Run,
  request: ProviderRequest,
  operation: Operation,
  call: ProviderCall,
): Promise<Streamed> {
  const { core } = run;
  const watch = new RuleWatch(armedRules(run), core.settings.rules, ({ name, path }) => {
    const text = `The rule "${name}" (${path}) is no longer used: its condition takes too long. Make it simpler.`;
    core.tell({ type: "notice", level: "warning", text });
  });
  const reminders = new Map<string, readonly Rule[]>();
  const later: Rule[] = [];
  const holds = holdsReplies(core);
  let begun = false;
  const started = async (message: AssistantMessage): Promise<AssistantMessage> => {
    if (begun) return message;
    begun = true;
    core.tell({ type: "message_start", message: holds ? { ...message, content: [] } : message });
    await ask(core, "message.start", { message });
    return message;
  };
  for await (const event of streamed(operation, core.provider, request, call)) {
    if (event.type === "done" || event.type === "error") {
      const message = await started(event.type === "done" ? event.message : event.error);
      return { message, stoppedBy: undefined, reminders, later };
    }
    if (!begun) await started(event.partial);
    if (event.type === "start") continue;
    if (!holds) core.tell({ type: "message_update", message: event.partial, assistantMessageEvent: event });
    if (core.hooks.has("message.update")) await ask(core, "message.update", { message: event.partial, event });
    const hit = watch.see(event);
    if (hit === undefined) continue;
    if (hit.interrupts) {
      stop.abort();
      return { message: cutOff(event.partial), stoppedBy: hit, reminders, later };
    }
    if (hit.toolCallId === undefined) later.push(...hit.rules);
    else reminders.set(hit.toolCallId, [...(reminders.get(hit.toolCallId) ?? []), ...hit.rules]);
  }
  throw new Error(`The provider "${core.provider.name}" ended its stream without a final event.`);
}

/** Returns the stream rules that may match: those not shown in this branch yet, or shown only long ago. */
export function armedRules({ core }: Run): readonly ReadyRule[] {
  const { rules } = core.resources;
  if (rules.length === 0 || !core.settings.rules.enabled) return [];
  return armed(rules, core.store.getBranch(), core.settings.rules);
}

async function callFor(run: Run, signal: AbortSignal): Promise<ProviderCall> {
  const { core } = run;
  const apiKey = await core.apiKey();
  return {
    signal,
    sessionId: core.store.getSessionId(),
    ...(apiKey !== undefined && { apiKey }),
    ...(core.hooks.has("model.wire") && {
      onWire: async (body: unknown) => {
        const { answer } = await ask(core, "model.wire", { body }, signal);
        if (answer.stop) throw new Error("A hook stopped the request.");
        return answer.body;
      },
    }),
    ...headersFor(core, signal),
    onResponse: async ({ status, headers }) => {
      await ask(core, "model.responded", { status, headers: { ...headers } });
    },
  };
}

/** Returns the received part of a reply without its calls, whose arguments may be incomplete. */
function cutOff(partial: AssistantMessage): AssistantMessage {
  const content = structuredClone(partial.content.filter((block) => block.type !== "toolCall"));
  return { ...partial, content, stopReason: "aborted" };
}
