import type { Content } from "@hookline/runtime/engine";
import type { ParameterSchema } from "../provider/provider.ts";

/** A tool's result. */
export interface ToolResult {
  readonly content: readonly Content[];
  readonly details?: unknown;
  /** Whether to end the run after this batch of calls. All results of the batch must agree. */
  readonly terminate?: boolean;
  /** Whether the result is an error. The loop treats it like an error that was thrown. */
  readonly isError?: boolean;
}

/**
 * A tool that the model may call, in the form that pi's extensions register (spec/pi.md 2.1). `execute` signals an
 * error by throwing. `onUpdate` reports partial results while the tool runs.
 */
export interface Tool<P = Record<string, unknown>, C = unknown> {
  readonly name: string;
  /** Other names by which a model may call the tool. Hooks see `name`. */
  readonly aliases?: readonly string[];
  readonly label: string;
  readonly description: string;
  readonly parameters: ParameterSchema;
  /** The schema for checking arguments if not `parameters`: an MCP tool's, without what only its server can check. */
  readonly checks?: ParameterSchema;
  /** One line for the list of tools in the system prompt. */
  readonly promptSnippet?: string;
  readonly promptGuidelines?: readonly string[];
  /** `sequential` makes all calls of the same reply run one after the other. Default `parallel`. */
  readonly executionMode?: "sequential" | "parallel";
  /** Changes the model's raw arguments before they are checked against `parameters`. */
  prepareArguments?(raw: unknown): unknown;
  /** Replaces the path in a call by its spelling on disk, before guards are asked about the call. */
  settle?(params: Readonly<Record<string, unknown>>): Record<string, unknown>;
  execute(
    toolCallId: string,
    params: P,
    signal: AbortSignal | undefined,
    onUpdate: ((partial: ToolResult) => void) | undefined,
    context: C,
  ): Promise<ToolResult>;
}
