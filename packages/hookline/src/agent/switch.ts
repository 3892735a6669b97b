import type { Payload } from "@hookline/runtime";
import { ask } from "../hook/ask.ts";
import { describeDamage } from "../session/damage.ts";
import { interruptedResults } from "../session/interrupted.ts";
import type { SessionManager } from "../session/session.ts";
import { baseOf } from "../turn/begin.ts";
import { recordedTools } from "../turn/loadout.ts";
import type { Agent } from "./agent.ts";
import { askAboutChanges, definitionsOf } from "./config-change.ts";
import { restoreModel } from "./select.ts";
import { startSession, tellHalt } from "./start-session.ts";

/** The reason for replacing a session. */
export type ChangeReason = "new" | "resume" | "fork";

/** Dialects whose modules are loaded again for each session, as their own programs do. Source: spec/pi.md 3.6. */
const PER_SESSION: readonly string[] = ["pi"];

/** A change to another session. */
export interface SessionChange {
  readonly reason: ChangeReason;
  /** The session file to open. Hooks see it before the file is opened. */
  readonly target?: string | undefined;
  /** Opens the session. If it throws, nothing has changed. The messages of its errors are written for the person. */
  open(): SessionManager;
  /** Fills a new session before hooks see its start. */
  readonly setup?: ((store: SessionManager) => Promise<void>) | undefined;
  /** Is called at the end with parts of the new session, which the dialect wraps in a context for the extension. */
  readonly withSession?: WithSession | undefined;
}

/** The callback of an extension's command for the session that the command has opened. */
export type WithSession = (session: never) => Promise<void>;

/** Switches to another session, unless a hook cancels it. Source: spec/pi.md 1.3. */
export async function switchSession(agent: Agent, change: SessionChange): Promise<{ readonly cancelled: boolean }> {
  const { core } = agent;
  const { reason, target } = change;
  if (target !== undefined && target === core.store.getSessionFile()) return { cancelled: false };
  const before = await ask(core, "session.before-switch", {
    reason,
    ...(target !== undefined && { targetSessionFile: target }),
  });
  if (before.answer.cancel) return { cancelled: true };
  agent.abort();
  await agent.waitForIdle();
  return replaceSession(agent, change, async (previousSessionFile) =>
    ask(core, "session.switch", { reason, ...previousSessionFile }),
  );
}

/**
 * Replaces the current session with another one. `told` runs after the start of the new session. If hooks refuse the
 * start, the old session becomes current again.
 */
export async function replaceSession(
  agent: Agent,
  { reason, open, setup, withSession }: SessionChange,
  told: (previous: { readonly previousSessionFile?: string }) => Promise<unknown>,
): Promise<{ readonly cancelled: boolean }> {
  const { core } = agent;
  const old = core.store;
  const previousFile = old.getSessionFile();
  const previous = previousFile === undefined ? {} : { previousSessionFile: previousFile };
  await agent.admits?.beforeReload();
  const next = open();
  let refused: string | undefined;
  await agent.occupy(async () => {
    await leave(agent, reason, next === old ? undefined : next);
    if (next !== old) await old.flush();
    try {
      await enter(agent, next, { reason, ...previous }, setup);
    } catch (thrown) {
      // The agent already uses the next session, so the old one must be closed despite the error.
      if (next !== old) old.close();
      throw thrown;
    }
    // If the session was truncated, `next` is `old`: a refused one stays open, as there is no other to return to.
    if (next !== old) refused = agent.halt?.reason;
    if (refused === undefined) {
      if (next !== old) old.close();
      tellHalt(agent);
      await told(previous);
    } else {
      await leave(agent, "resume", old);
      const refusedFile = next.getSessionFile();
      await next.flush();
      next.close();
      await enter(agent, old, {
        reason: "resume",
        ...(refusedFile !== undefined && { previousSessionFile: refusedFile }),
      });
      const text = `A hook refused the session: ${refused}\nYou are in the session before it.`;
      core.tell({ type: "notice", level: "warning", text });
      tellHalt(agent);
    }
    await restoreModel(agent);
    await agent.loadResources("startup");
  });
  if (refused !== undefined) return { cancelled: true };
  core.tell({ type: "session_changed", reason, sessionId: next.getSessionId() });
  await withSession?.({ services: agent.services, scene: core.scene, signal: agent.sessionSignal } as never);
  return { cancelled: false };
}

/** Asks hooks on `session.end` of the current session. `next` is the session in another file that replaces it. */
async function leave(agent: Agent, reason: ChangeReason, next: SessionManager | undefined): Promise<void> {
  const targetSessionFile = next?.getSessionFile();
  await ask(agent.core, "session.end", { reason, ...(targetSessionFile !== undefined && { targetSessionFile }) });
  clearScreen(agent);
}

/** Makes a session the current one and asks hooks on its start; they may refuse it. */
async function enter(
  agent: Agent,
  store: SessionManager,
  about: Payload<"session.start">,
  setup?: SessionChange["setup"],
): Promise<void> {
  const { core } = agent;
  agent.useStore(store);
  takeUp(agent);
  agent.useSystemPrompt(baseOf(agent));
  await setup?.(store);
  agent.sessionHooks?.restore();
  await core.hooks.renew(PER_SESSION);
  for (const { expected, cause } of core.hooks.missing())
    core.tell({ type: "notice", level: "error", text: `${expected.name} must run, but does not: ${cause}.` });
  core.queues.dropContext();
  await startSession(agent, about);
}

/**
 * Prepares a newly opened session for its next request, and reports damaged parts of its file. A new session gets
 * entries for model and thinking level. A resumed one offers the tools that hooks have selected in it, and gets a
 * result for each unanswered call.
 */
export function takeUp(agent: Agent): void {
  const { core } = agent;
  const { store, model, thinking } = core;
  agent.setActiveTools(recordedTools(store));
  const damage = describeDamage(store.getSessionFile() ?? "", store.getDamage());
  if (damage !== undefined) core.tell({ type: "notice", level: "warning", text: damage });
  if (store.getLeafId() === null) {
    store.appendModelChange(model.provider, model.id);
    store.appendThinkingLevelChange(thinking);
    return;
  }
  for (const result of interruptedResults(store.buildSessionContext().messages, Date.now()))
    store.appendMessage(result);
}

/** Removes what hooks have put on the screen in the old session. Hooks of the next one add their own. */
function clearScreen({ ui }: Agent): void {
  ui?.screen?.["clear"]?.();
}

/** Finds and loads all hooks again. The old hooks see the session end, the new ones see it start. */
export async function reloadHooks(agent: Agent): Promise<void> {
  if (!agent.isIdle) throw new Error("Wait for the current response to finish before reloading.");
  const { core } = agent;
  await agent.admits?.beforeReload();
  await agent.occupy(async () => {
    await ask(core, "session.end", { reason: "reload" });
    clearScreen(agent);
    try {
      await core.hooks.load(async (fresh) => {
        agent.admits?.reloaded(fresh);
        await askAboutChanges(core, agent.definitions, fresh.report);
      });
      agent.definitions = definitionsOf(core, core.hooks.report);
      agent.reloadTools();
      agent.useSystemPrompt(baseOf(agent));
    } finally {
      // Hooks have seen the session end. Even if the reload has failed and the old hooks stay, they must see it start.
      await startSession(agent, { reason: "reload" });
      tellHalt(agent);
      await agent.loadResources("reload");
    }
  });
}
