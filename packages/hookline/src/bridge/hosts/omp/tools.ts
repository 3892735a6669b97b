import { ourCall, type SameTools, theirArgs } from "../../moment/tool-names.ts";
import { type Fields, maybeText, objectIn } from "../../payload.ts";

/** oh-my-pi's names of tools that hookline has under another one. */
const TOOLS: SameTools = { glob: { tool: "find" } };

/** An event about a tool with hookline's names. */
export function ourNames(event: Fields): Fields {
  const { tool, args } = ourCall(TOOLS, maybeText(event, "toolName") ?? "", objectIn(event, "input"));
  return { ...event, toolName: tool, input: args };
}

/** Arguments that hooks have rewritten, with oh-my-pi's names. */
export function argsFor(event: Fields, args: Fields): Fields {
  return theirArgs(TOOLS, maybeText(event, "toolName") ?? "", args);
}

/** The arguments of an edit without what oh-my-pi has worked out for hooks: which files its text changes. */
export function theirInput(input: Fields): Fields {
  const { path, paths: _, ...rest } = input;
  const isText = ["input", "_input"].some((name) => typeof rest[name] === "string");
  return isText || rest["_path"] !== undefined || path === undefined ? rest : { path, ...rest };
}
