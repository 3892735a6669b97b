import { guard } from "@hookline/runtime/guard";

export default guard({
  name: "release-is-for-people",
  on: "prompt.expand",
  run: ({ name }) => (name === "release" ? { stop: true, reason: "Run the release script yourself." } : undefined),
  cases: [
    { payload: { name: "release" }, expect: "deny" },
    { payload: { name: "review" }, expect: "none" },
  ],
});
