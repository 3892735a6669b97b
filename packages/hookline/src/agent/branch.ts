import { existsSync } from "node:fs";
import { ask } from "../hook/ask.ts";
import { forkLanding } from "../session/fork.ts";
import { SessionManager } from "../session/session.ts";
import type { Agent } from "./agent.ts";
import { replaceSession, type WithSession } from "./switch.ts";

/** How a session is forked. */
export interface ForkOptions {
  /** Before a message of the person, whose text is then returned for editing, or after any entry. Default `before`. */
  readonly position?: "before" | "at" | undefined;
  /** The hook's word for this, used in its error. Default `forking`. */
  readonly named?: "forking" | "branching" | undefined;
  readonly withSession?: WithSession | undefined;
}

/** The result of a fork; the text is that of the message before which the session was forked. */
export interface Forked {
  readonly cancelled: boolean;
  readonly text?: string;
}

/**
 * Starts a new session with the path up to an entry of this one. One operation with two vocabularies: hooks of pi get a
 * fork; hooks of omp get a branch, or a switch if the whole path is copied (decision 6, spec/omp.md 4.3).
 */
export async function forkSession(agent: Agent, entryId: string, options: ForkOptions = {}): Promise<Forked> {
  const { core } = agent;
  const { position = "before", named = "forking" } = options;
  const landing = forkLanding(core.store.getEntry(entryId), position);
  if (landing === undefined) throw new Error(`Invalid entry ID for ${named}`);
  const { answer } = await ask(core, "session.before-branch", { entryId, position });
  if (answer.cancel) return { cancelled: true };
  const isCopy = position === "at";
  if (isCopy && (await ask(core, "session.before-switch", { reason: "fork" })).answer.cancel)
    return { cancelled: true };
  agent.abort();
  await agent.waitForIdle();
  // If the conversation is not to be rolled back, all of it is copied.
  const keeps = answer.skipConversationRestore === true;
  const leafId = keeps ? core.store.getLeafId() : landing.leafId;
  const change = { reason: "fork", open: () => opened(agent, leafId), withSession: options.withSession } as const;
  const { cancelled } = await replaceSession(agent, change, async (previous) => {
    await ask(core, "session.branch", previous);
    if (isCopy) await ask(core, "session.switch", { reason: "fork", ...previous });
  });
  if (cancelled) return { cancelled };
  return { cancelled: false, ...(!keeps && landing.text !== undefined && { text: landing.text }) };
}

/** A session with the path to an entry. If nothing is stored yet, the current session is truncated to it. */
function opened(agent: Agent, leafId: string | null): SessionManager {
  const { store } = agent.core;
  const path = store.getSessionFile();
  if (leafId === null) return agent.openSession({ kind: "new", ...(path !== undefined && { parentSession: path }) });
  // The copy reads what was written, synced or not.
  void store.flush();
  if (path === undefined || !existsSync(path)) {
    store.createBranchedSession(leafId);
    return store;
  }
  // Opened separately, so that the current session stays unchanged until its hooks have been told.
  const copy = SessionManager.open(path, store.getSessionDir(), store.getCwd(), agent.storing);
  copy.createBranchedSession(leafId);
  return copy;
}
