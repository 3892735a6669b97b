import { ask } from "../hook/ask.ts";
import type { Model, ThinkingLevel } from "../provider/provider.ts";
import { isThinkingLevel, levelFor, levelsOf } from "../provider/thinking.ts";
import type { Agent } from "./agent.ts";

/** Chooses the model of later requests; a request that runs goes on with its own. Nothing is told where none changes. */
export async function selectModel(agent: Agent, model: Model, source: "set" | "cycle" | "restore"): Promise<void> {
  const { core } = agent;
  const previous = core.model;
  agent.useModel(model);
  if (previous.id === model.id && previous.provider === model.provider) return;
  if (source !== "restore") core.store.appendModelChange(model.provider, model.id);
  await selectThinking(agent, core.thinking);
  await ask(core, "model.select", { model: { ...model }, previousModel: { ...previous }, source });
  core.tell({ type: "model_changed", model });
}

/** Chooses the level of later requests, as far as the model has it. */
export async function selectThinking(agent: Agent, wanted: ThinkingLevel): Promise<void> {
  const { core } = agent;
  const level = levelFor(core.model, wanted);
  const previousLevel = core.thinking;
  if (level === previousLevel) return;
  agent.useThinking(level);
  core.store.appendThinkingLevelChange(level);
  core.tell({ type: "thinking_level_changed", level });
  await ask(core, "thinking.select", { level, previousLevel });
}

/** The next or the previous model in the list of those that can be asked; undefined when there is no other. */
export async function cycleModel(agent: Agent, way: "forward" | "backward" = "forward"): Promise<Model | undefined> {
  const models = agent.registry.getAvailable();
  const { id, provider } = agent.core.model;
  const at = models.findIndex((model) => model.id === id && model.provider === provider);
  const next = models[way === "forward" ? (at + 1) % models.length : (at < 1 ? models.length : at) - 1];
  if (next === undefined || (next.id === id && next.provider === provider)) return undefined;
  await selectModel(agent, next, "cycle");
  return next;
}

/** Takes up the model that a session was last used with, where it can be had, and its level of thinking. */
export async function restoreModel(agent: Agent): Promise<void> {
  const { model } = agent.core.store.buildSessionContext();
  const found = model === null ? undefined : agent.registry.find(model.provider, model.modelId);
  if (found !== undefined && agent.registry.hasConfiguredAuth(found)) await selectModel(agent, found, "restore");
  restoreThinking(agent);
}

/** Takes up the level of thinking that a session has recorded, as far as the model has it. */
export function restoreThinking(agent: Agent): void {
  const { model, store } = agent.core;
  if (levelsOf(model).length < 2) {
    agent.useThinking("off");
    return;
  }
  // Looking for the level can mean to read a long file.
  const level = store.recordedThinkingLevel();
  if (level !== undefined && isThinkingLevel(level)) agent.useThinking(levelFor(model, level));
}
