import { messageOf } from "@hookline/ground";
import type { SeriesRunner } from "./runner.ts";

interface ToolResult {
  readonly content: readonly unknown[];
  readonly details?: unknown;
  readonly isError?: boolean;
}

interface Tool {
  readonly name: string;
  execute(id: string, params: unknown, ...rest: readonly unknown[]): Promise<ToolResult>;
}

/** The error of a refused call for which the hook gave no reason. */
const BLOCKED = "Tool execution was blocked by a hook";

/**
 * omp's `HookToolWrapper`: a tool that asks hooks before it runs and shows them its result.
 *
 * If a hook refuses or a guard fails, this throws, and there is no event for the result. Hooks can replace content and
 * details of a success, but cannot turn it into a failure. A failure of the tool is thrown after the hooks have seen
 * it. Source: seed 002, "Execution model"; ruling 21.
 */
export class HookToolWrapper {
  readonly #tool: Tool;
  readonly #runner: SeriesRunner;

  constructor(tool: Tool, hookRunner: SeriesRunner) {
    this.#tool = tool;
    this.#runner = hookRunner;
    // Forwards every member but `execute` to the tool, so that later changes of the tool show here too.
    for (
      let from: object | null = tool;
      from !== null && from !== Object.prototype;
      from = Object.getPrototypeOf(from)
    ) {
      for (const key of Reflect.ownKeys(from)) {
        if (key === "execute" || key === "constructor" || Object.hasOwn(this, key)) continue;
        const get = (): unknown => {
          const value: unknown = Reflect.get(tool, key);
          return typeof value === "function" ? value.bind(tool) : value;
        };
        Object.defineProperty(this, key, { get, enumerable: true, configurable: true });
      }
    }
  }

  async execute(toolCallId: string, params: unknown, ...rest: readonly unknown[]): Promise<ToolResult> {
    const judged = await this.#judge(toolCallId, params);
    let result: ToolResult;
    try {
      result = await this.#tool.execute(toolCallId, judged.input, ...rest);
    } catch (thrown) {
      const content = [{ type: "text", text: messageOf(thrown) }];
      await this.#tell(toolCallId, judged.input, { content, details: undefined, isError: true });
      throw thrown;
    }
    const shown = { content: result.content, details: result.details, isError: result.isError ?? false };
    const { content, details } = (await this.#tell(toolCallId, judged.input, shown)) ?? {};
    const context = judged.additionalContext;
    if (content === undefined && (details ?? undefined) === undefined && context === undefined) return result;
    const added = context === undefined || shown.isError ? [] : [{ type: "text", text: context }];
    return { ...result, content: [...(content ?? result.content), ...added], details: details ?? result.details };
  }

  /** Returns the input with which the tool may run. Throws if a hook refuses or fails. */
  async #judge(toolCallId: string, input: unknown): Promise<{ input: unknown; additionalContext?: string }> {
    if (!this.#runner.hasHandlers("tool_call")) return { input };
    const event = { type: "tool_call", toolName: this.#tool.name, toolCallId, input };
    let answer: { block?: unknown; reason?: unknown; input?: unknown; additionalContext?: string } | undefined;
    try {
      answer = (await this.#runner.emitToolCall(event)) as typeof answer;
    } catch (thrown) {
      const isError = typeof (thrown as { readonly message?: unknown } | null | undefined)?.message === "string";
      throw isError ? thrown : new Error(`Hook failed, blocking execution: ${messageOf(thrown)}`);
    }
    if (answer?.block) throw new Error(answer.reason ? String(answer.reason) : BLOCKED);
    return { input, ...answer };
  }

  async #tell(toolCallId: string, input: unknown, result: ToolResult): Promise<Partial<ToolResult> | undefined> {
    if (!this.#runner.hasHandlers("tool_result")) return undefined;
    const event = { type: "tool_result", toolName: this.#tool.name, toolCallId, input, ...result };
    return (await this.#runner.emit(event)) as Partial<ToolResult> | undefined;
  }
}
