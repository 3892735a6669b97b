import type { CallArgs, Spelling } from "../lens/call.ts";
import type { ServerNaming } from "./server-tool.ts";

/** The kind of a tool. Protection, rules and the bridge decide by it how to judge a call. */
export type ToolKind = "reads" | "writes" | "runs" | "searches" | "fetches" | "starts" | "patches" | "other";

/** One tool of an agent. This table is the only place that lists tools of agents. */
export interface AgentTool {
  readonly kind: ToolKind;
  /** hookline's name of the same tool; absent if hookline has none, and hooks then know the tool by its own name. */
  readonly tool?: string;
  /**
   * hookline's names of arguments, each with the tool's names for it, the documented one first. Arguments that are not
   * listed have the same name in both.
   */
  readonly args?: Readonly<Record<string, string | readonly string[]>>;
  /** hookline's names of the arguments without which no guard can judge a call. */
  readonly needs?: readonly string[];
  /** The names of an edit's old and new text: arguments of the call, or fields of each item in the argument `list`. */
  readonly edits?: { readonly old: string; readonly new: string; readonly list?: string };
  /** The argument with several paths, or with a text that contains addresses. Each of them is judged by itself. */
  readonly many?: string;
  /** The number of units of the tool's `timeout` in one second; default 1. */
  readonly perSecond?: number;
  /** Further names of the tool that the agent accepts in matchers. */
  readonly aliases?: readonly string[];
  /** The names of the arguments that start a sub-agent, and the kind that is started if a call names none. */
  readonly starts?: {
    readonly prompt: string;
    readonly type: string;
    readonly otherwise: string;
    /** The argument with the list of sub-agents, if one call starts several. */
    readonly list?: string;
  };
  /** Returns the calls of hookline's tools that a call amounts to, such as the command that it runs or its fetches. */
  readonly implies?: (args: CallArgs) => readonly { readonly tool: string; readonly args: CallArgs }[];
  /** The argument that the pattern of a Claude Code permission rule is matched against. */
  readonly subject?: string;
  /** Arguments that only this agent has and that hookline's own tool would refuse. */
  readonly extra?: readonly string[];
  /**
   * Lists hookline's tools whose hooks are not asked about calls of this tool, each with a reason for the loss report.
   */
  readonly unasked?: Readonly<Record<string, string>>;
  /** The versions or models that have the tool; absent if all have it. */
  readonly offered?: string;
}

/** The tools of one agent, by the agent's own names. */
export interface AgentTools {
  readonly tools: Readonly<Record<string, AgentTool>>;
  /** Matches the names of tools of MCP servers. */
  readonly server: RegExp;
  /**
   * The ways in which the agent names MCP servers' tools, the present way first; absent if it names them as hooks do.
   */
  readonly namings?: readonly ServerNaming[];
  /** Whether a tool's name may have a namespace in front of it. */
  readonly isNamespaced?: true;
  /** Whether arguments may arrive as JSON text. */
  readonly isText?: true;
}

/** Returns an agent's names for an argument, the documented one first. */
export function namesOf(entry: Pick<AgentTool, "args"> | undefined, argument: string): readonly string[] {
  const names = entry?.args?.[argument] ?? argument;
  return typeof names === "string" ? [names] : names;
}

/** Returns the name of an argument that the agent documents. */
export function shownName(entry: Pick<AgentTool, "args"> | undefined, argument: string): string {
  return namesOf(entry, argument)[0] ?? argument;
}

/** Returns an agent's entry for a tool, with or without a namespace; `undefined` for a tool that the table lacks. */
export function toolNamed({ tools, isNamespaced, server }: AgentTools, name: string): AgentTool | undefined {
  if (Object.hasOwn(tools, name)) return tools[name];
  if (!isNamespaced || server.test(name)) return undefined;
  const [known] = Object.keys(tools)
    .filter((one) => name.endsWith(one))
    .sort((a, b) => b.length - a.length);
  return known === undefined ? undefined : tools[known];
}

/**
 * Returns how an agent spells hookline's tools and their arguments, for `callLens`. If several tools of the agent map
 * to one of hookline's, the first counts. `shapes` are for arguments that differ in more than their names.
 */
export function argumentSpellings(
  { tools }: AgentTools,
  shapes: Readonly<Record<string, NonNullable<Spelling["shape"]>>> = {},
): Readonly<Record<string, Spelling>> {
  const spellings: Record<string, Spelling> = {};
  for (const [name, entry] of Object.entries(tools)) {
    const { tool, args = {} } = entry;
    if (tool === undefined || Object.hasOwn(spellings, tool)) continue;
    const names = Object.keys(args).map((argument) => [argument, shownName(entry, argument)] as const);
    const renamed = names.filter(([argument, own]) => own !== argument);
    const shape = shapes[tool] ?? inOwnUnits(entry);
    spellings[tool] = {
      name,
      ...(renamed.length > 0 && { args: Object.fromEntries(renamed) }),
      ...(shape !== undefined && { shape }),
    };
  }
  return spellings;
}

/** Returns functions that convert a call's timeout to the agent's units and back; `undefined` if these are seconds. */
function inOwnUnits({ perSecond = 1 }: AgentTool): Spelling["shape"] {
  return perSecond === 1
    ? undefined
    : { get: (args) => inUnits(args, perSecond), put: (args) => inSeconds(args, perSecond) };
}

/** Converts a call's timeout from seconds to an agent's units. */
export function inUnits(args: CallArgs, perSecond = 1): CallArgs {
  const { timeout } = args;
  return perSecond === 1 || typeof timeout !== "number" ? args : { ...args, timeout: timeout * perSecond };
}

/** Converts a call's timeout from an agent's units to seconds. */
export function inSeconds(args: CallArgs, perSecond = 1): CallArgs {
  const { timeout } = args;
  return perSecond === 1 || typeof timeout !== "number" ? args : { ...args, timeout: timeout / perSecond };
}

/** Returns the kind of a tool by the agent's name of it or hookline's; `undefined` if the agent lacks it. */
export function kindOf(agent: AgentTools, tool: string): ToolKind | undefined {
  return (toolNamed(agent, tool) ?? Object.values(agent.tools).find((entry) => entry.tool === tool))?.kind;
}

/** The names that agents commonly give each kind of argument, without regard to case, `_` and `-`. */
const GUESSES = {
  patch: ["patch", "patchtext", "patchcontent", "diff"],
  command: ["command", "cmd", "commandline", "script", "shellcommand", "bash", "commands"],
  path: (
    "path filepath absolutepath notebookpath targetfile targetpath targetfilepath dirpath file filename uri " +
    "paths filepaths files filenames"
  ).split(" "),
} as const;

/** An argument of an unknown tool by which its calls are judged. */
export interface Guess {
  readonly argument: keyof typeof GUESSES;
  readonly name: string;
}

/**
 * Returns the arguments that may hold an unknown tool's patch, command or file, in this order; for each kind, the
 * likeliest first.
 */
export function guessesOf(args: CallArgs): readonly Guess[] {
  const plain = Object.keys(args).map((name) => ({ name, plain: name.toLowerCase().replaceAll(/[_-]/g, "") }));
  return (Object.keys(GUESSES) as (keyof typeof GUESSES)[]).flatMap((argument) =>
    GUESSES[argument].flatMap((guess) =>
      plain.flatMap((one) => (one.plain === guess ? [{ argument, name: one.name }] : [])),
    ),
  );
}
