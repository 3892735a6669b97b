import { setImmediate as turned } from "node:timers/promises";
import { textOf } from "@hookline/runtime";
import type {
  AssistantMessage,
  LaneAnswer,
  Operation,
  OperationContent,
  ToolResultMessage,
} from "@hookline/runtime/engine";
import { ask } from "../hook/ask.ts";
import type { Answered } from "../hook/author.ts";
import { watchRequest } from "../hook/watch.ts";
import { invalidArguments, refusedCalls } from "../provider/provider.ts";
import { INJECTION, interruption, ruleNote } from "../rule/injection.ts";
import { judged } from "../rule/judge.ts";
import { feedbackMessage } from "./admit.ts";
import { discard, handOver, judgeEnded } from "./answer.ts";
import { runBatch } from "./batch.ts";
import { boundaryContext, storeDrafts } from "./boundary.ts";
import type { Core, Run } from "./core.ts";
import type { PromptResult } from "./event.ts";
import { mayRetry } from "./feedback.ts";
import { appendHeld } from "./held.ts";
import { recordTools } from "./loadout.ts";
import { next } from "./next.ts";
import { type Prepared, prepareRequest } from "./request.ts";
import { endRetries, type FailedReply } from "./retry.ts";
import { review } from "./review.ts";
import { begin, conclude, ended, sayPending } from "./say.ts";
import { armedRules, type Streamed, stream } from "./stream.ts";

type Ready = Extract<Prepared, { readonly kind: "ready" }>;

/** The step after a turn: the loop continues, or stops with a result. */
export type TurnEnd =
  | { readonly go: "on" }
  | { readonly go: "stop"; readonly result: PromptResult; readonly failed?: FailedReply };

/** Runs one turn: a request to the model, its reply, and the tool calls in it. */
export async function turn(run: Run): Promise<TurnEnd> {
  const { core } = run;
  await breathe();
  // If the run was aborted meanwhile, its queued messages are stored and no further turn starts.
  if (run.signal.aborted) {
    await sayPending(run);
    return { go: "stop", result: { kind: "aborted" } };
  }
  core.tell({ type: "turn_start" });
  await ask(core, "turn.start", { turnIndex: run.turnIndex, timestamp: Date.now() });
  recordTools(core);
  run.pending.unshift(...core.queues.takeContext());
  await sayPending(run);
  if (run.signal.aborted) return { go: "stop", result: { kind: "aborted" } };
  const prepared = await prepareRequest(run);
  if (prepared.kind === "stopped") {
    if (run.signal.aborted) return { go: "stop", result: { kind: "aborted" } };
    // This turn ends without a `turn.end`, since it has no reply. The next turn needs its own number.
    run.turnIndex += 1;
    const { feedback, by } = prepared;
    return sentBack(run, feedback, by.hooks, "A hook stopped the request.", () => mayRetry(run, by.said));
  }
  run.offered = prepared.request.tools.map(({ name }) => name);
  const operation = watchRequest(core.hooks, prepared.request);
  try {
    return await answered(run, prepared, operation);
  } finally {
    operation.close();
  }
}

/** Sends a request, lets hooks judge the reply, and runs its tool calls. */
async function answered(run: Run, prepared: Ready, operation: Operation): Promise<TurnEnd> {
  const { core } = run;
  const streamed = await stream(run, prepared.request, operation);
  if (streamed.stoppedBy !== undefined) return stoppedByRule(run, streamed);
  const read = await review(run, withOwnNames(core, streamed.message));
  if (read.discarded) {
    await endTurn(run, discard(run, await ended(run, read.reply)), []);
    // The retry was already counted in `review`.
    return sentBack(run, read.feedback, read.hooks, "A hook discarded the reply.", () => true);
  }
  const judged = await handOver(run, await ended(run, read.reply));
  let { reply } = judged;
  if (judged.stopped !== undefined) {
    await endTurn(run, reply, []);
    return { go: "stop", result: { kind: "stopped", reason: judged.stopped } };
  }
  // With hooks on `model.wire`, telemetry does not get the request: they may still remove secrets from it.
  if (operation.wantsContent && !core.hooks.has("model.wire")) operation.content(inputOf(prepared.request));
  if (operation.wantsContent) operation.content({ output: [reply] });
  const entryId = core.store.getLeafId();
  const failed = reply.stopReason === "error" || reply.stopReason === "aborted";
  if (!failed) await endRetries(run, true);
  const calls = !failed && reply.content.some((block) => block.type === "toolCall");
  const results: ToolResultMessage[] = [];
  const resultIds: string[] = [];
  let terminate = false;
  if (calls) {
    terminate = await runBatch(run, reply, {
      hidden: prepared.hidden,
      invalid: invalidArguments(streamed.message),
      refused: refusedCalls(streamed.message),
      reminders: streamed.reminders,
      async keep(result) {
        await begin(run, result);
        results.push((await conclude(run, result)) as ToolResultMessage);
        resultIds.push(core.store.getLeafId() ?? "");
      },
    });
  }
  if (!failed) await tellRules(run, streamed, reply);
  const wishes = await endTurn(run, reply, results, {
    messageEntryId: entryId ?? "",
    toolResultEntryIds: resultIds,
  });
  if (terminate) {
    const last = await judgeEnded(run, reply);
    if (last.stopped !== undefined) return { go: "stop", result: { kind: "stopped", reason: last.stopped } };
    reply = last.reply;
  }
  return next(run, { reply, entryId, more: calls && !terminate, wishes });
}

function inputOf({ systemPrompt, messages }: Ready["request"]): OperationContent {
  return { system: systemPrompt, input: messages };
}

/** Ends the turn; returns the answers of hooks that want another request. */
async function endTurn(
  run: Run,
  message: AssistantMessage,
  toolResults: readonly ToolResultMessage[],
  stored: { readonly messageEntryId?: string; readonly toolResultEntryIds?: readonly string[] } = {},
): Promise<readonly LaneAnswer[]> {
  const { core } = run;
  core.tell({ type: "turn_end", message, toolResults });
  const { answer, said } = await ask(core, "turn.end", {
    turnIndex: run.turnIndex,
    message,
    toolResults,
    ...stored,
    entries: [],
    continue: false,
    ...(core.hooks.listens("turn.end") && { context: boundaryContext(core) }),
  });
  run.turnIndex += 1;
  core.halts.take(answer.halt);
  storeDrafts(core, answer.entries);
  appendHeld(core);
  // The disk sync runs while the model answers. The next tool call waits for it.
  void core.store.flush();
  return answer.continue ? said : [];
}

function sentBack(
  run: Run,
  feedback: string | undefined,
  hooks: readonly Answered[],
  reason: string,
  may: () => boolean,
): TurnEnd {
  if (feedback === undefined || !may()) return { go: "stop", result: { kind: "stopped", reason } };
  run.pending.push(feedbackMessage(run, feedback, hooks));
  return { go: "on" };
}

/** Ends a turn that a stream rule has stopped: the model gets the rule and starts again. Source: spec/omp.md 4.4. */
async function stoppedByRule(run: Run, { message, stoppedBy }: Streamed): Promise<TurnEnd> {
  const { core } = run;
  const rules = stoppedBy?.rules ?? [];
  await ask(core, "rule.triggered", { rules: rules.map((rule) => ({ ...rule })) });
  const keeps = core.settings.rules.contextMode === "keep" && message.content.length > 0;
  const reply = keeps
    ? (await handOver(run, await ended(run, { ...message, stopReason: "stop" }))).reply
    : discard(run, await ended(run, message));
  await endTurn(run, reply, []);
  run.pending.push(interruption(rules));
  return { go: "on" };
}

/** Reports stream rules that matched without stopping the reply. Asks a model about rules that are questions. */
async function tellRules(run: Run, { reminders, later }: Streamed, reply: AssistantMessage): Promise<void> {
  const { core, signal } = run;
  const withResults = [...new Set([...reminders.values()].flat())];
  if (withResults.length > 0) {
    core.store.appendCustomEntry(INJECTION, { rules: withResults.map(({ name }) => name) });
    await ask(core, "rule.triggered", { rules: withResults.map((rule) => ({ ...rule })) });
  }
  if (later.length > 0) core.queues.followUp(ruleNote(later));
  const questions = armedRules(run).filter(({ rule }) => rule.question !== undefined && !later.includes(rule));
  if (questions.length === 0) return;
  const broken = await judged(questions, textOf(reply.content), core.llm, signal);
  if (broken.length === 0) return;
  await ask(core, "rule.triggered", { rules: broken.map((rule) => ({ ...rule })) });
  core.queues.steer(ruleNote(broken));
}

/** Replaces aliases in a reply's calls by the tools' own names. */
function withOwnNames({ tools }: Pick<Core, "tools">, reply: AssistantMessage): AssistantMessage {
  const known = tools();
  const strange = reply.content.some((block) => block.type === "toolCall" && !known.has(block.name));
  if (!strange) return reply;
  const own = new Map([...known].flatMap(([name, { tool }]) => (tool.aliases ?? []).map((alias) => [alias, name])));
  const content = reply.content.map((block) =>
    block.type === "toolCall" && !known.has(block.name) ? { ...block, name: own.get(block.name) ?? block.name } : block,
  );
  return { ...reply, content };
}

/** How long turns may run without a pause for signals, timers and sockets, in ms. */
const LONGEST_MS = 50;

let lastAt = 0;

/**
 * Lets the process handle signals, timers and sockets after turns have run for a while without a pause. A scripted
 * model and tools without input or output never wait, so they would block these as long as the loop runs.
 */
async function breathe(): Promise<void> {
  const now = performance.now();
  if (now - lastAt < LONGEST_MS) return;
  lastAt = now;
  await turned();
}
