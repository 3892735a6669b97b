import { expect, test } from "vitest";
import { sentTo, startBench } from "./bench.ts";

const skill = (name: string, body: string) => `---\nname: ${name}\ndescription: how to ${name}\n---\n${body}\n`;

test("context files of the home and of the project are part of the system prompt, the nearest last", async () => {
  const { agent, server } = await startBench({
    replies: [{ text: "ok" }],
    files: { "~/.hookline/AGENTS.md": "Rules of the home.", "CLAUDE.md": "Rules of the project." },
  });
  await agent.prompt("Go");
  const [system = ""] = sentTo(server, 0);
  expect(system.indexOf("Rules of the home.")).toBeGreaterThan(0);
  expect(system.indexOf("Rules of the project.")).toBeGreaterThan(system.indexOf("Rules of the home."));
});

test("skills are listed for the model and expanded when they are called up", async () => {
  const { agent, server } = await startBench({
    replies: [{ text: "ok" }, { text: "ok" }],
    files: {
      ".hookline/skills/bake/SKILL.md": skill("bake", "Heat the oven."),
      ".hookline/skills/secret/SKILL.md": `---\ndescription: hidden\ndisable-model-invocation: true\n---\nPsst.\n`,
    },
  });
  await agent.prompt("Go");
  const [system = ""] = sentTo(server, 0);
  expect(system).toContain("<name>bake</name>");
  expect(system).not.toContain("secret");
  await agent.prompt("/skill:bake a cake");
  expect(sentTo(server, 1).at(-1)).toMatch(
    /^user: <skill name="bake" location=".*">[\s\S]*Heat the oven\.\n<\/skill>\n\na cake$/,
  );
});

test("a skill without a description is reported and left out; an unknown one is plain text", async () => {
  const { agent, server, diagnostics } = await startBench({
    replies: [{ text: "ok" }],
    files: { ".hookline/skills/bare/SKILL.md": "Just text.\n" },
  });
  expect(diagnostics.map(({ message }) => message).join()).toMatch(/SKILL\.md:1: the skill has no description/);
  await agent.prompt("/skill:bare");
  expect(sentTo(server, 0).at(-1)).toBe("user: /skill:bare");
});

test("an input hook can turn text into a template or a command, and prevent both", async () => {
  const { agent, hooks, server, events } = await startBench({
    replies: [{ text: "ok" }, { text: "ok" }],
    files: { ".hookline/prompts/greet.md": `---\ndescription: greets\n---\nSay hello to \${1:-everybody}.` },
  });
  const becomes: Record<string, string> = {
    hello: "/greet",
    "where am I": "/session",
    "/session": "what is a session?",
  };
  hooks.on("input", ({ text }) => (becomes[text] === undefined ? undefined : { text: becomes[text] }));
  await agent.prompt("hello");
  expect(sentTo(server, 0).at(-1)).toBe("user: Say hello to everybody.");
  expect(await agent.prompt("where am I")).toEqual({ kind: "command" });
  expect(events.find(({ type }) => type === "command_output")).toMatchObject({ command: "session" });
  await agent.prompt("/session");
  expect(sentTo(server, 1).at(-1)).toBe("user: what is a session?");
});

test("hooks name more skills, prompts and themes; a reload asks them again", async () => {
  const { agent } = await startBench({
    replies: [],
    files: {
      "more/bake/SKILL.md": skill("bake", "Heat."),
      "more/prompts/p.md": "Do it.",
      "more/dark.json": '{ "name": "dark", "colors": { "accent": "#8abeb7" } }',
      ".pi/extensions/e.ts": `
export default function (pi) {
  const reasons = [];
  pi.on("resources_discover", ({ reason }) => {
    reasons.push(reason);
    return { skillPaths: ["more/bake"], promptPaths: ["more/prompts"], themePaths: ["more/dark.json"] };
  });
  pi.registerCommand("reasons", { handler: async (_, ctx) => pi.setSessionName(reasons.join()) });
}
`,
    },
  });
  const { resources } = agent.core;
  expect(resources.skills.map(({ name }) => name)).toEqual(["bake"]);
  expect(resources.templates.map(({ name }) => name)).toEqual(["p"]);
  expect(resources.themes.map(({ name }) => name)).toEqual(["dark"]);
  await agent.prompt("/reload");
  await agent.prompt("/reasons");
  expect(agent.core.store.getSessionName()).toBe("reload");
});

test("a broken file affects no other file", async () => {
  const { agent, diagnostics } = await startBench({
    replies: [],
    files: {
      ".hookline/prompts/bad.md": "---\ndescription: [unclosed\n---\nBody",
      ".hookline/prompts/good.md": "Good.",
      ".hookline/themes/bad.json": "{",
      ".hookline/rules/bad.md": "---\ncondition: '('\n---\nBad.",
      ".hookline/rules/good.md": "---\ncondition: x\n---\nGood.",
    },
  });
  expect(agent.core.resources.templates.map(({ name }) => name)).toEqual(["good"]);
  expect(agent.core.resources.rules.map(({ rule }) => rule.name)).toEqual(["good"]);
  expect(diagnostics.map(({ code }) => code).sort()).toEqual(["LINT", "LOAD_FAILED", "SYNTAX"]);
});
