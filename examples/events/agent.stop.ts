import { guard } from "@hookline/runtime/guard";

export default guard({
  name: "no-open-ends",
  on: "agent.stop",
  run: ({ reply, stopHookActive }) =>
    /\bTODO\b/.test(reply) && !stopHookActive ? { feedback: "Finish what you call TODO." } : undefined,
  cases: [
    {
      payload: { reply: "Done. TODO: the tests", stopHookActive: false },
      expect: { answer: { feedback: ["Finish what you call TODO."] } },
    },
    { payload: { reply: "Done, with tests.", stopHookActive: false }, expect: "none" },
  ],
});
