import type { Content } from "@hookline/runtime/engine";
import type { ParameterSchema } from "../provider/provider.ts";

/** A tool's result. */
export interface ToolResult {
  readonly content: readonly Content[];
  readonly details?: unknown;
  /** Ends the run after this batch if every result of the batch says so. */
  readonly terminate?: boolean;
  /** An error result without a throw; the loop treats both alike. */
  readonly isError?: boolean;
}

/**
 * A tool that the model may call. It has the shape that pi's extensions register (spec/pi.md 2.1), so the loop treats
 * built-in and foreign tools alike.
 *
 * `execute` signals an error by throwing; `onUpdate` reports partial results while it runs.
 */
export interface Tool<P = Record<string, unknown>, C = unknown> {
  readonly name: string;
  /** Other names under which a model may call it; hooks see its own. */
  readonly aliases?: readonly string[];
  readonly label: string;
  readonly description: string;
  readonly parameters: ParameterSchema;
  /** The schema for checking arguments, if it is not all of `parameters`. */
  readonly checks?: ParameterSchema;
  /** One line for the system prompt's list of tools. */
  readonly promptSnippet?: string;
  readonly promptGuidelines?: readonly string[];
  /** `sequential` makes the whole batch run one call after the other. Default `parallel`. */
  readonly executionMode?: "sequential" | "parallel";
  /** Runs on the model's raw arguments before they are checked against `parameters`. */
  prepareArguments?(raw: unknown): unknown;
  /** Names the file of a call as it is on disk, before guards are asked about it. */
  settle?(params: Readonly<Record<string, unknown>>): Record<string, unknown>;
  execute(
    toolCallId: string,
    params: P,
    signal: AbortSignal | undefined,
    onUpdate: ((partial: ToolResult) => void) | undefined,
    context: C,
  ): Promise<ToolResult>;
}
