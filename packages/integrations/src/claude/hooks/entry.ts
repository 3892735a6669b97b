import { chooseFrom, fillHeaders, guess, headersProblem, hookUrl, MAX_MS } from "@hookline/ground";
import type { Definition, Owner } from "./definition.ts";
import {
  defaultTimeout,
  type EventFields,
  fieldsOf,
  guessEvent,
  HANDLER_TYPES,
  type HandlerType,
  KNOWN_VERSION,
  mayBlockOnFailure,
  SILENT,
  typesOf,
} from "./fields.ts";
import type { RawHandler } from "./settings-file.ts";

/** A remark for the user about a handler's entry in the settings. */
export interface Note {
  readonly code: "BAD_ENTRY" | "UNKNOWN_HOOK_EVENT" | "UNKNOWN_KEY" | "NEVER_FIRES" | "LINT" | "LIMIT_CLAMPED";
  readonly details: Readonly<Record<string, string | number>>;
}

/** A parsed entry: the handler to run, or the reason why nothing runs. */
export interface EntryReading {
  readonly definition: Omit<Definition, "level" | "folder"> | undefined;
  /** The reason why the entry does not run, such as a mistake or an event that never fires. */
  readonly lost?: { readonly state: "broken" | "unreachable" | "unsupported"; readonly reason: string };
  readonly notes: readonly Note[];
}

type KeyType = "text" | "texts" | "flag" | "seconds" | "object" | "strings";

/** Keys that every handler may have. Source: spec/claude.md 2. */
const COMMON: Readonly<Record<string, KeyType>> = {
  type: "text",
  if: "text",
  timeout: "seconds",
  statusMessage: "text",
  once: "flag",
  onFailure: "text",
};

/** Keys of each handler type. The first key is required. */
const KEYS: Readonly<Record<HandlerType, Readonly<Record<string, KeyType>>>> = {
  command: {
    command: "text",
    args: "texts",
    shell: "text",
    async: "flag",
    asyncRewake: "flag",
    rewakeMessage: "text",
    rewakeSummary: "text",
  },
  http: { url: "text", headers: "strings", allowedEnvVars: "texts" },
  mcp_tool: { server: "text", tool: "text", input: "object" },
  prompt: { prompt: "text", model: "text", continueOnBlock: "flag" },
  agent: { prompt: "text", model: "text" },
};

/** Reads one handler of a group. A mistake disables only this handler. */
export function readEntry(
  { event, matcher, handler }: RawHandler,
  owner: Pick<Owner, "skill" | "plugin">,
): EntryReading {
  const fields = fieldsOf(event);
  if (fields === undefined) return unheard(event);
  if (typeof handler !== "object" || handler === null || Array.isArray(handler))
    return broken("a handler must be an object", 'Write {"type": "command", "command": "…"}.');
  if (matcher !== undefined && matcher !== null && typeof matcher !== "string")
    return broken("matcher must be text", 'Write "matcher": "Bash|Edit", or leave it out.');
  const given = handler as Readonly<Record<string, unknown>>;
  const type = given["type"];
  if (typeof type !== "string" || !(HANDLER_TYPES as readonly string[]).includes(type))
    return broken(
      typeof type === "string" ? `there is no handler type "${type.slice(0, 40)}"` : "the handler has no type",
      chooseFrom(typeof type === "string" ? type : "", HANDLER_TYPES),
    );
  return readHandler({ event, fields, type: type as HandlerType, given, matcher: matcher ?? undefined, owner });
}

interface Given {
  readonly event: string;
  readonly fields: EventFields;
  readonly type: HandlerType;
  readonly given: Readonly<Record<string, unknown>>;
  readonly matcher: string | undefined;
  readonly owner: Pick<Owner, "skill" | "plugin">;
}

function readHandler({ event, fields, type, given, matcher, owner }: Given): EntryReading {
  const isOfSkill = owner.skill !== undefined;
  const allowed = typesOf(fields);
  if (!allowed.includes(type))
    return broken(`a handler of type ${type} is not supported on ${event}`, `Use one of ${allowed.join(", ")}.`);
  const keys = { ...COMMON, ...KEYS[type] };
  const notes: Note[] = [];
  for (const [key, value] of Object.entries(given)) {
    const wanted = Object.hasOwn(keys, key) ? keys[key] : undefined;
    if (wanted === undefined) {
      notes.push({ code: "UNKNOWN_KEY", details: { key: key.slice(0, 60), guess: guess(key, Object.keys(keys)) } });
    } else if (!isOf(value, wanted)) return broken(`${key} must be ${WORDS[wanted]}`, "Correct it.");
  }
  const [needed = ""] = Object.keys(KEYS[type]);
  for (const key of type === "mcp_tool" ? ["server", "tool"] : [needed])
    if (String(given[key] ?? "").trim() === "")
      return broken(`the handler of type ${type} has no ${key}`, `Add "${key}": "…".`);
  const isOnce = given["once"] === true;
  if (isOnce && !isOfSkill) lint(notes, '"once" has an effect only in the frontmatter of skills', "Remove it.");
  const refusal = shapeProblem(given, fields, event, notes) ?? (type === "http" ? urlProblem(given, notes) : undefined);
  if (refusal !== undefined) return broken(refusal.problem, refusal.remedy);
  const usual = defaultTimeout(type, fields);
  // A plugin's handler may not delay the exit for longer than the default limit.
  const most = event !== "SessionEnd" ? MAX_MS : owner.plugin === undefined ? MOST_AT_END : usual;
  const timeoutMs = timeoutOf(given["timeout"] as number | undefined, usual, most, notes);
  const wakes = given["asyncRewake"] === true;
  const definition: EntryReading["definition"] = {
    event,
    type,
    timeoutMs,
    onFailure: given["onFailure"] === "block" ? "block" : "continue",
    ...(matcher !== undefined && { matcher }),
    ...pick(given, ["if", "statusMessage", "command", "args", "shell", "url", "headers", "allowedEnvVars", "prompt"]),
    ...pick(given, ["model", "server", "tool", "input"]),
    ...(given["continueOnBlock"] === true && { continueOnBlock: true as const }),
    ...(isOnce && isOfSkill && { isOnce: true as const }),
    ...((wakes || given["async"] === true) && { isAsync: true as const }),
    ...(wakes && {
      wakes: {
        ...(typeof given["rewakeMessage"] === "string" && { message: given["rewakeMessage"] }),
        ...(typeof given["rewakeSummary"] === "string" && { summary: given["rewakeSummary"] }),
      },
    }),
  };
  return { definition, notes };
}

function shapeProblem(
  given: Readonly<Record<string, unknown>>,
  fields: EventFields,
  event: string,
  notes: Note[],
): { readonly problem: string; readonly remedy: string } | undefined {
  const { shell, onFailure, command, args, if: rule } = given;
  if (shell !== undefined && shell !== "bash" && shell !== "powershell")
    return { problem: `shell cannot be "${String(shell).slice(0, 40)}"`, remedy: "Write bash or powershell." };
  if (onFailure !== undefined && onFailure !== "continue" && onFailure !== "block")
    return { problem: `onFailure cannot be "${String(onFailure).slice(0, 40)}"`, remedy: "Write continue or block." };
  if (typeof command === "string" && args === undefined && command.includes("${user_config."))
    return {
      problem: "a plugin's choices (user_config) are not filled in where a shell reads the command",
      remedy: 'Give the program as "command" and its arguments as "args", or read $CLAUDE_PLUGIN_OPTION_<KEY>.',
    };
  const absent = typeof command === "string" ? /\$\{?(CLAUDE_TOOL_\w+)/.exec(command)?.[1] : undefined;
  if (absent !== undefined)
    lint(notes, `the command reads $${absent}, which is never set`, "Read the event, which is JSON on stdin.");
  if (rule !== undefined && !fields.isTool)
    lint(notes, `"if" is for events of tools: on ${event} this handler never runs`, "Remove it.");
  if (onFailure === "block" && (given["async"] === true || given["asyncRewake"] === true))
    lint(notes, "nobody waits for this handler, so onFailure has no effect", "Remove async, or onFailure.");
  else if (onFailure === "block" && !mayBlockOnFailure(event))
    lint(notes, `onFailure has no effect on ${event}`, "Remove it; exit code 2 is what blocks there, if anything.");
  return undefined;
}

/** Describes why a URL or header can never be used. Header values with variables are checked when they are sent. */
function urlProblem(
  { url, headers = {}, allowedEnvVars = [] }: Readonly<Record<string, unknown>>,
  notes: Note[],
): { readonly problem: string; readonly remedy: string } | undefined {
  const read = hookUrl(url as string);
  if ("problem" in read) return { problem: read.problem, remedy: "Correct the URL." };
  const { unlisted, withheld, ...filled } = fillHeaders(
    headers as Readonly<Record<string, string>>,
    allowedEnvVars as readonly string[],
    {},
  );
  const problem = headersProblem(filled.headers);
  if (problem !== undefined) return { problem, remedy: "Correct the headers." };
  for (const name of unlisted)
    lint(notes, `$${name} is sent empty, because allowedEnvVars does not name it`, `Add "${name}" to allowedEnvVars.`);
  for (const name of withheld)
    lint(notes, `$${name} is sent empty: hooks do not get the keys of model providers`, "Use another variable.");
  return undefined;
}

function lint(notes: Note[], problem: string, remedy: string): void {
  notes.push({ code: "LINT", details: { problem, remedy } });
}

const MOST_AT_END = 60_000;

function timeoutOf(seconds: number | undefined, usual: number, most: number, notes: Note[]): number {
  if (seconds === undefined || seconds === 0) return usual;
  if (seconds * 1000 <= most) return Math.max(1, Math.round(seconds * 1000));
  const remedy = most === usual ? "A plugin's hooks cannot put off the end of a session." : "Lower the timeout.";
  notes.push({ code: "LIMIT_CLAMPED", details: { given: `${seconds} s`, used: `${most} ms`, remedy } });
  return most;
}

function unheard(event: string): EntryReading {
  const reason = Object.hasOwn(SILENT, event) ? SILENT[event] : undefined;
  if (reason !== undefined)
    return {
      definition: undefined,
      lost: { state: "unreachable", reason: `${event} never fires here: ${reason}` },
      notes: [{ code: "NEVER_FIRES", details: { event } }],
    };
  const name = event.slice(0, 60);
  const near = guessEvent(event);
  const problem = `"${name}" is not known to hookline, which knows the events of Claude Code ${KNOWN_VERSION}`;
  return {
    definition: undefined,
    lost: { state: "unreachable", reason: problem },
    // An unknown event whose name resembles no known one is probably an event of a newer Claude Code.
    notes: [
      near === ""
        ? { code: "LINT", details: { problem, remedy: "A newer hookline may know it." } }
        : { code: "UNKNOWN_HOOK_EVENT", details: { event: name, guess: near } },
    ],
  };
}

function broken(problem: string, remedy: string): EntryReading {
  return {
    definition: undefined,
    lost: { state: "broken", reason: problem },
    notes: [{ code: "BAD_ENTRY", details: { problem, remedy } }],
  };
}

const WORDS: Readonly<Record<KeyType, string>> = {
  text: "text",
  texts: "a list of texts",
  flag: "true or false",
  seconds: "a number of seconds",
  object: "an object",
  strings: "an object of texts",
};

function isOf(value: unknown, type: KeyType): boolean {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  switch (type) {
    case "text":
      return typeof value === "string" && !value.includes("\0");
    case "texts":
      return Array.isArray(value) && value.every((item) => typeof item === "string" && !item.includes("\0"));
    case "flag":
      return typeof value === "boolean";
    case "seconds":
      return typeof value === "number" && Number.isFinite(value) && value >= 0;
    case "object":
      return isRecord;
    case "strings":
      return isRecord && Object.values(value as object).every((item) => typeof item === "string");
  }
}

function pick(given: Readonly<Record<string, unknown>>, names: readonly string[]): object {
  return Object.fromEntries(names.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]));
}
