import type { Message } from "@hookline/runtime";
import type { Usage } from "@hookline/runtime/engine";
import { convertToLlm, serializeConversation } from "../session/to-llm.ts";
import type { Complete, Completion } from "./complete.ts";
import { type FileLists, fileLists, listedFiles } from "./file-list.ts";
import type { Preparation } from "./prepare.ts";
import { SUMMARISE, SUMMARISE_AGAIN, SUMMARISE_TURN, SUMMARY_SYSTEM } from "./texts.ts";

/** The wishes of hooks and the person for a summary. */
export interface SummaryWishes {
  /** The text that the person typed after `/compact`. */
  readonly focus?: string | undefined;
  /** The text of the request for a summary, instead of hookline's own. */
  readonly prompt?: string | undefined;
  /** Lines that the summary must take into account. */
  readonly context?: readonly string[] | undefined;
  /** Texts that are appended to the system prompt of the request. */
  readonly system?: readonly string[] | undefined;
}

/** A summary that a model has written. */
export interface Summary {
  readonly text: string;
  readonly usage: Usage;
  readonly details: FileLists;
}

/** Summarises the messages of a prepared compaction. Rejects with the provider's error. */
export async function summarise(preparation: Preparation, wishes: SummaryWishes, complete: Complete): Promise<Summary> {
  const { messagesToSummarize, turnPrefixMessages, previousSummary, settings } = preparation;
  const system = [SUMMARY_SYSTEM, ...(wishes.system ?? [])].join("\n\n");
  const replies: Completion[] = [];
  const ask = async (messages: readonly Message[], share: number, parts: readonly string[]): Promise<string> => {
    const maxTokens = Math.max(512, Math.floor(settings.reserveTokens * share));
    const reply = await complete({ system, prompt: [conversation(messages), ...parts].join("\n\n"), maxTokens });
    replies.push(reply);
    return reply.text;
  };
  let text = previousSummary ?? "";
  if (messagesToSummarize.length > 0) {
    const base = wishes.prompt ?? (previousSummary === undefined ? SUMMARISE : SUMMARISE_AGAIN);
    text = await ask(messagesToSummarize, 0.8, [
      ...(previousSummary === undefined ? [] : [`<previous-summary>\n${previousSummary}\n</previous-summary>`]),
      ...additional(wishes.context),
      wishes.focus ? `${base}\n\nAbove all: ${wishes.focus}` : base,
    ]);
  }
  if (turnPrefixMessages.length > 0) {
    const prefix = await ask(turnPrefixMessages, 0.5, [...additional(wishes.context), SUMMARISE_TURN]);
    text = text === "" ? prefix : `${text}\n\n---\n\n**The turn that goes on below:**\n\n${prefix}`;
  }
  const details = fileLists(preparation.fileOps);
  return { text: text + listedFiles(details), usage: sumOf(replies), details };
}

/** Formats messages as one text between `<conversation>` tags. */
export function conversation(messages: readonly Message[]): string {
  return `<conversation>\n${serializeConversation(convertToLlm(messages))}\n</conversation>`;
}

/** Adds up the usage of several replies. */
export function sumOf(replies: readonly Completion[]): Usage {
  const sum = (pick: (usage: Usage) => number): number => replies.reduce((total, { usage }) => total + pick(usage), 0);
  return {
    input: sum((usage) => usage.input),
    output: sum((usage) => usage.output),
    cacheRead: sum((usage) => usage.cacheRead),
    cacheWrite: sum((usage) => usage.cacheWrite),
    totalTokens: sum((usage) => usage.totalTokens),
    cost: {
      input: sum(({ cost }) => cost.input),
      output: sum(({ cost }) => cost.output),
      cacheRead: sum(({ cost }) => cost.cacheRead),
      cacheWrite: sum(({ cost }) => cost.cacheWrite),
      total: sum(({ cost }) => cost.total),
    },
  };
}

function additional(lines: readonly string[] | undefined): string[] {
  return lines === undefined || lines.length === 0
    ? []
    : [`<additional-context>\n${lines.map((line) => `- ${line}`).join("\n")}\n</additional-context>`];
}
