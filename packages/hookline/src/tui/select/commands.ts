import { chooseFrom } from "@hookline/ground";
import type { Agent } from "../../agent/agent.ts";
import { ownMessages } from "../../agent/command/tree.ts";
import { selectThinking } from "../../agent/select.ts";
import type { BuiltinCommand } from "../../agent/submit.ts";
import { leftBranch } from "../../compact/branch-summary.ts";
import { levelsOf } from "../../provider/thinking.ts";
import { listAllSessions } from "../../session/list.ts";
import { SessionManager } from "../../session/session.ts";
import { wordsOf } from "../../session/words.ts";
import { loopSettings } from "../../settings/parts.ts";
import { SETTINGS } from "../../settings/rows.ts";
import { readSettings, settingOf } from "../../settings/settings.ts";
import { writeSetting } from "../../settings/write.ts";
import type { Show } from "./screen.ts";
import { chooseSession } from "./sessions.ts";
import { editSettings, type SettingItem, type SettingsSource } from "./settings.ts";
import { chooseContext, chooseFork, chooseModel, chooseTheme, chooseThinking } from "./simple.ts";
import { chooseTreeEntry } from "./tree.ts";

/** The themes from which the theme dialog lets the person choose. */
export interface ScreenThemes {
  readonly current: string;
  names(): readonly string[];
  /** Draws everything in a theme from now on. */
  use(name: string): void;
}

/** Parts of the screen that its commands need: dialogs, themes and folders. */
export interface ScreenParts {
  readonly show: Show;
  readonly themes: ScreenThemes;
  readonly place: { readonly hooklineHome: string; readonly cwd: string };
}

/**
 * Adds dialogs to the agent's commands: without arguments `/resume`, `/tree`, `/fork`, `/model` and `/context` ask for
 * them. Also adds the commands that make sense only on a screen.
 */
export function addSelectors(agent: Agent, parts: ScreenParts): void {
  const { show } = parts;
  const asking: Readonly<Record<string, () => Promise<string | undefined>>> = {
    resume: () => show(chooseSession(sessionsOf(agent, parts.place.hooklineHome))),
    tree: () => askTree(agent, show),
    fork: () => show(chooseFork(ownMessages(agent).toReversed())),
    branch: () => show(chooseFork(ownMessages(agent).toReversed())),
    model: () => askModel(agent, show),
    context: () => askContext(agent, show),
  };
  for (const [name, ask] of Object.entries(asking)) {
    const command = agent.commands.get(name);
    if (command !== undefined) agent.commands.set(name, withDialog(command, ask));
  }
  const model = agent.commands.get("model");
  // The result of `/model` is dropped: the footer and a toast already name the new model.
  if (model !== undefined) agent.commands.set("model", { ...model, run: async (args) => void (await model.run(args)) });
  for (const command of screenCommands(agent, parts)) agent.commands.set(command.name, command);
}

/** A command that asks for its arguments if none are given, and does nothing if the person cancels. */
function withDialog(command: BuiltinCommand, ask: () => Promise<string | undefined>): BuiltinCommand {
  return {
    ...command,
    async run(args) {
      if (args !== "") return command.run(args);
      const chosen = await ask();
      return chosen === undefined ? undefined : command.run(chosen);
    },
  };
}

function screenCommands(agent: Agent, { show, themes, place }: ScreenParts): BuiltinCommand[] {
  return [
    {
      name: "thinking",
      description: "choose how much the model thinks",
      async run(given) {
        const { model, thinking } = agent.core;
        const levels = levelsOf(model);
        const level =
          given === "" ? await show(chooseThinking(levels, thinking)) : named(given, levels, "level of this model");
        if (level !== undefined) await selectThinking(agent, level);
        return undefined;
      },
    },
    {
      name: "theme",
      description: "choose the colours",
      async run(given) {
        const names = themes.names();
        const name =
          given === ""
            ? await show(chooseTheme(names, themes.current, (tried) => themes.use(tried)))
            : named(given, names, "theme");
        if (name === undefined) return undefined;
        settingsOf(agent, place, (chosen) => themes.use(chosen)).set("theme", name);
        return undefined;
      },
    },
    {
      name: "settings",
      description: "see and change the settings",
      async run(given) {
        if (given !== "") throw new Error("/settings takes no arguments. Type in its dialog to find a setting.");
        await show(editSettings(settingsOf(agent, place, (name) => themes.use(name))));
        return undefined;
      },
    },
  ];
}

/** Returns the given name if it is one of `names`; otherwise throws an error that lists them. */
function named<N extends string>(given: string, names: readonly N[], what: string): N {
  const found = names.find((name) => name === given);
  if (found === undefined) throw new Error(`There is no ${what} "${given}". ${chooseFrom(given, names)}`);
  return found;
}

function sessionsOf({ core: { store } }: Agent, home: string): Parameters<typeof chooseSession>[0] {
  return {
    current: store.getSessionFile(),
    now: () => Date.now(),
    list(scope, { onProgress, signal }) {
      if (!store.isPersisted()) return Promise.resolve([]);
      const folder = store.getSessionDir();
      return scope === "folder"
        ? SessionManager.list(store.getCwd(), folder, onProgress, signal)
        : listAllSessions({ home }, { onProgress, signal });
    },
  };
}

async function askTree({ core: { store } }: Agent, show: Show): Promise<string | undefined> {
  const leafId = store.getLeafId();
  const move = await show(
    chooseTreeEntry({
      leafId,
      roots: () => store.getTree(),
      path: () => store.getBranch().map(({ id }) => id),
      setLabel: (id, label) => void store.appendLabelChange(id, label),
      left: (targetId) =>
        leftBranch(store, leafId, targetId).entries.filter((entry) => wordsOf(entry, 1) !== undefined).length,
    }),
  );
  if (move === undefined) return undefined;
  const { targetId, summarize, customInstructions = "" } = move;
  return `${targetId}${summarize ? ` --summarize ${customInstructions}` : ""}`;
}

async function askModel({ core, registry }: Agent, show: Show): Promise<string | undefined> {
  const model = await show(chooseModel(registry.getAvailable(), core.model));
  return model && `${model.provider}/${model.id}`;
}

async function askContext({ core: { contexts } }: Agent, show: Show): Promise<string | undefined> {
  if (contexts === undefined) return "";
  const names = [...new Set([...contexts.place.names(), contexts.name])].sort();
  const choice = await show(chooseContext(names, contexts.name));
  return choice && (choice.kind === "new" ? "new" : `switch ${choice.name}`);
}

/** Matches settings that the agent's loop reads at each step; all others are read once, at the start. */
const LIVE = /^(feedbackCap|hookTurnCap|theme|todo\.remindersMax|(retry|compaction)\..*|ttsr\.(?!disabledRules).*)$/;

/** Returns the source of the settings dialog. A changed setting that `LIVE` matches is applied at once. */
export function settingsOf(
  agent: Agent,
  place: { readonly hooklineHome: string; readonly cwd: string },
  useTheme: (name: string) => void,
): SettingsSource {
  const read = (): ReturnType<typeof readSettings> => readSettings(place.hooklineHome, place.cwd);
  return {
    items() {
      const settings = read();
      return Object.entries(SETTINGS).map(([key, { type, says }]): SettingItem => {
        const { value, from } = settingOf(settings, key);
        return { key, says, type, value, from, isLive: LIVE.test(key) };
      });
    },
    set(key, value) {
      writeSetting(place.hooklineHome, key, value);
      const settings = read();
      agent.useSettings(loopSettings(settings));
      if (key === "theme") useTheme(String(settings.user.get(key) ?? "dark"));
    },
  };
}
