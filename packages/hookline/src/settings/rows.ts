import { GUARD_SETTINGS, type GuardSetting } from "@hookline/guards/settings";
import { abouts } from "@hookline/integrations/abouts";
import { LONGEST_MS, type SettingRow, type SettingRows } from "@hookline/runtime/engine";

/** Every setting, by its path in `settings.json`. Source: design/cli.md. */
export const SETTINGS: SettingRows = {
  lanes: { type: "strings", says: "order in which the lanes, such as claude and pi, are asked" },
  dialects: { type: "strings", says: "load only these dialects" },
  extensionOrder: {
    type: ["seed", "cli"],
    says: "order of pi extensions: those of `-e` last, as pi's documents say (`seed`), or first, as pi's command line does (`cli`)",
    default: "seed",
  },
  feedbackCap: {
    type: "integer",
    says: "how often hooks may send the model back for one prompt; if it is not set, hooks of Claude Code's settings have 8 of their own",
    default: 5,
  },
  hookTurnCap: {
    type: "integer",
    says: "turns that hooks may start by themselves after a person's last prompt; 0 for no limit",
    default: 200,
  },
  holdReplies: {
    type: "boolean",
    says: "if a hook judges replies (event `reply.before`), show no text of a reply until it has judged it",
    default: false,
    guards: true,
  },
  handlerTimeoutMs: {
    type: "integer",
    isTime: true,
    says: "time limit of a handler of a pi or omp extension, in ms, except `tool_call`; also that of omp hooks, if it is set",
    default: 30_000,
  },
  toolCallTimeoutMs: {
    type: "integer",
    isTime: true,
    says: "time limit of a `tool_call` handler of a pi extension, an omp extension or an omp hook, in ms",
  },
  "retry.maxRetries": {
    type: "integer",
    says: "retries of a request after a temporary provider error",
    default: 3,
  },
  "retry.baseDelayMs": {
    type: "integer",
    says: "first wait before a retry, doubled each time, in ms",
    default: 2000,
  },
  "compaction.enabled": { type: "boolean", says: "compact automatically near the limit", default: true },
  "compaction.strategy": {
    type: ["auto", "rolling"],
    says: "how to compact: with a summary of everything (`auto`), or by dropping the oldest messages (`rolling`)",
    default: "auto",
  },
  "compaction.reserveTokens": { type: "integer", says: "tokens kept free for the reply", default: 16_384 },
  "compaction.keepRecentTokens": {
    type: "integer",
    says: "tokens at the end of the conversation that a compaction keeps as they are",
    default: 20_000,
  },
  "compaction.threshold": {
    type: "integer",
    says: "number of tokens that starts a compaction",
  },
  "compaction.microAt": {
    type: "integer",
    says: "per cent of the threshold at which old tool results are shortened",
    default: 60,
  },
  "toolOutputCache.threshold": {
    type: "integer",
    says: "size in bytes from which a tool's output is kept in a file, and the model sees only its beginning",
    default: 4000,
  },
  "toolOutputCache.previewChars": {
    type: "integer",
    says: "characters of such an output that the model sees",
    default: 500,
  },
  "toolOutputCache.allowedPaths": {
    type: "strings",
    says: "folders that the tools for kept outputs may read by path too",
  },
  ...ofDialects(),
  ...ofGuards(),
  failClosed: {
    type: "strings",
    says: "hook files of any dialect, as a path or `path#event`, or hook ids: if such a hook fails, the call that it guards is refused and the text that it redacts is withheld; while such a file does not run, every tool call is refused",
    guards: true,
    adds: true,
    project: {
      adds: "files inside the project",
      because: "it makes the project's own hooks refuse more, and affects no others",
    },
  },
  required: {
    type: "strings",
    says: "hook files that must run, as a path or `path#event`; while one does not, every tool call is refused",
    guards: true,
    adds: true,
    project: {
      adds: "files inside the project",
      because: "it can only refuse calls, and a person at a screen may decline it",
    },
  },
  refuseWithoutGuards: {
    type: "boolean",
    says: "refuse every tool call, `!` command and sub-agent as long as no hook that judges tool calls is loaded",
    default: false,
    guards: true,
  },
  shadow: {
    type: "strings",
    says: "hook files or ids of hooks that are asked after each decision and have no effect; it counts from the next start or `/reload`",
    adds: true,
    project: {
      adds: "files inside the project, or ids of their hooks",
      because: "it affects only the project's own hooks, and a hook that must run refuses calls instead",
    },
  },
  packages: {
    type: "strings",
    says: "packages whose guards and extensions run, as `npm:NAME@VERSION`, `git:HOST/PATH@COMMIT` or a path; `hookline packages add` writes it",
    adds: true,
    project: {
      adds: "packages of the project",
      because:
        "they are fetched after a person has approved the list, and each of their guards and extensions needs an approval of its own",
    },
  },
  record: {
    type: ["off", "log", "decisions", "all"],
    says: "record sessions for `hookline replay`: who decided what (`log`), with payloads and answers (`decisions`), with every event (`all`)",
    default: "off",
  },
  decisionLog: {
    type: ["auto", "required"],
    says: "`required`: always keep at least the log, and refuse guarded calls while it cannot be written; `auto`: keep it where `required` names hooks",
    default: "auto",
    guards: true,
  },
  "recordings.keepDays": { type: "integer", says: "days that a recording is kept", default: 30 },
  "recordings.maxBytes": {
    type: "integer",
    says: "size of all recordings together, in bytes; the oldest are removed first",
    default: 2_147_483_648,
  },
  frozen: {
    type: "boolean",
    says: "end a run whose project does not meet its `hookline.lock`; unlike `--frozen` it approves nothing, and a project without a lock runs",
    default: false,
    guards: true,
  },
  "bridge.frozen": {
    type: "boolean",
    says: "in other agents behind the bridge, run exactly the project's hooks that its `hookline.lock` lists, as `--frozen` does, and refuse guarded calls where that is not possible",
    default: false,
    guards: true,
  },
  "fleet.locked": {
    type: "boolean",
    says: "only the owner of `/etc/hookline/settings.json` may take the machine out of its fleet or into another one; it counts only in that file",
    default: false,
    guards: true,
  },
  "fleet.approvals": {
    type: "boolean",
    says: "when a hook asks about a call, also ask the approvers of this machine's fleet; the first answer counts, or as many approvals as the fleet's root asks for. If nobody is here and no answer comes in 120 s, the call is refused",
    default: false,
  },
  nativeSpawn: {
    type: "boolean",
    says: "on Linux, start processes through the system's own library, using the package koffi",
    default: true,
  },
  containment: {
    type: ["group"],
    says: "how the processes that a hook starts are found to end them: by their process group",
    default: "group",
  },
  durability: {
    type: ["turn", "entry"],
    says: "when the session is synced to disk: before each tool call and at the end (`turn`), or after each entry (`entry`)",
    default: "turn",
    project: { adds: "`entry`", because: "it syncs the session more often, and changes no hook", only: "entry" },
  },
  "todo.enabled": { type: "boolean", says: "offer the model the tool `todo`", default: false },
  "ask.enabled": { type: "boolean", says: "offer the model the tool `ask`", default: false },
  "task.enabled": {
    type: "boolean",
    says: "always offer the model the tool `task`, which starts sub-agents; otherwise it is offered only if an agent is defined",
    default: false,
  },
  "task.maxDepth": {
    type: "integer",
    says: "how many levels of sub-agents there may be; 0 for no sub-agents",
    default: 2,
  },
  "task.maxAtOnce": { type: "integer", says: "sub-agents that may work at the same time", default: 4 },
  "task.maxPerPrompt": { type: "integer", says: "sub-agents that may be started in one prompt", default: 16 },
  "todo.remindersMax": {
    type: "integer",
    says: "how often the model is reminded of open todos, at most",
    default: 3,
    project: {
      adds: "a smaller number",
      because: "reminders come from the agent, and fewer of them change no hook",
    },
  },
  "mcp.startTimeoutMs": {
    type: "integer",
    isTime: true,
    says: "limit of the start of an MCP server, in ms, unless its `startTimeout` is set",
    default: 30_000,
  },
  "mcp.callTimeoutMs": {
    type: "integer",
    isTime: true,
    says: "limit of one call to an MCP server, in ms, unless its `timeout` is set; progress and questions to you restart it",
    default: 120_000,
  },
  "mcp.waitMs": {
    type: "integer",
    says: "without a screen, how long the first request waits for MCP servers that are starting, in ms",
    default: 5000,
  },
  "ttsr.enabled": { type: "boolean", says: "watch replies with stream rules", default: true },
  "ttsr.contextMode": {
    type: ["discard", "keep"],
    says: "whether a reply that a rule has stopped stays in the conversation",
    default: "discard",
  },
  "ttsr.interruptMode": {
    type: ["never", "prose-only", "tool-only", "always"],
    says: "which parts of a reply a rule may stop, unless the rule says it itself",
    default: "always",
  },
  "ttsr.repeatMode": {
    type: ["once", "after-gap"],
    says: "whether a rule may match once in a session, or again after a gap",
    default: "once",
  },
  "ttsr.repeatGap": { type: "integer", says: "length of that gap, in messages", default: 10 },
  "ttsr.disabledRules": { type: "strings", says: "names of stream rules that are switched off" },
  theme: { type: "string", says: "colours of the terminal" },
};

/** Returns the settings of dialects, by names that begin with the dialect's id. */
function ofDialects(): SettingRows {
  const all = Object.entries(abouts).flatMap(([id, { settings }]) =>
    Object.entries(settings).map(([name, row]) => [`${id}.${name}`, row] as const),
  );
  return Object.fromEntries(all);
}

/** Returns the settings of guards. A run must not ignore an invalid value of one that tightens a guard. */
function ofGuards(): SettingRows {
  const all = Object.entries(GUARD_SETTINGS).flatMap(([guard, rows]) =>
    Object.entries(rows).map(([key, row]: [string, GuardSetting]) => [`guards.${guard}.${key}`, rowOf(row)] as const),
  );
  return Object.fromEntries(all);
}

function rowOf({ type, default: usual, says, project }: GuardSetting): SettingRow {
  return {
    type: type === "words" ? "strings" : type === "count" ? "integer" : (type as readonly string[]),
    says,
    default: usual,
    ...(type === "words" && { adds: true }),
    ...(project !== undefined && { project, guards: true }),
  };
}

/** Describes the values that a setting accepts, for messages. */
export function wanted({ type, isTime }: SettingRow): string {
  if (type === "boolean") return "true or false";
  if (type === "integer") return isTime ? `a whole number from 1 to ${LONGEST_MS}` : "a whole number, 0 or more";
  if (type === "string") return "a text";
  return type === "strings" ? "a list of texts" : `one of ${type.join(", ")}`;
}
