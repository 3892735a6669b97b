import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { differences } from "../../../../scripts/third-party/compare.ts";
import { type Done, type Exercise, exercise } from "../../../../scripts/third-party/exercise.ts";
import { hookline } from "../../../../scripts/third-party/program.ts";
import { sampleArguments } from "../../../../scripts/third-party/sample.ts";

describe("argument lists for a tool", () => {
  const text = { type: "string" };
  const cases: readonly (readonly [what: string, schema: object, lists: readonly object[]])[] = [
    ["nothing where it takes nothing", { type: "object", properties: {} }, [{}]],
    [
      "what it requires, by what its names want",
      {
        properties: { path: text, command: text, url: text, n: { type: "integer", minimum: 3 } },
        required: ["path", "n"],
      },
      [{ path: "notes.txt", n: 3 }],
    ],
    [
      "nothing, and all that it takes, where it requires nothing",
      { properties: { cwd: text, deep: { type: "boolean" } } },
      [{}, { cwd: ".", deep: false }],
    ],
    [
      "one for each value of its first choice",
      { properties: { what: text, action: { enum: ["add", "list"] } }, required: ["what", "action"] },
      [
        { what: "rivers", action: "add" },
        { what: "rivers", action: "list" },
      ],
    ],
    [
      "choices written as constants, lists and objects in it",
      {
        properties: {
          mode: { anyOf: [{ const: "a" }, { const: "b" }] },
          items: { type: "array", minItems: 2, items: { type: "object", properties: { id: text }, required: ["id"] } },
        },
        required: ["items"],
      },
      [
        { mode: "a", items: [{ id: "rivers" }, { id: "rivers" }] },
        { mode: "b", items: [{ id: "rivers" }, { id: "rivers" }] },
      ],
    ],
  ];
  test.each(cases)("%s", (_, schema, lists) => {
    expect(sampleArguments(schema as Record<string, unknown>)).toEqual(lists);
  });
});

describe("what is said of two programs", () => {
  const did = (done: Partial<Done>): Done => ({
    step: "/go",
    kind: "command",
    shown: [],
    errors: [],
    wentOn: false,
    ...done,
  });
  const ran = (...done: Partial<Done>[]): Exercise => ({
    done: done.map(did),
    tools: [],
    commands: [],
    texts: [],
    asked: [],
    err: "",
    code: 0,
  });

  test("places, times, ids, colours and the order of notes are no difference", () => {
    const here = ran({
      shown: ["notify \u001b[32m12 ms\u001b[0m in /tmp/hookline-third-aB3/x", "notify b"],
      errors: ['Hook "pi:/x.ts#input[0]" (/x.ts:3) failed on input: it broke'],
    });
    const there = ran({
      shown: ["notify b", "notify 7.5 ms in /tmp/hookline-third-zz9/x"],
      errors: ["it broke", "it broke"],
    });
    expect(differences(here, there)).toEqual([]);
  });

  test("what one shows, gives or reports and the other does not is told", () => {
    const here = { ...ran({ shown: ["notify a"], errors: ["it broke"] }), tools: ["one"], code: 1 };
    const there = { ...ran({ shown: ["notify b"], ended: 0 }), commands: ["two"] };
    expect(differences(here, there).map((line) => line.replace(/: .*/s, ""))).toEqual([
      "tools",
      "commands",
      "/go",
      "/go",
      "its errors",
      "the program ends with 1, in pi with 0",
    ]);
  });

  test("a result that a tool marks as an error is known to be none in pi; its text must be the same", () => {
    const result = (isError: boolean, text: string) => ran({ result: { isError, text } });
    expect(differences(result(true, "no"), result(false, "no"))).toEqual([]);
    expect(differences(result(false, "no"), result(true, "no"))).toHaveLength(1);
    expect(differences(result(true, "no"), result(false, "yes"))).toHaveLength(1);
  });
});

const EXTENSION = `export default (pi) => {
  pi.on("input", () => { throw new Error("not that"); });
  pi.registerTool({
    name: "pick", label: "Pick", description: "picks",
    parameters: { type: "object", properties: { which: { enum: ["a", "b"] } }, required: ["which"] },
    execute: async (_id, { which }) => ({ content: [{ type: "text", text: "picked " + which }] }),
  });
  pi.registerCommand("sure", {
    handler: async (_args, ctx) => ctx.ui.notify(String(await ctx.ui.confirm("Sure?", "?")), "info"),
  });
  pi.registerCommand("leave", { handler: async (_args, ctx) => ctx.shutdown() });
};`;

test("an extension's tools are called and its commands typed, and the program is begun anew when one ends it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-repository-"));
  try {
    const path = join(folder, "own.ts");
    writeFileSync(path, EXTENSION);
    const own = new Set(["bash", "edit", "find", "grep", "ls", "read", "write"]);
    const ran = await exercise(hookline, [path], { packages: folder, own });
    expect([ran.tools, ran.commands, ran.code]).toEqual([["pick"], ["leave", "sure"], 0]);
    const steps = new Map(ran.done.map((done) => [done.step, done]));
    expect(steps.get('pick {"which":"b"}')?.result).toEqual({ isError: false, text: "picked b" });
    expect(steps.get("/sure")?.shown).toEqual(["confirm Sure?: ?", "notify true"]);
    expect(steps.get("/leave")?.ended).toBe(0);
    expect(steps.get("compact")?.refused).toBeUndefined();
    expect(ran.done.flatMap(({ errors }) => errors).join()).toContain("not that");
    expect(ran.asked).toContainEqual({ event: "input", status: "failed" });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
