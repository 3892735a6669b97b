import { guard } from "@hookline/runtime/guard";

export default guard({
  name: "no-tokens",
  on: "tool.after",
  run({ content }) {
    const clean = content.map((part) =>
      part.type === "text" ? { ...part, text: part.text.replaceAll(/\btok_[a-z0-9]{8,}/g, "[a token]") } : part,
    );
    return JSON.stringify(clean) === JSON.stringify(content) ? undefined : { content: clean };
  },
  cases: [
    {
      payload: { content: [{ type: "text", text: "TOKEN=tok_12345678" }] },
      expect: { decision: "edit", edit: { "content.0.text": "TOKEN=[a token]" } },
    },
    { payload: { content: [{ type: "text", text: "TOKEN is set" }] }, expect: "none" },
  ],
});
