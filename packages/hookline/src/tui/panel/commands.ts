import { TrustStore } from "@hookline/runtime";
import type { HookRuntime } from "@hookline/runtime/session";
import type { Agent } from "../../agent/agent.ts";
import type { BuiltinCommand } from "../../agent/submit.ts";
import { reloadHooks } from "../../agent/switch.ts";
import { ApprovedTexts } from "../../consent/approved-texts.ts";
import { type Approving, trustRefusal } from "../../consent/refusal.ts";
import type { Show } from "../select/screen.ts";
import { agentsDialog, agentsSource } from "../subagent/dialog.ts";
import type { ActivityLog } from "./activity-log.ts";
import { OtherAgents } from "./other-agents.ts";
import { hooksPanel } from "./panel.ts";
import { sessionSource } from "./source.ts";
import { trustDialog } from "./trust-dialog.ts";
import { trustSource } from "./trust-source.ts";

/** Parts of a screen that the panel needs. */
export interface PanelParts {
  readonly show: Show;
  /** Ends the agent, as Ctrl+D does in an empty editor. */
  quit(): void;
  /** The log of the session's dispatches. */
  readonly activity: ActivityLog;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The subject of the panel: an agent, its runtime, and the folders where it works. */
export interface PanelSubject {
  readonly agent: Agent;
  readonly runtime: Pick<HookRuntime, "lanes">;
  readonly place: Approving["place"] & { readonly cwd: string; readonly home: string };
}

/** Adds the panel to `/hooks`, and dialogs to `/agents` and `/trust`; `/trust` with arguments is unchanged. */
export function addPanel(subject: PanelSubject, { show, quit, activity, env }: PanelParts): void {
  const { agent, runtime, place } = subject;
  const reload = (): Promise<void> => reloadHooks(agent);
  const trust = trustSource({
    hooks: agent.core.hooks,
    store: new TrustStore(place.hooklineHome),
    texts: new ApprovedTexts(place.hooklineHome),
    cwd: place.cwd,
    refusal: trustRefusal({ place, env }),
    reload,
  });
  const { home, hooklineHome } = place;
  const elsewhere = new OtherAgents(hooklineHome);
  const source = sessionSource({ agent, lanes: runtime.lanes, activity, trust, elsewhere, home, reload });
  const onScreen = (name: string, open: () => Promise<unknown>): void => {
    const command = agent.commands.get(name) as BuiltinCommand;
    agent.commands.set(name, {
      ...command,
      async run(args) {
        if (args !== "") return command.run(args);
        await open();
        return undefined;
      },
    });
  };
  onScreen("hooks", () => show(hooksPanel(source, quit)));
  onScreen("agents", () => show(agentsDialog(agentsSource(agent, source.path))));
  onScreen("trust", () => show(trustDialog(trust, source.path)));
}
