import { abouts, LONGEST_MS, type SettingRow, type SettingRows } from "@hookline/runtime/internal";

/** Every setting, by its path in `settings.json`. Source: design/cli.md. */
export const SETTINGS: SettingRows = {
  lanes: { type: "strings", says: "order in which lanes are asked" },
  dialects: { type: "strings", says: "load only these dialects" },
  extensionOrder: {
    type: ["seed", "cli"],
    says: "order of pi extensions: as documented, or `-e` first as pi's command line does",
    default: "seed",
  },
  feedbackCap: {
    type: "integer",
    says: "retries that hooks may ask for in one prompt; where it is not set, those of Claude's settings have 8 of their own",
    default: 5,
  },
  hookTurnCap: {
    type: "integer",
    says: "turns that hooks may start by themselves since a person last sent something; 0 for no limit",
    default: 200,
  },
  handlerTimeoutMs: {
    type: "integer",
    isTime: true,
    says: "limit of one handler of a pi or omp extension, in ms, guards left out; of hooks of omp only where it is set",
    default: 30_000,
  },
  toolCallTimeoutMs: {
    type: "integer",
    isTime: true,
    says: "limit of one tool_call handler of a pi or omp module, in ms",
  },
  "retry.maxRetries": {
    type: "integer",
    says: "repeated requests after a passing provider error",
    default: 3,
  },
  "retry.baseDelayMs": {
    type: "integer",
    says: "first wait before a repeated request, doubled each time, in ms",
    default: 2000,
  },
  "compaction.enabled": { type: "boolean", says: "compact by itself near the limit", default: true },
  "compaction.strategy": {
    type: ["auto", "rolling"],
    says: "summarise all, or drop the oldest messages",
    default: "auto",
  },
  "compaction.reserveTokens": { type: "integer", says: "tokens kept free for the reply", default: 16_384 },
  "compaction.keepRecentTokens": { type: "integer", says: "tokens at the end that stay as they are", default: 20_000 },
  "compaction.threshold": {
    type: "integer",
    says: "tokens from which to compact; default: the context window less the reserve",
  },
  "compaction.microAt": {
    type: "integer",
    says: "per cent of the threshold from which old tool results are folded",
    default: 60,
  },
  "toolOutputCache.threshold": { type: "integer", says: "bytes from which an output is cached", default: 4000 },
  "toolOutputCache.previewChars": {
    type: "integer",
    says: "characters of a cached output that the model sees",
    default: 500,
  },
  "toolOutputCache.allowedPaths": { type: "strings", says: "folders that the file tools may read by path" },
  ...ofDialects(),
  failClosed: {
    type: "strings",
    says: "hook files or ids whose failures refuse what they guard and withhold what they redact, in any dialect; a file that does not run refuses every tool call",
    guards: true,
    adds: true,
    project: {
      adds: "files inside the project",
      because: "it makes the project's own hooks refuse more, and reaches nobody else's",
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
  nativeSpawn: {
    type: "boolean",
    says: "on Linux, start processes through the system's own library, for which the package koffi is loaded",
    default: true,
  },
  containment: {
    type: ["group"],
    says: "how child processes are held together: by their process group",
    default: "group",
  },
  durability: {
    type: ["turn", "entry"],
    says: "when the session is synced to disk",
    default: "turn",
    project: { adds: "`entry`", because: "it syncs the session more often, and changes no hook", only: "entry" },
  },
  "todo.enabled": { type: "boolean", says: "offer the model the tool `todo`", default: false },
  "ask.enabled": { type: "boolean", says: "offer the model the tool `ask`", default: false },
  "todo.remindersMax": {
    type: "integer",
    says: "reminders of open todos",
    default: 3,
    project: {
      adds: "a smaller number",
      because: "reminders are the agent's own, and fewer of them change no hook",
    },
  },
  "ttsr.enabled": { type: "boolean", says: "watch replies with stream rules", default: true },
  "ttsr.contextMode": {
    type: ["discard", "keep"],
    says: "whether a reply that a rule has stopped stays in the conversation",
    default: "discard",
  },
  "ttsr.interruptMode": {
    type: ["never", "prose-only", "tool-only", "always"],
    says: "what a rule may stop where it does not say so itself",
    default: "always",
  },
  "ttsr.repeatMode": {
    type: ["once", "after-gap"],
    says: "whether a rule may match again in a session",
    default: "once",
  },
  "ttsr.repeatGap": { type: "integer", says: "messages after which a rule may match again", default: 10 },
  "ttsr.disabledRules": { type: "strings", says: "names of stream rules that are not used" },
  theme: { type: "string", says: "colours of the terminal" },
};

/** The settings of dialects, each below its dialect's id. */
function ofDialects(): SettingRows {
  const all = Object.entries(abouts).flatMap(([id, { settings }]) =>
    Object.entries(settings).map(([name, row]) => [`${id}.${name}`, row] as const),
  );
  return Object.fromEntries(all);
}

/** What a setting may be, in words. */
export function wanted({ type, isTime }: SettingRow): string {
  if (type === "boolean") return "true or false";
  if (type === "integer") return isTime ? `a whole number from 1 to ${LONGEST_MS}` : "a whole number, 0 or more";
  if (type === "string") return "a text";
  return type === "strings" ? "a list of texts" : `one of ${type.join(", ")}`;
}
