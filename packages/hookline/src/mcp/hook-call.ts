import type { CallToolResult } from "@modelcontextprotocol/client";
import type { McpServers } from "./servers.ts";

/** A tool call that a hook makes, without a model. */
export interface HookCall {
  readonly server: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly tier: "user" | "project";
  readonly signal: AbortSignal;
}

/**
 * Calls a tool for a hook. Only hooks of the project may call a server that the project defines. The server's own time
 * limits apply. No hook is asked about the call.
 */
export async function callForHook(
  servers: McpServers,
  { server: name, tool, input, tier, signal }: HookCall,
): Promise<{ readonly text: string; readonly isError: boolean }> {
  const server = servers.all.find((one) => one.name === name);
  if (server === undefined) throw new Error(`there is no MCP server "${name}"`);
  if (server.source.tier === "project" && tier !== "project")
    throw new Error(`the MCP server "${name}" belongs to the project, and the person's own hooks do not call it`);
  await settledOr(signal, server.settled);
  const { content, isError = false } = await server.callMcp(tool, input, { signal });
  return { text: textOf(content), isError };
}

function textOf(content: CallToolResult["content"]): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

/** Waits until `settled` resolves or the signal is aborted. */
async function settledOr(signal: AbortSignal, settled: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const abort = (): void => resolve();
  if (signal.aborted) resolve();
  signal.addEventListener("abort", abort, { once: true });
  await Promise.race([settled, promise]);
  signal.removeEventListener("abort", abort);
}
