import type { EventName, Message } from "@hookline/runtime";
import { samplePayload } from "@hookline/runtime/testing";

/** A moment of a session, with the host's payload. */
export interface Moment {
  readonly of: EventName;
  readonly payload: object;
}

/** The conversation that hooks find in the transcript. */
export const CONVERSATION: readonly Message[] = samplePayload("agent.stop").messages;

interface ToolCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The tool's result. */
  readonly gave: string;
}

const bash = (command: string, gave = "done"): ToolCall => ({ tool: "bash", args: { command }, gave });

/** Calls of tools that hooks guard: harmless ones, and ones that a guard may refuse. None of them is executed. */
const CALLS: readonly ToolCall[] = [
  bash("ls -la", "notes.txt"),
  bash("rm -rf /"),
  bash('git commit -m "add rivers"'),
  bash("git push --force origin main"),
  bash("cat .env"),
  bash("npm install left-pad"),
  bash("grep rivers notes.txt"),
  { tool: "read", args: { path: "notes.txt" }, gave: "Rivers run to the sea." },
  { tool: "read", args: { path: ".env" }, gave: "TOKEN=none" },
  { tool: "write", args: { path: "src/app.js", content: "export const rivers = 2;\n" }, gave: "Written." },
  { tool: "write", args: { path: "/etc/hosts", content: "" }, gave: "Written." },
  { tool: "edit", args: { path: "src/app.py", edits: [{ oldText: "1", newText: "2" }] }, gave: "Edited." },
  { tool: "grep", args: { pattern: "rivers" }, gave: "notes.txt:1" },
  { tool: "find", args: { pattern: "*.txt" }, gave: "notes.txt" },
  { tool: "fetch", args: { url: "http://127.0.0.1:9/" }, gave: "nothing" },
  { tool: "todo", args: { todos: [] }, gave: "[]" },
];

/** Prompts that the person types. */
const PROMPTS = ["Say hello", "Fix the login and add tests", "Here is my key sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAA"];

/** The time that background work may take, in ms. */
export const BACKGROUND_MS = 3000;

/** Names that filters contain besides the usual tools and commands, and shell commands that rules mention. */
export interface Named {
  readonly names: readonly string[];
  readonly lines: readonly string[];
}

type Make = (named: Named) => readonly Moment[];

const of = <E extends EventName>(event: E, ...fields: readonly object[]): readonly Moment[] =>
  (fields.length === 0 ? [{}] : fields).map((own) => ({ of: event, payload: { ...samplePayload(event), ...own } }));

const calls = ({ names, lines }: Named): readonly ToolCall[] => [
  ...CALLS,
  ...lines.map((line) => bash(line)),
  ...names.map((tool): ToolCall => ({ tool, args: { description: "Look", prompt: "Look" }, gave: "done" })),
];

const after = (named: Named, isError: boolean): readonly Moment[] =>
  calls(named).flatMap(({ tool, args, gave }) =>
    of("tool.after", {
      tool,
      args,
      content: [{ type: "text", text: isError ? "Exit code 1\nno" : gave }],
      isError,
      durationMs: 5,
    }),
  );

/** Makes the moments of each event. */
export const MOMENTS: Readonly<Record<string, Make>> = {
  SessionStart: () => [
    ...of("session.start", { reason: "startup" }, { reason: "new" }, { reason: "resume" }, { reason: "fork" }),
    ...of("compact.after"),
  ],
  InstructionsLoaded: () => of("instructions.loaded", { path: "AGENTS.md", tier: "project", reason: "session_start" }),
  UserPromptExpansion: ({ names }) =>
    of("prompt.expand", ...["careful", ...names].map((name) => ({ name, args: "", prompt: `/skill:${name}` }))),
  UserPromptSubmit: () => of("prompt.before", ...PROMPTS.map((text) => ({ text }))),
  PreToolUse: (named) => calls(named).flatMap(({ tool, args }) => of("tool.before", { tool, args })),
  PermissionRequest: (named) => calls(named).flatMap(({ tool, args }) => of("approval.requested", { tool, args })),
  PostToolUse: (named) => after(named, false),
  PostToolUseFailure: (named) => after(named, true),
  PostToolBatch: () => of("turn.end", { toolResults: [{ toolCallId: "call_1", toolName: "bash", content: [] }] }),
  Stop: () => of("agent.stop", { stopHookActive: false }, { stopHookActive: true }),
  SubagentStart: () => of("agent.spawn"),
  SubagentStop: () => of("agent.done", { stopHookActive: false }, { stopHookActive: true }),
  TaskCreated: () => of("task.created", { id: "task-1", subject: "Look" }),
  TaskCompleted: () => of("task.completed", { id: "task-1", subject: "Look" }),
  StopFailure: () => of("agent.end", { error: { kind: "rate_limit", message: "slow down" } }),
  PreCompact: () => of("compact.before", { trigger: "manual" }, { trigger: "threshold" }),
  PostCompact: () => of("compact.after", { trigger: "manual" }, { trigger: "threshold" }),
  PreModelSwitch: () => of("model.before-select"),
  PostModelSwitch: () => of("model.select"),
  Notification: () =>
    of("notify", { type: "permission_prompt", message: "May I?" }, { type: "idle_prompt", message: "Waiting." }),
  ConfigChange: () =>
    of("config.change", { source: "project_settings", path: "settings.json" }, { source: "user_settings" }),
  SessionEnd: () => of("session.end", { reason: "quit" }, { reason: "new" }, { reason: "resume" }),
};
