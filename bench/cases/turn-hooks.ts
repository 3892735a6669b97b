import type { BenchCase } from "../case.ts";
import type { AgentRun } from "../programs/agents.ts";
import { steady, subjects, TURNS } from "./agent.ts";

/** An extension that listens to the five events of a turn and says nothing. The number makes each file different. */
const silent = (i: number): string => `import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function silent${i}(pi: ExtensionAPI) {
  const listen = async (): Promise<void> => {};
  pi.on("tool_call", listen);
  pi.on("tool_result", listen);
  pi.on("turn_start", listen);
  pi.on("context", listen);
  pi.on("message_update", listen);
}
`;

/** An extension that replaces each tool's result. */
const replacing = (i: number): string => `import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

export default function replacing${i}(pi: ExtensionAPI) {
  pi.on("tool_result", async () => ({ content: [{ type: "text" as const, text: "replaced by ${i}" }] }));
}
`;

const COLD_TURNS = 10;

/** The mean of a process's first turns, before anything has been compiled. */
const cold = ({ turns }: AgentRun): number => turns.slice(0, COLD_TURNS).reduce((sum, ns) => sum + ns, 0) / COLD_TURNS;

/** Turns with this many extensions that both agents load as people have them: first and later ones. */
function withExtensions(name: string, count: number, extension: (i: number) => string, toPi: number): BenchCase[] {
  const options = { memory: true, hooks: count, extension };
  const of = (label: string, unit: string, turns: number, took: (run: AgentRun) => number): BenchCase => ({
    name: label,
    unit,
    budget: {},
    n: 1,
    rounds: 9,
    open: () => subjects(options, turns, took, { toPi }),
  });
  return [
    of(`turn-${name}-${count}`, "end of a reply to the next request", TURNS, steady),
    of(`turn-${name}-${count}-cold`, "one of a process's first ten turns", COLD_TURNS, cold),
  ];
}

/** Decision 73: half of pi's time with 1 and 10 extensions, 0.7 with 50, and at most pi's where 10 of them edit. */
export const cases: readonly BenchCase[] = [
  ...withExtensions("silent", 1, silent, 0.5),
  ...withExtensions("silent", 10, silent, 0.5),
  ...withExtensions("silent", 50, silent, 0.7),
  ...withExtensions("replacing", 10, replacing, 1),
];
