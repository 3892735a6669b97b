import { guard } from "@hookline/runtime/guard";

export default guard({
  name: "no-hooks-from-downloads",
  on: "project.trust",
  run: ({ cwd }) => (cwd.includes("/Downloads/") ? { trusted: "no" } : undefined),
  cases: [
    { payload: { cwd: "/home/me/Downloads/app" }, expect: "deny" },
    { payload: { cwd: "/home/me/app" }, expect: "none" },
  ],
});
