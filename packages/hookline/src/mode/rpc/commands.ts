import { setTimeout as sleep } from "node:timers/promises";
import type { Content } from "@hookline/runtime/engine";
import type { Agent } from "../../agent/agent.ts";
import { forkSession } from "../../agent/branch.ts";
import { ownMessages } from "../../agent/command/tree.ts";
import { listCommands } from "../../agent/listing.ts";
import { compactNow } from "../../agent/manual.ts";
import { cycleModel, selectModel, selectThinking } from "../../agent/select.ts";
import { enqueue } from "../../agent/submit.ts";
import { switchSession } from "../../agent/switch.ts";
import { sessionStats } from "../../agent/usage.ts";
import type { Model } from "../../provider/provider.ts";
import { levelsOf, THINKING_LEVELS } from "../../provider/thinking.ts";
import { exportSession } from "../../session/export.ts";
import { textIn } from "../../session/text.ts";
import { nameSession } from "../../turn/session-name.ts";
import { type Command, flagField, optionalText, textField, wordField } from "./wire.ts";

/** Runs a command and returns the data of its reply. An error becomes a failure reply with its message. */
type Run = (agent: Agent, command: Command) => unknown;

/** How long the reply to `abort` waits for the run to end, in ms. */
const ABORT_MS = 1000;

/** Removes a model's headers, which may contain secrets, before a client sees it. */
function shown({ headers: _, ...model }: Model): Omit<Model, "headers"> {
  return model;
}

const QUEUE_MODES = ["all", "one-at-a-time"] as const;

/** Returns the images of a command; undefined if it has no valid ones. */
export function imagesOf({ images }: Command): readonly Content[] | undefined {
  return Array.isArray(images) ? (images as readonly Content[]) : undefined;
}

/** pi's commands by name. `prompt` is missing here because it is answered before it is done. Source: spec/pi.md 2.5. */
export const commands: Readonly<Record<string, Run>> = {
  steer: (agent, command) => queued(agent, command, "steer"),
  follow_up: (agent, command) => queued(agent, command, "followUp"),
  async abort(agent) {
    agent.abort();
    // A hook that hangs must not keep the client from its reply.
    await Promise.race([agent.waitForIdle(), sleep(ABORT_MS, undefined, { ref: false })]);
  },
  clear_queue: ({ core }) => core.queues.clear(),
  new_session(agent, command) {
    const parentSession = optionalText(command, "parentSession");
    const request = { kind: "new", ...(parentSession !== undefined && { parentSession }) } as const;
    return switchSession(agent, { reason: "new", open: () => agent.openSession(request) });
  },
  get_state: ({ core, isIdle, isOccupied }) => {
    const { store, queues, model } = core;
    const { steering, followUp } = queues.texts;
    return {
      model: shown(model),
      thinkingLevel: core.thinking,
      isStreaming: !isIdle,
      isCompacting: isOccupied,
      steeringMode: queues.steerMode,
      followUpMode: queues.followUpMode,
      sessionFile: store.getSessionFile(),
      sessionId: store.getSessionId(),
      sessionName: store.getSessionName(),
      autoCompactionEnabled: core.settings.compaction.enabled,
      messageCount: store.buildSessionContext().messages.length,
      pendingMessageCount: steering.length + followUp.length,
    };
  },
  async set_model(agent, command) {
    const provider = textField(command, "provider");
    const id = textField(command, "modelId");
    const model = agent.registry.find(provider, id);
    if (model === undefined || !agent.registry.hasConfiguredAuth(model))
      throw new Error(`Model not found: ${provider}/${id}`);
    const kept = await selectModel(agent, model, "set");
    if (kept !== undefined) throw new Error(kept);
    return shown(model);
  },
  async cycle_model(agent) {
    const model = await cycleModel(agent);
    return model === undefined ? null : { model: shown(model), thinkingLevel: agent.core.thinking, isScoped: false };
  },
  get_available_models: ({ registry }) => ({ models: registry.getAvailable().map(shown) }),
  async set_thinking_level(agent, command) {
    await selectThinking(agent, wordField(command, "level", THINKING_LEVELS));
  },
  async cycle_thinking_level(agent) {
    const levels = levelsOf(agent.core.model);
    const level = levels[(levels.indexOf(agent.core.thinking) + 1) % levels.length];
    if (level === undefined || levels.length < 2) return null;
    await selectThinking(agent, level);
    return { level };
  },
  get_available_thinking_levels: ({ core }) => ({ levels: levelsOf(core.model) }),
  set_steering_mode({ core }, command) {
    core.queues.steerMode = wordField(command, "mode", QUEUE_MODES);
  },
  set_follow_up_mode({ core }, command) {
    core.queues.followUpMode = wordField(command, "mode", QUEUE_MODES);
  },
  compact: (agent, command) => compactNow(agent, optionalText(command, "customInstructions")),
  set_auto_compaction(agent, command) {
    const enabled = flagField(command, "enabled");
    agent.useSettings({ compaction: { ...agent.core.settings.compaction, enabled } });
  },
  set_auto_retry(agent, command) {
    agent.allowRetries(flagField(command, "enabled"));
  },
  abort_retry: (agent) => agent.abortRetry(),
  bash(agent, command) {
    const text = textField(command, "command");
    const excludeFromContext = command["excludeFromContext"] === true;
    return agent.userCommands.execute(agent, { kind: "shell", text, excludeFromContext }, command.id);
  },
  abort_bash: (agent) => agent.userCommands.abort(),
  get_session_stats: ({ core }) => sessionStats(core),
  export_html: async ({ core }, command) => ({
    path: await exportSession(core.store, optionalText(command, "outputPath")),
  }),
  switch_session(agent, command) {
    const path = textField(command, "sessionPath");
    return switchSession(agent, {
      reason: "resume",
      target: path,
      open: () => agent.openSession({ kind: "file", path }),
    });
  },
  async fork(agent, command) {
    const { cancelled, text } = await forkSession(agent, textField(command, "entryId"));
    return { ...(text !== undefined && { text }), cancelled };
  },
  async clone(agent) {
    const leafId = agent.core.store.getLeafId();
    if (leafId === null) throw new Error("Cannot clone session: no current entry selected");
    const { cancelled } = await forkSession(agent, leafId, { position: "at" });
    return { cancelled };
  },
  get_fork_messages: (agent) => ({ messages: ownMessages(agent) }),
  get_entries({ core: { store } }, command) {
    const since = optionalText(command, "since");
    const entries = store.getEntries();
    const at = since === undefined ? -1 : entries.findIndex(({ id }) => id === since);
    if (since !== undefined && at < 0) throw new Error(`Entry not found: ${since}`);
    return { entries: entries.slice(at + 1), leafId: store.getLeafId() };
  },
  get_tree: ({ core: { store } }) => ({ tree: store.getTree(), leafId: store.getLeafId() }),
  get_last_assistant_text: ({ core }) => ({ text: lastText(core.store.buildSessionContext().messages) }),
  async set_session_name(agent, command) {
    const name = textField(command, "name").trim();
    if (name === "") throw new Error("Session name cannot be empty");
    await nameSession(agent.core, name);
  },
  get_messages: (agent) => ({ messages: agent.messages() }),
  get_commands: (agent) => ({ commands: listCommands(agent) }),
};

async function queued(agent: Agent, command: Command, behavior: "steer" | "followUp"): Promise<object> {
  return { disposition: await enqueue(agent, textField(command, "message"), behavior, imagesOf(command)) };
}

function lastText(messages: ReturnType<Agent["messages"]>): string | null {
  const last = messages.findLast(({ role }) => role === "assistant");
  return last?.role === "assistant" ? textIn(last.content, "") : null;
}
