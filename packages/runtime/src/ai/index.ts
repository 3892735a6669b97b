/** Runs hooks around the tools of Vercel's AI SDK. */

import { messageOf, readJsonText } from "@hookline/ground";
import { textOf } from "../catalog/message.ts";
import type { WrappedCall, WrappedResult } from "../run/wrap.ts";
import type { Session } from "../session/face.ts";

/** The part of an AI SDK tool that `wrapTools` uses; everything else in the tool stays as it is. */
export interface AiTool {
  readonly execute?: ((args: never, options: never) => unknown) | undefined;
}

/** Options for wrapping tools. */
export interface WrapToolsOptions {
  /**
   * Receives each result, with the fields that the AI SDK has no place for: `remarks` and `additionalContext` belong in
   * the next request, and after `halt` the loop must make no further request.
   */
  onResult?(result: WrappedResult, call: WrappedCall): void;
}

/**
 * Wraps the `execute` of each tool in `hooks.wrap`, for `generateText` and `streamText`. A tool without `execute`,
 * which runs elsewhere, stays without one. Hooks see an output that is an object as JSON; the SDK gets the object
 * itself, unless a hook has changed its text. A refused call throws its reason; what a tool throws is thrown again,
 * unless a hook has changed it. If a tool yields, hooks see the last value, and so does the SDK. Source: AI SDK 7, read
 * 2026-11.
 */
export function wrapTools<T extends Readonly<Record<string, AiTool>>>(
  hooks: Pick<Session, "wrap">,
  tools: T,
  { onResult }: WrapToolsOptions = {},
): T {
  const hooked = Object.entries(tools).map(([name, tool]) => {
    const run = tool.execute;
    if (run === undefined) return [name, tool];
    const execute = async (args: unknown, options: ExecuteOptions): Promise<unknown> => {
      const call: WrappedCall = {
        tool: name,
        // A tool without a schema may be called without arguments; `wrap` refuses anything else that is not an object.
        args: (args ?? {}) as WrappedCall["args"],
        toolCallId: options.toolCallId,
        signal: options.abortSignal,
      };
      const own: Own = { text: "" };
      const result = await hooks.wrap(call, async (final) => {
        try {
          own.output = await lastOf(run.call(tool, final as never, options as never));
        } catch (thrown) {
          own.thrown = { value: thrown };
          throw thrown;
        }
        own.text = typeof own.output === "string" ? own.output : (JSON.stringify(own.output) ?? "");
        return own.text;
      });
      onResult?.(result, call);
      return outputOf(result, own);
    };
    return [name, { ...tool, execute }];
  });
  return Object.fromEntries(hooked) as T;
}

/** The call options of the SDK that `wrapTools` reads. */
interface ExecuteOptions {
  readonly toolCallId: string;
  readonly abortSignal?: AbortSignal | undefined;
}

/** The tool's own output, and its text as hooks see it. */
interface Own {
  output?: unknown;
  text: string;
  thrown?: { readonly value: unknown };
}

function outputOf({ content, isError }: WrappedResult, { output, text, thrown }: Own): unknown {
  const now = textOf(content);
  if (isError) throw thrown !== undefined && now === messageOf(thrown.value) ? thrown.value : new Error(now);
  if (now === text) return output;
  if (typeof output === "string") return now;
  // A hook has changed the JSON text of an output that is an object, so the text is parsed again.
  const read = readJsonText(now);
  return "value" in read ? read.value : now;
}

/** The last value that an `execute` yields, or what it returns. */
async function lastOf(given: unknown): Promise<unknown> {
  const value = await given;
  if (typeof value !== "object" || value === null || !(Symbol.asyncIterator in value)) return value;
  let last: unknown;
  for await (const one of value as AsyncIterable<unknown>) last = one;
  return last;
}
