import type { AgentTool } from "@earendil-works/pi-agent-core";
import { messageOf } from "@hookline/runtime/internal";
import { validateArguments } from "../../tool/schema.ts";
import type { SideCall, SideParts, SideResult, SideTool } from "./parts.ts";

type Refusal = { readonly block: true; readonly reason: string };

/**
 * The tools of a side session in the form that its loop runs, and the two moments at which the session's hooks judge
 * them.
 */
export interface JudgedTools {
  tool(tool: SideTool): AgentTool;
  before(call: SideCall, signal: AbortSignal | undefined): Promise<Refusal | undefined>;
  after(call: SideCall, result: SideResult, signal: AbortSignal | undefined): Promise<SideResult | undefined>;
}

/** Makes them; `context` is the last argument of an extension's tool. */
export function judgedTools(
  { guards, tools }: Pick<SideParts, "guards" | "tools">,
  context: (signal?: AbortSignal) => object,
): JudgedTools {
  // The loop keeps the arguments that its model wrote; a hook's changes are kept here until the tool runs.
  const edited = new Map<string, unknown>();
  const argsOf = (id: string, written: unknown): unknown => (edited.has(id) ? edited.get(id) : written);
  return {
    tool: (tool) =>
      ({
        ...tool,
        async execute(id: string, written: unknown, signal?: AbortSignal, onUpdate?: (partial: unknown) => void) {
          return tool.execute(
            id,
            argsOf(id, written) as never,
            signal ?? new AbortController().signal,
            onUpdate as never,
            context(signal),
          );
        },
      }) as unknown as AgentTool,
    async before(call, signal) {
      const judged = await guards?.before(call, signal);
      if (judged === undefined) return undefined;
      if ("refused" in judged) return { block: true, reason: judged.refused };
      const tool = tools.find(({ name }) => name === call.tool);
      try {
        edited.set(
          call.id,
          tool === undefined ? judged.args : validateArguments(tool, judged.args as SideCall["args"]),
        );
      } catch (thrown) {
        return { block: true, reason: messageOf(thrown) };
      }
      return undefined;
    },
    async after(call, result, signal) {
      const args = argsOf(call.id, call.args) as SideCall["args"];
      edited.delete(call.id);
      return guards?.after({ ...call, args }, result, signal);
    },
  };
}

/** The tools with these names. */
export function toolsNamed(parts: SideParts, names: readonly string[]): SideTool[] {
  return parts.tools.filter(({ name }) => names.includes(name));
}

/** A call in the form that the session's hooks get. */
export function sideCall(call: { readonly id: string; readonly name: string }, args: unknown): SideCall {
  return { id: call.id, tool: call.name, args: args as SideCall["args"] };
}
