import type { Scene } from "@hookline/runtime";
import type { Agent } from "../agent/agent.ts";
import type { Contexts } from "../context/contexts.ts";
import { lackOf } from "../provider/body-keys.ts";
import { isThinking } from "../provider/through.ts";
import type { SessionManager } from "../session/session.ts";

/**
 * Makes the hooks' view of the session, which always shows the current state. Before there is an agent, it has only
 * facts that are known without one.
 */
export function sceneOf(
  cwd: string,
  store: SessionManager,
  late: { agent?: Agent },
  contexts: Contexts,
  verbose: () => boolean,
): Scene {
  const current = (): SessionManager => late.agent?.core.store ?? store;
  return {
    get sessionId() {
      return current().getSessionId();
    },
    get sessionFile() {
      return current().getSessionFile();
    },
    cwd,
    get model() {
      return late.agent?.core.model.id;
    },
    get thinking() {
      return late.agent?.core.thinking;
    },
    messages: () => late.agent?.messages() ?? current().buildSessionContext().messages,
    systemPrompt: () => late.agent?.systemPrompt ?? "",
    get context() {
      return contexts.name;
    },
    get summary() {
      return contexts.summary;
    },
    get todos() {
      return contexts.todos;
    },
    get goals() {
      return contexts.goals;
    },
    get recursionDepth() {
      return contexts.recursionDepth;
    },
    get verbose() {
      return verbose();
    },
    tool: (name) => late.agent?.core.servers?.identity(name),
    lacks(key, value, held) {
      if (late.agent === undefined) return undefined;
      const { model, thinking } = late.agent.core;
      return lackOf({ ...model, thinks: isThinking(model, thinking) }, key, value, held);
    },
  };
}
