import type { Payload } from "@hookline/runtime";
import { ask } from "../hook/ask.ts";
import { nameByHook } from "../turn/session-name.ts";
import type { Agent } from "./agent.ts";

/** Modes in which a run without a prompt may begin with a hook's. */
const WITHOUT_PERSON: readonly (string | undefined)[] = ["print", "json"];

/**
 * Tells the hooks that the session is ready, and does what they answer. Gives the first message that they have for a run
 * that was given no prompt; where there can be none, that is told.
 */
export async function startSession(agent: Agent, about: Payload<"session.start">): Promise<string | undefined> {
  const { core } = agent;
  // What was said at an earlier start is said again.
  core.queues.dropContext("session.start");
  agent.haltSession(undefined);
  const { answer } = await ask(core, "session.start", about);
  agent.haltSession(answer.halt);
  await nameByHook(core, answer.title);
  core.queues.context("session.start", answer.additionalContext);
  if (answer.halt !== undefined) tellHalt(agent, answer.halt.reason);
  if (answer.firstMessage === undefined) return undefined;
  if (about.reason === "startup" && WITHOUT_PERSON.includes(agent.services.mode)) return answer.firstMessage;
  tellUnused(agent, "only a run in print or JSON mode begins with one");
  return undefined;
}

/** Says that a hook's first message is not sent. */
export function tellUnused({ core }: Agent, because: string): void {
  core.tell({ type: "notice", level: "info", text: `The first message of a hook is not sent: ${because}.` });
}

/** Where prompts were given, each of them says so when it is refused. */
function tellHalt({ core, services }: Agent, reason: string): void {
  if (WITHOUT_PERSON.includes(services.mode)) return;
  const text = `A hook ended the session: ${reason}\nIt takes no prompt. /reload or /new asks the hook again.`;
  core.tell({ type: "notice", level: "warning", text });
}
