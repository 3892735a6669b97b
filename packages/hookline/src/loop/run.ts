import { type AssistantMessage, type ToolResultMessage, textOf } from "@hookline/runtime";
import { runBatch } from "./batch.ts";
import { ask, type Run } from "./core.ts";
import type { PromptResult } from "./event.ts";
import { feedbackMessage, mayRetry } from "./feedback.ts";
import { prepareRequest } from "./request.ts";
import { streamWithRetry } from "./retry.ts";
import { begin, conclude, say } from "./say.ts";

type TurnEnd = { readonly go: "on" } | { readonly go: "stop"; readonly result: PromptResult };

/** Runs turns until the model has nothing more to do, and nobody wants it to go on. */
export async function runLoop(run: Run): Promise<PromptResult> {
  const { core } = run;
  core.tell({ type: "agent_start" });
  await ask(core, "agent.start", {});
  run.pending.push(...core.queues.takeSteering());
  let result: PromptResult;
  for (;;) {
    const end = await turn(run);
    if (end.go === "stop") {
      result = end.result;
      break;
    }
  }
  if (result.kind === "answered") {
    await ask(core, "reply.final", { prompt: run.typed, finalPrompt: run.prompt, reply: result.text });
  }
  core.tell({ type: "agent_end", messages: run.produced });
  await ask(core, "agent.end", { messages: run.produced, aborted: result.kind === "aborted" });
  core.store.flush();
  return result;
}

async function turn(run: Run): Promise<TurnEnd> {
  const { core } = run;
  core.tell({ type: "turn_start" });
  await ask(core, "turn.start", { turnIndex: run.turnIndex, timestamp: Date.now() });
  for (const message of run.pending.splice(0)) await say(run, message);
  const prepared = await prepareRequest(run);
  if (prepared.kind === "stopped") {
    // A stopped request has no reply, so nothing ends but the turn that hooks saw begin.
    run.turnIndex += 1;
    if (prepared.feedback !== undefined && mayRetry(run)) {
      run.pending.push(feedbackMessage(prepared.feedback, Date.now()));
      return { go: "on" };
    }
    return { go: "stop", result: { kind: "stopped", reason: "A hook stopped the request." } };
  }
  const streamed = await streamWithRetry(run, prepared.request);
  const read = await review(run, streamed);
  if (read.discarded) {
    await endTurn(run, (await conclude(run, read.reply, "forget")) as AssistantMessage, []);
    if (read.feedback === undefined)
      return { go: "stop", result: { kind: "stopped", reason: "A hook discarded the reply." } };
    run.pending.push(feedbackMessage(read.feedback, Date.now()));
    return { go: "on" };
  }
  const reply = (await conclude(run, read.reply)) as AssistantMessage;
  const failed = reply.stopReason === "error" || reply.stopReason === "aborted";
  const calls = !failed && reply.content.some((block) => block.type === "toolCall");
  const results: ToolResultMessage[] = [];
  let terminate = false;
  if (calls) {
    const batch = await runBatch(run, reply, prepared.hidden);
    for (const message of batch.results) {
      await begin(run, message);
      results.push((await conclude(run, message)) as ToolResultMessage);
    }
    terminate = batch.terminate;
  }
  await endTurn(run, reply, results);
  return next(run, reply, calls && !terminate);
}

async function endTurn(run: Run, message: AssistantMessage, toolResults: readonly ToolResultMessage[]): Promise<void> {
  const { core } = run;
  core.tell({ type: "turn_end", message, toolResults });
  await ask(core, "turn.end", { turnIndex: run.turnIndex, message, toolResults });
  run.turnIndex += 1;
}

/** Lets hooks judge a complete reply before its calls run and before it counts. */
async function review(
  run: Run,
  reply: AssistantMessage,
): Promise<{ reply: AssistantMessage; discarded: boolean; feedback: string | undefined }> {
  const { core, signal } = run;
  if (reply.stopReason === "error" || reply.stopReason === "aborted")
    return { reply, discarded: false, feedback: undefined };
  const text = textOf(reply.content);
  const { answer } = await ask(core, "model.response", { text, model: core.model.id }, signal);
  if (answer.stop) {
    if (answer.feedback !== undefined && !mayRetry(run)) return { reply, discarded: false, feedback: undefined };
    const { content, ...rest } = reply;
    return {
      reply: { ...rest, content: content.filter((block) => block.type !== "toolCall"), stopReason: "aborted" },
      discarded: true,
      feedback: answer.feedback,
    };
  }
  if (answer.text === undefined || answer.text === text) return { reply, discarded: false, feedback: undefined };
  const rest = reply.content.filter((block) => block.type !== "text");
  const at = reply.content.findIndex((block) => block.type === "text");
  const content: AssistantMessage["content"][number][] = [...rest];
  content.splice(at < 0 ? 0 : reply.content.slice(0, at).filter((block) => block.type !== "text").length, 0, {
    type: "text",
    text: answer.text,
  });
  return { reply: { ...reply, content }, discarded: false, feedback: undefined };
}

/** Decides what comes after a turn: tools and queued messages go on; otherwise the stop hooks are asked. */
async function next(run: Run, reply: AssistantMessage, more: boolean): Promise<TurnEnd> {
  const { core, signal } = run;
  if (reply.stopReason === "aborted" || signal.aborted) return { go: "stop", result: { kind: "aborted" } };
  if (reply.stopReason === "error")
    return {
      go: "stop",
      result: { kind: "failed", error: reply.errorMessage ?? "The provider gave an error without a text." },
    };
  const steering = core.queues.takeSteering();
  run.pending.push(...steering);
  if (more || steering.length > 0) return { go: "on" };
  const followUps = core.queues.takeFollowUps();
  run.pending.push(...followUps);
  if (followUps.length > 0) return { go: "on" };
  const text = textOf(reply.content);
  const { answer } = await ask(
    core,
    "agent.stop",
    {
      prompt: run.prompt,
      reply: text,
      messages: core.store.buildSessionContext().messages,
      retryCount: run.feedback,
      stopHookActive: run.feedback > 0,
    },
    signal,
  );
  if (signal.aborted) return { go: "stop", result: { kind: "aborted" } };
  const feedback = answer.feedback?.join("\n\n");
  if (answer.stop) {
    core.tell({ type: "notice", level: "warning", text: "A hook ended the turn." });
    return { go: "stop", result: { kind: "answered", message: reply, text } };
  }
  if (feedback !== undefined && mayRetry(run)) {
    run.nextContext.push(...(answer.additionalContext ?? []));
    run.pending.push(feedbackMessage(feedback, Date.now()));
    return { go: "on" };
  }
  return { go: "stop", result: { kind: "answered", message: reply, text } };
}
