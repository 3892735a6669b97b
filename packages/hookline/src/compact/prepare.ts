import type { Message } from "@hookline/runtime";
import type { SessionProjection } from "../session/context.ts";
import { findCut } from "./cut.ts";
import { type FileOperations, fileOperations } from "./file-list.ts";
import type { CompactionSettings } from "./settings.ts";

/** The plan of a compaction, which hooks see before it runs. Source: spec/pi.md 1.2, spec/omp.md 4.1. */
export interface Preparation {
  /** The id of the first entry that is kept. */
  readonly firstKeptEntryId: string;
  readonly messagesToSummarize: readonly Message[];
  /** The beginning of the turn that the cut divides; empty if no turn is divided. */
  readonly turnPrefixMessages: readonly Message[];
  readonly recentMessages: readonly Message[];
  readonly isSplitTurn: boolean;
  readonly tokensBefore: number;
  readonly previousSummary?: string;
  readonly previousPreserveData?: Readonly<Record<string, unknown>>;
  readonly fileOps: FileOperations;
  readonly settings: CompactionSettings;
}

/** Plans a compaction that keeps about `keep` tokens; undefined if there is nothing to summarise. */
export function prepareCompaction(
  { entries }: SessionProjection,
  about: { readonly keep: number; readonly tokensBefore: number; readonly settings: CompactionSettings },
): Preparation | undefined {
  const head = entries[0]?.sourceEntry;
  const previous = head?.type === "compaction" ? head : undefined;
  const from = previous === undefined ? 0 : 1;
  const cut = findCut(entries, from, about.keep);
  const kept = cut && entries[cut.first];
  if (cut === undefined || kept === undefined) return undefined;
  const between = (start: number, end: number): Message[] =>
    entries.slice(start, end).flatMap(({ messages }) => messages);
  const messagesToSummarize = between(from, cut.turn ?? cut.first);
  const turnPrefixMessages = cut.turn === undefined ? [] : between(cut.turn, cut.first);
  if (messagesToSummarize.length === 0 && turnPrefixMessages.length === 0) return undefined;
  return {
    firstKeptEntryId: kept.sourceEntry.id,
    messagesToSummarize,
    turnPrefixMessages,
    recentMessages: between(cut.first, entries.length),
    isSplitTurn: cut.turn !== undefined,
    tokensBefore: about.tokensBefore,
    ...(previous !== undefined && previous.summary !== "" && { previousSummary: previous.summary }),
    ...(previous?.preserveData !== undefined && { previousPreserveData: previous.preserveData }),
    fileOps: fileOperations(
      [...messagesToSummarize, ...turnPrefixMessages],
      previous?.fromHook ? undefined : previous?.details,
    ),
    settings: about.settings,
  };
}
