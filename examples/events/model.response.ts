import { guard } from "@hookline/runtime/guard";

export default guard({
  name: "no-invented-links",
  on: "model.response",
  run: ({ text }) =>
    /https?:\/\/example\.com/.test(text)
      ? { text: text.replaceAll(/https?:\/\/example\.com\S*/g, "[a link]") }
      : undefined,
  cases: [
    { payload: { text: "See https://example.com/page" }, expect: { decision: "edit", edit: { text: "See [a link]" } } },
    { payload: { text: "See the README." }, expect: "none" },
  ],
});
