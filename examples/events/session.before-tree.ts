import { guard } from "@hookline/runtime/guard";

export default guard({
  name: "label-each-move",
  on: "session.before-tree",
  run: () => ({ label: "visited" }),
  cases: [{ expect: { answer: { label: "visited" } } }],
});
