import type { AgentTools } from "@hookline/runtime/engine";

const RUNS = {
  kind: "runs",
  tool: "bash",
  args: { command: ["command", "cmd"] },
  needs: ["command"],
  perSecond: 1000,
} as const;
const STARTS = {
  kind: "starts",
  tool: "task",
  args: { prompt: ["message", "prompt", "items"], subagent_type: "agent_type" },
  needs: ["prompt"],
  starts: { prompt: "message", type: "agent_type", otherwise: "default" },
} as const;
/** A tool that sends work to an agent that is already running. */
const GIVES = { ...STARTS, starts: { ...STARTS.starts, type: "target" } } as const;
const OTHER = { kind: "other" } as const;

/**
 * Codex's tools. Codex reports its shell tools to hooks as `Bash`, whatever the model calls them; rollouts have the
 * tools' own names. Codex may put a namespace in front of a name, as in `collaborationspawn_agent` and
 * `multi_agent_v1send_input`. Source: spec/hosts/codex; Codex 0.169.0 and 0.171.0 with nine models.
 */
export const codexTools: AgentTools = {
  server: /^mcp__/,
  isNamespaced: true,
  tools: {
    Bash: RUNS,
    exec_command: RUNS,
    shell: RUNS,
    shell_command: RUNS,
    "container.exec": RUNS,
    apply_patch: {
      kind: "patches",
      args: { patch: ["command", "input", "patch"] },
      needs: ["patch"],
      aliases: ["Write", "Edit"],
      offered: "gpt-5.5, and later GPTs within their code",
    },
    view_image: { kind: "reads", needs: ["path"] },
    update_plan: { kind: "other", tool: "todo" },
    spawn_agent: STARTS,
    followup_task: { ...GIVES, offered: "gpt-5.6-sol and later" },
    send_message: { ...GIVES, offered: "gpt-5.6-sol and later" },
    send_input: { ...GIVES, offered: "models that Codex does not know" },
    // Codex fires no hooks for `exec` itself, only for each call that its script makes.
    exec: { kind: "other", offered: "gpt-5.6 and later, as `functions.exec`" },
    write_stdin: {
      kind: "other",
      unasked: { bash: "Codex asks no hook about text that is typed into a running program (`write_stdin`)" },
    },
    wait: OTHER,
    request_user_input: { kind: "other", tool: "ask" },
    tool_search: OTHER,
    get_goal: OTHER,
    create_goal: OTHER,
    update_goal: OTHER,
    list_mcp_resources: OTHER,
    list_mcp_resource_templates: OTHER,
    read_mcp_resource: OTHER,
    wait_agent: OTHER,
    close_agent: OTHER,
    resume_agent: OTHER,
    interrupt_agent: OTHER,
    list_agents: OTHER,
    web_search: { kind: "fetches", tool: "WebSearch" },
  },
};
