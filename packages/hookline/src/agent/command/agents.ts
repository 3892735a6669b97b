import type { AgentDefinition } from "../../subagent/definition.ts";
import { startable } from "../../subagent/general.ts";
import type { Agent } from "../agent.ts";
import { Roster, type RosterEntry } from "../roster.ts";
import type { BuiltinCommand } from "../submit.ts";

/** `/agents` lists the sub-agents of this run and the definitions that can be started. */
export function agentsCommand(agent: Agent): BuiltinCommand {
  return {
    name: "agents",
    description: "list the sub-agents, and those that can be started",
    async run() {
      const roster = agent.children?.roster ?? new Roster();
      const part = (title: string, lines: readonly string[]): string[] =>
        lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`), ""];
      return [
        ...part(
          "Sub-agents of this session",
          roster.entries.map((entry) => entryLine(entry, roster.age(entry))),
        ),
        ...part(
          "Agents that the model may start",
          [...startable(agent.core.resources.agents).values()].map((one) => definitionLine(one, agent)),
        ),
      ]
        .join("\n")
        .trimEnd();
    },
  };
}

/** Formats a sub-agent as one line: name, current activity or outcome, time and cost. */
export function entryLine({ agent, doing, outcome, cost }: RosterEntry, ms: number): string {
  const { type, description, depth } = agent;
  const money = cost > 0 ? ` · $${cost.toFixed(cost < 0.01 ? 4 : 2)}` : "";
  const does = outcome === undefined ? doing : `${ENDS[outcome] ?? outcome}`;
  return `${"- ".repeat(depth - 1)}${type}: ${description} · ${does} · ${shortTime(ms)}${money}`;
}

const ENDS: Readonly<Record<string, string>> = {
  answered: "done",
  stopped: "stopped by a hook",
  failed: "failed",
  aborted: "aborted",
};

function shortTime(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Formats a definition as one line, with the tools that it names but that do not exist here. */
export function definitionLine({ name, description, tools, model, source }: AgentDefinition, agent: Agent): string {
  const known = agent.tools();
  const absent = (tools ?? []).filter((tool) => !known.has(tool));
  const facts = [
    ...(tools === undefined ? [] : [`tools: ${tools.join(", ") || "none"}`]),
    ...(absent.length === 0 ? [] : [`not here: ${absent.join(", ")}`]),
    ...(model === undefined ? [] : [`model: ${model}`]),
    source.tier === "builtin" ? "built in" : source.path,
  ];
  return `${name}: ${description} (${facts.join("; ")})`;
}
