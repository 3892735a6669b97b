import type { Call, Surroundings } from "@hookline/runtime/dialect";
import { HookFailure } from "@hookline/runtime/dialect";
import type { Report } from "./answer.ts";
import type { Definition } from "./definition.ts";
import type { ClaudeEvent } from "./views.ts";

/** The parameters for running an `mcp_tool` handler, besides its definition. */
export interface ServerToolRun {
  readonly around: Pick<Surroundings, "services" | "clock">;
  readonly tier: "user" | "project";
}

/**
 * Calls the MCP server's tool that the handler names. The server must be of the handler's tier or a higher one. The
 * tool's answer is read like a command's stdout. The call itself fires no hooks. Source: spec/claude.md 2.
 */
export async function runServerTool(
  { server = "", tool = "", input = {}, timeoutMs }: Definition,
  event: ClaudeEvent,
  { signal }: Pick<Call, "signal">,
  { around, tier }: ServerToolRun,
): Promise<Report> {
  const { servers } = around.services;
  if (servers === undefined) throw new HookFailure("threw", "this host runs no MCP servers");
  const over = new AbortController();
  const timer = around.clock.timer(timeoutMs, () => over.abort());
  timer.hold(true);
  try {
    const filled = fill(input, event) as Readonly<Record<string, unknown>>;
    const all = AbortSignal.any([signal, over.signal]);
    const { text, isError } = await servers.call({ server, tool, input: filled, tier, signal: all });
    if (isError) throw new HookFailure("exited", `the tool ${tool} of the MCP server "${server}" failed`);
    return { exit: 0, stdout: text };
  } catch (thrown) {
    if (over.signal.aborted) throw new HookFailure("timeout", `no answer within ${timeoutMs} ms`);
    throw thrown;
  } finally {
    timer.cancel();
  }
}

/** Replaces each `${path.in.the.event}` in the texts of a value; by an empty text if the event has no such field. */
function fill(value: unknown, event: ClaudeEvent): unknown {
  if (typeof value === "string") return value.replaceAll(/\$\{([\w.-]+)\}/g, (_, path: string) => textAt(path, event));
  if (Array.isArray(value)) return value.map((one) => fill(one, event));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fill(one, event)]));
}

function textAt(path: string, event: ClaudeEvent): string {
  let found: unknown = event;
  for (const step of path.split("."))
    found =
      typeof found === "object" && found !== null && Object.hasOwn(found, step)
        ? (found as Readonly<Record<string, unknown>>)[step]
        : undefined;
  return found === undefined || found === null ? "" : typeof found === "string" ? found : JSON.stringify(found);
}
