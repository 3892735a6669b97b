import {
  askCall,
  askCompaction,
  askResult,
  callMoments,
  claudeCall,
  claudeStartRow,
  doneRow,
  durationIn,
  endRow,
  eventsOf,
  type HostRow,
  inClaudeWords,
  maybeText,
  permissionRow,
  promptRow,
  RESULT_MOMENTS,
  readClaude,
  shownText,
  spawnedRow,
  stopRow,
  taken,
  tellCompacted,
  toldOf,
  type ClaudeWords as Words,
  withText,
} from "@hookline/bridge/kit";
import { type Fields, isFields } from "@hookline/ground";
import { textOf } from "@hookline/runtime";
import { claudeTools } from "../tools.ts";

/** Claude Code's time limit for a hook, as the adapter sets it in the settings, in ms. */
const WAIT_MS = 60_000;

/**
 * The time limit for SessionEnd, as the adapter sets it, in ms. The bridge subtracts 2 s, because Claude Code gives all
 * hooks of this event together 1.5 s. Source: spec/bridge.md 2.
 */
const END_MS = 3_000;

const callOf = claudeCall(claudeTools);

/** An event that only newer versions of Claude Code have. */
export const SKILL_COMMAND = "PreSkillShellCommand";

/** The events of Claude Code, each with the events of hookline (`moments`) that it fires. Source: spec/claude.md 6. */
const table: Readonly<Record<string, HostRow<Words>>> = {
  SessionStart: claudeStartRow((hooks) => taken(hooks, COMPACTED)),
  SessionEnd: endRow(END_MS),
  UserPromptSubmit: promptRow((block) => ({ block }), { name: "claude", label: "Claude Code" }),
  PreToolUse: {
    moments: callMoments(claudeTools),
    refuse: (deny) => ({ deny }),
    async say(payload, hooks) {
      const { refused, ask, args: input, context, halt } = await askCall(hooks, callOf(payload, hooks));
      if (refused !== undefined) return { deny: refused, context, ...(halt !== undefined && { stop: halt }) };
      if (input === undefined) return { context, ...(ask !== undefined && { ask }) };
      // Claude Code accepts new arguments only with `allow` or `ask`. `allow` would skip its question to the user, so
      // hookline writes `ask`, unless the user bypasses permissions anyway.
      const isFree = payload["permission_mode"] === "bypassPermissions" && ask === undefined;
      return { context, input, ...(!isFree && { ask: ask ?? "A hook changed the arguments of this call." }) };
    },
  },
  // Since 2.1.332. Fires before a command that a skill runs while it is loaded. Its arguments cannot be changed, so
  // a command that a hook changed is refused.
  [SKILL_COMMAND]: {
    moments: callMoments(claudeTools),
    refuse: (deny) => ({ deny }),
    async say(payload, hooks) {
      const { refused, ask, args: input } = await askCall(hooks, callOf(payload, hooks));
      if (refused !== undefined) return { deny: refused };
      if (input !== undefined)
        return { deny: "A hook rewrote a command of a skill. Claude Code cannot change one, so it was not run." };
      return ask === undefined ? undefined : { ask };
    },
  },
  PermissionRequest: permissionRow(callOf),
  PostToolUse: {
    moments: RESULT_MOMENTS,
    async say(payload, hooks) {
      const { response, isError } = responseIn(payload);
      const content = [{ type: "text" as const, text: shownText(response) }];
      const verdict = await askResult(hooks, {
        ...toldOf(callOf(payload, hooks)),
        content,
        isError,
        ...durationIn(payload),
      });
      const { context, halt } = verdict;
      const text = verdict.content === undefined ? undefined : textOf(verdict.content);
      return {
        context,
        ...(text !== undefined && { output: withText(response, text) }),
        ...(halt !== undefined && { stop: halt }),
      };
    },
  },
  PostToolUseFailure: {
    moments: RESULT_MOMENTS,
    async say(payload, hooks) {
      const content = [{ type: "text" as const, text: maybeText(payload, "error") ?? "" }];
      const verdict = await askResult(hooks, {
        ...toldOf(callOf(payload, hooks)),
        content,
        isError: true,
        ...durationIn(payload),
      });
      const { context, halt } = verdict;
      const notices = verdict.content === undefined ? [] : [SHOWN];
      return { context, notices, ...(halt !== undefined && { stop: halt }) };
    },
  },
  PreCompact: {
    moments: ["compact.before"],
    async say({ trigger, custom_instructions: instructions }, hooks) {
      const { cancelled } = await askCompaction(hooks, { trigger, instructions });
      return cancelled ? { block: "A hook cancelled this compaction." } : undefined;
    },
  },
  PostCompact: {
    moments: ["compact.after"],
    async say({ trigger, compact_summary: summary }, hooks) {
      hooks.memory.set(COMPACTED, await tellCompacted(hooks, { trigger, summary }));
      return undefined;
    },
  },
  SubagentStart: spawnedRow,
  SubagentStop: doneRow,
  Stop: stopRow,
};

/** Claude Code's events: how the bridge reads a payload, asks the hooks and writes the answer. */
export const events = eventsOf(table, {
  timeoutMs: WAIT_MS,
  tells: ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop"],
  read: readClaude,
  write: (event, said = {}) => inClaudeWords(event, said),
});

const COMPACTED = "context after a compaction";

const SHOWN =
  "A hook rewrote the result of a failed call, and Claude Code cannot change one: the model sees it as it was. `hookline bridge report claude` names the hook.";

/**
 * Returns the result of a tool. Copilot CLI, which also runs these hooks, sends it as the text that the model is shown.
 */
function responseIn({ tool_response: response, tool_result: result }: Fields): {
  readonly response: unknown;
  readonly isError: boolean;
} {
  if (response !== undefined || !isFields(result)) return { response, isError: false };
  const { text_result_for_llm: text = result["textResultForLlm"], result_type: type = result["resultType"] } = result;
  return { response: text ?? result, isError: type !== undefined && type !== "success" };
}
