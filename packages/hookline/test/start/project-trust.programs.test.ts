import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startBench } from "../agent/bench.ts";
import { startProgram } from "../agent/program.ts";

const deciding = (answer: string) =>
  `export default (pi) => { pi.on("project_trust", (event) => { console.error("asked about " + event.cwd.split("/").at(-1)); return ${answer}; }); };`;
const project =
  'export default (pi) => { console.error("the project runs"); pi.on("project_trust", () => ({ trusted: "yes" })); pi.on("agent_end", () => {}); };';

async function run(user: string, args: readonly string[] = []) {
  const program = await startProgram({
    trust: false,
    replies: [{ text: "ok" }],
    args: ["-p", "Go", ...args],
    files: { "~/.pi/agent/extensions/trust.ts": user, ".pi/extensions/own.ts": project },
  });
  const { code, err } = await program.finished;
  return { code, err, program };
}

test("an extension of the user may trust a project for a run", async () => {
  const { code, err } = await run(deciding('{ trusted: "yes" }'));
  expect(code).toBe(0);
  expect(err).toContain("asked about project");
  expect(err).toContain("the project runs");
  expect(err).not.toContain("have not been approved");
  expect(err).toContain('pi has "project_trust", but hookline never fires it');
});

test("without its yes, the project's hooks need the person's approval", async () => {
  for (const answer of ["undefined", '{ trusted: "undecided" }', '{ trusted: "no" }']) {
    const { err } = await run(deciding(answer));
    expect(err).toContain("asked about project");
    expect(err).not.toContain("the project runs");
    expect(err).toContain("have not been approved");
  }
});

test("a file whose hooks wait for approval is named once, however many hooks it has", async () => {
  const entries = ["Bash", "Edit", "Write"].map((matcher) => ({
    matcher,
    hooks: [{ type: "command", command: "true" }],
  }));
  const settings = JSON.stringify({ hooks: { PreToolUse: entries } }, null, 1);
  const program = await startProgram({
    trust: false,
    replies: [{ text: "ok" }],
    args: ["-p", "Go"],
    files: { ".claude/settings.json": settings },
  });
  const { err } = await program.finished;
  expect(err.match(/have not been approved/g)).toHaveLength(1);
  expect(err).toContain("warning: .claude/settings.json is not run");
  expect(err).toContain("0 of 3 hooks run, 3 do not");
});

test("a remembered yes approves the current contents, and a later no overrides it", async () => {
  const yes = await run(deciding('{ trusted: "yes", remember: true }'));
  const path = join(yes.program.home, ".hookline/trust.json");
  const { entries } = JSON.parse(readFileSync(path, "utf8"));
  expect(entries.map((entry: any) => entry.path.split("/").slice(-3).join("/"))).toEqual([".pi/extensions/own.ts"]);
  const bench = await startBench({
    trust: false,
    replies: [],
    files: { "~/.pi/agent/extensions/trust.ts": deciding("undefined"), ".pi/extensions/own.ts": project },
  });
  const states = ({ hooks }: Pick<typeof bench, "hooks">): string[] =>
    hooks.report.sources.map(({ tier, state }) => `${tier} ${state}`);
  const approval = { ...entries[0], path: join(bench.project, ".pi/extensions/own.ts") };
  approval.files = approval.files.map((file: object) => ({ ...file, path: approval.path }));
  writeFileSync(join(bench.home, ".hookline/trust.json"), JSON.stringify({ version: 1, entries: [approval] }), {
    mode: 0o600,
  });
  expect(states(await bench.again())).toEqual(["project runs", "user runs"]);
  writeFileSync(join(bench.home, ".pi/agent/extensions/trust.ts"), deciding('{ trusted: "no" }'));
  expect(states(await bench.again())).toEqual(["project untrusted", "user runs"]);
});

test("nobody is asked if the command line decides, or if the project has no hooks", async () => {
  expect((await run(deciding('{ trusted: "no" }'), ["--trust-project"])).err).not.toContain("asked");
  expect((await run(deciding('{ trusted: "yes" }'), ["--frozen"])).err).not.toContain("asked");
  const alone = await startProgram({
    trust: false,
    replies: [{ text: "ok" }],
    args: ["-p", "Go"],
    files: { "~/.pi/agent/extensions/trust.ts": deciding('{ trusted: "yes" }') },
  });
  expect((await alone.finished).err).toBe("");
});
