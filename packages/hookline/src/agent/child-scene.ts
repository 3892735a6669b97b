import type { Scene } from "@hookline/runtime";
import { lackOf } from "../provider/body-keys.ts";
import type { Model, ThinkingLevel } from "../provider/provider.ts";
import { isThinking } from "../provider/through.ts";
import type { SessionManager } from "../session/manager.ts";

/** The sub-agent's own parts of its scene. */
export interface ChildSceneParts {
  readonly id: string;
  readonly type: string;
  readonly depth: number;
  readonly model: Model;
  readonly thinking: ThinkingLevel;
  readonly store: SessionManager;
  systemPrompt(): string;
}

/** The scene of a sub-agent: its session's, always current, with the sub-agent's own conversation and model. */
export function childScene(session: Scene, parts: ChildSceneParts): Scene {
  const { id, type, depth, model, thinking, store } = parts;
  const own: Partial<Scene> = {
    agentId: id,
    agentType: type,
    depth,
    agentFile: store.getSessionFile(),
    model: model.id,
    thinking,
    messages: () => store.buildSessionContext().messages,
    systemPrompt: () => parts.systemPrompt(),
    lacks: (key, value, held) => lackOf({ ...model, thinks: isThinking(model, thinking) }, key, value, held),
  };
  // The session's fields are getters; a copy would freeze their values.
  return Object.create(session, Object.getOwnPropertyDescriptors(own)) as Scene;
}
