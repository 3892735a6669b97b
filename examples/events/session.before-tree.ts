import { guard } from "@hookline/runtime/guard";

export default guard({
  name: "label-what-is-left",
  on: "session.before-tree",
  run: () => ({ label: "left" }),
  cases: [{ expect: { answer: { label: "left" } } }],
});
