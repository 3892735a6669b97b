import { guard } from "@hookline/runtime/guard";

export default guard({
  name: "no-deploy-items",
  on: "task.created",
  run: ({ subject }) => (/\bdeploy/i.test(subject) ? { cancel: true, reason: "People deploy." } : undefined),
  cases: [
    { payload: { subject: "Deploy to production" }, expect: "deny" },
    { payload: { subject: "Write tests" }, expect: "none" },
  ],
});
