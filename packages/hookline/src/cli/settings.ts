import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Diagnostic, type DialectSettings, diagnose, nearest } from "@hookline/runtime";
import { LOOP_DEFAULTS, type LoopSettings } from "../loop/core.ts";
import type { Io } from "./io.ts";

/** What a setting can be. */
export type Value = boolean | number | string | readonly string[];

/** What a setting may be, and what a project may make of it. */
interface SettingRow {
  readonly type: "boolean" | "integer" | "string" | "strings" | readonly string[];
  readonly says: string;
  /** A time limit in ms, for which a timer must be able to hold it. */
  readonly isTime?: boolean;
  readonly default?: Value;
  /** Whether a project's value may take the place of the user's: projects may only tighten. */
  tightens?(project: Value, user: Value | undefined): boolean;
  /** Whether a project's list stands beside the user's in place of replacing it. */
  readonly adds?: boolean;
}

/** The longest time that a timer can hold. */
const MAX_MS = 2 ** 31 - 1;

const smaller = (project: Value, user: Value | undefined): boolean =>
  user === undefined || (project as number) <= (user as number);

/** Every setting, by its path in `settings.json`. Source: design/cli.md. */
export const SETTINGS: Readonly<Record<string, SettingRow>> = {
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
    tightens: smaller,
  },
  hookTurnCap: {
    type: "integer",
    says: "turns that hooks may start by themselves since a person last sent something; 0 for no limit",
    default: 200,
  },
  handlerTimeoutMs: {
    type: "integer",
    isTime: true,
    says: "limit of one handler of a pi or omp extension, in ms; hooks of omp have none but this one",
    default: 30_000,
    tightens: smaller,
  },
  toolCallTimeoutMs: {
    type: "integer",
    isTime: true,
    says: "limit of one tool_call handler, in ms",
    tightens: smaller,
  },
  "retry.maxRetries": {
    type: "integer",
    says: "repeated requests after a passing provider error",
    default: 3,
    tightens: smaller,
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
  "omp.mergeOverrides": {
    type: "boolean",
    says: "merge tool_result overrides of omp hooks field by field",
    default: false,
  },
  "jcli.stopUserInput": { type: ["prompt", "reply"], says: "what user_input of the stop event is", default: "prompt" },
  "chibi.guardFailure": {
    type: ["open", "closed"],
    says: "what a chibi guard counts as that exits with an error",
    default: "open",
    tightens: (project) => project === "closed",
  },
  "chibi.linkDirectories": { type: "strings", says: "folders that links in chibi's plugin folder may lead to" },
  failClosed: {
    type: "strings",
    says: "hook files or ids whose failures refuse what they guard and withhold what they redact, in any dialect",
    tightens: () => true,
    adds: true,
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
    tightens: (project) => project === "entry",
  },
  "todo.enabled": { type: "boolean", says: "offer the model the tool `todo`", default: false },
  "ask.enabled": { type: "boolean", says: "offer the model the tool `ask`", default: false },
  "todo.remindersMax": { type: "integer", says: "reminders of open todos", default: 3, tightens: smaller },
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

/** The settings that are in force, by path, with what was wrong in the files. */
export interface Settings {
  readonly values: ReadonlyMap<string, Value>;
  /** The keys whose value is the project's. */
  readonly ofProject: ReadonlySet<string>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads the user's file and the project's; what is wrong is left out and reported. */
export function readSettings(hooklineHome: string, cwd: string): Settings {
  const diagnostics: Diagnostic[] = [];
  const user = readOne(join(hooklineHome, "settings.json"), diagnostics);
  const path = join(cwd, ".hookline/settings.json");
  const values = new Map(user);
  const ofProject = new Set<string>();
  for (const [key, value] of readOne(path, diagnostics)) {
    const { tightens, adds, default: usual } = SETTINGS[key] as SettingRow;
    if (tightens?.(value, user.get(key) ?? usual)) {
      values.set(
        key,
        adds ? [...((user.get(key) ?? []) as readonly string[]), ...(value as readonly string[])] : value,
      );
      ofProject.add(key);
    } else
      diagnostics.push(
        bad(
          path,
          1,
          `"${key}" is not taken from a project, which may only tighten`,
          `Set it in ${join(hooklineHome, "settings.json")}.`,
        ),
      );
  }
  return { values, ofProject, diagnostics };
}

function readOne(path: string, diagnostics: Diagnostic[]): Map<string, Value> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return new Map();
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (thrown) {
    const at = /position (\d+)/.exec((thrown as Error).message);
    const line = at === null ? 1 : text.slice(0, Number(at[1])).split("\n").length;
    diagnostics.push(diagnose("SYNTAX", { path, line, problem: (thrown as Error).message }));
    return new Map();
  }
  const values = new Map<string, Value>();
  const lineOf = (key: string): number =>
    Math.max(1, text.slice(0, text.indexOf(`"${key.split(".").at(-1)}"`)).split("\n").length);
  for (const [key, value] of flat(parsed)) {
    const row = SETTINGS[key];
    if (row === undefined)
      diagnostics.push(
        diagnose("UNKNOWN_KEY", { path, line: lineOf(key), key, nearest: nearest(key, Object.keys(SETTINGS)) }),
      );
    else if (fits(row, value)) values.set(key, value as Value);
    else
      diagnostics.push(
        bad(
          path,
          lineOf(key),
          `"${key}" must be ${wanted(row)}`,
          `It is ${JSON.stringify(value)}; correct it or take it out.`,
        ),
      );
  }
  return values;
}

/** Leaves of nested objects with their paths; a path that is a setting is not gone into. */
function* flat(value: unknown, prefix = ""): Generator<[string, unknown]> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    if (prefix !== "") yield [prefix, value];
    return;
  }
  for (const [key, inner] of Object.entries(value)) yield* flat(inner, prefix === "" ? key : `${prefix}.${key}`);
}

function fits({ type, isTime }: SettingRow, value: unknown): boolean {
  if (type === "boolean") return typeof value === "boolean";
  if (type === "integer") {
    const [least, most] = isTime ? [1, MAX_MS] : [0, Number.MAX_SAFE_INTEGER];
    return Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
  }
  if (type === "string") return typeof value === "string";
  if (type === "strings") return Array.isArray(value) && value.every((item) => typeof item === "string");
  return type.includes(value as string);
}

/** What a setting may be, in words. */
export function wanted({ type, isTime }: SettingRow): string {
  if (type === "boolean") return "true or false";
  if (type === "integer") return isTime ? `a whole number from 1 to ${MAX_MS}` : "a whole number, 0 or more";
  if (type === "string") return "a text";
  return type === "strings" ? "a list of texts" : `one of ${type.join(", ")}`;
}

function bad(path: string, line: number, problem: string, remedy: string): Diagnostic {
  return diagnose("BAD_ENTRY", { path, line, problem, remedy });
}

/** The part that the loop reads. */
export function loopSettings({ values }: Settings, env: Io["env"] = process.env): LoopSettings {
  const { hookTurnCap, claudeStopCap, retry, compaction, rules, todo } = LOOP_DEFAULTS;
  // Each value was checked against the table, whose types are those of the defaults.
  const over = <T extends object>(defaults: T, prefix: string): T => {
    const found = Object.fromEntries(
      [...values].flatMap(([key, value]) => (key.startsWith(prefix) ? [[key.slice(prefix.length), value]] : [])),
    );
    return { ...defaults, ...found };
  };
  return {
    feedbackCap: values.get("feedbackCap") as number | undefined,
    claudeStopCap: stopCapOf(env) ?? claudeStopCap,
    hookTurnCap: (values.get("hookTurnCap") as number | undefined) ?? hookTurnCap,
    retry: over(retry, "retry."),
    compaction: over(compaction, "compaction."),
    rules: over(rules, "ttsr."),
    todo: over(todo, "todo."),
  };
}

/** The limit that the start environment sets for hooks of Claude's settings, from 1 to 100. Source: decision 61. */
function stopCapOf(env: Io["env"]): number | undefined {
  const cap = Number(env["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"]);
  return Number.isInteger(cap) && cap >= 1 && cap <= 100 ? cap : undefined;
}

/** The part that dialects read. */
export function dialectSettings({ values }: Settings): DialectSettings {
  const pick = (key: string, name: string): object => (values.has(key) ? { [name]: values.get(key) } : {});
  return {
    ...pick("extensionOrder", "extensionOrder"),
    ...pick("handlerTimeoutMs", "handlerTimeoutMs"),
    ...pick("toolCallTimeoutMs", "toolCallTimeoutMs"),
    ...pick("failClosed", "failClosed"),
    omp: pick("omp.mergeOverrides", "mergeOverrides"),
    jcli: pick("jcli.stopUserInput", "stopUserInput"),
    chibi: { ...pick("chibi.guardFailure", "guardFailure"), ...pick("chibi.linkDirectories", "linkDirectories") },
  };
}
