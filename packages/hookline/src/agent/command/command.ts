import { lookUp } from "../../provider/lookup.ts";
import type { Agent } from "../agent.ts";
import { compactNow } from "../manual.ts";
import { selectModel } from "../select.ts";
import type { BuiltinCommand } from "../submit.ts";
import { agentsCommand } from "./agents.ts";
import { sessionCommands } from "./session.ts";
import { treeCommands } from "./tree.ts";

/** Adds the built-in commands. */
export function addBuiltinCommands(agent: Agent): void {
  for (const command of [
    ...sessionCommands(agent),
    ...treeCommands(agent),
    ...modelCommands(agent),
    agentsCommand(agent),
    help(agent),
  ])
    agent.commands.set(command.name, command);
}

function help(agent: Agent): BuiltinCommand {
  return {
    name: "help",
    description: "list the commands",
    async run() {
      const { templates, skills } = agent.core.resources;
      const extensions = agent.core.hooks.contributions.all<{ readonly description?: string }>("command");
      const lines = (title: string, rows: readonly (readonly [string, string])[]): string[] =>
        rows.length === 0 ? [] : ["", title, ...rows.map(([name, says]) => `  ${`/${name}`.padEnd(14)} ${says}`)];
      return [
        ...lines(
          "Commands",
          [...agent.commands.values()].map(({ name, description }) => [name, description]),
        ).slice(1),
        ...lines(
          "Of extensions",
          [...extensions].map(([name, { value }]) => [name, value.description ?? ""]),
        ),
        ...lines(
          "Prompts",
          templates.map(({ name, description }) => [name, description]),
        ),
        ...lines(
          "Skills",
          skills.map(({ name, description }) => [`skill:${name}`, description]),
        ),
        "",
        "!command and !!command run a shell command, `$ code` and `$$ code` Python; doubled they stay out of the conversation.",
        "On the screen: Esc interrupts, Ctrl+P takes the next model, Shift+Tab changes how much it thinks, Ctrl+O shows results in full, Ctrl+D quits.",
      ].join("\n");
    },
  };
}

/** Makes the built-in commands about the model and the content of its requests. */
function modelCommands(agent: Agent): BuiltinCommand[] {
  return [
    {
      name: "model",
      description: "choose the model: PROVIDER/ID or an id; with no argument, list the available ones",
      run: (args) => (args === "" ? listed(agent) : chosen(agent, args)),
    },
    {
      name: "compact",
      description: "replace the old part of the conversation with a summary; say what to keep",
      async run(args) {
        const { tokensBefore } = await compactNow(agent, args === "" ? undefined : args);
        return `Compacted; the context had about ${tokensBefore} tokens.`;
      },
    },
  ];
}

async function listed({ core, registry }: Agent): Promise<string> {
  const lines = registry.getAvailable().map(({ provider, id }) => {
    const isCurrent = provider === core.model.provider && id === core.model.id;
    return `${isCurrent ? ">" : " "} ${provider}/${id}`;
  });
  return lines.length === 0 ? `> ${core.model.provider}/${core.model.id}` : lines.join("\n");
}

async function chosen(agent: Agent, name: string): Promise<string> {
  const model = lookUp(name, agent.registry, "/model");
  if (!agent.registry.hasConfiguredAuth(model))
    throw new Error(`There is no key for ${model.provider}/${model.id}. Set its variable, or add it to models.json.`);
  const kept = await selectModel(agent, model, "set");
  if (kept !== undefined) throw new Error(kept);
  return `The model is ${model.provider}/${model.id}.`;
}
