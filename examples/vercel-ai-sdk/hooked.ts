import { createRuntime, textOf } from "@hookline/runtime";
import { dialects } from "@hookline/runtime/dialects";
import type { ToolExecutionOptions, ToolSet } from "ai";

/** Loads the hooks of a folder and wraps tools of the AI SDK with them. */
export async function openHooks<T extends ToolSet>(cwd: string, tools: T) {
  const runtime = createRuntime({ dialects, runUnapprovedProjectHooks: true });
  const hooks = await runtime.open({ scene: { sessionId: crypto.randomUUID(), cwd } });
  const hooked = Object.entries(tools).map(([tool, given]) => {
    const execute = async (args: object, options: ToolExecutionOptions<never>) => {
      const call = { tool, args: { ...args }, toolCallId: options.toolCallId, signal: options.abortSignal };
      const { content, isError } = await hooks.wrap(call, (final) => given.execute?.(final as never, options));
      if (isError) throw new Error(textOf(content));
      return textOf(content);
    };
    return [tool, { ...given, execute }];
  });
  return { tools: Object.fromEntries(hooked) as T, close: () => runtime.close() };
}
