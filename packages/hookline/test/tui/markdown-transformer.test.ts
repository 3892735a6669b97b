import { expect, test } from "vitest";
import { Sitting } from "../support/sitting.ts";

test("what extensions make of a text is drawn, in their order, and neither sent nor kept", async () => {
  const seen = "globalThis.transformed ??= []";
  await using sitting = await Sitting.start({
    replies: [
      { thinking: "hmm", text: "it takes its time to come to the answer", tokensPerSecond: 20 },
      { text: "the second" },
    ],
    files: {
      "~/.pi/agent/extensions/a.ts": `export default (pi) => {
        pi.registerMarkdownTransformer(() => "replaced by the next");
        pi.registerMarkdownTransformer((text, { messageType, isStreaming, availableWidth }) => {
          (${seen}).push([messageType, isStreaming, typeof availableWidth]);
          return text.toUpperCase() + "\\u001b]0;title\\u0007";
        });
      };`,
      "~/.pi/agent/extensions/b.ts": `export default (pi) => pi.registerMarkdownTransformer((text) => text + " (b)");`,
      "~/.pi/agent/extensions/c.ts": `export default (pi) => pi.registerMarkdownTransformer(() => { throw new Error("broken"); });`,
    },
  });
  sitting.say("what is it");
  await sitting.terminal.until("TO THE ANSWER (b)");
  const screen = await sitting.screen();
  for (const text of ["WHAT IS IT (b)", "HMM (b)", "TO THE ANSWER (b)"]) expect(screen).toContain(text);
  expect(screen).not.toContain("replaced by the next");
  sitting.say("again");
  await sitting.terminal.until("THE SECOND (b)");
  const kinds = new Set((globalThis as any).transformed.map((kind: unknown[]) => kind.join(" ")));
  for (const kind of ["user false number", "assistant true number", "assistant false number"])
    expect(kinds).toContain(kind);
});
