import type { HostControl } from "../../port/host.ts";
import type { Owner } from "../inprocess/owner.ts";
import { alive } from "../ui.ts";

type Cancelled = Promise<{ readonly cancelled: boolean }>;

/** What only commands may do, because a handler would wait for itself. */
export interface SessionControl {
  waitForIdle(): Promise<void>;
  newSession(options?: Parameters<HostControl["newSession"]>[0]): Cancelled;
  branch(entryId: string): Cancelled;
  navigateTree(targetId: string, options?: Parameters<HostControl["navigateTree"]>[1]): Cancelled;
  switchSession(path: string): Cancelled;
  reload(): Promise<void>;
}

/**
 * Control over the session for one module's commands. Where the host lends none, nothing happens and nothing was
 * cancelled, as in omp; once the module's own session is gone everything is.
 */
export function sessionControl(owner: Owner): SessionControl {
  const { control } = owner.around.services;
  const run = async <T>(member: string, gone: T, without: T, ask: () => Promise<T> | undefined): Promise<T> => {
    if (!alive(owner.instance, `ctx.${member}`)) return gone;
    return (await ask()) ?? without;
  };
  const moving = (member: string, ask: () => Cancelled | undefined): Cancelled =>
    run(member, { cancelled: true }, { cancelled: false }, ask);
  return {
    waitForIdle: () => run("waitForIdle", undefined, undefined, async () => control?.waitForIdle()),
    newSession: ({ parentSession, setup } = {}) =>
      moving("newSession", () => control?.newSession({ parentSession, setup })),
    branch: (entryId) => moving("branch", () => control?.branch(entryId, { named: "branching" })),
    navigateTree: (targetId, options) => moving("navigateTree", () => control?.navigateTree(targetId, options)),
    switchSession: (path) => moving("switchSession", () => control?.switchSession(path)),
    reload: () => run("reload", undefined, undefined, async () => control?.reload()),
  };
}
