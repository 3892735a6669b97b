import { guard } from "@hookline/runtime/guard";

export default guard({
  name: "no-long-sessions",
  on: "model.context",
  run: ({ messages }) =>
    messages.length > 500 ? { stop: true, feedback: "This session is long. Say what is left, and end." } : undefined,
  cases: [
    { payload: { messages: Array(501).fill({ role: "user", content: "Go on", timestamp: 0 }) }, expect: "deny" },
    { payload: { messages: [{ role: "user", content: "Hello", timestamp: 0 }] }, expect: "none" },
  ],
});
