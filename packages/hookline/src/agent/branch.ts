import { existsSync } from "node:fs";
import { ask } from "../hook/ask.ts";
import { forkLanding } from "../session/fork.ts";
import { SessionManager } from "../session/session.ts";
import type { Agent } from "./agent.ts";
import { replaceSession, type WithSession } from "./switch.ts";

/** Says where a fork starts and how its errors name it. */
export interface ForkOptions {
  /**
   * `before` (default) forks before a message of the person and returns its text for editing; `at`, after any entry.
   */
  readonly position?: "before" | "at" | undefined;
  /** The word for a fork in the dialect of the caller, for the error message. Default `forking`. */
  readonly named?: "forking" | "branching" | undefined;
  readonly withSession?: WithSession | undefined;
}

/** The result of a fork. `text` is the message of the person before which the session was forked. */
export interface Forked {
  readonly cancelled: boolean;
  readonly text?: string;
}

/**
 * Starts a new session with a copy of the entries up to the given one. pi and omp name this differently: hooks of pi
 * see a fork; hooks of omp see a branch, and also a switch if `position` is `at` (ruling 6, spec/omp.md 4.3).
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
  // A hook may ask to keep the conversation; then all of it is copied.
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

/** Opens a copy of the session up to an entry. If the session has no file yet, truncates it instead. */
function opened(agent: Agent, leafId: string | null): SessionManager {
  const { store } = agent.core;
  const path = store.getSessionFile();
  if (leafId === null) return agent.openSession({ kind: "new", ...(path !== undefined && { parentSession: path }) });
  // The copy is made from the file, so buffered lines must be written first. They need not be synced to disk.
  void store.flush();
  if (path === undefined || !existsSync(path)) {
    store.createBranchedSession(leafId);
    return store;
  }
  // The copy is a second object, so the current session stays as it is until hooks have seen its end.
  const copy = SessionManager.open(path, store.getSessionDir(), store.getCwd(), agent.storing);
  copy.createBranchedSession(leafId);
  return copy;
}
