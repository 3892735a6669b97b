import { expect, test } from "vitest";
import { switchSession } from "../../src/agent/switch.ts";
import { startBench } from "./bench.ts";

const SEES = `export default function (pi) {
  for (const name of ["session_start", "resources_discover"])
    pi.on(name, (event, ctx) => {
      const prompt = ctx.getSystemPrompt();
      pi.appendEntry("seen", { name, reason: event.reason, prompt, tokens: ctx.getContextUsage().tokens });
    });
}
`;

test("hooks of a start see the whole system prompt, and how much of the context it uses", async () => {
  const { agent } = await startBench({
    replies: [],
    files: { ".pi/extensions/sees.ts": SEES, "AGENTS.md": "Always say please." },
  });
  const seen = (): any[] =>
    agent.core.store
      .getEntries()
      .flatMap((entry) => (entry.type === "custom" && entry.customType === "seen" ? [entry.data] : []));
  expect(seen().map(({ name }) => name)).toEqual(["session_start", "resources_discover"]);
  for (const { prompt, tokens } of seen()) {
    expect(prompt).toBe(agent.systemPrompt);
    expect(prompt).toContain("Always say please.");
    expect(tokens).toBeGreaterThan(prompt.length / 4);
  }
  agent.useSystemPrompt("of the last prompt");
  await switchSession(agent, { reason: "new", open: () => agent.openSession({ kind: "new" }) });
  expect(seen()[0]).toMatchObject({ reason: "new", prompt: agent.systemPrompt });
});
