import { guard } from "@hookline/runtime/guard";

export default guard({
  name: "small-requests",
  on: "model.wire",
  run: ({ body }) => (JSON.stringify(body).length > 4_000_000 ? { stop: true } : undefined),
  cases: [
    { payload: { body: { messages: ["x".repeat(4_000_001)] } }, expect: "deny" },
    { payload: { body: { messages: [] } }, expect: "none" },
  ],
});
