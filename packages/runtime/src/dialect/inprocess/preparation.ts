import type { Payload } from "../../catalog/catalog.ts";

/** What a gate is told of a compaction that the host has not prepared in pi's form. */
export function barePreparation({ messages, summary }: Payload<"compact.before">): object {
  return {
    firstKeptEntryId: "",
    messagesToSummarize: messages,
    turnPrefixMessages: [],
    isSplitTurn: false,
    tokensBefore: 0,
    ...(summary !== "" && { previousSummary: summary }),
    fileOps: { read: new Set(), written: new Set(), edited: new Set() },
    settings: {},
  };
}
