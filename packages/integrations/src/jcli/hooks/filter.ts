import { chooseFrom, didYouMean, nearest } from "@hookline/ground";
import type { HookSpec, Scene } from "@hookline/runtime/dialect";
import type { Fits } from "@hookline/runtime/engine";
import { type Alternative, isServerTool, reachOf } from "@hookline/runtime/engine";
import { jcliCalls, TOOL_NAMES } from "./calls.ts";
import { fieldsOf } from "./fields.ts";
import type { HookContext } from "./views.ts";

/** Restricts the events that a hook runs on. All given conditions must be met. Source: seed 003, "HookFilter". */
export interface Filter {
  /** The exact name of the tool. */
  readonly tool_name?: string;
  /** Names of tools, separated by `|`. Ignored if `tool_name` is given. */
  readonly tool_matcher?: string;
  /** The beginning of the model's name. */
  readonly model_prefix?: string;
}

/** The keys that a hook's filter may have. */
export const FILTER_KEYS: readonly (keyof Filter)[] = ["tool_name", "tool_matcher", "model_prefix"];

/**
 * Whether a filter matches an event. A filter may use a tool's exact name in j-cli, in hookline (ruling 35) or in
 * another agent, or one of `names`, further names of an MCP server's tool. A filter on a field that the event lacks
 * never matches.
 */
export function matches(
  filter: Filter,
  { tool_name, tool_aliases = [], model }: Pick<HookContext, "tool_name" | "tool_aliases" | "model">,
  names: readonly string[] = [],
): boolean {
  const { tool_name: tool, tool_matcher: matcher, model_prefix: prefix } = filter;
  const wanted = tool !== undefined ? [tool] : matcher === undefined ? undefined : namesIn(matcher);
  if (wanted !== undefined) {
    if (tool_name === undefined) return false;
    const all = [tool_name, jcliCalls.tool(tool_name), ...names, ...tool_aliases];
    if (!all.some((name) => wanted.includes(name))) return false;
  }
  return prefix === undefined || (model?.startsWith(prefix) ?? false);
}

/** Returns a test of events; `undefined` if the filter matches all of them. */
export function matcherOf(
  filter: Filter,
  scene: Pick<Scene, "tool"> = {},
): ((event: HookContext) => boolean) | undefined {
  if (isEmpty(filter)) return undefined;
  return (event) => matches(filter, event, event.tool_name === undefined ? [] : scene.tool?.(event.tool_name)?.names);
}

/** Returns a test of the tools that a filter is for; `undefined` if it is for all. */
export function fitsOf({ tool_name, tool_matcher }: Filter): Fits | undefined {
  if (tool_name === undefined && tool_matcher === undefined) return undefined;
  const filter = { ...(tool_name !== undefined && { tool_name }), ...(tool_matcher !== undefined && { tool_matcher }) };
  return (tool, aliases) => matches(filter, { tool_name: jcliCalls.name(tool), tool_aliases: aliases });
}

/** Returns a function that says whether any tool can match the filter; `undefined` if it names no tools. */
export function reachOfFilter({ tool_name, tool_matcher }: Filter): HookSpec["reach"] {
  const wanted = tool_name !== undefined ? [tool_name] : tool_matcher === undefined ? [] : namesIn(tool_matcher);
  if (wanted.length === 0) return undefined;
  const key = tool_name === undefined ? "tool_matcher" : "tool_name";
  const alternatives = wanted.map(
    (name): Alternative => ({
      text: name,
      isPattern: false,
      fits: (tool, aliases) => matches({ tool_name: name }, { tool_name: jcliCalls.name(tool), tool_aliases: aliases }),
      dead({ tools }) {
        const here = [...new Set(tools.map(({ tool }) => jcliCalls.name(tool)))];
        const near = didYouMean(nearest(name, here)).trim();
        return {
          about: name,
          problem: `${key} "${name}" matches no tool of this agent`,
          remedy: near || `It has ${here.filter((one) => !one.startsWith("mcp__")).join(", ")}.`,
        };
      },
    }),
  );
  return (offer) => (offer === undefined ? { state: "some", findings: [] } : reachOf(alternatives, offer));
}

/** Describes a filter in words, for reports; `undefined` for an empty filter. */
export function describeFilter(filter: Filter): string | undefined {
  if (isEmpty(filter)) return undefined;
  return FILTER_KEYS.filter(
    (key) => filter[key] !== undefined && !(key === "tool_matcher" && filter.tool_name !== undefined),
  )
    .map((key) => `${key}=${filter[key]}`)
    .join(" and ");
}

/** A likely mistake in a filter. */
export interface FilterProblem {
  /** Whether the mistake keeps the filter from ever matching this event. */
  readonly never: boolean;
  readonly problem: string;
  readonly remedy: string;
}

/** Finds likely mistakes in a filter on an existing event. */
export function filterProblems(filter: Filter, event: string): FilterProblem[] {
  const { tool_name: tool, tool_matcher: matcher, model_prefix: prefix } = filter;
  const reads = fieldsOf(event)?.reads ?? [];
  const problems: FilterProblem[] = [];
  if ((tool !== undefined || matcher !== undefined) && !reads.includes("tool_name"))
    problems.push(
      never(
        `${event} has no tool, so a filter on one never matches`,
        "Move the hook to a tool event, or remove the tool filter.",
      ),
    );
  else if (tool !== undefined) {
    problems.push(...nameProblems([tool], "tool_name"));
    if (matcher !== undefined)
      problems.push({
        never: false,
        problem: "tool_matcher is ignored, because tool_name is given",
        remedy: "Keep one of the two.",
      });
  } else if (matcher !== undefined) problems.push(...nameProblems(namesIn(matcher), "tool_matcher"));
  if (prefix !== undefined && !reads.includes("model"))
    problems.push(never(`${event} has no model, so model_prefix never matches`, "Remove model_prefix."));
  return problems;
}

/** hookline's names for the tools of j-cli, and for two tools that only hookline has. */
const OWN_NAMES: ReadonlySet<string> = new Set([...TOOL_NAMES.map((name) => jcliCalls.tool(name)), "ls", "todo"]);
const PATTERN = /[*+?^$()[\]{}\\]|\.\*|\s/;

function nameProblems(names: readonly string[], key: string): FilterProblem[] {
  const odd = names.filter((name) => name === "" || PATTERN.test(name));
  const exact = "Write exact names, separated by | in tool_matcher; there are no patterns.";
  if (odd.length === names.length)
    return [never(`${key} names no tool: it is compared letter by letter, not as a pattern`, exact)];
  const problems: FilterProblem[] = odd.map((name) => ({
    never: false,
    problem: name === "" ? `${key} has an empty part` : `the part "${name}" of ${key} matches no tool: parts are names`,
    remedy: exact,
  }));
  const strange = names.filter((name) => !odd.includes(name));
  // A list may name other agents' tools, but a list with no tool of j-cli or hookline is probably a mistake.
  if (strange.length > 0 && !names.some(isKnown))
    problems.push({
      never: false,
      problem: `${key} "${strange.join("|")}" is no tool of j-cli or hookline, so it matches only where a plugin or extension brings one`,
      remedy: chooseFrom(strange[0] as string, TOOL_NAMES),
    });
  for (const name of names) {
    const known = TOOL_NAMES.find((tool) => tool.toLowerCase() === name.toLowerCase());
    if (known === undefined || known === name || jcliCalls.tool(known) === name) continue;
    problems.push({
      never: names.length === 1,
      problem: `${key} "${name}" matches no tool: names are case-sensitive`,
      remedy: `Write "${known}".`,
    });
  }
  return problems;
}

/** Whether a name may be that of a tool, in any letter case. Names of MCP tools are not checked further. */
function isKnown(name: string): boolean {
  return (
    isServerTool(name) || OWN_NAMES.has(name) || TOOL_NAMES.some((tool) => tool.toLowerCase() === name.toLowerCase())
  );
}

function never(problem: string, remedy: string): FilterProblem {
  return { never: true, problem, remedy };
}

function namesIn(matcher: string): string[] {
  return matcher.split("|").map((part) => part.trim());
}

function isEmpty(filter: Filter): boolean {
  return FILTER_KEYS.every((key) => filter[key] === undefined);
}
