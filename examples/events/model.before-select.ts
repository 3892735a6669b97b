import { guard } from "@hookline/runtime/guard";

export default guard({
  name: "no-previews",
  on: "model.before-select",
  run: ({ model }) => (/preview/.test(model.id) ? { deny: "Preview models are not for this project." } : undefined),
  cases: [
    { payload: { model: { id: "large-preview", provider: "p" } }, expect: "deny" },
    { payload: { model: { id: "large", provider: "p" } }, expect: "none" },
  ],
});
