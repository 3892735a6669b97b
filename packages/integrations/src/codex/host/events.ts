import {
  askCall,
  askCompaction,
  askResult,
  askSpawned,
  callMoments,
  claudeCall,
  claudeStartRow,
  compactedRow,
  endRow,
  eventsOf,
  type HostRow,
  maybeText,
  permissionRow,
  promptRow,
  RESULT_MOMENTS,
  readClaude,
  stopRow,
  tellDone,
  toldOf,
} from "@hookline/bridge/kit";
import type { Fields } from "@hookline/ground";
import { textOf } from "@hookline/runtime";
import { codexTools } from "../tools.ts";
import { inWords, type Words } from "./words.ts";

/** Codex's time limit for a hook, as the adapter sets it in the settings, in ms. */
const WAIT_MS = 60_000;

/** The limit for SessionEnd, in ms. The bridge subtracts 2 s, because Codex waits about 1 s (spec/bridge.md 2). */
const END_MS = 3_000;

const callOf = claudeCall(codexTools);

/** Codex's events except `Interrupt`, which has no counterpart in the catalog. Source: spec/hosts/codex/base.json. */
const table: Readonly<Record<string, HostRow<Words>>> = {
  SessionStart: claudeStartRow(),
  SessionEnd: endRow(END_MS),
  UserPromptSubmit: promptRow((block) => ({ block }), { name: "codex", label: "Codex" }),
  PreToolUse: {
    moments: callMoments(codexTools),
    refuse: (deny) => ({ deny }),
    async say(payload, hooks) {
      const asking = { nobody: "nobody can be asked through Codex", model: maybeText(payload, "model") ?? "" };
      const { refused, args: input, context } = await askCall(hooks, callOf(payload, hooks), asking);
      if (refused !== undefined) return { deny: refused, context };
      return { context, ...(input !== undefined && { input }) };
    },
  },
  PermissionRequest: permissionRow(callOf),
  PostToolUse: {
    moments: RESULT_MOMENTS,
    async say(payload, hooks) {
      // Codex does not say whether a call has failed, so `isError` is always false.
      const result = {
        ...toldOf(callOf(payload, hooks)),
        content: contentOf(payload["tool_response"]),
        isError: false,
      };
      const { content, context, halt } = await askResult(hooks, result);
      // Codex cannot change a result, but the reason of a block replaces what the model is shown.
      const block = halt ?? (content === undefined ? undefined : textOf(content) || "(nothing is shown)");
      return { context, ...(block !== undefined && { block }) };
    },
  },
  PreCompact: {
    moments: ["compact.before"],
    async say({ trigger, custom_instructions: instructions }, hooks) {
      // A refusal would end the whole turn with an error, so the hooks' answers are ignored.
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

/** Codex's events: how the bridge reads a payload, asks the hooks and writes the answer. */
export const events = eventsOf(table, {
  timeoutMs: WAIT_MS,
  tells: ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"],
  read: readClaude,
  write: (event, said = {}) => inWords(event, said),
});

/** Returns a tool's result as content blocks. Codex sends a text, or for an MCP tool the blocks of the MCP protocol. */
function contentOf(response: unknown): readonly { readonly type: "text"; readonly text: string }[] {
  const { content } = (response ?? {}) as Fields;
  if (Array.isArray(content)) return content as never;
  return [{ type: "text", text: typeof response === "string" ? response : JSON.stringify(response ?? "") }];
}
