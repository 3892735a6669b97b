import type { HostControl } from "@hookline/runtime/engine";
import type { SessionManager } from "../session/session.ts";
import type { Agent } from "./agent.ts";
import { forkSession } from "./branch.ts";
import { navigateTree } from "./navigate.ts";
import { reloadHooks, switchSession } from "./switch.ts";

/**
 * Puts a prompt's text into the terminal's editor, so that the person can change and send it again, after an extension
 * moved the session to the point before that prompt. Other modes drop the text.
 */
function giveBack({ services: { mode, ui } }: Agent, text: string | undefined): void {
  if (text !== undefined && mode === "tui") ui?.setEditorText?.(text);
}

/** Makes the functions with which commands of extensions control the session. */
export function hostControl(late: { readonly agent?: Agent }): HostControl {
  const withAgent = async <T>(otherwise: T, act: (agent: Agent) => Promise<T>): Promise<T> =>
    late.agent === undefined ? otherwise : act(late.agent);
  const cancelled = { cancelled: true };
  return {
    waitForIdle: () => withAgent(undefined, (agent) => agent.waitForIdle()),
    reload: () => withAgent(undefined, reloadHooks),
    branch: (entryId, options) =>
      withAgent(cancelled, async (agent) => {
        const { cancelled, text } = await forkSession(agent, entryId, options);
        giveBack(agent, text);
        return { cancelled };
      }),
    navigateTree: (targetId, options) =>
      withAgent(cancelled, async (agent) => {
        const { cancelled, text } = await navigateTree(agent, targetId, options);
        giveBack(agent, text);
        return { cancelled };
      }),
    newSession: ({ parentSession, setup, withSession }) =>
      withAgent(cancelled, (agent) =>
        switchSession(agent, {
          reason: "new",
          open: () => agent.openSession({ kind: "new", ...(parentSession !== undefined && { parentSession }) }),
          setup: setup as ((store: SessionManager) => Promise<void>) | undefined,
          withSession,
        }),
      ),
    switchSession: (path, options) =>
      withAgent(cancelled, (agent) =>
        switchSession(agent, {
          reason: "resume",
          target: path,
          open: () => agent.openSession({ kind: "file", path }),
          withSession: options?.withSession,
        }),
      ),
  };
}
