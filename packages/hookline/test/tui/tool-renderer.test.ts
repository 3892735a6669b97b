import { expect, test } from "vitest";
import { Sitting } from "../support/sitting.ts";

test("extensions choose how a tool is drawn, in their order; one that fails is told and left out", async () => {
  const text = `const text = (say) => ({ render: () => [say], invalidate() {} });`;
  await using sitting = await Sitting.start({
    replies: [{ toolCalls: [{ id: "c", name: "ls", arguments: { path: "." } }] }, { text: "done" }],
    files: {
      "~/.pi/agent/extensions/a.ts": `${text} export default (pi) => {
        pi.registerToolRenderer(() => { throw new Error("broken"); });
        pi.registerToolRenderer((name, next) => (name === "ls" ? { ...next(), renderCall: ({ path }) => text("LOOKS AT " + path) } : next()));
      };`,
      "~/.pi/agent/extensions/b.ts": `${text} export default (pi) => {
        pi.registerToolRenderer((name, next) => ({ ...next(), renderCall: () => text("never"), renderResult: () => text("FOUND") }));
      };`,
    },
  });
  sitting.say("look");
  await sitting.terminal.until("done");
  const screen = await sitting.screen();
  for (const said of ["LOOKS AT .", "FOUND", 'renderer for "ls" failed: broken']) expect(screen).toContain(said);
  expect(screen).not.toContain("never");
});
