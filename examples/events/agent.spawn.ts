import { guard } from "@hookline/runtime/guard";

export default guard({
  name: "one-level-of-sub-agents",
  on: "agent.spawn",
  run: ({ depth }) => (depth > 1 ? { cancel: true, reason: "Do it yourself: sub-agents start no others." } : undefined),
  cases: [
    { payload: { depth: 2 }, expect: "deny" },
    { payload: { depth: 1 }, expect: "none" },
  ],
});
