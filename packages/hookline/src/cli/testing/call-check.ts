import { chooseFrom, didYouMean, type Fields, nearest, readJson } from "@hookline/ground";
import { tools } from "@hookline/integrations/tools";
import { type AgentTools, namesOfArgument } from "@hookline/runtime/engine";
import type { HookSession } from "@hookline/runtime/session";
import { TASK_PARAMETERS, TASK_TOOL } from "../../agent/task.ts";
import { createAskTool } from "../../tool/ask.ts";
import { builtinTools } from "../../tool/builtin.ts";
import { createTodoTool } from "../../tool/todo.ts";
import type { EventTarget } from "../target.ts";

/** A call as a person names it: a tool and its arguments, in hookline's words or in those of the event's dialect. */
interface GivenCall {
  readonly tool?: string | undefined;
  readonly args?: Fields | undefined;
  /** The fields of the event that the person gives. */
  readonly payload?: Fields;
}

/**
 * Returns hookline's name for a tool of the event's dialect: `bash` for Claude Code's `Bash`. If hookline has no such
 * tool, returns the given name and sample arguments.
 */
export function sampleCall(target: EventTarget, tool: string | undefined): GivenCall {
  const entry = tool === undefined ? undefined : agentOf(target)?.tools[tool];
  if (entry === undefined || entry.tool !== undefined) return { tool: entry?.tool ?? tool };
  // hookline has no such tool, so its arguments get sample values.
  const args = (entry.needs ?? []).flatMap((need) => namesOfArgument(entry, need).slice(0, 1));
  return { tool, args: Object.fromEntries(args.map((name) => [name, "sample"])) };
}

/**
 * Returns problems with a call that a person wants to ask hooks about, each with the nearest name. A problem is a tool
 * that neither this agent nor the dialect's program has, or an argument that the tool does not have. `given` has
 * hookline's names, `payload` those of the event.
 */
export function callProblems(
  target: EventTarget,
  given: GivenCall,
  payload: Fields,
  { contributions }: Pick<HookSession, "contributions">,
): readonly string[] {
  const own = schemas(contributions);
  const agent = agentOf(target);
  const problems: string[] = [];
  if (given.tool !== undefined) problems.push(...toolProblem(given.tool, agent, [...own.keys()]));
  const { tool = "bash" } = sampleCall(target, given.tool);
  const isNamed = given.tool !== undefined || NAMES.some((field) => given.payload?.[field] !== undefined);
  if (problems.length === 0 && given.args !== undefined)
    problems.push(...argumentProblems({ tool, isNamed }, given.args, own.get(tool)));
  return problems.length > 0 ? problems : payloadCall({ target, isNamed, given: given.payload ?? {} }, payload, own);
}

/** The fields of events that name a tool. */
const NAMES = ["tool_name", "toolName", "tool"] as const;

/**
 * Returns problems with the tool and arguments in a payload. Only fields that the person gives are checked; the others
 * come from a sample.
 */
function payloadCall(
  { target, isNamed, given }: { readonly target: EventTarget; readonly isNamed: boolean; readonly given: Fields },
  payload: Fields,
  own: ReadonlyMap<string, readonly string[]>,
): string[] {
  const agent = agentOf(target);
  const named = NAMES.find((field) => typeof payload[field] === "string");
  if (named === undefined) return [];
  const shown = payload[named] as string;
  const twins = new Set(Object.values(agent?.tools ?? {}).flatMap(({ tool }) => tool ?? []));
  // If a dialect has its own name for a tool, its events never contain hookline's name, so that is not suggested.
  const others = [...own.keys()].filter((name) => !twins.has(name) || agent?.tools[name] !== undefined);
  const wrong = given[named] === undefined ? [] : toolProblem(shown, agent, others);
  if (wrong.length > 0) return wrong;
  const input = ["tool_input", "input", "args", "arguments", "tool_arguments"].map((field) => given[field]);
  const args = input.map(fieldsOf).find((value) => value !== undefined);
  const entry = agent?.tools[shown];
  const known = own.get(entry?.tool ?? shown);
  if (args === undefined || known === undefined) return [];
  const edits =
    entry?.edits === undefined ? [] : [entry.edits.old, entry.edits.new, entry.edits.list ?? "edits", "replace_all"];
  const names = known.flatMap((name) => namesOfArgument(entry, name));
  return argumentProblems({ tool: shown, isNamed }, args, [...names, ...(entry?.extra ?? []), ...edits]);
}

function agentOf(target: EventTarget): AgentTools | undefined {
  const byDialect: Readonly<Record<string, AgentTools>> = tools;
  return target.kind === "lane" ? byDialect[target.lane.id.split("-")[0] as string] : undefined;
}

function toolProblem(tool: string, agent: AgentTools | undefined, own: readonly string[]): string[] {
  const known = [...new Set([...Object.keys(agent?.tools ?? {}), ...own])];
  if (known.includes(tool) || /^mcp__.+__./.test(tool)) return [];
  return [`there is no tool "${tool}". ${chooseFrom(tool, known)}`];
}

/**
 * Returns problems with unknown arguments. If the person named no tool, an unknown argument without a similar name is
 * accepted, because it may be meant for another tool.
 */
function argumentProblems(
  { tool, isNamed }: { readonly tool: string; readonly isNamed: boolean },
  args: Fields,
  known: readonly string[] | undefined,
): string[] {
  if (known === undefined) return [];
  return Object.keys(args).flatMap((name) => {
    if (known.includes(name)) return [];
    const near = nearest(name, known);
    if (near === undefined && !isNamed) return [];
    const hint = near === undefined ? `It has ${[...new Set(known)].join(", ")}.` : didYouMean(near).trim();
    return [`${tool} has no argument "${name}". ${hint}`];
  });
}

/** Returns the names of the arguments of each tool of this agent. */
function schemas(contributions: HookSession["contributions"]): ReadonlyMap<string, readonly string[]> {
  // Only the tools' schemas are read; the tools are never run.
  const tools = builtinTools({ cwd: "/", processes: {} as never });
  const added = [...contributions.all<{ readonly parameters?: unknown }>("tool")];
  return new Map<string, readonly string[]>([
    ...[...tools, createTodoTool(), createAskTool(() => undefined)].map(
      ({ name, parameters }) => [name, propertiesOf(parameters) ?? []] as const,
    ),
    [TASK_TOOL, propertiesOf(TASK_PARAMETERS) ?? []],
    ...added.flatMap(([name, { value }]) => {
      const properties = propertiesOf(value.parameters);
      return properties === undefined ? [] : [[name, properties] as const];
    }),
  ]);
}

function propertiesOf(schema: unknown): readonly string[] | undefined {
  const properties = (schema as { readonly properties?: unknown } | undefined)?.properties;
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : undefined;
}

/** Returns the arguments as an object; j-cli's events have them as JSON text. */
function fieldsOf(value: unknown): Fields | undefined {
  const read = typeof value === "string" ? readJson(value) : { ok: true as const, value };
  const is = read.ok ? read.value : undefined;
  return typeof is === "object" && is !== null && !Array.isArray(is) ? (is as Fields) : undefined;
}
