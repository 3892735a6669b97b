import { omp, pi } from "@hookline/runtime/dialects";
import type { Claim } from "./claim.ts";
import { type Experiment, findingOf } from "./stage/experiment.ts";
import { type Handler, openStaged, type Placed } from "./stage/functions.ts";
import { throughTheLoop } from "./sticky/agent.ts";
import { allOrders, HOOKS, KINDS, type Kind, problemOf, type Seats } from "./sticky/kinds.ts";

const BEFORE: Readonly<Record<Kind, Handler>> = {
  block: () => ({ block: true, reason: "no" }),
  allow: () => ({ block: false }),
  throw: () => {
    throw new Error("broken");
  },
  edit: (event) => {
    event.input.command += "!";
  },
  success: () => undefined,
};

/** Returns hooks of one kind, in a separate module, so that a failure affects no other hook. */
function hooksOf(kind: Kind, lane: string, path: string): Placed[] {
  const before = { lane, event: "tool_call", run: BEFORE[kind], path };
  return kind === "success"
    ? [before, { lane, event: "tool_result", run: () => ({ isError: false }), path }]
    : [before];
}

/** Makes one call of an agent that embeds the library and has its tools wrapped. */
async function wrapped(kinds: readonly Kind[], seats: Seats): Promise<string | undefined> {
  const { inFirst, lanes } = seats;
  const hooks = kinds.flatMap((kind, i) => hooksOf(kind, lanes[i < inFirst ? 0 : 1], `/hook-${i}`));
  await using stage = await openStaged([pi, omp], hooks, { runtime: { lanes } });
  // Hooks of these dialects do not see results of refused calls; the embedding program does.
  stage.session.on("tool.after", () => ({ isError: false }));
  let ran: unknown;
  const call = { tool: "bash", toolCallId: "1", args: { command: "ls" } };
  const result = await stage.session.wrap(call, (args) => {
    ran = args["command"];
    return "done";
  });
  const refused = kinds.some((kind) => kind === "block" || kind === "throw");
  return problemOf(kinds, seats, ran, result.isError && result.blocked === refused);
}

const LANES: readonly Seats["lanes"][] = [
  ["omp", "pi"],
  ["pi", "omp"],
  ["omp-hooks", "pi"],
];

function seatsOf(full: boolean): Seats[] {
  if (!full) return [{ inFirst: 2, lanes: ["omp", "pi"] }];
  return LANES.flatMap((lanes) => [0, 1, 2, 3, 4].map((inFirst) => ({ inFirst, lanes })));
}

const EVERY = `all ${KINDS.length ** HOOKS} orders of ${HOOKS} hooks and ${KINDS.length} answers, over two dialects`;

const inTheLibrary: Experiment = {
  id: "R23, a tool that the library wraps",
  async run(tally, { full }) {
    for (const seats of seatsOf(full)) for (const kinds of allOrders()) tally.trial(await wrapped(kinds, seats));
    tally.figure(EVERY);
  },
};

const inTheAgent: Experiment = {
  id: "R23, the agent's own loop, and its sub-agents'",
  async run(tally, { full }) {
    for (const [i, seats] of seatsOf(full).entries()) await throughTheLoop(tally, seats, full ? i % 3 : 1);
    tally.figure(EVERY);
  },
};

export const claim: Claim = {
  name: "sticky",
  says: "a tool runs if and only if no hook blocked and no guard failed, in every order of four hooks (R23)",
  run: (size) => findingOf([inTheLibrary, inTheAgent], size),
};
