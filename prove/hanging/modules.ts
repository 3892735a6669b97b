import type { LoopbackReply, LoopbackRequest } from "../../packages/hookline/test/support/loopback.ts";
import { inProcessEvents } from "../stage/events.ts";

/** Where a module of each lane lies, below a project. */
export const MODULES: Readonly<Record<string, string>> = {
  "omp-hooks": ".omp/hooks/pre/hanging.ts",
  omp: ".omp/extensions/hanging.ts",
  pi: ".pi/extensions/hanging.ts",
};

/** The reply that answers; a run that shows it is answered. */
export const REPLY = "the reply itself";

/** A call first, and then the reply. */
export function reply({ body }: LoopbackRequest): LoopbackReply {
  const last = body.messages.at(-1);
  const text = JSON.stringify(last?.content ?? "");
  // A request for a summary has the prompt in it as well.
  if (last?.role !== "user" || !text.includes("Run it") || text.length > 200) return { text: REPLY };
  return { toolCalls: [{ name: "bash", arguments: { command: "seq 1 3000" } }] };
}

/** Small enough that everything of a short conversation is summarised when it is asked for. */
export const SMALL = { compaction: { keepRecentTokens: 1 } };

/** A module whose handler of one event never settles the first `times` times; `alive` keeps the process busy meanwhile. */
export function hangingModule(event: string, { alive = false, times = 1e9 } = {}): string {
  const wait = alive ? "setInterval(() => {}, 1000)" : "0";
  return `let times = ${times};
export default (api) => {
  api.on(${JSON.stringify(event)}, () => {
    if (times-- <= 0) return;
    globalThis.hanging = (globalThis.hanging ?? 0) + 1;
    console.error("hanging now");
    return new Promise(() => ${wait});
  });
};
`;
}

/** Events that a small experiment has to do with. */
export const USUAL = /^(agent_start|tool_call)$/;

/** The events of a lane that modules can listen to. */
export function eventsOf(lane: string): readonly string[] {
  const names = inProcessEvents().flatMap((one) => (one.lane === lane ? [one.row.name] : []));
  return names.filter((name) => /^[\w.]+$/.test(name));
}
