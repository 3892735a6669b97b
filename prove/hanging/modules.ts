import type { LoopbackReply, LoopbackRequest } from "../../packages/hookline/test/support/loopback.ts";
import { inProcessEvents } from "../stage/events.ts";

/** Folders in a project for the modules of each lane. */
export const MODULES: Readonly<Record<string, string>> = {
  "omp-hooks": ".omp/hooks/pre/hanging.ts",
  omp: ".omp/extensions/hanging.ts",
  pi: ".pi/extensions/hanging.ts",
};

/** The text of the final reply; a run that prints it was answered. */
export const REPLY = "the reply itself";

/** Returns the model's reply: first a tool call, then the final reply. */
export function reply({ body }: LoopbackRequest): LoopbackReply {
  const last = body.messages.at(-1);
  const text = JSON.stringify(last?.content ?? "");
  // A request for a summary also contains the prompt.
  if (last?.role !== "user" || !text.includes("Run it") || text.length > 200) return { text: REPLY };
  return { toolCalls: [{ name: "bash", arguments: { command: "seq 1 3000" } }] };
}

/** Settings so small that a whole short conversation is summarised on request. */
export const SMALL = { compaction: { keepRecentTokens: 1 } };

/**
 * Returns the text of a module whose handler of one event never settles the first `times` times. With `alive`, it keeps
 * the process alive meanwhile.
 */
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

/** Matches the events that a quick run covers. */
export const USUAL = /^(agent_start|tool_call)$/;

/** Returns the events of a lane to which modules can listen. */
export function eventsOf(lane: string): readonly string[] {
  const names = inProcessEvents().flatMap((one) => (one.lane === lane ? [one.row.name] : []));
  return names.filter((name) => /^[\w.]+$/.test(name));
}
