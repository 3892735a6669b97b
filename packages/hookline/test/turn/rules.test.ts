import { expect, test } from "vitest";
import { sentTo, startBench } from "../agent/bench.ts";

const rule = (fields: string, body = "Do not.") => `---\n${fields}\n---\n${body}\n`;

test("a stopped reply leaves the conversation, and the model is told the rule", async () => {
  const { agent, server } = await startBench({
    files: { ".hookline/rules/no-foo.md": rule("condition: 'f[o]{2}'", "Say bar.") },
    replies: [{ text: "it is foo, I think" }, { text: "it is bar" }],
  });
  const result = await agent.prompt("What?");
  expect(result).toMatchObject({ text: "it is bar" });
  const sent = sentTo(server, 1);
  expect(sent.join()).not.toContain("it is foo");
  expect(sent.at(-1)).toMatch(/<system-interrupt reason="rule_violation" rule="no-foo" path=".*">\nSay bar\./);
  expect(agent.core.store.getEntries()).toContainEqual(
    expect.objectContaining({ customType: "ttsr-injection", display: false, details: { rules: ["no-foo"] } }),
  );
});

test("the settings can keep the stopped text", async () => {
  const { agent, server } = await startBench({
    settings: { ttsr: { contextMode: "keep" } },
    files: { ".hookline/rules/no-foo.md": rule("condition: foo") },
    replies: [{ text: "it is foo, I think" }, { text: "it is bar" }],
  });
  await agent.prompt("What?");
  expect(sentTo(server, 1).at(-2)).toMatch(/^assistant: it is f/);
});

test("a rule of omp's folder applies only to the files that it names", async () => {
  const call = (path: string) => ({ name: "write", arguments: { path, content: "var x = 1;" } });
  const { agent, hooks } = await startBench({
    files: { ".omp/rules/no-var.md": rule("condition: '\\bvar\\b'\nscope: tool:write(*.ts)\ninterruptMode: never") },
    replies: [{ toolCalls: [call("a.js")] }, { toolCalls: [call("b.ts")] }, { text: "ok" }],
  });
  const told: string[] = [];
  hooks.on("rule.triggered", ({ rules }) => {
    told.push(...rules.map(({ name }) => name));
    return undefined;
  });
  await agent.prompt("Write");
  expect(told).toEqual(["no-var"]);
  const results = agent.core.store.buildSessionContext().messages.filter(({ role }) => role === "toolResult");
  expect(results.map((message) => JSON.stringify(message).includes("<system-reminder"))).toEqual([false, true]);
});

test("a rule for prose that does not interrupt is shown after the run, without an event", async () => {
  const { agent, hooks, server } = await startBench({
    files: { ".hookline/rules/soft.md": rule("condition: maybe\nscope: text\ninterruptMode: tool-only", "Be sure.") },
    replies: [{ text: "maybe" }, { text: "surely" }],
  });
  let told = false;
  hooks.on("rule.triggered", () => {
    told = true;
    return undefined;
  });
  await agent.prompt("Well?");
  expect(told).toBe(false);
  expect(sentTo(server, 1).at(-1)).toContain("Be sure.");
});

test("after a gap a rule matches again when the settings say so", async () => {
  const replies = [{ text: "foo 1" }, { text: "a" }, { text: "b" }, { text: "foo 2" }, { text: "c" }];
  const { agent, server } = await startBench({
    settings: { ttsr: { repeatMode: "after-gap", repeatGap: 3 } },
    files: { ".hookline/rules/no-foo.md": rule("condition: foo") },
    replies,
  });
  await agent.prompt("One");
  await agent.prompt("Two");
  await agent.prompt("Three");
  expect(server.requests).toHaveLength(replies.length);
});

test("a judge is asked the question when the reply is complete", async () => {
  const { agent, hooks, server } = await startBench({
    files: { ".hookline/rules/polite.md": rule("question: Is the text rude?", "Be polite.") },
    replies: [
      { when: { systemMatches: "You judge", lastUserMatches: "go away" }, text: '{"probability": 0.9}' },
      { when: { systemMatches: "You judge" }, text: '{"probability": 0.2}', repeat: true },
      { text: "go away" },
      { text: "welcome" },
    ],
  });
  const told: string[] = [];
  hooks.on("rule.triggered", ({ rules }) => {
    told.push(...rules.map(({ name }) => name));
    return undefined;
  });
  expect(await agent.prompt("Hello")).toMatchObject({ text: "welcome" });
  expect(told).toEqual(["polite"]);
  expect(sentTo(server, -1).join()).toContain("Be polite.");
});

test("standing rules are part of the system prompt, disabled ones are not used", async () => {
  const { agent, server } = await startBench({
    settings: { ttsr: { disabledRules: ["off"] } },
    files: {
      ".hookline/rules/always.md": rule("alwaysApply: true", "Always so."),
      ".hookline/rules/off.md": rule("alwaysApply: true", "Never so."),
      ".hookline/rules/out.md": rule("enabled: false\nalwaysApply: true", "Not so."),
    },
    replies: [{ text: "ok" }],
  });
  await agent.prompt("Go");
  const [system = ""] = sentTo(server, 0);
  expect(system).toContain("Always so.");
  expect(system).not.toMatch(/Never so|Not so/);
});

test("a condition on the syntax tree is reported, alone or with others", async () => {
  const { agent, diagnostics } = await startBench({
    files: {
      ".hookline/rules/alone.md": rule("astCondition: 'eval($A)'"),
      ".hookline/rules/beside.md": rule("astCondition: 'eval($A)'\ncondition: foo", "Say bar."),
    },
    replies: [{ text: "foo" }, { text: "bar" }],
  });
  expect(diagnostics.map(({ code, source }) => `${code} ${source?.path.split("/").at(-1)}`)).toEqual([
    "UNSUPPORTED alone.md",
    "LINT beside.md",
  ]);
  expect(diagnostics[0]?.message).toContain("its astCondition needs ast-grep, which hookline does not have");
  expect(await agent.prompt("What?")).toMatchObject({ text: "bar" });
});
