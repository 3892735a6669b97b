/** A sample handler in a format other than hookline's: the language of the code block, and the text. */
export type Handler = readonly [language: "js" | "yaml" | "json" | "sh", text: string];

const WITHHELD = '[{ type: "text", text: "withheld" }]';
const KEYS = "replaceAll(/sk-\\w+/g, '[key]')";
const MASKED = `({ content: event.content.map((part) => (part.type === "text" ? { ...part, text: part.text.${KEYS} } : part)) })`;
const CANCELLED = "({ cancel: true })";
const DELETES =
  '/\\brm -rf\\b/.test(event.input.command) ? { block: true, reason: "A person deletes folders." } : undefined';
const FAILED = '({ result: { output: "Not here.", exitCode: 1, cancelled: false, truncated: false } })';
const SKILLS = '({ skillPaths: ["team/skills"] })';
const TOLD = '({ messages: [...event.messages, { role: "user", content: "Never push.", timestamp: Date.now() }] })';
const COLD = "({ ...event.payload, temperature: 0 })";

/** Return values for handlers of pi and oh-my-pi, as expressions that may use `event`. */
const BOTH = {
  tool_call: DELETES,
  tool_result: MASKED,
  user_bash: FAILED,
  context: TOLD,
  before_provider_request: COLD,
  resources_discover: SKILLS,
  session_before_switch: CANCELLED,
  session_before_compact: CANCELLED,
  session_before_tree: CANCELLED,
};
const PI: Readonly<Record<string, string>> = {
  ...BOTH,
  input: '({ action: "transform", text: event.text + " Answer in one sentence." })',
  project_trust: '({ trusted: "no" })',
  session_before_fork: CANCELLED,
  before_agent_start: '({ systemPrompt: event.systemPrompt + " Never push." })',
  agent_before_settle: '({ entries: [{ type: "custom", customType: "seen" }] })',
  turn_end: '({ entries: [{ type: "custom", customType: "seen" }] })',
  message_end: `({ message: { ...event.message, content: ${WITHHELD} } })`,
  context_with_system: TOLD,
  before_provider_headers: 'void (event.headers["x-team"] = "blue")',
};
const OMP: Readonly<Record<string, string>> = {
  ...BOTH,
  "tool_result (mergeOverrides)": MASKED,
  input: '({ text: event.text + " Answer in one sentence." })',
  user_python: FAILED,
  session_before_branch: CANCELLED,
  "session.compacting": '({ context: ["Keep the names of open issues."] })',
  before_agent_start: '({ message: { customType: "rule", content: "Never push.", display: true } })',
  before_subagent_spawn: '({ block: true, reason: "Do it yourself." })',
  session_stop: '({ continue: true, reason: "Run the tests first." })',
};

const stop = (feedback: string): object => ({ action: "stop", retry_feedback: feedback });

/** Output for j-cli's hooks. */
const JCLI: Readonly<Record<string, object>> = {
  pre_send_message: stop("Say which file you mean."),
  pre_llm_request: { additional_context: "Never push." },
  post_llm_response: stop("Answer in one sentence."),
  pre_tool_execution: { action: "skip", retry_feedback: "A person does this." },
  post_tool_execution: { tool_result: "withheld" },
  post_tool_execution_failure: { tool_error: "It failed; ask a person." },
  stop: stop("Run the tests first."),
  pre_micro_compact: stop(""),
  pre_auto_compact: { additional_context: "Keep the names of open issues." },
  post_micro_compact: { messages: [{ role: "user", content: "Go on." }] },
  post_auto_compact: { messages: [{ role: "user", content: "Go on." }] },
};
/** Output for chibi's plugins. */
const CHIBI: Readonly<Record<string, object>> = {
  pre_message: { prompt: "Answer in one sentence: hello" },
  pre_system_prompt: { inject: "Never push." },
  post_system_prompt: { inject: "Never push." },
  pre_api_tools: { exclude: ["shell_exec"] },
  pre_api_request: { request_body: { temperature: 0 } },
  pre_tool: { block: true, message: "A person does this." },
  pre_tool_output: { output: "withheld" },
  pre_cache_output: { summary: "A long output." },
  pre_send_message: { delivered: true, via: "mail" },
  pre_file_write: { denied: true, reason: "A person writes this." },
  pre_shell_exec: { denied: true, reason: "A person runs this." },
  pre_file_read: { denied: true, reason: "A person reads this." },
  pre_spawn_agent: { block: true, message: "Do it yourself." },
};
const specific = (event: string, fields: object): object => ({
  hookSpecificOutput: { hookEventName: event, ...fields },
});
const context = (event: string): object => specific(event, { additionalContext: "Never push." });
/** Output for Claude Code's hooks; a string is the reason of a hook that exits with 2. */
const CLAUDE: Readonly<Record<string, object | string>> = {
  SessionStart: context("SessionStart"),
  UserPromptExpansion: context("UserPromptExpansion"),
  UserPromptSubmit: context("UserPromptSubmit"),
  PreToolUse: specific("PreToolUse", {
    permissionDecision: "deny",
    permissionDecisionReason: "A person does this.",
  }),
  PermissionRequest: specific("PermissionRequest", { decision: { behavior: "deny", message: "Not today." } }),
  PostToolUse: context("PostToolUse"),
  PostToolUseFailure: context("PostToolUseFailure"),
  PostToolBatch: context("PostToolBatch"),
  Stop: { decision: "block", reason: "Run the tests first." },
  SubagentStart: context("SubagentStart"),
  SubagentStop: { decision: "block", reason: "Run the tests first." },
  TaskCreated: "Name a file in the task.",
  TaskCompleted: "Run the tests first.",
  PreCompact: "Not now.",
  PreModelSwitch: specific("PreModelSwitch", {
    permissionDecision: "deny",
    permissionDecisionReason: "This model stays.",
  }),
  PostModelSwitch: context("PostModelSwitch"),
  ConfigChange: { decision: "block", reason: "A person changes settings." },
  Elicitation: specific("Elicitation", { action: "decline" }),
  ElicitationResult: "Not this answer.",
};

/**
 * Returns a dialect's sample hook for one of its events. It answers if the event takes an answer, and otherwise stores
 * the event in a file. `undefined` for a dialect without hook files.
 */
export function handlerOf(lane: string, event: string): Handler | undefined {
  switch (lane) {
    case "pi":
      return module("pi", event, PI[event]);
    case "omp":
    case "omp-hooks":
      return module("omp", event, OMP[event]);
    case "jcli":
      return ["yaml", `${event}:\n  - command: ${command(JCLI[event])}`];
    case "chibi":
      return [
        "sh",
        [
          "#!/bin/sh",
          'if [ "$1" = --schema ]; then',
          `  echo '${JSON.stringify({ name: "my-hook", description: "A hook.", parameters: {}, hooks: [event] })}'`,
          "  exit",
          "fi",
          command(CHIBI[event]),
        ].join("\n"),
      ];
    case "claude":
      return [
        "json",
        JSON.stringify(
          { hooks: { [event]: [{ hooks: [{ type: "command", command: command(CLAUDE[event]) }] }] } },
          null,
          2,
        ),
      ];
    default:
      return undefined;
  }
}

function module(name: string, event: string, returns: string | undefined): Handler {
  const [head, run] =
    returns === undefined
      ? [
          'import { appendFileSync } from "node:fs";\n\n',
          '(event) => appendFileSync("events.jsonl", JSON.stringify(event) + "\\n")',
        ]
      : ["", returns.length > 80 ? `(event) =>\n    ${returns}` : `(event) => ${returns}`];
  return ["js", `${head}export default function (${name}) {\n  ${name}.on("${event.replace(/ .*/, "")}", ${run});\n}`];
}

/** Returns a command line that prints an answer or, without one, stores the event. */
function command(answer: object | string | undefined): string {
  if (answer === undefined) return "cat >> events.jsonl";
  if (typeof answer === "string") return `cat > /dev/null; echo '${answer}' >&2; exit 2`;
  return `cat > /dev/null; echo '${JSON.stringify(answer)}'`;
}
