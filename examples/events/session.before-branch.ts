import { guard } from "@hookline/runtime/guard";

export default guard({
  name: "fork-only-after",
  on: "session.before-branch",
  run: ({ position }) => (position === "before" ? { cancel: true } : undefined),
  cases: [
    { payload: { position: "before" }, expect: "deny" },
    { payload: { position: "at" }, expect: "none" },
  ],
});
