import type { Payload } from "@hookline/runtime";
import { ask } from "../hook/ask.ts";
import { nameByHook } from "../turn/session-name.ts";
import type { Agent } from "./agent.ts";

/** Modes without a person, in which a hook's `firstMessage` may be used as the prompt. */
const WITHOUT_PERSON: readonly (string | undefined)[] = ["print", "json"];

/**
 * Asks hooks on `session.start` and applies their answers. When print or JSON mode starts, returns a hook's
 * `firstMessage`, to be used if no prompt was given. At any other start, reports that it is not sent.
 */
export async function startSession(agent: Agent, about: Payload<"session.start">): Promise<string | undefined> {
  const { core } = agent;
  // Hooks add their context at each start, so the context of an earlier start is dropped.
  core.queues.dropContext("session.start");
  agent.haltSession(undefined);
  const { answer } = await ask(core, "session.start", about);
  agent.haltSession(answer.halt);
  await nameByHook(core, answer.title);
  core.queues.context("session.start", answer.additionalContext);
  if (answer.firstMessage === undefined) return undefined;
  if (about.reason === "startup" && WITHOUT_PERSON.includes(agent.services.mode)) return answer.firstMessage;
  tellUnused(agent, "only runs in print or JSON mode send it");
  return undefined;
}

/** Reports that a hook's `firstMessage` is not sent, and why. */
export function tellUnused({ core }: Agent, because: string): void {
  core.tell({ type: "notice", level: "info", text: `A hook's first message was not sent: ${because}.` });
}

/** Reports that a hook has refused the session. In modes without a person, the refused prompt reports it instead. */
export function tellHalt({ core, services, halt }: Agent): void {
  if (halt === undefined || WITHOUT_PERSON.includes(services.mode)) return;
  const { reason } = halt;
  const text = `A hook ended the session: ${reason}\nIt accepts no prompt. /reload or /new asks the hook again.`;
  core.tell({ type: "notice", level: "warning", text });
}
