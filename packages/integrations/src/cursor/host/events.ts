import type { HostHooks } from "@hookline/bridge/kit";
import {
  askCall,
  askCompaction,
  askDone,
  askEnd,
  askResult,
  askRun,
  askSpawn,
  askSpawned,
  askStart,
  askText,
  callMoments,
  claudeCall,
  END_MOMENTS,
  endRow,
  eventsOf,
  type HostRow,
  keep,
  maybeText,
  PROMPT_MOMENTS,
  RESULT_MOMENTS,
  readClaude,
  rememberPrompt,
  STOP_MOMENTS,
  shownText,
  taken,
  textIn,
  toldOf,
  withText,
} from "@hookline/bridge/kit";
import type { Fields } from "@hookline/ground";
import { readJsonText } from "@hookline/ground";
import { textOf } from "@hookline/runtime";
import { cursorTools } from "../tools.ts";
import { inWords, type Words } from "./words.ts";

/** Cursor's time limit for a hook, as the adapter sets it in the settings, in ms. */
const WAIT_MS = 60_000;

const callOf = claudeCall(cursorTools);

/** Cursor's events that have a counterpart in the catalog. Source: its documentation, spec/bridge.md 2. */
const table: Readonly<Record<string, HostRow<Words>>> = {
  sessionStart: {
    moments: ["session.start"],
    async say(_, hooks) {
      const { context } = await askStart(hooks, "startup");
      return { context };
    },
  },
  sessionEnd: endRow(5_000),
  beforeSubmitPrompt: {
    moments: PROMPT_MOMENTS,
    refuse: (deny) => ({ deny }),
    prompt: (payload) => ({ text: textIn(payload, "prompt") }),
    async say(payload, hooks) {
      const prompt = textIn(payload, "prompt");
      rememberPrompt(hooks, prompt);
      const { refused, context } = await askText(hooks, prompt);
      if (refused !== undefined) return { deny: told(refused, hooks) };
      const run = await askRun(hooks, prompt, "");
      // Cursor accepts no context with a prompt, so the context is kept until the next tool result.
      keep(hooks, WAITING, [...context, ...run.context, ...(run.systemPrompt === undefined ? [] : [run.systemPrompt])]);
      return undefined;
    },
  },
  preToolUse: {
    moments: callMoments(cursorTools),
    refuse: (deny) => ({ deny }),
    async say(payload, hooks) {
      const { refused, args, context } = await askCall(hooks, callOf(payload, hooks), {
        nobody: "Cursor cannot ask anybody here",
      });
      if (refused !== undefined) return { deny: told([refused, ...context].join("\n\n"), hooks) };
      keep(hooks, WAITING, context);
      return args === undefined ? undefined : { input: args };
    },
  },
  postToolUse: {
    moments: RESULT_MOMENTS,
    async say(payload, hooks) {
      const output = outputIn(payload);
      const text = shownText(output);
      const verdict = await resultOf(payload, { text, isError: false }, hooks);
      const context = [...taken(hooks, WAITING), ...verdict.context];
      const changed = verdict.halt ?? (verdict.content && textOf(verdict.content));
      if (changed === undefined || !cursorTools.server.test(textIn(payload, "tool_name"))) return { context };
      return { context, output: withText(output, changed) };
    },
  },
  postToolUseFailure: {
    moments: RESULT_MOMENTS,
    async say(payload, hooks) {
      await resultOf(payload, { text: maybeText(payload, "error_message") ?? "", isError: true }, hooks);
      return undefined;
    },
  },
  afterAgentResponse: {
    moments: ["model.response"],
    async say(payload, hooks) {
      const text = maybeText(payload, "text") ?? "";
      hooks.memory.set(REPLY, text);
      await hooks.emit("model.response", { text, model: maybeText(payload, "model") ?? "" });
      return undefined;
    },
  },
  preCompact: {
    moments: ["compact.before"],
    async say({ trigger, message_count: messageCount }, hooks) {
      await askCompaction(hooks, { trigger, messageCount });
      return undefined;
    },
  },
  subagentStart: {
    moments: ["agent.spawn", "agent.spawned"],
    refuse: (deny) => ({ deny }),
    async say(payload, hooks) {
      const model = maybeText(payload, "subagent_model") ?? "";
      const { refused } = await askSpawn(hooks, STARTS, payload, model);
      if (refused !== undefined) return { deny: told(refused, hooks) };
      await askSpawned(hooks, model, maybeText(payload, "task"));
      return undefined;
    },
  },
  subagentStop: {
    moments: ["agent.done"],
    async say(payload, hooks) {
      const { subagent_type: type, task, summary: last_assistant_message, loop_count: loops } = payload;
      const agent_id = JSON.stringify([type, task]);
      const stop_hook_active = typeof loops === "number" && loops > 0;
      const followUp = await askDone(hooks, { agent_id, last_assistant_message, stop_hook_active });
      return followUp === undefined ? undefined : { followUp };
    },
  },
  stop: {
    moments: [...STOP_MOMENTS, ...END_MOMENTS],
    async say({ status, loop_count: loops }, hooks) {
      const reply = (hooks.memory.get(REPLY) as string | undefined) ?? "";
      // If the user or an error has stopped the agent, hooks must not make it continue.
      if (status === "aborted" || status === "error") {
        await hooks.emit("agent.settled", { aborted: status === "aborted" });
        return undefined;
      }
      const { block } = await askEnd(hooks, { reply, stopHookActive: typeof loops === "number" && loops > 0 });
      return block === undefined ? undefined : { followUp: block };
    },
  },
};

/** Cursor's events: how the bridge reads a payload, asks the hooks and writes the answer. */
export const events = eventsOf(table, {
  timeoutMs: WAIT_MS,
  tells: [],
  read: readClaude,
  write: (event, said = {}) => inWords(event, said),
});

/** Describes Cursor's `subagentStart` event as if it were a tool: the fields of the prompt and the sub-agent's type. */
const STARTS = {
  kind: "starts",
  starts: { prompt: "task", type: "subagent_type", otherwise: "generalPurpose" },
} as const;

const WAITING = "context that waits";
const REPLY = "last reply";

/** Returns a tool's result, which Cursor sends as JSON text. */
function outputIn({ tool_output: output }: Fields): unknown {
  if (typeof output !== "string") return output;
  const parsed = readJsonText(output);
  return "value" in parsed ? parsed.value : output;
}

function resultOf(payload: Fields, { text, isError }: { text: string; isError: boolean }, hooks: HostHooks) {
  const { duration } = payload;
  const durationMs = typeof duration === "number" ? { durationMs: duration } : {};
  return askResult(hooks, {
    ...toldOf(callOf(payload, hooks)),
    content: [{ type: "text", text }],
    isError,
    ...durationMs,
  });
}

/** Appends notices to the reason of a refusal: Cursor shows the user nothing else. */
function told(reason: string, hooks: HostHooks): string {
  return [reason, ...hooks.notices()].join("\n\n");
}
