import { ask } from "../hook/ask.ts";
import type { Model, ThinkingLevel } from "../provider/provider.ts";
import { isThinkingLevel, levelFor, levelsOf } from "../provider/thinking.ts";
import type { Agent } from "./agent.ts";
import { contextUsage } from "./usage.ts";

/**
 * Selects the model for later requests. A running request keeps its model. Selecting the current model fires no event.
 * Returns the reason if a hook or the person prevents the change.
 */
export async function selectModel(
  agent: Agent,
  model: Model,
  source: "set" | "cycle" | "restore",
): Promise<string | undefined> {
  const { core } = agent;
  const previous = core.model;
  const isSame = previous.id === model.id && previous.provider === model.provider;
  const kept = isSame || source === "restore" ? undefined : await keptBy(agent, model, source);
  if (kept !== undefined) return kept;
  agent.useModel(model);
  if (isSame) return undefined;
  if (source !== "restore") core.store.appendModelChange(model.provider, model.id);
  await selectThinking(agent, core.thinking);
  const { answer } = await ask(core, "model.select", { model: { ...model }, previousModel: { ...previous }, source });
  core.queues.context("model.select", answer.additionalContext);
  core.tell({ type: "model_changed", model });
  return undefined;
}

/** Asks the hooks, and the person if a hook wants that, about a change of model. Returns the reason for a refusal. */
async function keptBy({ core }: Agent, model: Model, source: "set" | "cycle"): Promise<string | undefined> {
  const tokens = core.hooks.has("model.before-select") ? contextUsage(core)?.tokens : undefined;
  const { answer } = await ask(core, "model.before-select", {
    model: { ...model },
    previousModel: { ...core.model },
    source,
    ...(typeof tokens === "number" && { contextTokens: tokens }),
  });
  const { decision, reason } = answer;
  if (decision === undefined || decision === "allow") return undefined;
  const { id, provider } = core.model;
  const kept = `The model is still ${provider}/${id}: ${reason ?? "a hook refused the change"}`;
  if (decision === "deny") return kept;
  const title = `Change the model to ${model.provider}/${model.id}?`;
  return (await core.confirm?.(title, reason ?? "", core.patience.signal)) ? undefined : kept;
}

/** Selects the thinking level for later requests, limited to what the model supports. */
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

/** Selects the next or previous available model; undefined if there is no other one. Throws if a hook prevents it. */
export async function cycleModel(agent: Agent, way: "forward" | "backward" = "forward"): Promise<Model | undefined> {
  const models = agent.registry.getAvailable();
  const { id, provider } = agent.core.model;
  const at = models.findIndex((model) => model.id === id && model.provider === provider);
  const next = models[way === "forward" ? (at + 1) % models.length : (at < 1 ? models.length : at) - 1];
  if (next === undefined || (next.id === id && next.provider === provider)) return undefined;
  const kept = await selectModel(agent, next, "cycle");
  if (kept !== undefined) throw new Error(kept);
  return next;
}

/** Restores the model that the session used last, if it is available, and its thinking level. */
export async function restoreModel(agent: Agent): Promise<void> {
  const { model } = agent.core.store.buildSessionContext();
  const found = model === null ? undefined : agent.registry.find(model.provider, model.modelId);
  if (found !== undefined && agent.registry.hasConfiguredAuth(found)) await selectModel(agent, found, "restore");
  restoreThinking(agent);
}

/** Restores the thinking level that the session has recorded, limited to what the model supports. */
export function restoreThinking(agent: Agent): void {
  const { model, store } = agent.core;
  if (levelsOf(model).length < 2) {
    agent.useThinking("off");
    return;
  }
  // Finding the recorded level may mean reading a long file.
  const level = store.recordedThinkingLevel();
  if (level !== undefined && isThinkingLevel(level)) agent.useThinking(levelFor(model, level));
}
