import { type Message, textOf } from "@hookline/runtime";
import type { AssistantMessage, Folded, LaneAnswer } from "@hookline/runtime/engine";
import { keepWithinLimit } from "../compact/limit.ts";
import { ask } from "../hook/ask.ts";
import { waitingTexts } from "../hook/context.ts";
import { asksThePerson, todoReminder } from "../todo/reminder.ts";
import { openTodos, TODO_TOOL, todosOf } from "../todo/todo.ts";
import { admit, feedbackMessage } from "./admit.ts";
import { canContinue } from "./boundary.ts";
import type { Run } from "./core.ts";
import { mayRetry, ownLimit } from "./feedback.ts";
import { TOO_MANY_TURNS } from "./hook-turns.ts";
import type { TurnEnd } from "./turn.ts";

/** A finished turn. */
export interface Finished {
  readonly reply: AssistantMessage;
  readonly entryId: string | null;
  /** Whether the model has not seen the results of the turn's calls yet. */
  readonly more: boolean;
  /** Answers of hooks on `turn.end`, which may want another request. */
  readonly wishes: readonly LaneAnswer[];
}

/** Sends the loop back to its start, where it sees that a hook ended the run, stores waiting messages and stops. */
const ENDED: TurnEnd = { go: "on" };

/**
 * Decides what follows a turn. Tool results and queued messages continue the run. If there are none, hooks are asked
 * whether the run may end.
 */
export async function next(run: Run, turn: Finished): Promise<TurnEnd> {
  const { core, signal } = run;
  const { reply } = turn;
  if (reply.stopReason === "aborted" || signal.aborted) return { go: "stop", result: { kind: "aborted" } };
  if (core.halts.hasEnded) return ENDED;
  if (reply.stopReason === "error") {
    const error = reply.errorMessage ?? "The provider gave an error without a text.";
    const failed = { message: reply, entryId: turn.entryId };
    return { go: "stop", result: { kind: "failed", error }, failed };
  }
  const steering = core.queues.takeSteering();
  const admitted = await admit(run, steering);
  run.pending.push(...admitted);
  if (core.halts.hasEnded) return ENDED;
  if (turn.more) return goOn(run);
  if (admitted.length > 0) return goOnFor(run, steering);
  if (canContinue(core) && mayRetry(run, turn.wishes, "continue")) return goOn(run);
  const followUps = core.queues.takeFollowUps();
  const following = await admit(run, followUps);
  run.pending.push(...following);
  if (core.halts.hasEnded) return ENDED;
  if (following.length > 0) return goOnFor(run, followUps);
  // If a hook has stopped the queued message, the next one gets its turn.
  return followUps.length > 0 ? next(run, { ...turn, wishes: [] }) : atTheEnd(run, reply);
}

/** Ends the run, unless a hook on `agent.stop` objects or the model is reminded of open todos. */
async function atTheEnd(run: Run, reply: AssistantMessage): Promise<TurnEnd> {
  const { core, signal } = run;
  const text = textOf(reply.content);
  const answered = { go: "stop", result: { kind: "answered", message: reply, text } } as const;
  const event = core.scene.agentId === undefined ? "agent.stop" : "agent.done";
  const { answer, said, hooks } = await ask(
    core,
    event,
    {
      prompt: run.prompt,
      reply: text,
      messages: core.store.buildSessionContext().messages,
      retryCount: run.retries.count,
      stopHookActive: run.retries.any,
      cap: ownLimit(core.settings),
    },
    signal,
  );
  if (signal.aborted) {
    const { feedback = [], additionalContext = [] }: Folded<"agent.stop"> = answer;
    run.nextContext.push(...waitingTexts(event, [...feedback, ...additionalContext], hooks));
    return { go: "stop", result: { kind: "aborted" } };
  }
  if (answer.stop) {
    core.tell({ type: "notice", level: "warning", text: "A hook ended the turn." });
    return answered;
  }
  if (answer.feedback !== undefined) {
    const wishes = said.flatMap(({ lane, answer }) => (answer["feedback"] === undefined ? [] : [lane]));
    const heard = run.retries.grant(run, wishes);
    if (heard.size === 0) return answered;
    const texts = (field: "feedback" | "additionalContext"): string[] =>
      said.flatMap(({ lane, answer }) =>
        heard.has(lane) || !wishes.includes(lane) ? ((answer[field] as string | undefined) ?? []) : [],
      );
    run.nextContext.push(...waitingTexts(event, texts("additionalContext"), hooks));
    run.pending.push(feedbackMessage(run, texts("feedback").join("\n\n"), hooks));
    return goOn(run);
  }
  return (await remind(run, text)) ? goOn(run) : answered;
}

/** Reminds the model of open todos a few times per prompt, unless its reply asks the person something. */
async function remind(run: Run, reply: string): Promise<boolean> {
  const { core } = run;
  const maxAttempts = core.settings.todo.remindersMax;
  if (run.reminders >= maxAttempts || !core.activeTools().includes(TODO_TOOL) || asksThePerson(reply)) return false;
  const todos = openTodos(todosOf(core.store));
  if (todos.length === 0) return false;
  run.reminders += 1;
  await ask(core, "todo.reminder", { todos: todos.map((todo) => ({ ...todo })), attempt: run.reminders, maxAttempts });
  run.pending.push(todoReminder(todos, run.reminders, maxAttempts));
  return true;
}

/** Continues with queued messages, unless hooks have started too many turns. */
async function goOnFor(run: Run, messages: readonly Message[]): Promise<TurnEnd> {
  return run.core.hookTurns.mayStart(run.core, messages) ? goOn(run) : { go: "stop", result: TOO_MANY_TURNS };
}

/** Continues with another turn, after compacting the context if necessary. */
async function goOn(run: Run): Promise<TurnEnd> {
  if (run.mayCompact) run.mayCompact = await keepWithinLimit(run.core, run.signal, run.pending);
  return run.signal.aborted ? { go: "stop", result: { kind: "aborted" } } : { go: "on" };
}
