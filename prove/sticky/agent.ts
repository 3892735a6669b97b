import { atDepth, WITH_TASKS } from "../../packages/hookline/test/support/depth.ts";
import { assembleIn } from "../agent/assembled.ts";
import { Place } from "../agent/program.ts";
import type { Tally } from "../stage/experiment.ts";
import { allOrders, HOOKS, problemOf, type Seats } from "./kinds.ts";

/** The folder for extensions of each lane in a home folder. */
const FOLDERS: Readonly<Record<string, string>> = {
  pi: "~/.pi/agent/extensions",
  omp: "~/.omp/agent/extensions",
  "omp-hooks": "~/.omp/agent/hooks/pre",
};

/** The number of calls in one reply; at most 256 are allowed. */
const CALLS = 125;

/** Returns a module that handles each call as the call's own arguments say for the hook at this position. */
const hookText = (at: number): string => `export default function (pi) {
  pi.on("tool_call", (event) => {
    switch (event.input.kinds[${at}]) {
      case "block": return { block: true, reason: "no" };
      case "allow": return { block: false };
      case "throw": throw new Error("broken");
      case "edit": event.input.text += "!";
    }
    return undefined;
  });
  pi.on("tool_result", (event) => (event.input.kinds[${at}] === "success" ? { isError: false } : undefined));
}
`;

const TOOL = `export default function (pi) {
  pi.registerTool({
    name: "probe",
    label: "probe",
    description: "notes what it is given",
    parameters: { type: "object", properties: { text: { type: "string" }, kinds: { type: "array", items: { type: "string" } } } },
    execute: async (id, { text }) => {
      globalThis.probed.set(id, text);
      return { content: [{ type: "text", text: "done" }], details: {} };
    },
  });
}
`;

/**
 * Makes the agent's own loop, or that of a sub-agent at this depth, run one call for each order of hooks, as many in a
 * turn as a reply may contain. In addition to the hooks, the embedding program declares every result a success.
 */
export async function throughTheLoop(tally: Tally, seats: Seats, depth: number): Promise<void> {
  using place = new Place();
  const laneOf = (at: number): string => seats.lanes[at < seats.inFirst ? 0 : 1];
  for (let at = 0; at < HOOKS; at++) place.write(`${FOLDERS[laneOf(at)]}/hook-${at}.ts`, hookText(at));
  place.write("~/.pi/agent/extensions/tool.ts", TOOL);
  place.write("~/.hookline/settings.json", JSON.stringify({ lanes: seats.lanes, ...WITH_TASKS }));
  const orders = allOrders();
  const toolCalls = orders.map((kinds, at) => ({ id: `call-${at}`, name: "probe", arguments: { text: "ls", kinds } }));
  const turns = Array.from({ length: Math.ceil(toolCalls.length / CALLS) }, (_, turn) => ({
    toolCalls: toolCalls.slice(turn * CALLS, (turn + 1) * CALLS),
  }));
  const script = place.write("script.json", JSON.stringify({ replies: atDepth(depth, [...turns, { text: "done" }]) }));
  const probed = new Map<string, string>();
  Object.assign(globalThis, { probed });
  const assembled = await assembleIn(place, ["--script", script]);
  const errors = new Map<string, boolean>();
  assembled.hooks.on("tool.after", () => ({ isError: false }));
  assembled.agent.listen((event) => {
    const own = event.type === "subagent_event" ? event.event : event;
    if (own.type === "tool_execution_end") errors.set(own.toolCallId, own.isError);
  });
  await assembled.agent.prompt("go");
  await assembled.close();
  for (const [at, kinds] of orders.entries())
    tally.trial(problemOf(kinds, seats, probed.get(`call-${at}`), errors.get(`call-${at}`)));
}
