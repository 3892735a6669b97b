import { guard } from "@hookline/runtime/guard";

export default guard({
  name: "never-approve-force",
  on: "approval.requested",
  run: ({ args }) =>
    /--force\b/.test(String(args?.["command"])) ? { decision: "deny", reason: "Not with --force." } : undefined,
  cases: [
    { payload: { args: { command: "git clean --force" } }, expect: "deny" },
    { payload: { args: { command: "git clean --dry-run" } }, expect: "none" },
  ],
});
