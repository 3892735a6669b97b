import { type Runtime, TrustStore } from "@hookline/runtime";
import type { Agent, BuiltinCommand } from "../../agent/agent.ts";
import { reloadHooks } from "../../agent/switch.ts";
import { ApprovedTexts } from "../../consent/approved-texts.ts";
import { type Approving, trustRefusal } from "../../consent/refusal.ts";
import type { Show } from "../select/screen.ts";
import type { ActivityLog } from "./activity-log.ts";
import { hooksPanel } from "./panel.ts";
import { sessionSource } from "./source.ts";
import { trustDialog } from "./trust-dialog.ts";
import { trustSource } from "./trust-source.ts";

/** What a screen lends to the panel. */
export interface PanelParts {
  readonly show: Show;
  /** The log that the session writes its dispatches to. */
  readonly activity: ActivityLog;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What the panel is about: an agent, its runtime, and the place where it works. */
export interface PanelSubject {
  readonly agent: Agent;
  readonly runtime: Pick<Runtime, "lanes">;
  readonly place: Approving["place"] & { readonly cwd: string; readonly home: string };
}

/** Gives `/hooks` its panel and `/trust` its dialog; with arguments `/trust` stays what it is. */
export function addPanel(subject: PanelSubject, { show, activity, env }: PanelParts): void {
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
  const source = sessionSource({ agent, lanes: runtime.lanes, activity, trust, home: place.home, reload });
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
  onScreen("hooks", () => show(hooksPanel(source)));
  onScreen("trust", () => show(trustDialog(trust, source.path)));
}
