import { createRuntime, textOf } from "@hookline/runtime";
import { dialects } from "@hookline/runtime/dialects";
import type { ToolExecutionOptions, ToolSet } from "ai";

/** Loads the hooks of a folder and wraps tools of the AI SDK with them. */
export async function openHooks<T extends ToolSet>(cwd: string, tools: T) {
  const runtime = createRuntime({ dialects, runUnapprovedProjectHooks: true });
  const hooks = await runtime.open({ scene: { sessionId: crypto.randomUUID(), cwd } });
  const hooked = Object.entries(tools).map(([tool, given]) => {
    const run = given.execute;
    // A tool without `execute` runs elsewhere, such as in the browser.
    if (run === undefined) return [tool, given];
    const execute = async (args: object, options: ToolExecutionOptions<never>) => {
      const call = { tool, args: { ...args }, toolCallId: options.toolCallId, signal: options.abortSignal };
      let output: unknown;
      let text = "";
      const { content, isError } = await hooks.wrap(call, async (final) => {
        output = await run(final as never, options);
        // Hooks see an object as JSON.
        text = typeof output === "string" ? output : (JSON.stringify(output) ?? "");
        return text;
      });
      if (isError) throw new Error(textOf(content));
      // The model gets the tool's own output, unless a hook has changed its text.
      return textOf(content) === text ? output : textOf(content);
    };
    return [tool, { ...given, execute }];
  });
  return { tools: Object.fromEntries(hooked) as T, close: () => runtime.close() };
}
