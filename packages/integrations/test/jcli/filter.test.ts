import { describe, expect, it } from "vitest";
import { jcliCalls, TOOL_NAMES } from "../../src/jcli/hooks/calls.ts";
import { describeFilter, type Filter, filterProblems, matches } from "../../src/jcli/hooks/filter.ts";

const on = (tool_name: string | undefined, model?: string) => ({ tool_name, model });

describe("filters", () => {
  it.each<[string, Filter, ReturnType<typeof on>, boolean]>([
    ["[jcli.filter.1] no filter holds always", {}, on(undefined), true],
    ["[jcli.filter.2] tool_name is exact", { tool_name: "Bash" }, on("Bash"), true],
    ["[jcli.filter.2] tool_name is no beginning", { tool_name: "Bash" }, on("BashOutput"), false],
    ["tool_name is case-sensitive", { tool_name: "Bash" }, on("BASH"), false],
    ["hookline's own name holds too", { tool_name: "bash" }, on("Bash"), true],
    ["[jcli.filter.2] tool_name never holds without a tool", { tool_name: "Bash" }, on(undefined), false],
    [
      "[jcli.filter.3] tool_matcher lists names, blanks around them do not count",
      { tool_matcher: " Bash | Write " },
      on("Write"),
      true,
    ],
    ["tool_matcher is no pattern", { tool_matcher: "Ba*|.*" }, on("Bash"), false],
    ["tool_matcher is case-sensitive", { tool_matcher: "BASH|WRITE" }, on("Bash"), false],
    ["hookline's own names hold in a list too", { tool_matcher: "find|grep" }, on("Glob"), true],
    [
      "[jcli.filter.3] tool_matcher is not looked at beside tool_name",
      { tool_name: "Bash", tool_matcher: "Write" },
      on("Bash"),
      true,
    ],
    [
      "[jcli.filter.3] beside tool_name it lets nothing more through",
      { tool_name: "Bash", tool_matcher: "Write" },
      on("Write"),
      false,
    ],
    ["[jcli.filter.4] model_prefix is a beginning", { model_prefix: "gpt-4" }, on(undefined, "gpt-4o"), true],
    ["model_prefix is not found inside", { model_prefix: "4o" }, on(undefined, "gpt-4o"), false],
    ["model_prefix never holds without a model", { model_prefix: "gpt" }, on("Bash"), false],
    ["[jcli.filter.1] all must hold", { tool_name: "Bash", model_prefix: "gpt" }, on("Bash", "claude"), false],
    ["[jcli.filter.1] and then do", { tool_name: "Bash", model_prefix: "gpt" }, on("Bash", "gpt-4o"), true],
  ])("%s", (_, filter, event, expected) => {
    expect(matches(filter, event)).toBe(expected);
  });

  it("is described in words, without what is not checked", () => {
    expect(describeFilter({})).toBeUndefined();
    expect(describeFilter({ tool_name: "Bash", tool_matcher: "x", model_prefix: "gpt" })).toBe(
      "tool_name=Bash and model_prefix=gpt",
    );
  });
});

describe("filters that their author cannot have meant", () => {
  const problems = (filter: Filter, event: string) =>
    filterProblems(filter, event).map(({ never, problem }) => [never, problem]);

  it.each<[Filter, string, [boolean, string][]]>([
    [{ tool_name: "Bash" }, "stop", [[true, "stop has no tool, so a filter on one never matches"]]],
    [
      { tool_matcher: "Bash|Read" },
      "pre_llm_request",
      [[true, "pre_llm_request has no tool, so a filter on one never matches"]],
    ],
    [
      { model_prefix: "gpt" },
      "pre_tool_execution",
      [[true, "pre_tool_execution has no model, so model_prefix never matches"]],
    ],
    [
      { model_prefix: "gpt" },
      "post_auto_compact",
      [[true, "post_auto_compact has no model, so model_prefix never matches"]],
    ],
    [
      { tool_matcher: ".*" },
      "pre_tool_execution",
      [[true, "tool_matcher names no tool: it is compared letter by letter, not as a pattern"]],
    ],
    [
      { tool_name: "mcp__.*" },
      "pre_tool_execution",
      [[true, "tool_name names no tool: it is compared letter by letter, not as a pattern"]],
    ],
    [
      { tool_matcher: "Bash|Edit*" },
      "pre_tool_execution",
      [[false, 'the part "Edit*" of tool_matcher matches no tool: parts are names']],
    ],
    [{ tool_matcher: "Bash|" }, "pre_tool_execution", [[false, "tool_matcher has an empty part"]]],
    [
      { tool_name: "BASH" },
      "pre_tool_execution",
      [[true, 'tool_name "BASH" matches no tool: names are case-sensitive']],
    ],
    [
      { tool_name: "Bash", tool_matcher: "Write" },
      "post_tool_execution",
      [[false, "tool_matcher is ignored, because tool_name is given"]],
    ],
    [{ tool_matcher: "Bash|Shell|bash|my_tool" }, "pre_tool_execution", []],
    [{ model_prefix: "gpt" }, "pre_llm_request", []],
  ])("%j on %s", (filter, event, expected) => {
    expect(problems(filter, event)).toEqual(expected);
  });
});

describe("tools", () => {
  it("have j-cli's names, both ways, and unknown ones their own", () => {
    for (const name of TOOL_NAMES) expect(jcliCalls.name(jcliCalls.tool(name))).toBe(name);
    expect(["bash", "read", "write", "edit", "grep", "find", "mystery"].map(jcliCalls.name)).toEqual([
      "Bash",
      "Read",
      "Write",
      "Edit",
      "Grep",
      "Glob",
      "mystery",
    ]);
  });

  it.each([
    ["bash", { command: "ls", timeout: 3 }, { command: "ls", timeout: 3 }],
    ["grep", { pattern: "x", ignoreCase: true, limit: 2 }, { pattern: "x", ignore_case: true, head_limit: 2 }],
    ["edit", { path: "a", edits: [{ oldText: "x", newText: "y" }] }, { path: "a", old_string: "x", new_string: "y" }],
    [
      "edit",
      {
        path: "a",
        edits: [
          { oldText: "x", newText: "y" },
          { oldText: "p", newText: "q" },
        ],
      },
      {
        path: "a",
        edits: [
          { old_string: "x", new_string: "y" },
          { old_string: "p", new_string: "q" },
        ],
      },
    ],
    [
      "edit",
      { path: "a", edits: [{ oldText: "x", newText: "y", all: true }] },
      { path: "a", edits: [{ old_string: "x", new_string: "y", all: true }] },
    ],
    ["edit", { path: "a", edits: "oops" }, { path: "a", edits: "oops" }],
  ])("%s shows its arguments as j-cli does and takes them back", (tool, own, theirs) => {
    expect(jcliCalls.args(tool, own)).toEqual(theirs);
    expect(jcliCalls.putArgs(tool, theirs, own)).toBe(own);
    expect(jcliCalls.putArgs(tool, { ...theirs, path: "other" }, own)).toEqual({ ...own, path: "other" });
  });

  it("a changed replacement reaches the host's list of edits", () => {
    const own = { path: "a", edits: [{ oldText: "x", newText: "y" }] };
    expect(jcliCalls.putArgs("edit", { path: "a", old_string: "x", new_string: "z" }, own)).toEqual({
      path: "a",
      edits: [{ oldText: "x", newText: "z" }],
    });
    expect(jcliCalls.putArgs("edit", { path: "a", old_string: "x" }, own)).toEqual({
      path: "a",
      edits: [{ oldText: "x", newText: "" }],
    });
  });
});
