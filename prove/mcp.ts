import type { Claim } from "./claim.ts";
import { ILLS } from "./mcp/ills.ts";
import { illRun } from "./mcp/trial.ts";
import { type Experiment, findingOf } from "./stage/experiment.ts";
import { each } from "./stage/ground.ts";

/** Depths of agents: the agent itself, its sub-agent, and that one's sub-agent. */
const DEPTHS = [0, 1, 2];

/** Guards see each call first, whatever a server does, and the run ends within its limits and leaves no process. */
const illServers: Experiment = {
  id: "MCP",
  async run(tally, { full }) {
    const rounds = full ? [0, 1, 2, 3, 4] : [0];
    const trials = rounds.flatMap(() =>
      ILLS.flatMap((ill, at) =>
        DEPTHS.filter((depth) => full || depth === at % DEPTHS.length).map((depth) => ({ ill, depth })),
      ),
    );
    await each(trials, 3, async ({ ill, depth }) => {
      const problem = await illRun(ill, depth);
      tally.trial(problem && `a server that ${ill.name}, at depth ${depth}: ${problem}`);
    });
    tally.figure(`${ILLS.length} kinds of servers, sub-agents up to ${DEPTHS.at(-1)} deep`);
  },
};

export const claim: Claim = {
  name: "mcp",
  says: "whatever an MCP server does, each call is guarded first, the run ends within its limits, and no process is left",
  run: (size) => findingOf([illServers], size),
};
