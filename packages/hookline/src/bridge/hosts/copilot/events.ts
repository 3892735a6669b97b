import { textOf } from "@hookline/runtime";
import { copilotTools } from "@hookline/runtime/internal";
import type { HostCall, HostHooks } from "../../host.ts";
import { idOf, keepId } from "../../moment/call-id.ts";
import { askCompaction } from "../../moment/compaction.ts";
import { askRun, askText, PROMPT_MOMENTS } from "../../moment/prompt.ts";
import { eventsOf, type HostRow } from "../../moment/rows.ts";
import { endRow, startRow } from "../../moment/session.ts";
import { askEnd, END_MOMENTS, rememberPrompt, STOP_MOMENTS } from "../../moment/stop.ts";
import { askDone, askSpawned } from "../../moment/sub-agent.ts";
import {
  askApproval,
  askCall,
  askResult,
  callIn,
  callMoments,
  type HostToolCall,
  RESULT_MOMENTS,
  toldOf,
} from "../../moment/tool.ts";
import { type Fields, fieldsOf, maybeText, textIn } from "../../payload.ts";
import { lastReply } from "./reply.ts";
import { resultIn } from "./result.ts";
import { inWords, type Words } from "./words.ts";

/** How long Copilot CLI waits for a hook, as the adapter sets it, in ms. */
const WAIT_MS = 60_000;

/** A result, of a call that ran and of one that failed. */
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

/** Copilot CLI's events that the catalog has a moment for. Source: spec/hosts/copilot, spec/bridge.md 2. */
const table: Readonly<Record<string, HostRow<Words>>> = {
  sessionStart: startRow,
  sessionEnd: endRow(5_000),
  userPromptSubmitted: {
    moments: PROMPT_MOMENTS,
    refuse: (block) => ({ block }),
    prompt: (payload) => ({
      text: textIn(payload, "prompt"),
      ...(payload["parentAgentId"] !== undefined && { from: "model" }),
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
      const asking = { nobody: "nobody can be asked through Copilot CLI" };
      const { refused, args, context } = await askCall(hooks, call, asking);
      const notices = hooks.notices();
      if (refused !== undefined) return { deny: refused, context, notices };
      if (args === undefined) return { context, notices };
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

/** The same as the bridge takes it. */
export const events = eventsOf(table, {
  timeoutMs: WAIT_MS,
  tells: ["sessionStart", "preToolUse", "agentStop"],
  read,
  write: (_, said = {}) => inWords(said),
});

/** How long after an entry another one asks about the same: they are run one after the other. */
const SAME_MS = 10_000;

function read(payload: unknown): HostCall {
  const fields = fieldsOf(payload);
  const { timestamp: _, ...rest } = fields;
  const sessionFile = maybeText(fields, "transcriptPath");
  return {
    session: textIn(fields, "sessionId"),
    // No call has an id: what is asked again at once from another entry is the same.
    call: JSON.stringify(rest),
    callLastsMs: SAME_MS,
    scene: sessionFile === undefined ? {} : { sessionFile },
    payload: fields,
  };
}

/** A call with hookline's names; Copilot CLI gives it no id. */
function callOf(payload: Fields, hooks: HostHooks): HostToolCall {
  const [name, given] = [textIn(payload, "toolName"), payload["toolArgs"] ?? payload["toolInput"]];
  const { reading } = callIn(copilotTools, "", name, given);
  return { toolCallId: idOf(hooks, name, reading.args), reading };
}
