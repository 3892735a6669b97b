import { chooseFrom, didYouMean, type Fields, HooklineError, isFields, nearest } from "@hookline/ground";
import { inverse, renameArgs } from "../lens/call.ts";
import { jsonKind } from "../lens/has-json.ts";
import { shown } from "../run/given.ts";
import type { Outcome } from "../run/outcome.ts";
import type { EmitOptions, WrappedCall } from "../run/wrap.ts";

/** The name by which guards know a tool of the host, alone or with the guards' argument names. */
export type ToolAlias =
  | string
  | {
      /** The tool name that guards know. */
      readonly tool: string;
      /** Maps the host's argument names to those that guards know; names that are not listed are the same. */
      readonly args?: Readonly<Record<string, string>>;
    };

/** The host's tools by their own names. A tool that guards do not know maps to itself: `{ weather: "weather" }`. */
export type ToolAliases = Readonly<Record<string, ToolAlias>>;

/** The tools whose names and arguments hooks of every dialect know. */
export const KNOWN_TOOLS: readonly string[] = ["bash", "read", "write", "edit", "grep", "find", "ls"];

/** Throws `INVALID_OPTION` for aliases that would keep guards from being asked about some tool. */
export function checkAliases(given: unknown): void {
  if (given === undefined) return;
  const bad = (option: string, problem: string, remedy: string): HooklineError =>
    new HooklineError("INVALID_OPTION", { option: `open: tools${option}`, problem, remedy });
  const example = 'Give the names that guards know, by your own: { tools: { shell: "bash" } }.';
  if (jsonKind(given) !== "an object") throw bad("", `is ${shown(given)}, and not an object`, example);
  for (const [own, alias] of Object.entries(given as Fields)) {
    const { tool, args, ...rest } = (typeof alias === "string" ? { tool: alias } : (alias ?? {})) as Fields;
    const [unknown] = Object.keys(rest);
    if (typeof tool !== "string" || tool === "")
      throw bad(`.${own}`, `is ${orMissing(alias)}, and names no tool`, example);
    if (unknown !== undefined)
      throw bad(`.${own}`, `has "${unknown}", which is no option`, chooseFrom(unknown, ["tool", "args"]));
    const isMap = args === undefined || (jsonKind(args) === "an object" && Object.values(args as Fields).every(isText));
    if (!isMap) throw bad(`.${own}.args`, "is not an object of names", 'Write { args: { cmd: "command" } }.');
    if (KNOWN_TOOLS.includes(own) && tool !== own)
      throw bad(
        `.${own}`,
        `renames a tool that guards know, so guards for "${own}" would not be asked about it`,
        `Give your tool another name, or leave ${own} out.`,
      );
    const near = nearest(tool, KNOWN_TOOLS);
    if (tool !== own && near !== undefined && near !== tool)
      throw bad(`.${own}`, `is "${tool}", which no guard knows`, didYouMean(near).trim());
  }
}

const isText = (value: unknown): boolean => typeof value === "string";

function orMissing(value: unknown): string {
  return value === "" ? "an empty text" : value === undefined ? "missing" : shown(value);
}

/**
 * Emits an event of the host with the names that guards know, and renames the arguments in the answer back. An event
 * about a tool without an alias is emitted unchanged.
 */
export function emitKnown(
  aliases: ToolAliases | undefined,
  payload: object,
  options: EmitOptions | undefined,
  emit: (payload: object, options: EmitOptions | undefined) => Outcome | Promise<Outcome>,
): Outcome | Promise<Outcome> {
  const { tool: own, args } = payload as Fields;
  const alias = typeof own === "string" && aliases && Object.hasOwn(aliases, own) ? aliases[own] : undefined;
  if (alias === undefined) return emit(payload, options);
  const { tool, args: names = {} } = typeof alias === "string" ? { tool: alias } : alias;
  // Arguments that are not an object are passed on as they are; if guards are asked, `checkPayload` throws for them.
  const known = (fields: unknown): unknown => (isFields(fields) ? renameArgs(fields, names) : fields);
  const back = (fields: Fields): Fields => renameArgs(fields, inverse(names));
  const { accept } = options ?? {};
  const outcome = emit(
    { ...payload, tool, ...(args !== undefined && { args: known(args) }) },
    accept === undefined ? options : { ...options, accept: (given) => known(accept(back(given))) as Fields },
  );
  const answered = (given: Outcome): Outcome => {
    const { args: changed } = given.answer as Fields;
    return isFields(changed) ? { ...given, answer: { ...given.answer, args: back(changed) } } : given;
  };
  return outcome instanceof Promise ? outcome.then(answered) : answered(outcome);
}

/** Returns the problem with a tool whose name hooks cannot know, and the remedy: an alias for the tool. */
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
