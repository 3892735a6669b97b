import { guard } from "@hookline/runtime/guard";

export default guard({
  name: "no-customers",
  on: "prompt.before",
  run: ({ text }) =>
    /\bcustomer #\d+/i.test(text) ? { stop: true, reason: "Leave customer numbers out." } : undefined,
  cases: [
    { payload: { text: "Why does customer #4711 see an error?" }, expect: "deny" },
    { payload: { text: "Why do customers see an error?" }, expect: "none" },
  ],
});
