import { guard } from "@hookline/runtime/guard";

export default guard({
  name: "no-old-sessions",
  on: "session.start",
  run: ({ reason }) =>
    reason === "resume"
      ? { halt: { reason: "Old sessions may hold what is redacted now. Start a new one." } }
      : undefined,
  cases: [
    { payload: { reason: "resume" }, expect: "deny" },
    { payload: { reason: "new" }, expect: "none" },
  ],
});
