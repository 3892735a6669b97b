import type { Agent, BuiltinCommand } from "../../agent/agent.ts";
import { ownMessages } from "../../agent/command/tree.ts";
import { selectThinking } from "../../agent/select.ts";
import { leftBranch } from "../../compact/branch-summary.ts";
import { levelsOf } from "../../provider/thinking.ts";
import { listAllSessions } from "../../session/list.ts";
import { SessionManager } from "../../session/manager.ts";
import { wordsOf } from "../../session/words.ts";
import type { Show } from "./screen.ts";
import { chooseSession } from "./sessions.ts";
import { settingsOf } from "./setting-source.ts";
import { editSettings } from "./settings.ts";
import { chooseContext, chooseFork, chooseModel, chooseTheme, chooseThinking } from "./simple.ts";
import { chooseTreeEntry } from "./tree.ts";

/** The colours of a screen, as the dialog about them needs them. */
export interface ScreenThemes {
  readonly current: string;
  names(): readonly string[];
  /** Draws everything in a theme from now on. */
  use(name: string): void;
}

/** What a screen lends to the commands that need one. */
export interface ScreenParts {
  readonly show: Show;
  readonly themes: ScreenThemes;
  readonly place: { readonly hooklineHome: string; readonly cwd: string };
}

/**
 * Gives the agent's commands their dialogs: without arguments `/resume`, `/tree`, `/fork`, `/model` and `/context` ask,
 * and do with the answer what they do with arguments. Adds those that make no sense without a screen.
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
  for (const command of screenCommands(agent, parts)) agent.commands.set(command.name, command);
}

/** A command that asks for its arguments where none are given, and does nothing when the person gives up. */
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
      async run() {
        const { model, thinking } = agent.core;
        const level = await show(chooseThinking(levelsOf(model), thinking));
        if (level !== undefined) await selectThinking(agent, level);
        return undefined;
      },
    },
    {
      name: "theme",
      description: "choose the colours",
      async run() {
        const name = await show(chooseTheme(themes.names(), themes.current, (tried) => themes.use(tried)));
        if (name === undefined) return undefined;
        settingsOf(agent, place, (chosen) => themes.use(chosen)).set("theme", name);
        return undefined;
      },
    },
    {
      name: "settings",
      description: "see and change the settings",
      async run() {
        await show(editSettings(settingsOf(agent, place, (name) => themes.use(name))));
        return undefined;
      },
    },
  ];
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
