import { guard } from "@hookline/runtime/guard";

export default guard({
  name: "no-publish",
  on: "shell.user",
  run: ({ command }) => (/\bnpm publish\b/.test(command) ? { cancel: "CI publishes. Push a tag." } : undefined),
  cases: [
    { payload: { command: "npm publish" }, expect: "deny" },
    { payload: { command: "npm pack" }, expect: "none" },
  ],
});
