import { textOf } from "@hookline/runtime";
import {
  claudeCall,
  compactedRow,
  judgedCall,
  permissionRow,
  promptRow,
  readClaude,
  startRow,
  stopRow,
} from "../../moment/claude-rows.ts";
import { askCompaction } from "../../moment/compaction.ts";
import { eventsOf, type HostRow } from "../../moment/rows.ts";
import { endRow } from "../../moment/session.ts";
import { askSpawn, askSpawned, tellDone } from "../../moment/sub-agent.ts";
import { askCall, askResult, CALL_MOMENTS, RESULT_MOMENTS } from "../../moment/tool.ts";
import { maybeText } from "../../payload.ts";
import { contentOf, TOOLS } from "./tools.ts";
import { inWords, type Words } from "./words.ts";

/** How long Codex waits for a hook, as the adapter sets it, in ms. */
const WAIT_MS = 60_000;

/** Codex leaves about a second after a session's end, whatever limit it is given. Source: spec/bridge.md 2. */
const END_MS = 3_000;

const callOf = claudeCall(TOOLS);
const judgedOf = judgedCall(callOf);

/** Codex's events, but `Interrupt`, for which the catalog has no moment. Source: spec/hosts/codex/base.json. */
const table: Readonly<Record<string, HostRow<Words>>> = {
  SessionStart: startRow(),
  SessionEnd: endRow(END_MS),
  UserPromptSubmit: promptRow((block) => ({ block }), { name: "codex", label: "Codex" }),
  PreToolUse: {
    moments: [...CALL_MOMENTS, "agent.spawn"],
    refuse: (deny) => ({ deny }),
    async say(payload, hooks) {
      const call = judgedOf(payload);
      const { refused, args, context } = await askCall(hooks, call, "nobody can be asked through Codex");
      if (refused !== undefined) return { deny: refused, context };
      const model = maybeText(payload, "model") ?? "";
      const spawn = await askSpawn(hooks, SPAWN, { tool: call.tool, args: args ?? call.args }, model);
      if (spawn.refused !== undefined) return { deny: spawn.refused, context };
      const input = spawn.args ?? args;
      return { context, ...(input !== undefined && { input }) };
    },
  },
  PermissionRequest: permissionRow(judgedOf),
  PostToolUse: {
    moments: RESULT_MOMENTS,
    async say(payload, hooks) {
      // Codex does not say whether a call has failed.
      const result = { ...callOf(payload), content: contentOf(payload["tool_response"]), isError: false };
      const { content, context, halt } = await askResult(hooks, result);
      // A block takes the place of what the model is shown, which is how a text is changed here.
      const block = halt ?? (content === undefined ? undefined : textOf(content) || "(nothing is shown)");
      return { context, ...(block !== undefined && { block }) };
    },
  },
  PreCompact: {
    moments: ["compact.before"],
    async say({ trigger, custom_instructions: instructions }, hooks) {
      // To refuse would end the whole turn, with an error: what hooks answer has no effect here.
      await askCompaction(hooks, { trigger, instructions });
      return undefined;
    },
  },
  PostCompact: compactedRow,
  SubagentStart: {
    moments: ["agent.spawned"],
    async say({ model }, hooks) {
      await askSpawned(hooks, typeof model === "string" ? model : "");
      return undefined;
    },
  },
  SubagentStop: {
    moments: ["agent.done"],
    async say(payload, hooks) {
      await tellDone(hooks, payload);
      return undefined;
    },
  },
  Stop: stopRow,
};

/** The same as the bridge takes it. */
export const events = eventsOf(table, {
  timeoutMs: WAIT_MS,
  read: readClaude,
  write: (event, said = {}) => inWords(event, said),
});

/** Codex's tool that starts a sub-agent. */
const SPAWN = { name: "spawn_agent", prompt: "message", type: "agent_type", otherwise: "default" };
