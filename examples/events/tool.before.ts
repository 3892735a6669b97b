import { guard } from "@hookline/runtime/guard";

export default guard({
  name: "no-env",
  on: "tool.before",
  tools: ["write", "edit"],
  run: ({ args }) =>
    /(^|\/)\.env$/.test(args.path) ? { deny: "Secrets are not written. Ask the person to do it." } : undefined,
  cases: [
    { args: { path: "app/.env", content: "KEY=1" }, expect: "deny" },
    { args: { path: "app/.env.example", content: "KEY=" }, expect: "none" },
  ],
});
