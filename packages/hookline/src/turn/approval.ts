import { messageOf } from "@hookline/ground";
import { type Author, type CallAnswer, mayAllow } from "@hookline/runtime/engine";
import { ask } from "../hook/ask.ts";
import { RUN_ENDED } from "../hook/halts.ts";
import type { Core } from "./core.ts";

type Args = Readonly<Record<string, unknown>>;

/** A call about which hooks want to ask the person. */
export interface Question {
  readonly toolCallId: string;
  readonly parentToolCallId?: string | undefined;
  readonly tool: string;
  readonly args: Args;
  /** The reason that the hooks give. */
  readonly reason: string | undefined;
  readonly askedBy: readonly Author[];
  /** The ids of the hooks that ask; `askedBy` has only their lanes and tiers. */
  readonly hooks?: readonly string[] | undefined;
  /** The first line of the question. */
  readonly title: string;
  readonly signal: AbortSignal;
  /** Checks changed arguments. Throws the reason if the call cannot run with them. */
  accept?(args: Args): Args;
}

/** The decision about a call. An approved call runs with the arguments `args`. */
export type Decided =
  | { readonly approved: true; readonly args: Args }
  | { readonly approved: false; readonly reason: string };

/**
 * Decides a call about which hooks ask: by other hooks if they are allowed to decide, otherwise by the person. Without
 * a person the call is refused, and no other hook is asked. Source: ruling 75.
 */
export async function decide(core: Core, question: Question): Promise<Decided> {
  const { toolCallId, tool } = question;
  const { because, by, ...decided } =
    core.approve === undefined && core.elsewhere === undefined
      ? { ...refused(question), ...NO_PERSON }
      : await decidedByAny(core, question);
  const { approved } = decided;
  core.hooks.asked(toolCallId, { answer: approved ? "allow" : "deny", by });
  await ask(core, "approval.resolved", {
    toolCallId,
    tool,
    approved,
    ...(because !== undefined && { reason: because }),
  });
  return decided;
}

/** A decision, with who made it and why, as hooks are told about it. */
type Told = Decided & { readonly because?: string; readonly by: "person" | "hook" | "nobody" };

const NO_PERSON = { because: "no interactive UI available", by: "nobody" } as const;

function refused({ reason }: Question): Decided & { readonly approved: false } {
  return { approved: false, reason: reason ?? "Tool call denied by user" };
}

async function decidedByAny(core: Core, question: Question): Promise<Told> {
  const { toolCallId, tool, args, reason, askedBy, signal } = question;
  const { answer, by = [] } = await ask(
    core,
    "approval.requested",
    { toolCallId, tool, args, askedBy: [...askedBy], ...(reason !== undefined && { reason }) },
    signal,
  );
  if (signal.aborted) return { ...refused(question), by: "nobody" };
  const ended = answer.halt !== undefined;
  core.halts.take(answer.halt);
  if (answer.decision === "deny") return byHook(answer.reason ?? "A hook denied the tool call");
  if (ended) return byHook(RUN_ENDED);
  const changed = answer.args === undefined ? undefined : await judgedAgain(core, question, answer.args);
  if (changed?.approved === false) return byHook(changed.reason);
  const given = changed?.args ?? args;
  const isAllowed = answer.decision === "allow" && mayAllow(by, askedBy) && changed?.isAsked !== true;
  if (isAllowed) return { approved: true, args: given, by: "hook" };
  const said = await asked(core, question, given);
  if (said === undefined) return { ...refused(question), because: "nobody answered", by: "nobody" };
  const edited = said.approved && said.args !== undefined ? await judgedAgain(core, question, said.args) : undefined;
  if (edited?.approved === false) return { ...edited, by: "person" };
  if (said.approved) return { approved: true, args: edited?.args ?? given, by: "person" };
  return { approved: false, reason: said.reason ?? refused(question).reason, by: "person" };
}

function byHook(reason: string): Told {
  return { approved: false, reason, because: reason, by: "hook" };
}

/** Asks all guards about a call that was changed during its approval. They may refuse it or ask, but not change it. */
async function judgedAgain(
  core: Core,
  { toolCallId, parentToolCallId, tool, signal, accept }: Question,
  wanted: Args,
): Promise<
  { readonly approved: true; readonly args: Args; readonly isAsked: boolean } | (Decided & { approved: false })
> {
  let args: Args;
  try {
    args = accept?.(wanted) ?? wanted;
  } catch (thrown) {
    return {
      approved: false,
      reason: `The call was changed, and the changed call cannot run: ${messageOf(thrown)}`,
    };
  }
  const call = { toolCallId, ...(parentToolCallId !== undefined && { parentToolCallId }), tool, args };
  const { answer, edits } = await ask(core, "tool.before", call, signal, accept);
  core.halts.take(answer.halt);
  if (answer.decision === "deny") return { approved: false, reason: answer.reason ?? "Tool execution was blocked" };
  if (answer.halt !== undefined) return { approved: false, reason: RUN_ENDED };
  if (edits.length > 0)
    return {
      approved: false,
      reason: "The call was changed while it was approved, and a hook would change it again",
    };
  return { approved: true, args, isAsked: answer.decision === "ask" };
}

/** Returns the first answer, from the person here or at another machine; undefined if nobody answers in time. */
async function asked(
  core: Core,
  { tool, title, reason, hooks, signal }: Question,
  args: Args,
): Promise<CallAnswer | undefined> {
  const over = new AbortController();
  const both = AbortSignal.any([signal, over.signal]);
  const text = [reason ?? "", JSON.stringify(args, null, 2)].join("\n").trim();
  const here = core.approve?.(title, text, args, both);
  const there = core.elsewhere?.({ tool, args, reason, hooks }, both).catch(() => undefined);
  try {
    // If nobody at another machine answers, the person here still decides.
    return await Promise.race([here, there?.then((said) => said ?? here)].filter((one) => one !== undefined));
  } finally {
    over.abort();
    here?.catch(() => undefined);
  }
}
