import type { Message } from "@hookline/runtime";
import type { Usage } from "@hookline/runtime/engine";
import { entryMessages } from "../session/context.ts";
import type { SessionEntry } from "../session/entry.ts";
import type { SessionManager } from "../session/session.ts";
import type { Complete } from "./complete.ts";
import { type FileLists, fileLists, fileOperations, listedFiles } from "./file-list.ts";
import { conversation } from "./summarise.ts";
import { BRANCH_PREAMBLE, SUMMARISE_BRANCH, SUMMARY_SYSTEM } from "./texts.ts";
import { tokensOf } from "./tokens.ts";

/** The branch of a session that is left behind when another entry becomes its current one (the leaf). */
export interface LeftBranch {
  /** The deepest entry on both the old and the new path; null if they share none. */
  readonly commonAncestorId: string | null;
  /** The entries after the common ancestor, up to and including the old leaf. */
  readonly entries: readonly SessionEntry[];
}

/** The summary of a branch with its details and usage, as the session stores them. */
export interface BranchSummary {
  readonly summary: string;
  readonly details?: FileLists;
  readonly usage?: Usage;
}

/** Finds the entries that a session leaves behind when it moves from one leaf to another. Source: spec/pi.md 1.2. */
export function leftBranch(store: SessionManager, oldLeafId: string | null, targetId: string): LeftBranch {
  if (oldLeafId === null) return { commonAncestorId: null, entries: [] };
  const old = store.getBranch(oldLeafId);
  const target = new Set(store.getBranch(targetId).map(({ id }) => id));
  const shared = old.findLastIndex(({ id }) => target.has(id));
  return { commonAncestorId: old[shared]?.id ?? null, entries: old.slice(shared + 1) };
}

/** Summarises as many of a branch's newest messages as fit into `maxTokens`. Rejects with the provider's error. */
export async function summariseBranch(
  entries: readonly SessionEntry[],
  about: {
    readonly instructions?: string | undefined;
    /** Whether the given instructions replace hookline's own. */
    readonly replace?: boolean | undefined;
    readonly maxTokens: number;
  },
  complete: Complete,
): Promise<BranchSummary> {
  const messages = newest(entries, about.maxTokens);
  if (messages.length === 0) return { summary: "No content to summarize" };
  const { instructions } = about;
  const wish =
    instructions === undefined
      ? SUMMARISE_BRANCH
      : about.replace
        ? instructions
        : `${SUMMARISE_BRANCH}\n\nAbove all: ${instructions}`;
  const reply = await complete({
    system: SUMMARY_SYSTEM,
    prompt: `${conversation(messages)}\n\n${wish}`,
    maxTokens: 4096,
  });
  const details = fileLists(fileOperations(messages));
  return { summary: BRANCH_PREAMBLE + reply.text + listedFiles(details), details, usage: reply.usage };
}

/** Returns the newest messages that fit into `maxTokens`, without tool results: the calls say enough. */
function newest(entries: readonly SessionEntry[], maxTokens: number): Message[] {
  const messages: Message[] = [];
  let tokens = 0;
  for (const entry of entries.toReversed()) {
    for (const message of entryMessages(entry).toReversed()) {
      if (message.role === "toolResult") continue;
      tokens += tokensOf(message);
      if (tokens > maxTokens && messages.length > 0) return messages;
      messages.unshift(message);
    }
  }
  return messages;
}
