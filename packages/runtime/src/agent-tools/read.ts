import { isFields, parseJson } from "@hookline/ground";
import { type CallArgs, renameArgs } from "../lens/call.ts";
import { hasPatch, PATCH_BEGIN, type PatchedFile, readPatch } from "./patch.ts";
import { mayBeServerTool, type ServerOrigin, serverToolNames } from "./server-tool.ts";
import {
  type AgentTool,
  type AgentTools,
  type Guess,
  guessesOf,
  inSeconds,
  inUnits,
  namesOf,
  shownName,
  toolNamed,
} from "./table.ts";

/** A call with hookline's own names of the tool and its arguments, as hooks see it. */
export interface NamedCall {
  readonly tool: string;
  readonly args: CallArgs;
  /** Further names by which the agent knows the tool. */
  readonly aliases?: readonly string[];
}

/** One way to show a call to hooks: a tool name, and how the arguments are converted to it and back. */
export interface CallView {
  readonly tool: string;
  readonly aliases: readonly string[];
  /** Set if this view repeats the one before by another name. Its changes are ignored if a hook changed that one. */
  readonly isAgain?: true;
  get(args: CallArgs): CallArgs;
  /** Converts arguments that hooks have written back to the agent's; throws if the agent's tool cannot take them. */
  put(written: CallArgs, original: CallArgs): CallArgs;
}

/** The further calls that one call implies, such as one for each file of a patch. They cannot be rewritten. */
export interface CallParts {
  readonly calls: readonly NamedCall[];
  readonly problem?: string;
}

/** One call of an agent, as read by the agent's table of tools. */
export interface CallReading {
  /** The agent's own name of the tool. */
  readonly name: string;
  /** The call as the agent made it, for hooks that see its result. */
  readonly told: NamedCall;
  readonly args: CallArgs;
  readonly entry: AgentTool | undefined;
  /** The reason why no guard can judge the call; absent if guards can. */
  readonly problem?: string;
  /** Whether none of the call's arguments could be read. */
  readonly isUnread: boolean;
  /**
   * The views that guards are asked about, in order. If a hook rewrites the call, the next view shows the rewritten
   * one.
   */
  readonly views: readonly CallView[];
  parts(args: CallArgs): CallParts;
  /** The arguments (`command`, `path`, `patch`) that a call is judged by if the agent's table lacks its tool. */
  readonly guessed: readonly string[];
  /** Whether the name is that of an MCP server's tool. */
  readonly isOfServer: boolean;
}

/**
 * Reads a call by an agent's table. `given` is the arguments as the agent sent them, of any type. `originOf` returns
 * what is known about the server of an MCP tool.
 */
export function readCall(
  agent: AgentTools,
  name: string,
  given: unknown,
  originOf: () => ServerOrigin = () => ({ servers: [] }),
): CallReading {
  const found = toolNamed(agent, name);
  const { args, problem } = argsOf(agent, found, name, given);
  // A name that only ends with that of a harmless tool may be the name of another tool.
  const isOther = found?.kind === "other" && !Object.hasOwn(agent.tools, name) && guessesOf(args).length > 0;
  const entry = isOther ? undefined : found;
  const [full, ...fulls] = entry === undefined ? serverToolNames(agent, name, originOf) : [];
  const plain = viewOf(name, entry);
  const own = full === undefined ? plain : { ...plain, tool: full, aliases: [name, ...fulls] };
  // Some hooks compare names themselves and are shown only one name, so the call is shown under each of its names.
  const named: readonly CallView[] =
    full === undefined
      ? [own]
      : [
          { ...own, aliases: fulls },
          { ...plain, aliases: [], isAgain: true },
        ];
  const isOfServer = entry === undefined && agent.server.test(name);
  const guesses = entry === undefined ? guessed(agent, name, args, isOfServer ? originOf : undefined) : [];
  const asGuessed = guesses.flatMap((guess) => guessedView(name, guess, args));
  const isPatch = guesses.some(({ argument }) => argument === "patch");
  const isInParts = entry !== undefined && (entry.kind === "patches" || isMany(entry, args));
  // A patch writes and edits files, so hooks for `Write` and `Edit` see its result too.
  const aliases = entry?.kind === "patches" ? [...new Set([...own.aliases, ...PATCHES])] : own.aliases;
  const told = { tool: own.tool, args: own.get(args), aliases };
  const nameless = name === "" ? "the call names no tool" : undefined;
  const lack = problem ?? nameless ?? (entry === undefined ? undefined : lackOf(name, entry, args, told.args));
  const wrong = lack ?? guesses.map((guess) => wrongType(name, guess, args)).find((one) => one !== undefined);
  return {
    name,
    told,
    args,
    entry,
    ...(wrong !== undefined && { problem: wrong }),
    views: isInParts || isPatch ? [] : isOfServer || asGuessed.length === 0 ? [...named, ...asGuessed] : asGuessed,
    parts: (last) => partsOf(name, entry, guesses, last),
    guessed: guesses.map(({ argument }) => argument),
    isOfServer,
    isUnread: problem !== undefined,
  };
}

/** Returns whether a call names several paths, or addresses that must be found in a text. */
function isMany({ many, kind }: AgentTool, args: CallArgs): boolean {
  return many !== undefined && (kind === "fetches" || (Array.isArray(args[many]) && args[many].length !== 1));
}

/** Returns the text of a patch that a call applies, whichever argument holds it. */
function patchIn(entry: Pick<AgentTool, "args">, args: CallArgs): string | undefined {
  const names = namesOf(entry, "patch");
  const named = names.map((name) => args[name]).find((value) => typeof value === "string");
  const text = named ?? Object.values(args).find((value) => typeof value === "string" && hasPatch(value));
  return text as string | undefined;
}

/** Hooks for these tools also see the results of patches. */
const PATCHES = ["Write", "Edit", "write", "edit"] as const;

/**
 * Returns every tool name, with its aliases, under which hooks are asked about an agent's calls. With `isTold`, also
 * the aliases under which hooks see only results.
 */
export function namesIn(agent: AgentTools, isTold = true): readonly Omit<NamedCall, "args">[] {
  return Object.entries(agent.tools).flatMap(([name, entry]) => {
    const { tool, aliases } = viewOf(name, entry);
    // A command that a `runs` tool starts may apply a patch, and so change files.
    const hasFiles = entry.kind === "patches" || entry.kind === "runs";
    const files = hasFiles ? ["write", "edit"].map((one) => ({ tool: one, aliases: partNames(name, entry) })) : [];
    const told = entry.kind === "patches" && isTold ? [...aliases, ...PATCHES] : aliases;
    return [{ tool, aliases: told }, ...files];
  });
}

function partNames(name: string, entry: AgentTool | undefined): readonly string[] {
  return [name, ...(entry?.aliases ?? [])];
}

interface Arguments {
  readonly args: CallArgs;
  readonly problem?: string;
}

function argsOf({ isText }: AgentTools, entry: AgentTool | undefined, name: string, given: unknown): Arguments {
  if (given === undefined || given === null) return { args: {} };
  const value = typeof given === "string" && (isText || entry?.kind === "patches") ? parsed(given) : given;
  if (isFields(value)) return { args: value };
  if (typeof value === "string" && entry === undefined && hasPatch(value)) return { args: { patch: value } };
  if (typeof value === "string" && entry?.kind === "patches") return { args: { [shownName(entry, "patch")]: value } };
  return { args: {}, problem: `the arguments of ${name} are not an object` };
}

/** Parses a text as JSON; a text that is not JSON is returned unchanged. */
function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

function lackOf(name: string, entry: AgentTool, args: CallArgs, told: CallArgs): string | undefined {
  const lacking = (entry.needs ?? []).find((needed) => !isThere(needed, entry, args, told));
  if (lacking === undefined) return undefined;
  const shown =
    lacking === "edits"
      ? (entry.edits?.list ?? entry.edits?.old ?? lacking)
      : (entry.many ?? shownName(entry, lacking));
  return `the call of ${name} has no ${lacking === "edits" ? "change" : "text"} in "${shown}"`;
}

function isThere(needed: string, entry: AgentTool, args: CallArgs, told: CallArgs): boolean {
  if (needed === "patch" || patchText(entry, [], args) !== undefined) return patchText(entry, [], args) !== undefined;
  const value = told[needed];
  if (needed === "url" && entry.many !== undefined)
    return [value, args[entry.many]].some((one) => typeof one === "string");
  if (needed === "path" && entry.many !== undefined) return isTexts(value);
  if (needed === "prompt" && Array.isArray(value)) return true;
  if (needed !== "edits") return typeof value === "string";
  return (
    Array.isArray(value) &&
    value.every(
      (edit) => isFields(edit) && typeof edit["oldText"] === "string" && typeof (edit["newText"] ?? "") === "string",
    )
  );
}

function viewOf(name: string, entry: AgentTool | undefined): CallView {
  const tool = entry?.tool ?? name;
  const aliases = [...new Set([name, ...(entry?.aliases ?? [])])];
  if (entry?.tool === undefined) return { tool, aliases, get: (args) => args, put: (written) => written };
  const { perSecond } = entry;
  return {
    tool,
    aliases,
    get: (args) => withEdits(entry, inSeconds(renameArgs(single(entry, args), renamed(entry, args)), perSecond)),
    put: (written, original) => {
      const units = inUnits(withoutEdits(name, entry, written, original), perSecond);
      const args = renameArgs(units, inverse(renamed(entry, original)));
      const { many = "" } = entry;
      return Array.isArray(original[many]) && isText(args[many]) ? { ...args, [many]: [args[many]] } : args;
    },
  };
}

/** Returns the arguments with a path in place of a list with one path, as hooks expect it. */
function single({ many = "" }: AgentTool, args: CallArgs): CallArgs {
  const list = args[many];
  return Array.isArray(list) && list.length === 1 && isText(list[0]) ? { ...args, [many]: list[0] } : args;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** Returns the agent's names of a call's arguments, each with hookline's name. The documented name is tried first. */
function renamed(entry: AgentTool, args: CallArgs): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.keys(entry.args ?? {}).flatMap((argument) => {
      const names = namesOf(entry, argument);
      const used = names.find((name) => Object.hasOwn(args, name)) ?? names[0];
      return used === undefined || used === argument ? [] : [[used, argument]];
    }),
  );
}

function inverse(names: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(names).map(([theirs, ours]) => [ours, theirs]));
}

function withEdits({ edits: names }: AgentTool, args: CallArgs): CallArgs {
  if (names === undefined) return args;
  const { [names.old]: oldText, [names.new]: newText, ...others } = args;
  if (names.list === undefined)
    return oldText === undefined ? args : { ...others, edits: [{ oldText, newText: newText ?? "" }] };
  const { [names.list]: list, ...rest } = args;
  if (!Array.isArray(list)) return args;
  const ours = { [names.old]: "oldText", [names.new]: "newText" };
  return { ...rest, edits: list.map((edit) => (isFields(edit) ? renameArgs(edit, ours) : edit)) };
}

function withoutEdits(name: string, { edits: names }: AgentTool, args: CallArgs, original: CallArgs): CallArgs {
  const { edits, ...rest } = args;
  const has = names !== undefined && Object.hasOwn(original, names.list ?? names.old);
  if (!has || !Array.isArray(edits)) return args;
  const theirs = edits.map((edit: unknown) =>
    isFields(edit) ? renameArgs(edit, { oldText: names.old, newText: names.new }) : {},
  );
  if (names.list !== undefined) return { ...rest, [names.list]: theirs };
  if (theirs.length !== 1) throw new Error(`a hook made ${theirs.length} changes of the one that ${name} can make`);
  const [only = {}] = theirs;
  // If a replacement's new text is empty and the agent's call had none, it is left out.
  const { [names.new]: empty, ...without } = only as CallArgs;
  return { ...rest, ...(empty === "" && !Object.hasOwn(original, names.new) ? without : only) };
}

/**
 * Returns what an unknown tool is judged by: the likeliest argument of each kind (patch, command, path). If its name
 * may be that of a server's tool, but no configured server fits, only a command counts.
 */
function guessed(agent: AgentTools, name: string, args: CallArgs, originOf?: () => ServerOrigin): readonly Guess[] {
  const all = guessesOf(args);
  const first = all.filter(({ argument }, at) => all.findIndex((guess) => guess.argument === argument) === at);
  if (originOf === undefined) return first;
  if (mayBeServerTool(agent, name, originOf().servers)) return [];
  return first.filter((guess) => guess.argument === "command" && typeof args[guess.name] === "string");
}

function wrongType(tool: string, { name, argument }: Guess, args: CallArgs): string | undefined {
  const isUsable = typeof args[name] === "string" || (argument === "path" && isTexts(args[name]));
  return isUsable ? undefined : `the call of ${tool} has no text in "${name}"`;
}

/** Returns a view of an unknown tool's call by one argument: as a `bash` call for a command, else as a `write` call. */
function guessedView(tool: string, { argument, name }: Guess, args: CallArgs): CallView[] {
  if (argument === "patch" || typeof args[name] !== "string") return [];
  const as = argument === "command" ? "bash" : "write";
  const names = name === argument ? {} : { [name]: argument };
  return [
    {
      tool: as,
      aliases: [tool],
      get: (all) => renameArgs(all, names),
      put: (written) => renameArgs(written, inverse(names)),
    },
  ];
}

function partsOf(name: string, entry: AgentTool | undefined, guesses: readonly Guess[], args: CallArgs): CallParts {
  const made = (tool: string, own: CallArgs): NamedCall => ({
    tool,
    args: own,
    aliases: partNames(name, entry),
  });
  const patch = patchText(entry, guesses, args);
  const read = patch === undefined ? { files: [] } : readPatch(patch);
  const { files } = read;
  const { folder, problem = read.problem } = folderOf(patch ?? "", args);
  const calls = [
    ...files.flatMap((file) => callsOf(file, (path) => within(folder, path))).map(([tool, own]) => made(tool, own)),
    ...(entry !== undefined && isMany(entry, args)
      ? manyOf(entry, args).map((own) => made(entry.tool ?? name, own))
      : []),
    ...(entry?.implies?.(args) ?? []),
    ...guesses.flatMap(({ argument, name: list }) =>
      argument === "path" && isTexts(args[list]) && typeof args[list] !== "string"
        ? (args[list] as readonly string[]).map((path) => made("write", { ...args, path }))
        : [],
    ),
  ];
  return problem === undefined ? { calls } : { calls, problem: `the patch of ${name} cannot be read: ${problem}` };
}

/** Matches one `cd` to a folder whose name is written out. */
const CD = /^\s*cd\s+(?:"([^"$`\\]+)"|'([^']+)'|([^\s"'$`\\~*?]+))\s*$/;

/** The arguments in which agents name the folder of a command. */
const FOLDERS = ["workdir", "cwd", "directory", "dir_path"] as const;

/** Returns the folder to which a call's patch is applied: the call's own, and where its command goes before. */
function folderOf(patch: string, args: CallArgs): { readonly folder?: string; readonly problem?: string } {
  const head = patch.slice(0, Math.max(0, patch.indexOf(PATCH_BEGIN)));
  const before = head.slice(0, Math.max(0, head.search(/\bapply_?patch\b/)));
  const start = FOLDERS.map((name) => args[name]).find(isText);
  if (!/\b(?:cd|pushd)\b/.test(before)) return start === undefined ? {} : { folder: start };
  const steps = before
    .split(/&&|;|\n/)
    .slice(0, -1)
    .filter((step) => step.trim() !== "");
  const folders = steps.filter((step) => !staysInFolder(step)).map((step) => CD.exec(step)?.slice(1).find(isText));
  if (folders.includes(undefined) || !/(?:&&|;|\n)\s*(?:\S*\/)?$/.test(before))
    return { problem: "its folder is not certain" };
  return { folder: [start, ...folders].reduce((above, folder) => within(above, folder ?? ".")) ?? "." };
}

/** Returns whether a command of plain words, such as `mkdir -p a`, leaves the shell in its folder. */
function staysInFolder(command: string): boolean {
  return /^[\w./=:@%+,\s-]+$/.test(command) && !/(?:^|\s)(?:cd|pushd|popd|eval|source|\.)(?:\s|$)/.test(command);
}

function patchText(entry: AgentTool | undefined, guesses: readonly Guess[], args: CallArgs): string | undefined {
  if (entry?.kind === "patches") return patchIn(entry, args);
  const guessed = guesses.find(({ argument }) => argument === "patch");
  if (guessed !== undefined) return String(args[guessed.name]);
  const command = entry?.kind === "runs" ? viewOf("", entry).get(args)["command"] : undefined;
  const run = command ?? guesses.map(({ argument, name }) => (argument === "command" ? args[name] : undefined))[0];
  if (typeof run === "string") return isApplied(run) ? run : undefined;
  const texts = entry?.kind === "writes" ? Object.values(args) : [];
  return texts.find((text): text is string => typeof text === "string" && /^\s*\*\*\* Begin Patch/.test(text));
}

/** Returns whether a command contains a patch and applies it. */
function isApplied(command: string): boolean {
  return hasPatch(command) && /\bapply_?patch\b/.test(command);
}

function within(folder: string | undefined, path: string): string {
  return folder === undefined || path.startsWith("/") ? path : `${folder}/${path}`;
}

function callsOf(
  { change, path, to, content, edits }: PatchedFile,
  at: (path: string) => string,
): readonly (readonly [string, CallArgs])[] {
  const gone = ["write", { path: at(path), content: "" }] as const;
  if (change === "add") return [["write", { path: at(path), content }]];
  if (change === "delete") return [gone];
  return to === undefined ? [["edit", { path: at(path), edits }]] : [gone, ["write", { path: at(to), content }]];
}

/** Returns one call for each path or address that a tool takes at once, or the call itself if it names none. */
function manyOf({ many = "", kind }: AgentTool, args: CallArgs): readonly CallArgs[] {
  const { [many]: given, ...rest } = args;
  const argument = kind === "fetches" ? "url" : "path";
  const texts = [given, kind === "fetches" ? args[argument] : []].filter(isTexts).flat();
  const found = kind === "fetches" ? texts.flatMap((text) => text.match(/https?:\S+/gi) ?? []) : texts;
  const others = kind === "fetches" ? args : rest;
  return found.length === 0 ? [args] : found.map((one) => ({ ...others, [argument]: one }));
}

function isTexts(value: unknown): value is string | readonly string[] {
  return typeof value === "string" || (Array.isArray(value) && value.every((one) => typeof one === "string"));
}
