import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Desk } from "../authors/desk.ts";
import { runAgent } from "../support/running.ts";

const skill = (name: string, body = "Do it."): string =>
  `---\nname: ${name}\ndescription: Says how to ${name}.\n---\n${body}\n`;

function emptyDesk(): Desk {
  const desk = new Desk();
  onTestFinished(() => desk.remove());
  return desk;
}

/** A project with something of each kind, each of which says in its text where it is from. */
function project(): Desk {
  const desk = emptyDesk();
  desk.write(".hookline/rules/own.md", "---\nalwaysApply: true\n---\nrule of .hookline\n");
  desk.write(".omp/rules/omp.md", "---\nalwaysApply: true\n---\nrule of .omp\n");
  desk.write(".hookline/prompts/own.md", "prompt of .hookline\n");
  desk.write(".pi/prompts/pi.md", "prompt of .pi\n");
  desk.write(".hookline/skills/own/SKILL.md", skill("own"));
  desk.write(".pi/skills/pi/SKILL.md", skill("pi"));
  desk.write(".pi/skills/loose.md", skill("loose"));
  desk.write(".pi/skills/NOTES.md", "Notes, and no skill.\n");
  desk.write(".agents/skills/agents/SKILL.md", skill("agents"));
  desk.write(".agents/skills/loose-note.md", skill("no-skill-here"));
  desk.write(".claude/skills/claude/SKILL.md", skill("claude"));
  desk.write("AGENTS.md", "text of AGENTS.md\n");
  return desk;
}

interface Used {
  readonly rules: readonly string[];
  readonly prompts: readonly string[];
  readonly skills: readonly string[];
}

const NOTHING: Used = { rules: [], prompts: [], skills: [] };
const ALL: Used = {
  rules: ["own", "omp"],
  prompts: ["own", "pi"],
  skills: ["own", "loose", "pi", "agents", "claude"],
};

/** Returns the items that an agent uses in a project. */
async function used(desk: Desk, args: readonly string[] = []): Promise<Used> {
  const { assembled } = await runAgent(desk, { args });
  const { rules, templates, skills, contextFiles } = assembled.agent.core.resources;
  await assembled.close();
  expect(contextFiles.some(({ content }) => content.includes("text of AGENTS.md"))).toBe(true);
  return {
    rules: rules.map(({ rule }) => rule.name),
    prompts: templates.map(({ name }) => name),
    skills: skills.map(({ name }) => name),
  };
}

test("rules, prompts and skills of a project wait for approval in each of their folders; AGENTS.md is text", async () => {
  const desk = project();
  expect(await used(desk)).toEqual(NOTHING);
  expect(await used(desk, ["--trust-project"])).toEqual(ALL);
  expect(await used(desk)).toEqual(NOTHING);
  const { out, code } = await desk.hookline(["trust", "approve", "--yes"]);
  expect(code).toBe(0);
  expect(out).toMatch(/rule, not approved yet\nit can stop a reply and give the model its text/);
  expect(out).toContain("  rule of .omp");
  expect(await used(desk)).toEqual(ALL);
  expect(await used(desk, ["--no-hooks"])).toEqual(ALL);
  await desk.hookline(["trust", "revoke", ".pi"]);
  expect(await used(desk)).toEqual({ ...ALL, prompts: ["own"], skills: ["own", "agents", "claude"] });
});

test("what waits is told in one line, and listed with the hooks", async () => {
  const desk = project();
  desk.write("script.yaml", "replies:\n  - { text: hello, repeat: true }\n");
  const { err } = await desk.hookline(["--script", desk.path("script.yaml"), "-p", "hi"]);
  expect(err).toBe("2 rules, 2 prompts, 5 skills wait for approval: `hookline hooks` says why.\n");
  const listed = await desk.hookline(["hooks", "--json"]);
  const rows = listed.json.sources.map(({ kind, state, path }: any) => [kind, state, path.slice(desk.cwd.length + 1)]);
  expect(rows).toContainEqual(["skill", "untrusted", ".claude/skills/claude/SKILL.md"]);
  expect(rows).toHaveLength(9);
  expect((await desk.hookline(["hooks"])).out).toMatch(
    /untrusted +rule +project .*own\.md\n +nobody has approved it\. Review it, then run/,
  );
  expect((await desk.hookline(["trust", "--json"])).json.entries[0]).toMatchObject({ kind: "rule", state: "pending" });
});

test("a changed text, and a changed file in a skill's folder, is asked about again with the difference", async () => {
  const desk = project();
  desk.write(".claude/skills/claude/scripts/run.sh", "echo one\n");
  await desk.hookline(["trust", "approve", "--yes"]);
  desk.write(".hookline/prompts/own.md", "another prompt\n");
  desk.write(".claude/skills/claude/scripts/run.sh", "echo two\n");
  desk.write(".pi/skills/pi/new.md", "a new file\n");
  expect(await used(desk)).toEqual({ ...ALL, prompts: ["pi"], skills: ["own", "loose", "agents"] });
  const { out } = await desk.hookline(["trust", "approve"]);
  expect(out).toMatch(/- prompt of \.hookline\n\+ another prompt/);
  expect(out).toMatch(/- echo one\n\+ echo two/);
  expect(out).toContain("  a new file");
  expect(out).not.toContain("rule of");
});

test("what is used is what was approved, while the session lasts", async () => {
  const desk = project();
  await desk.hookline(["trust", "approve", "--yes"]);
  await using running = await runAgent(desk);
  const { agent } = running.assembled;
  desk.write(".hookline/prompts/own.md", "put there later\n");
  await agent.loadResources("startup");
  expect(agent.core.resources.templates.find(({ name }) => name === "own")?.content).toBe("prompt of .hookline\n");
  await agent.prompt("/reload");
  expect(agent.core.resources.templates.map(({ name }) => name)).toEqual(["pi"]);
});

test("a hook that names what waits has it used no sooner", async () => {
  const desk = project();
  desk.write(
    "~/.pi/agent/extensions/names.ts",
    `export default (pi) => pi.on("resources_discover", () => ({ skillPaths: [".claude/skills", "more/skills"], promptPaths: [".pi/prompts"] }));\n`,
  );
  desk.write("more/skills/more/SKILL.md", skill("more"));
  expect(await used(desk)).toEqual({ ...NOTHING, skills: ["more"] });
  await desk.hookline(["trust", "approve", "--yes", ".claude"]);
  expect(await used(desk)).toEqual({ ...NOTHING, skills: ["claude", "more"] });
});

test("a project takes no name from the user", async () => {
  const desk = project();
  desk.write("~/.pi/agent/skills/claude/SKILL.md", skill("claude"));
  desk.write("~/.hookline/prompts/pi.md", "the user's\n");
  desk.write("~/.omp/agent/rules/omp.md", "the user's\n");
  await desk.hookline(["trust", "approve", "--yes"]);
  await using running = await runAgent(desk);
  const { skills, templates, rules } = running.assembled.agent.core.resources;
  expect(skills.find(({ name }) => name === "claude")?.tier).toBe("user");
  expect(templates.find(({ name }) => name === "pi")?.tier).toBe("user");
  expect(rules.find(({ rule }) => rule.name === "omp")?.rule.tier).toBe("user");
});

test("the user's own folders are read as pi reads them, and need no approval", async () => {
  const desk = emptyDesk();
  desk.write("AGENTS.md", "text of AGENTS.md\n");
  desk.write("~/.pi/agent/skills/loose.md", skill("loose"));
  desk.write("~/.pi/agent/skills/deep/er/SKILL.md", skill("er"));
  desk.write("~/.pi/agent/prompts/greet.md", "Hello $1\n");
  desk.write("~/.agents/skills/shared/SKILL.md", skill("shared"));
  desk.write("~/.agents/skills/note.md", skill("note"));
  expect(await used(desk)).toEqual({ rules: [], prompts: ["greet"], skills: ["er", "loose", "shared"] });
});

test("skills of the folders above are the project's too, up to its repository, and wait as well", async () => {
  const desk = project();
  mkdirSync(join(desk.top, ".git"));
  const skillAbove = join(desk.top, ".agents/skills/above/SKILL.md");
  mkdirSync(dirname(skillAbove), { recursive: true });
  writeFileSync(skillAbove, skill("above"));
  expect(await used(desk)).toEqual(NOTHING);
  expect((await used(desk, ["--trust-project"])).skills).toContain("above");
  mkdirSync(desk.path(".git"));
  expect((await used(desk, ["--trust-project"])).skills).not.toContain("above");
});

test("a list of packages waits in the same place, and is agreed to by the same word", async () => {
  const desk = emptyDesk();
  desk.write(".pi/settings.json", JSON.stringify({ packages: ["npm:some-package@1.0.0"] }));
  expect((await desk.hookline(["trust", "--json"])).json.entries).toMatchObject([
    { kind: "packages", state: "pending" },
  ]);
  const { out } = await desk.hookline(["trust", "approve", "--yes"]);
  expect(out).toContain('"npm:some-package@1.0.0"');
  expect((await desk.hookline(["packages", "fetch"])).err).not.toContain("nobody has approved that list");
});

test("the lock holds items as it holds hooks, and a frozen run uses those and no others", async () => {
  const desk = project();
  await desk.hookline(["trust", "approve", "--yes", ".hookline", ".omp", "--lock"]);
  const { hooks } = JSON.parse(desk.read("hookline.lock"));
  expect(hooks.map(({ kind }: any) => kind).sort()).toEqual(["prompt", "rule", "rule", "skill"]);
  const elsewhere = { HOOKLINE_HOME: desk.path("~/fresh") };
  const { json } = await desk.hookline(["hooks", "--frozen", "--json"], { env: elsewhere });
  const states = new Map(json.sources.map(({ path, state }: any) => [path.slice(desk.cwd.length + 1), state]));
  expect(states.get(".omp/rules/omp.md")).toBe("runs");
  expect(states.get(".pi/prompts/pi.md")).toBe("untrusted");
});

test("a skill whose folder holds more than anybody can agree to is not used, and that is said", async () => {
  const desk = project();
  for (let at = 0; at < 2001; at++) desk.write(`.claude/skills/claude/data/${at}`, "");
  const { json } = await desk.hookline(["hooks", "--json"]);
  expect(json.sources.find(({ path }: any) => path.includes("/claude/"))).toMatchObject({
    state: "broken",
    reason: expect.stringContaining("more than 2000 files"),
  });
  expect((await used(desk, ["--trust-project"])).skills).not.toContain("claude");
});

test("a folder that leads into itself is read once", async () => {
  const desk = project();
  symlinkSync(desk.path(".claude/skills/claude"), desk.path(".claude/skills/claude/again"));
  await desk.hookline(["trust", "approve", "--yes"]);
  expect((await used(desk)).skills).toContain("claude");
});
