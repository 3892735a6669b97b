import type { Agent, BuiltinCommand } from "../agent.ts";
import { agentsCommand } from "./agents.ts";
import { modelCommands } from "./model.ts";
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
      ].join("\n");
    },
  };
}
