import { guard } from "@hookline/runtime/guard";

export default guard({
  name: "keep-short-sessions",
  on: "compact.before",
  run: ({ kind, messageCount }) => (kind === "full" && messageCount < 20 ? { cancel: true } : undefined),
  cases: [
    { payload: { kind: "full", messageCount: 4 }, expect: "deny" },
    { payload: { kind: "full", messageCount: 40 }, expect: "none" },
  ],
});
