import { guard } from "@hookline/runtime/guard";

export default guard({
  name: "no-mail-to-release",
  on: "mail.before",
  // Deliver nothing that a guard has delivered already.
  run: ({ to }) => (to === "release" ? { delivered: true, via: "nobody: release takes no mail" } : undefined),
  cases: [
    { payload: { to: "release" }, expect: { answer: { delivered: true } } },
    { payload: { to: "review" }, expect: "none" },
  ],
});
