import type { Model, ThinkingLevel } from "./provider.ts";

/** The thinking levels, from none to most. */
export const THINKING_LEVELS: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

/** The levels that a model has only if its `thinkingLevelMap` names them. */
const DECLARED: ReadonlySet<string> = new Set(["xhigh", "max"]);

/** The default level of a model that can think. */
const USUAL_LEVEL: ThinkingLevel = "medium";

/** Returns a model's levels: all but those that its map sets to null. The two highest must be in the map. */
export function levelsOf({ reasoning, thinkingLevelMap: map = {} }: Model): readonly ThinkingLevel[] {
  if (!reasoning) return ["off"];
  return THINKING_LEVELS.filter((level) => map[level] !== null && (!DECLARED.has(level) || map[level] !== undefined));
}

/** Returns the wanted level if the model has it, otherwise the next higher one, otherwise the next lower one. */
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
