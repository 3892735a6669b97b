import { guard } from "@hookline/runtime/guard";

export default guard({
  name: "no-passwords-for-servers",
  on: "mcp.elicit",
  run: ({ message }) => (/password/i.test(message) ? { action: "decline" } : undefined),
  cases: [
    { payload: { message: "Your password?" }, expect: { answer: { action: "decline" } } },
    { payload: { message: "Which branch?" }, expect: "none" },
  ],
});
