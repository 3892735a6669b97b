import { guard } from "@hookline/runtime/guard";

export default guard({
  name: "tests-before-done",
  on: "task.completed",
  run: ({ subject }) => (/^untested:/i.test(subject) ? { cancel: true, reason: "Test it first." } : undefined),
  cases: [
    { payload: { subject: "untested: the parser" }, expect: "deny" },
    { payload: { subject: "the parser" }, expect: "none" },
  ],
});
