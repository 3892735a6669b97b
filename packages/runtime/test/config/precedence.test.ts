import { mkdirSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Project } from "./kit.ts";

const GUARD = 'export default (pi) => { pi.on("tool_call", () => ({ block: true })); };\n';
const OTHER = 'export default (pi) => { pi.on("input", () => undefined); };\n';
const PLUGIN = `#!/bin/sh\n[ "$1" = --schema ] && echo '{"name":"p","description":"d","hooks":["pre_tool"]}' && exit 0\necho '{"block":true}'\n`;
const YAML = 'pre_tool_execution:\n  - command: echo \'{"action":"stop"}\'\n';

/** A person's guard, and what a project puts beside it. Whatever that is, the guard is asked. */
const USERS: readonly [place: string, text: string, mode?: "x"][] = [
  ["~/.pi/agent/extensions/g.ts", GUARD],
  ["~/.hookline/extensions/g.ts", GUARD],
  ["~/.omp/agent/extensions/g.ts", GUARD],
  ["~/.omp/agent/hooks/pre/g.ts", GUARD],
  ["~/.claude/hooks/pre/g.ts", GUARD],
  ["~/.codex/hooks/pre-g.ts", GUARD],
  ["~/.chibi/plugins/g", PLUGIN, "x"],
  ["~/.hookline/plugins/g", PLUGIN, "x"],
  ["~/.jdata/agent/hooks.yaml", YAML],
  ["~/.hookline/hooks.yaml", YAML],
];

const PROJECTS: readonly string[] = [
  ".pi/extensions/g.ts",
  ".hookline/extensions/g.ts",
  ".omp/extensions/g.ts",
  ".omp/hooks/pre/g.ts",
  ".omp/hooks/post/g.ts",
  ".claude/hooks/pre/g.ts",
  ".codex/hooks/pre-g.ts",
  ".hookline/plugins/g",
  ".jcli/hooks.yaml",
  ".hookline/hooks.yaml",
];

async function isGuarded(project: Project, env: Readonly<Record<string, string>> = {}): Promise<boolean> {
  await using opened = await project.open("trust", false, { env });
  const call = { toolCallId: "1", tool: "bash", args: { command: "rm victim" } };
  const { answer } = await opened.session.emit("tool.before", call);
  return answer.decision === "deny";
}

function project(): Project {
  const made = new Project();
  onTestFinished(() => made.remove());
  return made;
}

/**
 * Contents that a project may put at one of its places: something else, the same, or a link to the person's own file.
 */
const WAYS: readonly [string, (p: Project, own: string, place: string, text: string) => void][] = [
  ["another file", (p, _, place) => p.write(place, OTHER)],
  ["a copy", (p, _, place, text) => p.write(place, text)],
  [
    "a link to the file",
    (p, own, place) => {
      mkdirSync(dirname(p.path(place)), { recursive: true });
      symlinkSync(p.path(own), p.path(place));
    },
  ],
  [
    "a link to the folder",
    (p, own, place) => {
      mkdirSync(dirname(dirname(p.path(place))), { recursive: true });
      symlinkSync(dirname(p.path(own)), dirname(p.path(place)));
    },
  ],
];

test.each(USERS)("a person's guard at %s is asked whatever a project puts anywhere", async (own, text, mode) => {
  const lost: string[] = [];
  for (const place of PROJECTS) {
    for (const [way, make] of WAYS) {
      const p = project();
      p.write(own, text, mode);
      make(p, own, place, text);
      if (!(await isGuarded(p))) lost.push(`${place}: ${way}`);
    }
  }
  expect(lost).toEqual([]);
});

test.each<[string, string]>([
  [".pi/settings.json", '{"extensions":["~/.pi/agent/extensions/g.ts"]}'],
  [".pi/settings.json", '{"extensions":["-extensions/g.ts","!**/*.ts"]}'],
  [".pi/settings.json", '{"packages":["~/.pi/agent/extensions"]}'],
  [".omp/settings.json", '{"extensions":["~/.pi/agent/extensions/g.ts"]}'],
  [".omp/settings.json", '{"disabledExtensions":["extension-module:g","hook:pre:g:g.ts"]}'],
  [".hookline/settings.json", '{"handlerTimeoutMs":1,"dialects":[],"lanes":["jcli"]}'],
])("a project's %s with %s loses no guard of a person", async (path, text) => {
  const p = project();
  p.write("~/.pi/agent/extensions/g.ts", GUARD);
  p.write(path, text);
  expect(await isGuarded(p)).toBe(true);
});

test("the project's own file of the same name runs beside the person's once it is approved", async () => {
  const p = project();
  p.write("~/.omp/agent/hooks/pre/g.ts", GUARD);
  p.write(".omp/hooks/pre/g.ts", `${GUARD}// the project's\n`);
  await p.approve();
  await using opened = await p.open();
  expect(opened.session.report.sources.map(({ tier, state }) => [tier, state])).toEqual([
    ["project", "runs"],
    ["user", "runs"],
  ]);
});

test.each<[string, string, string, string, "x"?]>([
  ["PI_CODING_AGENT_DIR", "mine", "mine/extensions/g.ts", GUARD],
  ["J_DATA_PATH", "mine", "mine/agent/hooks.yaml", YAML],
  ["CHIBI_HOME", "mine", "mine/plugins/g", PLUGIN, "x"],
  ["HOOKLINE_HOME", "mine", "mine/hooks.yaml", YAML],
  ["HOOKLINE_HOME", "./mine", "mine/extensions/g.ts", GUARD],
  ["HOOKLINE_HOME", "mine", "mine/plugins/g", PLUGIN, "x"],
])("what a relative %s=%s names at %s is the project's", async (variable, value, place, text, mode) => {
  const p = project();
  p.write(place, text, mode);
  expect(await isGuarded(p, { [variable]: value })).toBe(false);
  await using opened = await p.open("trust", false, { env: { [variable]: value } });
  expect(opened.session.report.sources.map(({ tier, state }) => [tier, state])).toEqual([["project", "untrusted"]]);
});

test("a relative variable removes none of the person's own hooks", async () => {
  const variables = { PI_CODING_AGENT_DIR: "x", J_DATA_PATH: "x", CHIBI_HOME: "x", HOOKLINE_HOME: "x" };
  for (const [own, text, mode] of USERS) {
    const p = project();
    p.write(own, text, mode);
    expect([own, await isGuarded(p, variables)]).toEqual([own, true]);
  }
});
