import { guard } from "@hookline/runtime/guard";

export default guard({
  name: "archived-stays-archived",
  on: "session.before-switch",
  run: ({ targetSessionFile = "" }) => (/\/archive\//.test(targetSessionFile) ? { cancel: true } : undefined),
  cases: [
    { payload: { reason: "resume", targetSessionFile: "/sessions/archive/1.jsonl" }, expect: "deny" },
    { payload: { reason: "new" }, expect: "none" },
  ],
});
