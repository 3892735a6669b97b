import type { Model } from "../provider/provider.ts";
import { ask, type ThinkingLevel } from "../turn/core.ts";
import type { Agent } from "./agent.ts";

/** The levels of thinking, from none to most. */
export const THINKING_LEVELS: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

/** Levels that a model must declare in its map. */
const DECLARED: ReadonlySet<string> = new Set(["xhigh", "max"]);

/** What a model that can think begins with. */
const USUAL_LEVEL: ThinkingLevel = "medium";

/** The levels that a model has: those that its map does not take away, the highest two only if it names them. */
export function levelsOf({ reasoning, thinkingLevelMap: map = {} }: Model): readonly ThinkingLevel[] {
  if (!reasoning) return ["off"];
  return THINKING_LEVELS.filter((level) => map[level] !== null && (!DECLARED.has(level) || map[level] !== undefined));
}

/** The wanted level, where the model has it; else the next higher one, else the next lower one. */
export function levelFor(model: Model, wanted: ThinkingLevel = USUAL_LEVEL): ThinkingLevel {
  const levels = levelsOf(model);
  const from = THINKING_LEVELS.indexOf(wanted);
  const nearest = [...THINKING_LEVELS.slice(from), ...THINKING_LEVELS.slice(0, from).reverse()];
  return nearest.find((level) => levels.includes(level)) ?? "off";
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
  const level = store.buildSessionContext().thinkingLevel;
  const isRecorded = level !== "off" || store.getBranch().some(({ type }) => type === "thinking_level_change");
  if (isThinkingLevel(level) && isRecorded) agent.useThinking(levelFor(model, level));
}
