import type { Session } from "@hookline/runtime";
import { ask } from "../hook/ask.ts";
import { describeDamage } from "../session/damage.ts";
import { interruptedResults } from "../session/interrupted.ts";
import type { SessionManager } from "../session/manager.ts";
import { baseOf } from "../turn/begin.ts";
import type { Agent } from "./agent.ts";
import { askAboutChanges, definitionsOf } from "./config-change.ts";
import { restoreModel } from "./select.ts";
import { startSession } from "./start-session.ts";

/** Why one session takes another's place. */
export type ChangeReason = "new" | "resume" | "fork";

/** Dialects whose modules are made anew for each session, as their program does it. Source: spec/pi.md 3.6. */
const PER_SESSION: readonly string[] = ["pi"];

/** What is done with a session that has just been opened. */
export interface SessionChange {
  readonly reason: ChangeReason;
  /** The file that is wanted, as hooks are told before anything is opened. */
  readonly target?: string | undefined;
  /** Opens it; throws what the person is to be told, and nothing has changed then. */
  open(): SessionManager;
  /** May fill a new session before its start is told. */
  readonly setup?: ((store: SessionManager) => Promise<void>) | undefined;
  /** Called at the end with what the dialect makes a context of the new session from. */
  readonly withSession?: WithSession | undefined;
}

/** Decides whether hooks that are loaded anew may take the place of those of before. */
export interface Admits {
  /** Throws where those of before must stay, before anything has changed. */
  beforeReload(): Promise<void>;
  /** Throws for hooks that were just loaded, which are then let go. */
  reloaded(fresh: Pick<Session, "report" | "missing">): void;
}

/** A command's own function for the session that it has opened, as its dialect hands it over. */
export type WithSession = (session: never) => Promise<void>;

/** Leaves the session for another one, unless a hook cancels. Source: spec/pi.md 1.3. */
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
  await replaceSession(agent, change, async (previousSessionFile) =>
    ask(core, "session.switch", { reason, ...previousSessionFile }),
  );
  return { cancelled: false };
}

/** Puts another session in the place of the current one; `told` comes after its start. */
export async function replaceSession(
  agent: Agent,
  { reason, open, setup, withSession }: SessionChange,
  told: (previous: { readonly previousSessionFile?: string }) => Promise<unknown>,
): Promise<void> {
  const { core } = agent;
  const old = core.store;
  const previousFile = old.getSessionFile();
  const previous = previousFile === undefined ? {} : { previousSessionFile: previousFile };
  await agent.admits?.beforeReload();
  const next = open();
  await agent.occupy(async () => {
    const targetSessionFile = next === old ? undefined : next.getSessionFile();
    await ask(core, "session.end", { reason, ...(targetSessionFile !== undefined && { targetSessionFile }) });
    clearScreen(agent);
    if (next !== old) old.close();
    agent.useStore(next);
    agent.setActiveTools(undefined);
    takeUp(agent);
    agent.useSystemPrompt(baseOf(agent));
    await setup?.(next);
    agent.sessionHooks?.restore();
    await core.hooks.renew(PER_SESSION);
    for (const { expected, cause } of core.hooks.missing())
      core.tell({ type: "notice", level: "error", text: `${expected.name} must run, but does not: ${cause}.` });
    core.queues.dropContext();
    await startSession(agent, { reason, ...previous });
    await told(previous);
    await restoreModel(agent);
    await agent.loadResources("startup");
  });
  core.tell({ type: "session_changed", reason, sessionId: next.getSessionId() });
  await withSession?.({ services: agent.services, scene: core.scene, signal: agent.sessionSignal } as never);
}

/**
 * Makes a session that has just been opened ready for its next request: a new one begins with model and thinking level,
 * in one that was interrupted every call gets a result. Of a damaged one the person is told what could not be read.
 */
export function takeUp({ core }: Agent): void {
  const { store, model, thinking } = core;
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

/** What hooks have put on the screen goes with their session; those of the next one put their own there. */
function clearScreen({ ui }: Agent): void {
  ui?.screen?.["clear"]?.();
}

/** Finds and loads all hooks anew; those that were loaded hear the session end, the new ones hear it start. */
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
      // Those of before have heard of an end, so they hear of a start where they stay.
      await startSession(agent, { reason: "reload" });
      await agent.loadResources("reload");
    }
  });
}
