import type { SessionManager } from "../session/manager.ts";
import type { Agent } from "./agent.ts";
import { ask } from "./core.ts";

/**
 * Leaves the session for another one, unless a hook cancels.
 * `open` is called once nobody has; `setup` may fill a new session before its start is told.
 */
export async function switchSession(
  agent: Agent,
  reason: "new" | "resume",
  open: () => SessionManager,
  setup?: (store: SessionManager) => Promise<void>,
): Promise<{ cancelled: boolean }> {
  const { core } = agent;
  const before = await ask(core, "session.before-switch", { reason });
  if (before.answer.cancel) return { cancelled: true };
  agent.abort();
  await agent.waitForIdle();
  const previousSessionFile = core.store.getSessionFile();
  const next = open();
  const targetSessionFile = next.getSessionFile();
  await ask(core, "session.end", { reason, ...(targetSessionFile !== undefined && { targetSessionFile }) });
  core.store.flush();
  core.store.close();
  agent.useStore(next);
  await setup?.(next);
  const about = { reason, ...(previousSessionFile !== undefined && { previousSessionFile }) };
  await ask(core, "session.start", about);
  await ask(core, "session.switch", about);
  return { cancelled: false };
}

/** Finds and loads all hooks anew; those that were loaded hear the session end, the new ones hear it start. */
export async function reloadHooks(agent: Agent): Promise<void> {
  const { core } = agent;
  await ask(core, "session.end", { reason: "reload" });
  await core.hooks.load();
  await ask(core, "session.start", { reason: "reload" });
}
