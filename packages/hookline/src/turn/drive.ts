import { keepWithinLimit } from "../compact/limit.ts";
import { ask } from "../hook/ask.ts";
import { tellDropped } from "../hook/context.ts";
import { admit } from "./admit.ts";
import { boundaryContext, canContinue, storeDrafts } from "./boundary.ts";
import type { Core, Run } from "./core.ts";
import type { PromptResult } from "./event.ts";
import { mayRetry } from "./feedback.ts";
import { appendHeld } from "./held.ts";
import { TOO_MANY_TURNS } from "./hook-turns.ts";
import { endRetries, recover } from "./retry.ts";
import { runLoop } from "./run.ts";

const OUTCOMES: Readonly<Partial<Record<PromptResult["kind"], "aborted" | "error">>> = {
  aborted: "aborted",
  failed: "error",
};

/**
 * Runs a prompt to its end, after hooks have let it through. Repeats the loop after transient errors and an overlong
 * context, and while messages are queued or a hook wants more.
 */
export async function drive(run: Run): Promise<PromptResult> {
  const result = await driven(run);
  tellDropped(run.core, run.nextContext.splice(0));
  return result;
}

async function driven(run: Run): Promise<PromptResult> {
  const { core } = run;
  for (;;) {
    const { result, failed } = await runLoop(run);
    if (failed !== undefined) {
      if (await recover(run, failed)) continue;
      await endRetries(run, false, failed.message.errorMessage);
    }
    let final: PromptResult = run.signal.aborted ? { kind: "aborted" } : result;
    if (final.kind === "answered" && run.mayCompact) run.mayCompact = await keepWithinLimit(core, run.signal);
    if (final.kind === "answered") {
      const more = await takeWaiting(run);
      if (more === "go") continue;
      if (more === "over") final = TOO_MANY_TURNS;
    }
    if (final.kind !== "aborted") final = core.halts.result ?? final;
    if (!(await wantsMore(run, final))) return final;
  }
}

/**
 * Takes queued messages at the end of a run and asks hooks about them. "over" means that hooks may start no more turns.
 */
async function takeWaiting(run: Run): Promise<"none" | "go" | "over"> {
  const { core } = run;
  while (core.queues.pending && !core.halts.hasEnded) {
    const messages = core.queues.takeNext();
    const admitted = await admit(run, messages);
    if (admitted.length === 0) continue;
    if (!core.hookTurns.mayStart(core, messages)) return "over";
    run.pending.push(...admitted);
    return "go";
  }
  return "none";
}

/** Asks hooks on `agent.before-settle` whether to run again; they may add entries too. Skipped after an abort. */
async function wantsMore(run: Run, { kind }: PromptResult): Promise<boolean> {
  const { core } = run;
  if (kind === "aborted") return false;
  const { answer, said } = await ask(core, "agent.before-settle", {
    entries: [],
    continue: false,
    canContinue: canContinue(core),
    outcome: OUTCOMES[kind] ?? "completed",
    ...(core.hooks.listens("agent.before-settle") && { context: boundaryContext(core) }),
  });
  storeDrafts(core, answer.entries);
  appendHeld(core);
  return answer.continue === true && kind === "answered" && canContinue(core) && mayRetry(run, said, "continue");
}

/** Runs a prompt as one operation for telemetry. */
export async function watchPrompt(
  { hooks, model }: Pick<Core, "hooks" | "model">,
  run: () => Promise<PromptResult>,
): Promise<PromptResult> {
  const operation = hooks.operation({ kind: "prompt", provider: model.provider, model: model.id });
  try {
    const result = await operation.within(run);
    operation.end(result.kind === "failed" || result.kind === "aborted" ? { error: result.kind } : {});
    return result;
  } finally {
    operation.close();
  }
}
