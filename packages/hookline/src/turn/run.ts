import { messageOf } from "@hookline/ground";
import type { Payload } from "@hookline/runtime";
import { ask } from "../hook/ask.ts";
import { errorKind } from "../provider/error-kind.ts";
import { admit } from "./admit.ts";
import type { Run } from "./core.ts";
import type { PromptResult } from "./event.ts";
import { type FailedReply, remedyFor } from "./retry.ts";
import { sayPending } from "./say.ts";
import { turn } from "./turn.ts";

/** The outcome of one run of the loop. */
export interface RunResult {
  readonly result: PromptResult;
  /** The failed reply with which the run ended; undefined if none did. */
  readonly failed: FailedReply | undefined;
}

/** Runs turns until the model is done and no hook or queued message continues the run. */
export async function runLoop(run: Run): Promise<RunResult> {
  const { core } = run;
  run.produced = [];
  run.turnIndex = 0;
  core.tell({ type: "agent_start" });
  await ask(core, "agent.start", {});
  run.pending.push(...(await admit(run, core.queues.takeSteering())));
  const { result, failed } = await turns(run);
  if (result.kind === "answered") {
    await ask(core, "reply.final", { prompt: run.typed, finalPrompt: run.prompt, reply: result.text });
  }
  const willRetry = failed !== undefined && remedyFor(run, failed) !== undefined;
  core.tell({ type: "agent_end", messages: run.produced, willRetry });
  await ask(core, "agent.end", {
    messages: run.produced,
    aborted: result.kind === "aborted",
    ...(willRetry && { willRetry }),
    ...(result.kind === "failed" && !willRetry && { error: errorOf(result.error, failed) }),
  });
  await core.store.flush();
  return { result, failed };
}

/** Describes a failed run for hooks on `agent.end`. An error of the loop itself gets the kind `unknown`. */
function errorOf(message: string, failed: FailedReply | undefined): Payload<"agent.end">["error"] {
  return { kind: failed === undefined ? "unknown" : errorKind(failed.message), message };
}

async function turns(run: Run): Promise<RunResult> {
  try {
    for (;;) {
      const ended = run.core.halts.result;
      if (ended !== undefined) {
        await sayPending(run);
        return { result: ended, failed: undefined };
      }
      const end = await turn(run);
      if (end.go === "stop") return { result: end.result, failed: end.failed };
    }
  } catch (thrown) {
    // An error of the loop itself, such as a failure to store a message, ends the run as a provider's error does.
    return { result: { kind: "failed", error: messageOf(thrown) }, failed: undefined };
  }
}
