import type { HostCall, HostHooks } from "@hookline/bridge/kit";
import {
  askApproval,
  askCall,
  askCompaction,
  askDone,
  askEnd,
  askResult,
  askRun,
  askSpawned,
  askText,
  callIn,
  callMoments,
  END_MOMENTS,
  endRow,
  eventsOf,
  fieldsOf,
  type HostRow,
  type HostToolCall,
  idOf,
  keepId,
  maybeText,
  PROMPT_MOMENTS,
  RESULT_MOMENTS,
  rememberPrompt,
  STOP_MOMENTS,
  startRow,
  textIn,
  toldOf,
} from "@hookline/bridge/kit";
import { type Fields, isFields } from "@hookline/ground";
import { textOf } from "@hookline/runtime";
import { copilotTools } from "../tools.ts";
import { lastReply } from "./reply.ts";
import { inWords, type Words } from "./words.ts";

/** Copilot CLI's time limit for a hook, as the adapter sets it in the settings, in ms. */
const WAIT_MS = 60_000;

/** Matches the prompt by which Copilot CLI itself tells the model that a sub-agent in the background is done. */
const NOTICE = /^\s*<system_notification>/;

const REWRITTEN = "nobody can be asked about a call that hooks have rewritten";

/** The row of `postToolUse` and `postToolUseFailure`, which report a tool's result. */
const result: HostRow<Words> = {
  moments: RESULT_MOMENTS,
  async say(payload, hooks) {
    const told = resultIn(payload);
    const content = [{ type: "text" as const, text: told.text }];
    const verdict = await askResult(hooks, { ...toldOf(callOf(payload, hooks)), content, isError: told.isError });
    const { isError, context, halt } = verdict;
    const changed = verdict.content === undefined ? undefined : textOf(verdict.content);
    if (halt === undefined && changed === undefined && isError === told.isError) return { context };
    return { context, result: { text: halt ?? changed ?? told.text, isError: isError || halt !== undefined } };
  },
};

/** Copilot CLI's events that have a counterpart in the catalog. Source: spec/hosts/copilot, spec/bridge.md 2. */
const table: Readonly<Record<string, HostRow<Words>>> = {
  sessionStart: startRow,
  sessionEnd: endRow(5_000),
  userPromptSubmitted: {
    moments: PROMPT_MOMENTS,
    refuse: (block) => ({ block }),
    prompt: (payload) => ({
      text: textIn(payload, "prompt"),
      ...((payload["parentAgentId"] !== undefined || NOTICE.test(textIn(payload, "prompt"))) && { from: "model" }),
    }),
    async say(payload, hooks) {
      const prompt = textIn(payload, "prompt");
      rememberPrompt(hooks, prompt);
      const { refused, text, context } = await askText(hooks, prompt);
      if (refused !== undefined) return { block: refused };
      const run = await askRun(hooks, text ?? prompt, "");
      const added = [...context, ...run.context, ...(run.systemPrompt === undefined ? [] : [run.systemPrompt])];
      return { context: added, ...(text !== undefined && { prompt: text }) };
    },
  },
  preToolUse: {
    moments: callMoments(copilotTools),
    refuse: (deny) => ({ deny }),
    async say(payload, hooks) {
      const call = callOf(payload, hooks);
      const { refused, ask, args, context } = await askCall(hooks, call);
      const notices = hooks.notices();
      if (refused !== undefined) return { deny: refused, context, notices };
      if (args === undefined) return { context, notices, ...(ask !== undefined && { ask }) };
      // It is unknown whether Copilot CLI can ask the user about changed arguments, so such a call is refused.
      if (ask !== undefined) return { deny: `${ask} (${REWRITTEN})`, context, notices };
      keepId(hooks, call.toolCallId, call.reading.name, args);
      return { context, notices, args };
    },
  },
  permissionRequest: {
    moments: ["approval.requested"],
    async say(payload, hooks) {
      const forbid = await askApproval(hooks, callOf(payload, hooks));
      return forbid === undefined ? undefined : { forbid };
    },
  },
  postToolUse: result,
  postToolUseFailure: result,
  preCompact: {
    moments: ["compact.before"],
    async say({ trigger, customInstructions: instructions }, hooks) {
      await askCompaction(hooks, { trigger, instructions });
      return undefined;
    },
  },
  subagentStart: {
    moments: ["agent.spawned"],
    say: async (_, hooks) => ({ context: await askSpawned(hooks, "") }),
  },
  subagentStop: {
    moments: ["agent.done"],
    async say(payload, hooks) {
      const { agentName: agent_id, stop_hook_active } = payload;
      const block = await askDone(hooks, { agent_id, stop_hook_active });
      return block === undefined ? undefined : { block };
    },
  },
  agentStop: {
    moments: [...STOP_MOMENTS, ...END_MOMENTS],
    async say(payload, hooks) {
      const { timestamp, stop_hook_active } = payload;
      const askedAt = typeof timestamp === "number" ? timestamp : undefined;
      const reply = await lastReply(maybeText(payload, "transcriptPath"), askedAt);
      return askEnd(hooks, { reply, stopHookActive: stop_hook_active === true });
    },
  },
};

/** Copilot CLI's events: how the bridge reads a payload, asks the hooks and writes the answer. */
export const events = eventsOf(table, {
  timeoutMs: WAIT_MS,
  tells: ["sessionStart", "preToolUse", "agentStop"],
  read,
  write: (_, said = {}) => inWords(said),
});

/**
 * The time in which a payload that arrives twice counts as one event, in ms. If hookline is installed for both the user
 * and the project, Copilot CLI calls it twice, one call after the other.
 */
const SAME_MS = 10_000;

function read(payload: unknown): HostCall {
  const fields = fieldsOf(payload);
  const { timestamp: _, ...rest } = fields;
  const sessionFile = maybeText(fields, "transcriptPath");
  return {
    session: textIn(fields, "sessionId"),
    // Copilot CLI gives calls no id, so a payload that arrives twice within `SAME_MS` counts as one call.
    call: JSON.stringify(rest),
    callLastsMs: SAME_MS,
    scene: sessionFile === undefined ? {} : { sessionFile },
    payload: fields,
  };
}

/** Translates a call to hookline's names, with an id made up for it, since Copilot CLI gives none. */
function callOf(payload: Fields, hooks: HostHooks): HostToolCall {
  const [name, given] = [textIn(payload, "toolName"), payload["toolArgs"] ?? payload["toolInput"]];
  const { reading } = callIn(copilotTools, hooks, { name, args: given });
  return { toolCallId: idOf(hooks, name, reading.args), reading };
}

/** Returns a call's result as the model would be shown it. */
function resultIn(payload: Fields): { readonly text: string; readonly isError: boolean } {
  const { toolResult, error } = payload;
  const { textResultForLlm: text, resultType } = isFields(toolResult) ? toolResult : {};
  if (typeof text === "string") return { text, isError: resultType !== "success" };
  const message = isFields(error) ? error["message"] : error;
  return { text: typeof message === "string" ? message : "", isError: true };
}
