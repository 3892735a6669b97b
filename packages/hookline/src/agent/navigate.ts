import { type BranchSummary, leftBranch, summariseBranch } from "../compact/branch-summary.ts";
import { completing } from "../compact/complete.ts";
import { ask } from "../hook/ask.ts";
import type { SessionEntry } from "../session/entry.ts";
import { treeLanding } from "../session/fork.ts";
import { recordedTools } from "../turn/loadout.ts";
import type { Agent } from "./agent.ts";

/** Options of a move in the session's tree. It can summarize the abandoned branch and label the new position. */
export interface NavigateOptions {
  /** Whether to summarize the abandoned branch. */
  readonly summarize?: boolean | undefined;
  readonly customInstructions?: string | undefined;
  readonly replaceInstructions?: boolean | undefined;
  readonly label?: string | undefined;
}

/** The result of a move in the session's tree. `text`: the message before which the session now is, to be edited. */
export interface Navigated {
  readonly cancelled: boolean;
  readonly text?: string;
  readonly summaryEntry?: SessionEntry;
}

/** Moves to another entry of the session's tree, unless a hook cancels it. Source: spec/pi.md 1.2, 6, "Tree ops". */
export async function navigateTree(agent: Agent, targetId: string, options: NavigateOptions = {}): Promise<Navigated> {
  if (!agent.isIdle) throw new Error("Wait for the current response to finish before navigating the session tree.");
  return agent.occupy((signal) => move(agent, targetId, options, signal));
}

async function move(agent: Agent, targetId: string, options: NavigateOptions, signal: AbortSignal): Promise<Navigated> {
  const { core } = agent;
  const { store } = core;
  const oldLeafId = store.getLeafId();
  if (targetId === oldLeafId) return { cancelled: false };
  const target = store.getEntry(targetId);
  if (target === undefined) throw new Error(`Entry ${targetId} not found`);
  const left = leftBranch(store, oldLeafId, targetId);
  const { customInstructions, replaceInstructions, label } = options;
  const userWantsSummary = options.summarize ?? false;
  const { answer } = await ask(
    core,
    "session.before-tree",
    {
      preparation: {
        targetId,
        oldLeafId,
        commonAncestorId: left.commonAncestorId,
        entriesToSummarize: left.entries,
        userWantsSummary,
        customInstructions,
        replaceInstructions,
        label,
      },
      signal,
    },
    signal,
  );
  if (answer.cancel || signal.aborted) return { cancelled: true };
  const supplied = userWantsSummary ? (answer.summary as BranchSummary | undefined) : undefined;
  let summary = supplied;
  if (userWantsSummary && supplied === undefined && left.entries.length > 0) {
    const wishes = {
      instructions: answer.customInstructions ?? customInstructions,
      replace: answer.replaceInstructions ?? replaceInstructions,
      maxTokens: Math.max(1000, core.model.contextWindow - core.settings.compaction.reserveTokens),
    };
    summary = await summariseBranch(left.entries, wishes, completing(core, signal)).catch((thrown: unknown) => {
      if (signal.aborted) return undefined;
      throw thrown;
    });
    if (summary === undefined) return { cancelled: true };
  }
  const landing = treeLanding(target);
  const summaryEntry = land(agent, landing.leafId, summary, supplied !== undefined);
  agent.setActiveTools(recordedTools(store));
  const newLabel = answer.label ?? label;
  if (newLabel !== undefined) store.appendLabelChange(summaryEntry?.id ?? targetId, newLabel);
  const newLeafId = store.getLeafId();
  await ask(core, "session.tree", {
    newLeafId,
    oldLeafId,
    ...(summaryEntry !== undefined && { summaryEntry: { ...summaryEntry }, fromExtension: supplied !== undefined }),
  });
  core.tell({ type: "tree_changed", leafId: newLeafId });
  return {
    cancelled: false,
    ...(landing.text !== undefined && { text: landing.text }),
    ...(summaryEntry !== undefined && { summaryEntry }),
  };
}

/** Moves the session to another leaf; returns the entry of the branch summary, if there is one. */
function land(
  { core: { store } }: Agent,
  leafId: string | null,
  summary: BranchSummary | undefined,
  fromHook: boolean,
): SessionEntry | undefined {
  if (summary === undefined) {
    if (leafId === null) store.resetLeaf();
    else store.branch(leafId);
    return undefined;
  }
  const { summary: text, details, usage } = summary;
  const id = store.branchWithSummary(leafId, text, details, fromHook ? true : undefined, usage);
  return store.getEntry(id);
}
