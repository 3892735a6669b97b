import { guard } from "@hookline/runtime/guard";

export default guard({
  name: "no-pasted-keys",
  on: "input",
  run: ({ text }) => (text.includes("PRIVATE KEY-----") ? { stop: true } : undefined),
  cases: [
    { payload: { text: "Use this: -----BEGIN PRIVATE KEY-----" }, expect: "deny" },
    { payload: { text: "Where is the private key read?" }, expect: "none" },
  ],
});
