import type { Diagnostic } from "@hookline/ground";
import { expect, test } from "vitest";
import { textOf } from "../../src/catalog/message.ts";
import { guard } from "../../src/guard/index.ts";
import { createRuntime } from "../../src/index.ts";
import type { SessionOptions } from "../../src/session/session-parts.ts";

const scene = { sessionId: "1", cwd: import.meta.dirname };
const noRm = guard({
  name: "no-rm",
  on: "tool.before",
  tools: ["bash"],
  run: ({ args }) => (args.command.includes("rm ") ? { deny: "no rm" } : undefined),
  cases: [{ args: { command: "rm x" }, expect: "deny" }],
});

async function opened(tools?: SessionOptions["tools"]) {
  const told: Diagnostic[] = [];
  const runtime = createRuntime();
  const session = await runtime.open({ scene, onDiagnostic: (one) => void told.push(one), ...(tools && { tools }) });
  return { runtime, session, told };
}

test.each([
  ["a name", { shell: "bash" } as const, { command: "rm x" }],
  ["a name and its arguments", { shell: { tool: "bash", args: { cmd: "command" } } } as const, { cmd: "rm x" }],
])("a guard is asked about a tool that is bash by %s, and the host keeps its own names", async (_, tools, args) => {
  const { runtime, session, told } = await opened(tools);
  session.on(noRm);
  const refused = await session.wrap({ tool: "shell", toolCallId: "1", args }, () => "ran");
  expect([refused.blocked, textOf(refused.content), refused.args]).toEqual([true, "no rm", args]);
  const [[name]] = Object.entries(args) as [[string, string]];
  session.on("tool.before", (event) => ({ args: { ...event.args, command: `${String(event.args["command"])} -l` } }));
  const ran: unknown[] = [];
  const passed = await session.wrap({ tool: "shell", toolCallId: "2", args: { [name]: "ls" } }, (final) => {
    ran.push(final);
    return "";
  });
  expect([ran, passed.args]).toEqual([[{ [name]: "ls -l" }], { [name]: "ls -l" }]);
  const { answer } = await session.emit("tool.before", { tool: "shell", toolCallId: "3", args: { [name]: "ls" } });
  expect(answer.args).toEqual({ [name]: "ls -l" });
  expect(told).toEqual([]);
  await runtime.close();
});

test("an argument that has the known name of another one hides it from no guard", async () => {
  const { runtime, session } = await opened({ shell: { tool: "bash", args: { cmd: "command" } } });
  session.on(noRm);
  for (const args of [
    { cmd: "rm x", command: "ls" },
    { command: "ls", cmd: "rm x" },
  ]) {
    const refused = await session.wrap({ tool: "shell", toolCallId: "1", args }, () => "ran");
    expect([refused.blocked, refused.args]).toEqual([true, args]);
  }
  session.on("tool.before", ({ args }) => ({ args: { ...args, command: "pwd" } }));
  const { answer } = await session.emit("tool.before", {
    tool: "shell",
    toolCallId: "2",
    args: { cmd: "ls", command: "x" },
  });
  expect(answer.args).toEqual({ cmd: "pwd", command: "x" });
  await runtime.close();
});

test("a sub-agent's calls have the same names, and `accept` sees the host's", async () => {
  const { runtime, session } = await opened({ shell: { tool: "bash", args: { cmd: "command" } } });
  session.on(noRm);
  const seen: unknown[] = [];
  const accept = (args: Readonly<Record<string, unknown>>) => {
    seen.push(args);
    return args;
  };
  const within = session.within({ ...scene, agentId: "a", agentType: "t", depth: 1 });
  const refused = await within.wrap({ tool: "shell", toolCallId: "1", args: { cmd: "rm x" }, accept }, () => "ran");
  expect([refused.blocked, refused.args]).toEqual([true, { cmd: "rm x" }]);
  session.on("tool.before", () => ({ args: { command: "pwd" } }));
  await session.wrap({ tool: "shell", toolCallId: "1", args: { cmd: "ls" }, accept }, () => "ran");
  expect(new Set(seen.map((one) => JSON.stringify(one)))).toEqual(
    new Set(['{"cmd":"rm x"}', '{"cmd":"ls"}', '{"cmd":"pwd"}']),
  );
  await runtime.close();
});

test.each([
  ["Bash", { command: "rm x" }, /guards for "bash" are not asked/, /tools: \{ Bash: "bash" \}/],
  ["run_shell", { command: "rm x" }, /guards for "bash" are not asked/, /tools: \{ run_shell: "bash" \}/],
  ["weather", { city: "Ulm" }, /only guards for every tool are asked/, /one of its own: \{ weather: "weather" \}/],
])("a tool called %s is named once, with what to write", async (tool, args, problem, hint) => {
  const { runtime, session, told } = await opened();
  session.on(noRm);
  for (const toolCallId of ["1", "2"]) await session.wrap({ tool, toolCallId, args }, () => "");
  expect(told).toMatchObject([
    { code: "TOOL_UNKNOWN", message: expect.stringMatching(problem), hint: expect.stringMatching(hint) },
  ]);
  expect(told[0]?.message).toContain(`"${tool}"`);
  await runtime.close();
});

test("nothing is said of a tool that a guard knows, one of a server, one that is named by itself, or without guards", async () => {
  const { runtime, session, told } = await opened({ weather: "weather" });
  const call = (tool: string) => session.wrap({ tool, toolCallId: "1", args: {} }, () => "");
  await call("unguarded");
  session.on(guard({ name: "own", on: "tool.before", tools: ["deploy"], run: () => undefined, cases: [] }));
  for (const tool of ["deploy", "mcp__files__list", "weather"]) await call(tool);
  const read = await session.wrap({ tool: "read", toolCallId: "1", args: { path: "x" } }, () => "");
  expect([read.isError, told]).toEqual([false, []]);
  await runtime.close();
});

test.each([
  [["shell"], "open: tools is a list, and not an object"],
  [{ shell: 7 }, "tools.shell is 7, and names no tool"],
  [{ shell: { name: "bash" } }, "tools.shell is an object, and names no tool"],
  [{ shell: { tool: "bash", arg: {} } }, 'tools.shell has "arg", which is no option'],
  [{ shell: { tool: "bash", args: { cmd: 1 } } }, "tools.shell.args is not an object of names"],
  [{ shell: "bahs" }, 'tools.shell is "bahs", which no guard knows'],
  [{ bash: "python" }, 'tools.bash renames a tool that guards know, so guards for "bash" would not be asked about it'],
])("open refuses %j", async (tools, problem) => {
  const runtime = createRuntime();
  await expect(runtime.open({ scene, tools } as never)).rejects.toThrow(problem);
  await runtime.close();
});

test("a result that cannot be used, and a thrown value, are shown as they are", async () => {
  const { runtime, session } = await opened();
  const text = async (run: () => unknown) =>
    textOf((await session.wrap({ tool: "bash", toolCallId: "1", args: { command: "" } }, run as never)).content);
  expect(await text(() => ({ city: "Ulm" }))).toContain('returned {"city":"Ulm"}, which is neither');
  expect(await text(() => undefined)).toContain("returned nothing, which is neither");
  expect(await text(() => [7])).toContain("returned [7]");
  expect(await text(() => ({ big: 7n }))).toContain("returned an object");
  expect(await text(() => ({ long: "x".repeat(500) }))).toMatch(/^The tool returned .{201}, which/);
  expect(
    await text(() => {
      throw { code: 404 };
    }),
  ).toBe('{"code":404}');
  await runtime.close();
});
