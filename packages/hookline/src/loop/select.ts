import type { Model } from "../provider/provider.ts";
import type { Agent } from "./agent.ts";
import { ask, type ThinkingLevel } from "./core.ts";

/** The levels of thinking, from none to most. */
export const THINKING_LEVELS: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh"];

/** The levels that a model has. */
export function levelsOf(model: Model): readonly ThinkingLevel[] {
  return model.reasoning ? THINKING_LEVELS : ["off"];
}

/** Whether a text is the name of a level. */
export function isThinkingLevel(level: string): level is ThinkingLevel {
  return (THINKING_LEVELS as readonly string[]).includes(level);
}

/** Chooses the model of later requests; a request that runs goes on with its own. Nothing is told where none changes. */
export async function selectModel(agent: Agent, model: Model, source: "set" | "cycle" | "restore"): Promise<void> {
  const { core } = agent;
  const previous = core.model;
  agent.useModel(model);
  if (previous.id === model.id && previous.provider === model.provider) return;
  if (source !== "restore") core.store.appendModelChange(model.provider, model.id);
  if (!levelsOf(model).includes(core.thinking)) await selectThinking(agent, "off");
  await ask(core, "model.select", { model: { ...model }, previousModel: { ...previous }, source });
  core.tell({ type: "model_changed", model });
}

/** Chooses the level of later requests, as far as the model has it. */
export async function selectThinking(agent: Agent, wanted: ThinkingLevel): Promise<void> {
  const { core } = agent;
  const level = levelsOf(core.model).includes(wanted) ? wanted : "off";
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

/** Takes up the model and the level that a session was last used with, where they can be had. */
export async function restoreModel(agent: Agent): Promise<void> {
  const context = agent.core.store.buildSessionContext();
  const found = context.model === null ? undefined : agent.registry.find(context.model.provider, context.model.modelId);
  if (found !== undefined && agent.registry.hasConfiguredAuth(found)) await selectModel(agent, found, "restore");
  const levels = levelsOf(agent.core.model);
  // Looking for the level can mean to read a long file.
  const level = levels.length > 1 ? context.thinkingLevel : "off";
  if (isThinkingLevel(level) && levels.includes(level)) agent.useThinking(level);
}
