import { guard } from "@hookline/runtime/guard";

export default guard({
  name: "answers-name-files",
  on: "agent.done",
  run: ({ reply, stopHookActive }) =>
    /\w+\.\w+/.test(reply) || stopHookActive ? undefined : { feedback: "Name the files you looked at." },
  cases: [
    {
      payload: { reply: "It is fine.", stopHookActive: false },
      expect: { answer: { feedback: ["Name the files you looked at."] } },
    },
    { payload: { reply: "parser.ts is fine.", stopHookActive: false }, expect: "none" },
  ],
});
