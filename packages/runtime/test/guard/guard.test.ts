import { HooklineError } from "@hookline/runtime";
import { type Guard, guard } from "@hookline/runtime/guard";
import { createHookRuntime, type HookSession } from "@hookline/runtime/session";
import { describe, expect, onTestFinished, test } from "vitest";
import { NO_HOME } from "../../../../scripts/no-home.ts";

const noForce = guard({
  name: "no-force-push",
  on: "tool.before",
  tools: ["bash"],
  run: ({ args }) => (/push .*--force\b/.test(args.command) ? { deny: "A forced push rewrites history." } : undefined),
  cases: [
    { args: { command: "git push origin main --force" }, expect: "deny" },
    { args: { command: "git push" }, expect: "none" },
  ],
});

async function opened(): Promise<HookSession> {
  const runtime = createHookRuntime({ home: NO_HOME, env: {} });
  onTestFinished(() => runtime.close());
  return runtime.open({ scene: { sessionId: "s", cwd: NO_HOME }, onDiagnostic: () => {} });
}

const call = (command: string, more: object = {}) => ({ toolCallId: "1", tool: "bash", args: { command }, ...more });

test("a guard is a value that a session takes and gives back", async () => {
  const session = await opened();
  const undo = session.on(noForce);
  expect((await session.emit("tool.before", call("git push --force"))).answer).toEqual({
    decision: "deny",
    reason: "A forced push rewrites history.",
  });
  expect((await session.emit("tool.before", call("git push"))).answer).toEqual({});
  undo();
  expect(session.has("tool.before")).toBe(false);
});

test("a tool is known by each of its names, and no other tool is asked about", async () => {
  const session = await opened();
  session.on(guard({ name: "g", on: "tool.before", tools: ["mcp__a__b"], run: () => ({ ask: "Sure?" }) }));
  const asked = async (tool: string, aliases?: string[]) =>
    (await session.emit("tool.before", call("x", { tool, ...(aliases && { aliases }) }))).answer.decision;
  expect([await asked("mcp__a__b"), await asked("a_b", ["mcp__a__b"]), await asked("bash")]).toEqual([
    "ask",
    "ask",
    undefined,
  ]);
});

const throwing = (): never => {
  throw new Error("no");
};

test.each<[string, Guard["run"]]>([
  ["throws", throwing],
  ["rejects", () => Promise.reject(new Error("no"))],
  ["answers what the event has no field for", () => ({ deny: 1 })],
])("a guard that %s refuses", async (_, broken) => {
  const session = await opened();
  session.on({ name: "broken", on: "tool.before", run: broken });
  expect((await session.emit("tool.before", call("ls"))).answer.decision).toBe("deny");
});

test("a guard that breaks on a result withholds it", async () => {
  const session = await opened();
  session.on(guard({ name: "redactor", on: "tool.after", run: throwing }));
  const content = [{ type: "text" as const, text: "secret" }];
  const done = { ...call("ls"), content, details: undefined, isError: false, blocked: false };
  expect(JSON.stringify((await session.emit("tool.after", done)).answer)).toMatch(/withheld/);
});

test("answers may come later, and may be whole", async () => {
  const session = await opened();
  session.on(guard({ name: "a", on: "tool.before", run: async () => ({ ask: "Sure?", remark: "checked" }) }));
  session.on(guard({ name: "b", on: "prompt.before", run: ({ text }) => ({ text: `${text}!` }) }));
  expect((await session.emit("tool.before", call("ls"))).answer).toMatchObject({ decision: "ask", reason: "Sure?" });
  expect((await session.emit("prompt.before", { text: "hi", images: [] })).answer).toMatchObject({ text: "hi!" });
});

const run = (): undefined => undefined;
describe("a mistake is named", () => {
  test.each<[string, unknown, RegExp]>([
    ["no name", { on: "tool.before", run }, /the guard has no name/],
    ["no event", { name: "g", run }, /guard "g" has no on/],
    ["an unknown event", { name: "g", on: "tool.befor", run }, /"tool.befor", which does not exist.*/],
    ["no function", { name: "g", on: "tool.before", run: 1 }, /run of guard "g" is not valid/],
    ["an unknown key", { name: "g", on: "tool.before", run, tool: ["bash"] }, /unknown key "tool"/],
    ["tools without a tool", { name: "g", on: "prompt.before", run, tools: ["bash"] }, /not about a tool/],
    ["an empty list of tools", { name: "g", on: "tool.before", run, tools: [] }, /tools of guard "g" is not valid/],
    ["cases that are no list", { name: "g", on: "tool.before", run, cases: {} }, /cases of guard "g"/],
    [
      "a case without an expectation",
      { name: "g", on: "tool.before", run, cases: [{}] },
      /case 1 of guard "g" has no expect/,
    ],
    [
      "an unknown expectation",
      { name: "g", on: "tool.before", run, cases: [{ expect: "refuse" }] },
      /expect of case 1 of guard "g" is not valid/,
    ],
    [
      "an unknown key of a case",
      { name: "g", on: "tool.before", run, cases: [{ arg: {}, expect: "deny" }] },
      /case 1 of guard "g" has the unknown key "arg"/,
    ],
    [
      "arguments for an event without a tool",
      { name: "g", on: "prompt.before", run, cases: [{ args: {}, expect: "deny" }] },
      /its event is not about a tool/,
    ],
  ])("%s", async (_, given, message) => {
    const session = await opened();
    let thrown: unknown;
    try {
      session.on(given as Guard);
    } catch (error) {
      thrown = error;
    }
    expect(HooklineError.isInstance(thrown) && `${thrown.message}. ${thrown.hint}`).toMatch(message);
    expect(session.has("tool.before") || session.has("prompt.before")).toBe(false);
  });
});
