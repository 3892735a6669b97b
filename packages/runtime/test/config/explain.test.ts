import { afterEach, beforeEach, expect, test } from "vitest";
import { samplePayload } from "../../src/testing/sample.ts";
import { Project } from "./kit.ts";

let project: Project;

beforeEach(() => {
  project = new Project();
});

afterEach(() => project.remove());

test("every hook gets the rule that decides: its lane, schedule, filter, limit, and what its failure means", async () => {
  project.write(
    "~/.jdata/agent/hooks.yaml",
    [
      "pre_tool_execution:",
      '  - { command: "true", filter: { tool_name: Bash }, on_error: abort }',
      '  - { command: "true", filter: { tool_name: Read } }',
      '  - { command: "true" }',
      "post_tool_execution:",
      '  - { command: "true" }',
      "post_tool_execution_failure:",
      '  - { command: "true" }',
      "",
    ].join("\n"),
  );
  project.write(
    "~/.pi/agent/extensions/a.ts",
    'export default (pi) => { pi.on("tool_call", () => {}); pi.on("turn_start", () => {}); };\n',
  );
  await using opened = await project.open();
  const { plan, others, subject, event } = opened.session.explain("tool.before", samplePayload("tool.before"));
  const file = project.path("~/.jdata/agent/hooks.yaml");
  expect([event, subject]).toEqual(["tool.before", "bash"]);
  expect(plan.map(({ order, lane, source }) => [order, lane, source.slice(project.home.length)])).toEqual([
    [1, "jcli", "/.jdata/agent/hooks.yaml:2"],
    [2, "jcli", "/.jdata/agent/hooks.yaml:4"],
    [3, "pi", "/.pi/agent/extensions/a.ts:1"],
  ]);
  expect(plan.map(({ why }) => why.split("; "))).toEqual([
    [
      "lane jcli",
      "pre_tool_execution (guard)",
      "one after the other until the outcome is settled",
      "filter tool_name=Bash matches",
      "limit 10 s",
      "a failure refuses: fails closed",
    ],
    [
      "lane jcli",
      "pre_tool_execution (guard)",
      "one after the other until the outcome is settled",
      "no filter",
      "limit 10 s",
      "a failure changes nothing: fails open",
      "refuses where it cannot be run at all",
    ],
    [
      "lane pi",
      "tool_call (guard)",
      "one after the other until the outcome is settled",
      "no filter",
      "limit 1 min",
      "a failure refuses: fails closed",
    ],
  ]);
  expect(others).toEqual([
    { id: expect.any(String), source: `${file}:3`, why: "its filter does not match: tool_name=Read" },
    {
      id: expect.any(String),
      source: `${file}:6`,
      why: "it listens to jcli:post_tool_execution, not to tool.before",
    },
    {
      id: expect.any(String),
      source: `${file}:8`,
      why: "it listens to jcli:post_tool_execution_failure, not to tool.before",
    },
    {
      id: expect.any(String),
      source: expect.stringMatching(/a\.ts:1$/),
      why: "it listens to pi:turn_start, not to tool.before",
    },
  ]);
});

test("a moment that is another event of the dialect is told apart by the sample", async () => {
  project.write(
    "~/.jdata/agent/hooks.yaml",
    'post_tool_execution:\n  - command: "true"\npost_tool_execution_failure:\n  - command: "true"\n',
  );
  await using opened = await project.open();
  const failed = opened.session.explain("tool.after", { ...samplePayload("tool.after"), isError: true });
  expect(failed.plan).toMatchObject([{ source: expect.stringMatching(/:4$/) }]);
  expect(failed.others).toMatchObject([{ why: "post_tool_execution does not fire for this tool.after" }]);
});

test("definitions that were found and do not run are listed among the others, with state and reason", async () => {
  project.write(
    ".jcli/hooks.yaml",
    'pre_tool_execution:\n  - command: "true"\npre_tool_executoin:\n  - command: "true"\nstop:\n  - command: "true"\n',
  );
  project.write("~/.pi/agent/extensions/a.ts", "export const nothing = 1;\n");
  await using opened = await project.open();
  const { plan, others } = opened.session.explain("tool.before", samplePayload("tool.before"));
  expect(plan).toEqual([]);
  expect(others.map(({ why }) => why)).toEqual([
    expect.stringMatching(/^untrusted: .*not been approved/),
    expect.stringMatching(/^unreachable: .*pre_tool_executoin/),
    expect.stringMatching(/^it listens to jcli:stop, not to tool\.before; untrusted: .*not been approved/),
    expect.stringMatching(/^broken: .*factory function/),
  ]);
});

test("a lane's own event is explained in the dialect's own shape", async () => {
  project.write(
    "~/.jdata/agent/hooks.yaml",
    'pre_tool_execution:\n  - { command: "true", filter: { tool_matcher: Read|Write } }\n',
  );
  await using opened = await project.open();
  const explain = (tool_name: string) => opened.session.explainLane("jcli", "pre_tool_execution", { tool_name });
  expect(explain("Write")).toMatchObject({
    event: "jcli:pre_tool_execution",
    subject: "Write",
    plan: [{ order: 1 }],
    others: [],
  });
  expect(explain("Bash")).toMatchObject({
    plan: [],
    others: [{ why: "its filter does not match: tool_matcher=Read|Write" }],
  });
  expect(() => opened.session.explainLane("jcli", "pre_tool_executon")).toThrow(/no event "jcli:pre_tool_executon"/);
});

test("firing an event that nobody listens to says so", async () => {
  await using opened = await project.open();
  const { answer, hooks, diagnostics } = await opened.session.fire("pi", "input", { text: "hi" });
  expect([answer, hooks]).toEqual([{}, []]);
  expect(diagnostics).toMatchObject([{ code: "NOBODY_LISTENS", message: 'No hook of pi listens to "input"' }]);
});
