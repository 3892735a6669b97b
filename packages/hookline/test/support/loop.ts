import { textOf } from "@hookline/runtime";
import type { AgentEvent } from "../../src/turn/event.ts";
import { type Bench, type BenchOptions, startBench } from "../agent/bench.ts";
import { atDepth } from "./depth.ts";
import type { LoopbackReply } from "./loopback.ts";

/** The outcome of a loop: how it ended, and the results of its calls in the order of their ids. */
export interface LoopRun {
  readonly outcome: string;
  readonly results: readonly { readonly id: string; readonly text: string; readonly isError: boolean }[];
}

/** The loop of the main agent, or of a sub-agent so deep, before a model that says what it is told to. */
export interface Loop {
  readonly bench: Bench;
  run(replies: readonly LoopbackReply[]): Promise<LoopRun>;
}

/** Makes one; the rest of the set-up is the same at every depth. */
export async function loopAt(depth: number, options: Omit<BenchOptions, "replies"> = {}): Promise<Loop> {
  let queue: LoopbackReply[] = [];
  const settings = { ...options.settings, task: { enabled: true } };
  const bench = await startBench({ ...options, settings, replies: () => queue.shift() ?? { text: "nothing more" } });
  return {
    bench,
    async run(replies) {
      queue = atDepth(depth, replies);
      const events: AgentEvent[] = [];
      const stop = bench.agent.listen((event) => events.push(event));
      const { kind } = await bench.agent.prompt("Go");
      stop();
      if (depth === 0) return { outcome: kind, results: resultsIn(events) };
      const id = events.flatMap((event) =>
        event.type === "subagent_start" && event.agent.depth === depth ? [event.agent.id] : [],
      )[0];
      const own = events.flatMap((event) =>
        event.type === "subagent_event" && event.agentId === id ? [event.event] : [],
      );
      const end = events.find((event) => event.type === "subagent_end" && event.agentId === id);
      return { outcome: end?.type === "subagent_end" ? end.outcome : "never started", results: resultsIn(own) };
    },
  };
}

function resultsIn(events: readonly AgentEvent[]): LoopRun["results"] {
  const results = events.flatMap((event) =>
    event.type === "tool_execution_end"
      ? [{ id: event.toolCallId, text: textOf(event.result.content), isError: event.isError }]
      : [],
  );
  return results.sort((a, b) => (a.id < b.id ? -1 : 1));
}
