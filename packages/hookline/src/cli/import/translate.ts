import { isFields } from "@hookline/ground";
import { claudeNames, type HookHost } from "@hookline/integrations/imports";
import { shellQuoted } from "@hookline/runtime/engine";
import type { ForeignHook } from "./found.ts";

/** A matcher with its handlers, as Claude Code's settings group them; here always with one handler. */
export interface Group {
  readonly matcher?: string;
  readonly hooks: readonly [Readonly<Record<string, unknown>>];
}

/**
 * The translation of a hook to Claude Code's settings. `runs`: not needed, because hookline runs the hook unchanged.
 * `idle`: hookline reads the hook but cannot run it. `off`: its file turns all its hooks off. `translated`: `group`
 * does the same. `adapt`: `group` works once the hook's program reads Claude Code's events and answers in Claude Code's
 * format. `anew`: no settings can do the same, so the hook must be written anew.
 */
export type Translation =
  | { readonly state: "runs" | "off" }
  | {
      readonly state: "translated" | "adapt";
      readonly event: string;
      readonly group: Group;
      readonly remarks: readonly string[];
    }
  | { readonly state: "anew" | "idle"; readonly reason: string };

/** Events whose hooks can refuse a call or a prompt. A guard whose answer Claude Code cannot read refuses nothing. */
const GUARDS: ReadonlySet<string> = new Set(["PreToolUse", "PermissionRequest", "UserPromptSubmit"]);

/** Events whose matchers name tools, so the names must be translated to Claude Code's. */
const TOOL_EVENTS: ReadonlySet<string> = new Set([
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PermissionRequest",
]);
/** Events whose matchers need no translation, because all programs use the same values, such as `startup`. */
const SAME_WORDS: ReadonlySet<string> = new Set(["SessionStart", "PreCompact"]);

/** Translates a hook of another program to a hook in Claude Code's settings; `folder` is where its commands ran. */
export function translate(hook: ForeignHook, host: HookHost, folder: string | undefined): Translation {
  if (host.speaks === "own") return { state: "runs" };
  const anew = (reason: string): Translation => ({ state: "anew", reason });
  const to = Object.hasOwn(host.events, hook.event) ? host.events[hook.event] : undefined;
  if (to === undefined) return anew(`${host.label} has no known event of this name`);
  if ("why" in to) return anew(to.why);
  if (!isFields(hook.handler)) return anew("its handler is not an object");
  const isSame = host.speaks === "same" || to.isSame === true;
  const matched = matcherOf(hook.matcher, to, host, isSame);
  if ("problem" in matched) return anew(matched.problem);
  const made = handlerOf(hook.handler, host, folder);
  if ("problem" in made) return anew(made.problem);
  const isGuard = GUARDS.has(to.event);
  const isClosed = (host.isClosed === true && to.event === "PreToolUse") || hook.handler["failClosed"] === true;
  const handler = { ...made.handler, ...(isGuard && isClosed && { onFailure: "block" }) };
  const remarks = [
    ...(to.remark === undefined ? [] : [to.remark]),
    ...matched.remarks,
    ...made.remarks,
    ...(isSame ? [] : [isGuard ? ADAPT : SPEAKS]),
  ];
  const { matcher } = matched;
  const group: Group = { ...(matcher !== undefined && { matcher }), hooks: [handler] };
  return { state: isGuard && !isSame ? "adapt" : "translated", event: to.event, group, remarks };
}

const SPEAKS = "its program gets Claude Code's event, with its names for tools and fields";
const ADAPT = `${SPEAKS}; exit code 2 refuses as before, JSON has to be Claude Code's`;

type Matched =
  | { readonly matcher: string | undefined; readonly remarks: readonly string[] }
  | { readonly problem: string };

function matcherOf(
  given: unknown,
  to: { readonly event: string; readonly matcher?: string },
  host: HookHost,
  isSame: boolean,
): Matched {
  const isEvery = given === undefined || given === null || given === "" || given === "*" || given === ".*";
  if (to.matcher !== undefined) {
    if (isEvery) return { matcher: to.matcher, remarks: [] };
    return { problem: `its matcher ${JSON.stringify(given)} is about more than the tool; write an "if" rule instead` };
  }
  if (TOOL_EVENTS.has(to.event)) {
    const read = toolMatcher(given, host);
    if ("problem" in read) return read;
    const remarks = read.lost.length === 0 ? [] : [`left out of its matcher: ${read.lost.join(", ")}`];
    return { matcher: read.matcher, remarks };
  }
  if (isEvery) return { matcher: undefined, remarks: [] };
  if (typeof given === "string" && (isSame || SAME_WORDS.has(to.event))) return { matcher: given, remarks: [] };
  return { matcher: undefined, remarks: [`its matcher ${JSON.stringify(given)} is left out, so it runs each time`] };
}

/** The fields of a hook that are copied, because Claude Code's handlers have them, too; by the type of the handler. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  command: ["args", "async", "statusMessage", "shell", "if", "onFailure"],
  http: ["url", "headers", "allowedEnvVars", "statusMessage", "if", "onFailure"],
  prompt: ["prompt", "model", "statusMessage", "if"],
  agent: ["prompt", "model", "statusMessage", "if"],
};

/** The fields of a hook that are not copied: they change nothing, or their values are already in the command. */
const SPENT: readonly string[] = [
  "type",
  "command",
  "bash",
  "cwd",
  "env",
  "failClosed",
  "name",
  "description",
  "comment",
];

type Made =
  | { readonly handler: Readonly<Record<string, unknown>>; readonly remarks: readonly string[] }
  | { readonly problem: string };

function handlerOf(given: Readonly<Record<string, unknown>>, host: HookHost, folder: string | undefined): Made {
  const type = given["type"] ?? "command";
  const kept = typeof type === "string" && Object.hasOwn(KEPT, type) ? KEPT[type] : undefined;
  if (kept === undefined) return { problem: `settings have no handler of type ${JSON.stringify(type)}` };
  const { key, perSecond } = host.timeout;
  const limit = given[key];
  if (limit !== undefined && !(typeof limit === "number" && limit >= 0))
    return { problem: `its ${key} is not a number` };
  const made = type === "command" ? commandOf(given, host, folder) : { fields: {} };
  if ("problem" in made) return made;
  const own = made.fields;
  const left = Object.keys(given).filter(
    (name) => ![...SPENT, ...kept, key].includes(name) && !(name in own) && !(name === "powershell" && "bash" in given),
  );
  return {
    handler: {
      type,
      ...own,
      ...Object.fromEntries(kept.filter((name) => given[name] !== undefined).map((name) => [name, given[name]])),
      ...(typeof limit === "number" && limit > 0 && { timeout: limit / perSecond }),
    },
    remarks: left.length === 0 ? [] : [`left out: ${left.join(", ")}`],
  };
}

function commandOf(
  given: Readonly<Record<string, unknown>>,
  host: HookHost,
  folder: string | undefined,
): { readonly fields: Readonly<Record<string, string>> } | { readonly problem: string } {
  const { command, bash, powershell, cwd, env } = given;
  const text = bash ?? command;
  const isText = typeof text === "string" && text.trim() !== "";
  if (!isText && typeof powershell === "string" && cwd === undefined && env === undefined)
    return { fields: { command: powershell, shell: "powershell" } };
  if (!isText) return { problem: "it has no command" };
  if (cwd !== undefined && typeof cwd !== "string") return { problem: "its cwd is not a text" };
  const variables = Object.entries(isFields(env) ? env : {});
  if (variables.some(([name, value]) => !/^[A-Za-z_]\w*$/.test(name) || typeof value !== "string"))
    return { problem: "its env has a value that cannot be a variable" };
  const folders = [folder, cwd].filter((one) => one !== undefined).map((one) => `cd ${shellQuoted(one)} && `);
  const exports = variables.map(([name, value]) => `export ${name}=${shellQuoted(value as string)}; `);
  return { fields: { command: [...folders, ...exports, renamed(text as string, host.variables)].join("") } };
}

/** Replaces the host's variables in a command by Claude Code's. */
function renamed(command: string, variables: Readonly<Record<string, string>>): string {
  return command.replace(/\$(?:\{(\w+)\}|(\w+))/g, (whole, braced?: string, bare?: string) => {
    const name = braced ?? bare ?? "";
    const own = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return own === undefined ? whole : `\${${own}}`;
  });
}

/** A matcher with Claude Code's names (`undefined` for every tool), or why it cannot be translated. */
type MatcherReading =
  | { readonly matcher: string | undefined; readonly lost: readonly string[] }
  | { readonly problem: string };

const PLAIN = /^[\w-]+(?:\.\*)?$|^\.\*[\w-]+(?:\.\*)?$/;

/** Translates a matcher of tools to Claude Code's names: a list of names, each possibly with `.*` at either end. */
function toolMatcher(given: unknown, host: HookHost): MatcherReading {
  const { isAnchored, label } = host;
  const tools = claudeNames(host);
  if (given === undefined || given === null || given === "" || given === "*" || given === ".*")
    return { matcher: undefined, lost: [] };
  if (typeof given !== "string") return { problem: "its matcher is not a text" };
  const parts = given
    .replace(/^\^?\((.*)\)\$?$/, "$1")
    .split("|")
    .map((part) => part.trim());
  const names: string[] = [];
  const lost: string[] = [];
  for (const part of parts) {
    const bare = part.replace(/^\^/, "").replace(/\$$/, "");
    if (!PLAIN.test(bare)) return { problem: `its matcher "${given}" is an expression; list the tools' names instead` };
    const begins = isAnchored || part.startsWith("^");
    const ends = isAnchored || part.endsWith("$");
    const word = bare.replaceAll(".*", "");
    const fits = (name: string): boolean => {
      const [open, close] = [!begins || bare.startsWith(".*"), !ends || bare.endsWith(".*")];
      if (open && close) return name.includes(word);
      return open ? name.endsWith(word) : close ? name.startsWith(word) : name === word;
    };
    const own = Object.hasOwn(tools, word) ? [word] : Object.keys(tools).filter(fits);
    if (own.length === 0) lost.push(part);
    names.push(...own.flatMap((name) => (tools[name] ?? "").split("|")));
  }
  if (names.length === 0) return { problem: `no tool here is what ${label} calls ${lost.join(", ")}` };
  return { matcher: [...new Set(names)].join("|"), lost };
}
