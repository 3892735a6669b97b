import type { AgentDefinition } from "../subagent/definition.ts";
import { GENERAL } from "../subagent/general.ts";
import type { Tool, ToolResult } from "../tool/tool.ts";

/** The name of the tool that starts a sub-agent. */
export const TASK_TOOL = "task";

/** A task that a model gives to a sub-agent. */
export interface Task {
  readonly toolCallId: string;
  readonly description: string;
  readonly prompt: string;
  /** The name of an agent definition; empty for the general agent. */
  readonly type: string;
  readonly model: string | undefined;
  /** The tools that the parent agent was offered. */
  readonly offered: readonly string[];
  readonly signal: AbortSignal;
}

interface Given {
  readonly description: string;
  readonly prompt: string;
  readonly subagent_type?: string;
  readonly model?: string;
}

interface TaskParts {
  agents(): readonly AgentDefinition[];
  run(task: Task): Promise<ToolResult>;
}

const WHAT =
  "Give a task to a sub-agent, which works by itself with tools of its own and answers once, at its end. It sees nothing of this conversation: the prompt must say everything, and what to report. Several calls in one reply work at the same time.";

/** The schema of the arguments of the tool `task`. */
export const TASK_PARAMETERS = {
  type: "object",
  required: ["description", "prompt"],
  properties: {
    description: { type: "string", description: "The task in three to five words" },
    prompt: { type: "string", description: "The task, with all that must be known for it" },
    subagent_type: { type: "string", description: "The agent that does it" },
    model: { type: "string", description: "Another model than the agent's" },
  },
} as const;

/** Makes the tool that starts sub-agents. Its arguments have the names that Claude Code uses. */
export function createTaskTool({ agents, run }: TaskParts): Tool {
  const tool: Tool<Given & Record<string, unknown>> = {
    name: TASK_TOOL,
    aliases: ["Agent", "Task"],
    label: "task",
    // A getter, because agents may be defined and approved while the session runs.
    get description() {
      const listed = agents().map(({ name, description }) => `- ${name}: ${description}`);
      return `${WHAT}\n\nAgents, for subagent_type (default ${GENERAL.name}):\n${listed.join("\n")}`;
    },
    promptSnippet: "Give a task to a sub-agent",
    parameters: TASK_PARAMETERS,
    execute(
      toolCallId,
      { description, prompt, subagent_type: type = GENERAL.name, model },
      signal,
      _onUpdate,
      context,
    ) {
      const { offeredTools: offered = [] } = context as { readonly offeredTools?: readonly string[] };
      const task = { toolCallId, description, prompt, type, model, offered };
      return run({ ...task, signal: signal ?? new AbortController().signal });
    },
  };
  return tool as Tool;
}
