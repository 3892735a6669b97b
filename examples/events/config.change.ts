import { guard } from "@hookline/runtime/guard";

export default guard({
  name: "hooks-stay-as-they-are",
  on: "config.change",
  run: ({ source }) => (source === "project_settings" ? { cancel: true, reason: "Start a new session." } : undefined),
  cases: [
    { payload: { source: "project_settings" }, expect: "deny" },
    { payload: { source: "user_settings" }, expect: "none" },
  ],
});
