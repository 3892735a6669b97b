import type { AssistantMessage, ToolCallBlock, ToolResultMessage } from "@hookline/runtime";
import { invalidArguments } from "../provider/provider.ts";
import { finish, type Judged, judge, type Settled } from "./call.ts";
import type { Run } from "./core.ts";

/** What a reply's calls came to, results in the reply's order. */
export interface BatchResult {
  readonly results: readonly ToolResultMessage[];
  /** True when every result asks for the run to end. */
  readonly terminate: boolean;
}

/**
 * Runs a reply's tool calls: each is judged, strictly one after the other in the reply's order;
 * then those that may run do so side by side, or one by one when one of the tools demands it.
 */
export async function runBatch(run: Run, reply: AssistantMessage, hidden: ReadonlySet<string>): Promise<BatchResult> {
  const calls = reply.content.filter((block): block is ToolCallBlock => block.type === "toolCall");
  const broken = invalidArguments(reply);
  const judged: Judged[] = [];
  let refusal: string | undefined;
  for (const call of calls) {
    const one = await judge(run, call, { invalid: broken.get(call.id), hidden, refusal });
    if (one.kind === "refused" && one.rest) refusal = one.reason;
    judged.push(one);
  }
  // A hook that refuses the rest means every call that has not started, and none has.
  const final =
    refusal === undefined
      ? judged
      : judged.map(
          (one): Judged =>
            one.kind === "allowed" ? { ...one, kind: "refused", reason: refusal, rest: true, terminate: false } : one,
        );
  const sequential = final.some((one) => one.kind === "allowed" && one.tool.executionMode === "sequential");
  const settled: Settled[] = [];
  if (sequential) for (const one of final) settled.push(await finish(run, one));
  else settled.push(...(await Promise.all(final.map((one) => finish(run, one)))));
  return {
    results: settled.map(({ message }) => message),
    terminate: settled.length > 0 && settled.every(({ terminate }) => terminate),
  };
}
