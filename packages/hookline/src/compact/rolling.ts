import type { Message } from "@hookline/runtime";
import type { SessionProjection } from "../session/context.ts";
import { convertToLlm, serializeConversation } from "../session/to-llm.ts";
import { COMPACTION_CANCELLED, type Complete, type Completion } from "./complete.ts";
import { conversation, sumOf } from "./summarise.ts";
import { SUMMARY_SYSTEM } from "./texts.ts";

/** A rolling compaction needs at least this many messages, each with its results. Source: spec/chibi.md 3. */
const LEAST = 5;
const SHOWN_CHARACTERS = 500;

/** One message, or a reply with the results of its calls. A unit stays or is removed as a whole. */
export interface Unit {
  readonly entryIds: readonly string[];
  readonly messages: readonly Message[];
  /** False for a unit such as a branch summary, which is only removed together with all earlier units. */
  readonly free: boolean;
}

/** The entries that a rolling compaction keeps and removes. */
export interface RollingPlan {
  readonly firstKeptEntryId: string;
  /** Ids of the removed entries that come after the first kept one. */
  readonly dropped: readonly string[];
  readonly archived: readonly Message[];
}

/** The texts that the model gets besides the messages when it chooses which of them to remove. */
export interface RollingScene {
  readonly summary: string;
  readonly goals: string;
  readonly todos: string;
}

const FREE_ROLES: ReadonlySet<string> = new Set(["user", "assistant", "toolResult", "custom"]);

/** Splits the messages of a context into units, without the leading summary. */
export function unitsOf({ entries }: SessionProjection): Unit[] {
  const units: { entryIds: string[]; messages: Message[]; free: boolean }[] = [];
  for (const { sourceEntry, messages } of entries) {
    if (sourceEntry.type === "compaction") continue;
    for (const message of messages) {
      const last = units.at(-1);
      if (message.role === "toolResult" && last !== undefined) {
        last.entryIds.push(sourceEntry.id);
        last.messages.push(message);
      } else units.push({ entryIds: [sourceEntry.id], messages: [message], free: FREE_ROLES.has(message.role) });
    }
  }
  return units;
}

/** Whether a conversation has enough units (messages with their results) for a rolling compaction. */
export function isWorthRolling(units: readonly Unit[]): boolean {
  return units.length >= LEAST;
}

/**
 * Asks the model which units to remove, about half of them; if it names none, the oldest are removed. The last unit
 * always stays. Rejects only if cancelled.
 */
export async function chooseUnits(units: readonly Unit[], scene: RollingScene, complete: Complete): Promise<Unit[]> {
  const target = Math.max(1, Math.round(units.length / 2));
  const offered = new Map(units.slice(0, -1).map((unit) => [unit.entryIds[0] as string, unit]));
  const oldest = units.slice(0, target);
  try {
    const { text } = await complete({
      system: SUMMARY_SYSTEM,
      prompt: choicePrompt(offered, scene, target),
      maxTokens: 2048,
    });
    const chosen = idsIn(text).flatMap((id) => offered.get(id) ?? []);
    return chosen.length === 0 ? oldest : chosen;
  } catch (thrown) {
    if ((thrown as Error).message === COMPACTION_CANCELLED) throw thrown;
    return oldest;
  }
}

/** Plans the removal of the chosen units. Behind the first kept unit, only `free` units can be removed. */
export function planRolling(units: readonly Unit[], chosen: readonly Unit[]): RollingPlan | undefined {
  const going = new Set(chosen);
  const firstKept = units.findIndex((unit) => !going.has(unit));
  const kept = units[firstKept];
  if (kept === undefined) return undefined;
  const archived = units.filter((unit, index) => going.has(unit) && (index < firstKept || unit.free));
  if (archived.length === 0) return undefined;
  return {
    firstKeptEntryId: kept.entryIds[0] as string,
    dropped: archived.filter((unit) => units.indexOf(unit) > firstKept).flatMap(({ entryIds }) => entryIds),
    archived: archived.flatMap(({ messages }) => messages),
  };
}

/** Rewrites the summary to include the removed units; undefined if the model returns no text. */
export async function rollSummary(
  plan: RollingPlan,
  scene: RollingScene,
  instructions: readonly string[],
  complete: Complete,
): Promise<Completion | undefined> {
  const system = [SUMMARY_SYSTEM, ...instructions].join("\n\n");
  const prompt = [
    conversation(plan.archived),
    ...about(scene),
    "The messages above are about to leave the conversation. Write the summary that stands for everything before it from now on: what the earlier summary says that still holds, and what matters in these messages. Keep file paths, names and error texts exactly.",
  ].join("\n\n");
  const reply = await complete({ system, prompt, maxTokens: 4096 });
  return reply.text === "" ? undefined : { text: reply.text, usage: sumOf([reply]) };
}

function choicePrompt(offered: ReadonlyMap<string, Unit>, scene: RollingScene, target: number): string {
  const lines = [...offered].map(
    ([id, { messages }]) =>
      `- ${id}: ${serializeConversation(convertToLlm(messages)).slice(0, SHOWN_CHARACTERS).replaceAll("\n", " ")}`,
  );
  return [
    ...about(scene),
    `Messages, oldest first, each with its id:\n${lines.join("\n")}`,
    `The conversation has become too long. Choose about ${target} of these messages to leave it: those that matter least for the goals and open todos. Answer with a JSON list of their ids and nothing else.`,
  ].join("\n\n");
}

function about({ summary, goals, todos }: RollingScene): string[] {
  const part = (name: string, text: string): string[] => (text === "" ? [] : [`<${name}>\n${text}\n</${name}>`]);
  return [...part("summary", summary), ...part("goals", goals), ...part("todos", todos)];
}

/** Extracts the ids from a JSON list that other text may surround. */
function idsIn(text: string): string[] {
  try {
    const list: unknown = JSON.parse(text.slice(text.indexOf("["), text.lastIndexOf("]") + 1));
    return Array.isArray(list) ? list.filter((id) => typeof id === "string") : [];
  } catch {
    return [];
  }
}
