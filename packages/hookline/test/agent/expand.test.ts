import type { Payload } from "@hookline/runtime";
import { describe, expect, test } from "vitest";
import { type Bench, type BenchOptions, sentTo, startBench } from "./bench.ts";

const files = {
  "~/.hookline/prompts/review.md": "Review $1 with care.",
  "~/.hookline/skills/tidy/SKILL.md": "---\nname: tidy\ndescription: Tidies up.\n---\nTidy it.",
};
const start = (more: Partial<BenchOptions> = {}): Promise<Bench> =>
  startBench({ files, replies: [{ text: "ok", repeat: true }], ...more });

function heard({ hooks }: Bench): Payload<"prompt.expand">[] {
  const calls: Payload<"prompt.expand">[] = [];
  hooks.on("prompt.expand", (event) => {
    calls.push(event);
    return undefined;
  });
  return calls;
}

describe("prompt.expand", () => {
  test("fires for a template and a skill before they replace the text", async () => {
    const bench = await start();
    const calls = heard(bench);
    const befores: string[] = [];
    bench.hooks.on("prompt.before", ({ text }) => {
      befores.push(`${calls.length} ${text}`);
      return undefined;
    });
    await bench.agent.prompt("/review a.ts now");
    await bench.agent.prompt("/skill:tidy  the desk ");
    expect(calls).toEqual([
      {
        kind: "template",
        name: "review",
        args: "a.ts now",
        source: expect.stringMatching(/review\.md$/),
        prompt: "/review a.ts now",
      },
      {
        kind: "skill",
        name: "tidy",
        args: "the desk",
        source: expect.stringMatching(/SKILL\.md$/),
        prompt: "/skill:tidy  the desk ",
      },
    ]);
    expect(befores[0]).toBe("1 Review a.ts with care.");
    expect(befores[1]).toMatch(/^2 <skill name="tidy"[\s\S]*Tidy it\.[\s\S]*the desk$/);
  });

  test("does not fire for other texts and commands", async () => {
    const bench = await start();
    const calls = heard(bench);
    for (const text of ["review a.ts", "/unknown a.ts", "/session", "a /review in between"])
      await bench.agent.prompt(text);
    expect(calls).toEqual([]);
  });

  test("fires for hooks' texts that may call templates, and not for others", async () => {
    const bench = await start();
    const calls = heard(bench);
    const { conversation } = bench.agent.services;
    conversation?.sendUserMessage("/review one", { expandPromptTemplates: true });
    await bench.agent.waitForIdle();
    conversation?.sendUserMessage("/review two", {});
    await bench.agent.waitForIdle();
    expect(calls.map(({ args }) => args)).toEqual(["one"]);
  });

  test("stops the prompt with a reason for the person; no later hook is asked and nothing is sent", async () => {
    const bench = await start();
    const { agent, hooks, server } = bench;
    const befores: string[] = [];
    hooks.on("prompt.before", ({ text }) => {
      befores.push(text);
      return undefined;
    });
    hooks.on("prompt.expand", ({ name }) =>
      name === "review" ? { stop: true, reason: "no reviews today" } : { stop: true },
    );
    expect(await agent.prompt("/review a.ts")).toEqual({ kind: "stopped", reason: "no reviews today" });
    expect(await agent.prompt("/skill:tidy")).toEqual({ kind: "stopped", reason: "A hook stopped /skill:tidy." });
    expect(befores).toEqual([]);
    expect(server.requests).toHaveLength(0);
    expect(JSON.stringify(agent.core.store.getEntries())).not.toContain("no reviews");
  });

  test("adds text for the model after the prompt, also after a queued one", async () => {
    const bench = await start({ replies: [{ text: "ok" }, { toolCalls: [{ name: "ls" }] }, { text: "ok" }] });
    const { agent, hooks, server } = bench;
    hooks.on("prompt.expand", ({ args }) => ({ additionalContext: `about ${args}` }));
    await agent.prompt("/review a.ts");
    expect(sentTo(server, 0).at(-2)).toBe("user: Review a.ts with care.");
    expect(sentTo(server, 0).at(-1)).toContain("about a.ts");
    hooks.on("tool.after", async () => {
      await agent.prompt("/review b.ts", { streaming: "steer" });
      return undefined;
    });
    await agent.prompt("Look");
    expect(sentTo(server, 2).at(-2)).toBe("user: Review b.ts with care.");
    expect(sentTo(server, 2).at(-1)).toContain("about b.ts");
  });

  test("with a halt, ends the run that the text was queued for", async () => {
    const bench = await start({ replies: [{ toolCalls: [{ name: "ls" }] }, { text: "never asked" }] });
    const { agent, hooks, server } = bench;
    hooks.on("prompt.expand", () => ({ halt: { reason: "enough" } }));
    const late: unknown[] = [];
    hooks.on("tool.after", async () => {
      late.push(await agent.prompt("/review b.ts", { streaming: "steer" }));
      return undefined;
    });
    expect(await agent.prompt("Look")).toEqual({ kind: "stopped", reason: "enough", halt: true });
    expect(late).toEqual([{ kind: "stopped", reason: "enough", halt: true }]);
    expect(server.requests).toHaveLength(1);
    expect(await agent.prompt("/review c.ts")).toEqual({ kind: "stopped", reason: "enough", halt: true });
    expect(server.requests).toHaveLength(1);
  });
});
