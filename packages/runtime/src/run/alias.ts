import { chooseFrom, didYouMean, type Fields, HooklineError, isFields, nearest } from "@hookline/ground";
import { jsonKind } from "../lens/has-json.ts";
import type { Outcome } from "./outcome.ts";
import type { EmitOptions, WrappedCall } from "./wrap.ts";

/** The name under which guards know a tool of the host, or also the names of its arguments. */
export type ToolAlias =
  | string
  | {
      /** The name that guards know. */
      readonly tool: string;
      /** The names of arguments that guards know, by the host's own; the others are the same. */
      readonly args?: Readonly<Record<string, string>>;
    };

/** The host's tools by their own names. A tool that no guard knows is named by itself: `{ weather: "weather" }`. */
export type ToolAliases = Readonly<Record<string, ToolAlias>>;

/** The tools whose names and arguments hooks of every dialect know. */
export const KNOWN_TOOLS: readonly string[] = ["bash", "read", "write", "edit", "grep", "find", "ls"];

/** Throws `INVALID_OPTION` for aliases that would not lead to a guard, or that would lead away from one. */
export function checkAliases(given: unknown): void {
  if (given === undefined) return;
  const bad = (option: string, problem: string, remedy: string): HooklineError =>
    new HooklineError("INVALID_OPTION", { option: `open: tools${option}`, problem, remedy });
  const example = 'Give the names that guards know, by your own: { tools: { shell: "bash" } }.';
  if (jsonKind(given) !== "an object") throw bad("", `is ${kindOf(given)}, and not an object`, example);
  for (const [own, alias] of Object.entries(given as Fields)) {
    const { tool, args, ...rest } = (typeof alias === "string" ? { tool: alias } : (alias ?? {})) as Fields;
    const [unknown] = Object.keys(rest);
    if (typeof tool !== "string" || tool === "")
      throw bad(`.${own}`, `is ${kindOf(alias)}, and names no tool`, example);
    if (unknown !== undefined)
      throw bad(`.${own}`, `has "${unknown}", which is no option`, chooseFrom(unknown, ["tool", "args"]));
    const isMap = args === undefined || (jsonKind(args) === "an object" && Object.values(args as Fields).every(isText));
    if (!isMap) throw bad(`.${own}.args`, "is no object of names", 'Write { args: { cmd: "command" } }.');
    if (KNOWN_TOOLS.includes(own) && tool !== own)
      throw bad(
        `.${own}`,
        `leads guards for "${own}" away from it`,
        `Give your tool another name, or leave ${own} out.`,
      );
    const near = nearest(tool, KNOWN_TOOLS);
    if (tool !== own && near !== undefined && near !== tool)
      throw bad(`.${own}`, `is "${tool}", which no guard knows`, didYouMean(near).trim());
  }
}

const isText = (value: unknown): boolean => typeof value === "string";

function kindOf(value: unknown): string {
  return typeof value === "string" ? "an empty text" : value === undefined ? "missing" : jsonKind(value);
}

/** A payload and options in the words of guards, and the way back to the host's own for the arguments of an answer. */
interface Renamed {
  readonly payload: object;
  readonly options: EmitOptions | undefined;
  back(outcome: Outcome): Outcome;
}

/** Names a tool and its arguments as guards know them; undefined for an event about no tool with an alias. */
export function renamed(payload: object, options: EmitOptions | undefined, aliases: ToolAliases): Renamed | undefined {
  const { tool: own, args } = payload as Fields;
  const alias = typeof own === "string" && Object.hasOwn(aliases, own) ? aliases[own] : undefined;
  if (alias === undefined) return undefined;
  const { tool, args: names = {} } = typeof alias === "string" ? { tool: alias } : alias;
  const theirs = new Map(Object.entries(names));
  const mine = new Map(Object.entries(names).map(([name, known]) => [known, name]));
  const accept = options?.accept;
  return {
    payload: { ...payload, tool, ...(args !== undefined && { args: named(args, theirs) }) },
    options:
      accept === undefined ? options : { ...options, accept: (given) => named(accept(named(given, mine)), theirs) },
    back(outcome) {
      const changed = (outcome.answer as Fields)["args"];
      return changed === undefined
        ? outcome
        : { ...outcome, answer: { ...outcome.answer, args: named(changed, mine) } };
    },
  };
}

/** Fields under other names; what is no object is left to the check of the event. */
function named(fields: unknown, names: ReadonlyMap<string, string>): Fields {
  if (!isFields(fields)) return fields as Fields;
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [names.get(name) ?? name, value]));
}

/** Returns the remedy for a tool that hooks cannot know by its name: the name of the tool that it looks like. */
export function unknownTool({ tool, args }: Pick<WrappedCall, "tool" | "args">): { problem: string; remedy: string } {
  const like =
    KNOWN_TOOLS.find((one) => one === tool.toLowerCase()) ?? (typeof args["command"] === "string" ? "bash" : undefined);
  const own = /^\w+$/.test(tool) ? tool : JSON.stringify(tool);
  if (like !== undefined)
    return {
      problem: `guards for "${like}" are not asked about it`,
      remedy: `If it is that tool, say so: open({ tools: { ${own}: "${like}" } }). If not: { ${own}: "${tool}" }.`,
    };
  return {
    problem: `only guards for every tool are asked about it`,
    remedy: `Name the tool that it is, as in open({ tools: { ${own}: "bash" } }), or say that it is one of its own: { ${own}: "${tool}" }.`,
  };
}
