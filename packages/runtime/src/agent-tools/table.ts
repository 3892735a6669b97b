import type { CallArgs, Spelling } from "../lens/call.ts";
import type { ServerNaming } from "./server-tool.ts";

/** The kind of a tool, by which protection, rules and the bridge know how to judge it. */
export type ToolKind = "reads" | "writes" | "runs" | "searches" | "fetches" | "starts" | "patches" | "other";

/** One tool of an agent. All that the project knows of it is here; nothing else lists tools of agents. */
export interface AgentTool {
  readonly kind: ToolKind;
  /** The catalogue's name of the same tool; absent where it has none. Hooks know such a tool by its own name. */
  readonly tool?: string;
  /** The catalogue's arguments by this tool's names for them, the documented one first. The others are the same. */
  readonly args?: Readonly<Record<string, string | readonly string[]>>;
  /** The catalogue's arguments without which no guard could judge a call. */
  readonly needs?: readonly string[];
  /** How it names a text to replace and the new one: in arguments of the call, or in the items of the list `list`. */
  readonly edits?: { readonly old: string; readonly new: string; readonly list?: string };
  /** The argument in which it takes several paths, or a text with addresses; each is judged by itself. */
  readonly many?: string;
  /** How many units of its `timeout` are a second; default 1. */
  readonly perSecond?: number;
  /** Further names that the agent itself accepts for it in matchers. */
  readonly aliases?: readonly string[];
  /** How it names what a sub-agent gets, and the kind that is started where none is named. */
  readonly starts?: {
    readonly prompt: string;
    readonly type: string;
    readonly otherwise: string;
    /** The list of those that one call starts. */
    readonly list?: string;
  };
  /** The command that a call runs, where no argument holds it whole; nothing for a call that runs none. */
  readonly runs?: (args: CallArgs) => string | undefined;
  /** The field that a rule's pattern is about, in Claude Code's rules. */
  readonly subject?: string;
  /** Arguments of this agent alone, which hookline's own tool would refuse. */
  readonly extra?: readonly string[];
  /** Why hooks for the shell are not asked about what it runs; the report says so. */
  readonly unasked?: string;
  /** Versions or models that it is offered to; absent for all. */
  readonly offered?: string;
}

/** The tools of one agent by its own names. */
export interface AgentTools {
  readonly tools: Readonly<Record<string, AgentTool>>;
  /** Matches the names of tools of MCP servers. */
  readonly server: RegExp;
  /** The ways in which it has named these tools, the present one first; absent if it names them as hooks do. */
  readonly namings?: readonly ServerNaming[];
  /** Whether a tool may come with a namespace in front of its name. */
  readonly isNamespaced?: true;
  /** Whether arguments may come as JSON text. */
  readonly isText?: true;
}

/** An agent's names for an argument, the documented one first. */
export function namesOf(entry: Pick<AgentTool, "args"> | undefined, argument: string): readonly string[] {
  const names = entry?.args?.[argument] ?? argument;
  return typeof names === "string" ? [names] : names;
}

/** The first name of an argument, which the agent documents. */
export function shownName(entry: Pick<AgentTool, "args"> | undefined, argument: string): string {
  return namesOf(entry, argument)[0] ?? argument;
}

/** An agent's entry for a tool, also behind a namespace; undefined for a tool that it is not known to have. */
export function toolNamed({ tools, isNamespaced, server }: AgentTools, name: string): AgentTool | undefined {
  if (Object.hasOwn(tools, name)) return tools[name];
  if (!isNamespaced || server.test(name)) return undefined;
  const [known] = Object.keys(tools)
    .filter((one) => name.endsWith(one))
    .sort((a, b) => b.length - a.length);
  return known === undefined ? undefined : tools[known];
}

/**
 * The catalogue's tools as an agent spells them, for the lens of its dialect. Of several tools that are the same one the
 * first counts. `shapes` are for arguments that differ in more than their names.
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

/** A shape that shows a call's timeout in the agent's units; `undefined` if these are seconds. */
function inOwnUnits({ perSecond = 1 }: AgentTool): Spelling["shape"] {
  return perSecond === 1
    ? undefined
    : { get: (args) => inUnits(args, perSecond), put: (args) => inSeconds(args, perSecond) };
}

/** A call with its timeout in an agent's units, for one in seconds. */
export function inUnits(args: CallArgs, perSecond = 1): CallArgs {
  const { timeout } = args;
  return perSecond === 1 || typeof timeout !== "number" ? args : { ...args, timeout: timeout * perSecond };
}

/** A call with its timeout in seconds, for one in an agent's units. */
export function inSeconds(args: CallArgs, perSecond = 1): CallArgs {
  const { timeout } = args;
  return perSecond === 1 || typeof timeout !== "number" ? args : { ...args, timeout: timeout / perSecond };
}

/** Returns the kind of a tool, by an agent's name of it or the catalogue's; `undefined` for one that the agent lacks. */
export function kindOf(agent: AgentTools, tool: string): ToolKind | undefined {
  return (toolNamed(agent, tool) ?? Object.values(agent.tools).find((entry) => entry.tool === tool))?.kind;
}

/** The names under which a kind of argument goes in any agent, without regard to case, `_` and `-`. */
const GUESSES = {
  patch: ["patch", "patchtext", "patchcontent", "diff"],
  command: ["command", "cmd", "commandline", "script", "shellcommand", "bash"],
  path: "path filepath absolutepath notebookpath targetfile targetpath targetfilepath dirpath file filename uri".split(
    " ",
  ),
} as const;

/** An argument of a tool that is not known, by which its calls are judged. */
export interface Guess {
  readonly argument: keyof typeof GUESSES;
  readonly name: string;
}

/** By what a call of an unknown tool can be judged: its patch, its commands or its files; the likeliest of each first. */
export function guessesOf(args: CallArgs): readonly Guess[] {
  const plain = Object.keys(args).map((name) => ({ name, plain: name.toLowerCase().replaceAll(/[_-]/g, "") }));
  return (Object.keys(GUESSES) as (keyof typeof GUESSES)[]).flatMap((argument) =>
    GUESSES[argument].flatMap((guess) =>
      plain.flatMap((one) => (one.plain === guess ? [{ argument, name: one.name }] : [])),
    ),
  );
}
