import { describe, expect, test } from "vitest";
import { HookFailure } from "../../../runtime/src/run/failure.ts";
import { openLane, recorder } from "./lane.ts";

const call = (command: string) => ({ toolCallId: "1", tool: "bash", args: { command } });
const fail =
  (...about: ConstructorParameters<typeof HookFailure>) =>
  (): never => {
    throw new HookFailure(...about);
  };

describe("pre_tool", () => {
  test("sees hookline's shell as run_command and its reader as read_file [chibi.point.7, chibi.call.1, chibi.call.2, chibi.edge.17]", async () => {
    const hook = recorder();
    const { session } = await openLane([["pre_tool", hook.run]]);
    await session.emit("tool.before", call("ls"));
    await session.emit("tool.before", { toolCallId: "2", tool: "read", args: { path: "/etc/passwd" } });
    await session.emit("tool.before", { toolCallId: "3", tool: "grep", args: { pattern: "x" } });
    expect(hook.seen).toEqual([
      { tool_name: "run_command", arguments: { command: "ls" } },
      { tool_name: "read_file", arguments: { path: "/etc/passwd" } },
      { tool_name: "grep", arguments: { pattern: "x" } },
    ]);
  });

  test("arguments that are returned replace those of the call, whole [chibi.call.3, chibi.use.4]", async () => {
    const { session } = await openLane([["pre_tool", () => ({ arguments: { path: "/safe/path" } })]]);
    const { answer } = await session.emit("tool.before", {
      toolCallId: "1",
      tool: "read",
      args: { path: "/etc", limit: 1 },
    });
    expect(answer).toEqual({ args: { path: "/safe/path" } });
  });

  test("every plugin sees the call as the model made it, and the last replacement wins", async () => {
    const second = recorder({ arguments: { command: "two" } });
    const third = recorder({});
    const { session } = await openLane([
      ["pre_tool", () => ({ arguments: { command: "one" } })],
      ["pre_tool", second.run],
      ["pre_tool", third.run],
    ]);
    expect((await session.emit("tool.before", call("ls"))).answer).toEqual({ args: { command: "two" } });
    expect(second.seen.map((event) => event.arguments.command)).toEqual(["ls"]);
    // The third changed nothing and saw another call than the final one, so it is asked once more.
    expect(third.seen.map((event) => event.arguments.command)).toEqual(["ls", "two"]);
  });

  test("a block refuses the call with its message [chibi.call.4, chibi.call.5]", async () => {
    const { session } = await openLane([["pre_tool", () => ({ block: true, message: "not allowed" })]]);
    expect((await session.emit("tool.before", call("ls"))).answer).toEqual({ decision: "deny", reason: "not allowed" });
  });

  test("a block without a message has the program's text", async () => {
    const { session } = await openLane([["pre_tool", () => ({ block: true })]]);
    expect((await session.emit("tool.before", call("ls"))).answer.reason).toBe("Tool call blocked by hook");
  });

  test("only true blocks: texts and numbers are reported and allow the call [chibi.edge.7]", async () => {
    for (const block of ["true", 1, "yes", null]) {
      const { session, diagnostics } = await openLane([["pre_tool", () => ({ block, message: "m" })]]);
      expect((await session.emit("tool.before", call("ls"))).answer).toEqual({});
      expect(diagnostics).toMatchObject([{ code: "HOOK_ODD_ANSWER" }]);
    }
  });

  test("a block ends the scan: arguments before it stay, those in it and behind it are dropped [chibi.edge.4]", async () => {
    const behind = recorder({ arguments: { command: "late" } });
    const { session } = await openLane([
      ["pre_tool", () => ({ arguments: { command: "early" } })],
      ["pre_tool", () => ({ block: true, message: "no", arguments: { command: "own" } })],
      ["pre_tool", behind.run],
    ]);
    const { answer } = await session.emit("tool.before", call("ls"));
    expect(answer).toEqual({ decision: "deny", reason: "no", args: { command: "early" } });
    expect(behind.seen).toHaveLength(1);
  });

  test("arguments that are not an object refuse the call, since the tool could not take them [chibi.edge.18]", async () => {
    for (const given of ['{"command":"x"}', null, 5, ["x"]]) {
      const { session } = await openLane([["pre_tool", () => ({ arguments: given })]]);
      expect((await session.emit("tool.before", call("ls"))).answer).toMatchObject({ decision: "deny" });
    }
  });

  test("echoed arguments are not an edit", async () => {
    const { session } = await openLane([["pre_tool", (event) => structuredClone(event)]]);
    expect(await session.emit("tool.before", call("ls"))).toMatchObject({ answer: {}, edits: [] });
  });

  test.each(["exited", "bad", "threw"] as const)(
    "a plugin that fails by %s allows the call, and this is reported",
    async (cause) => {
      const { session, diagnostics } = await openLane([["pre_tool", fail(cause, "why")]]);
      expect((await session.emit("tool.before", call("ls"))).answer).toEqual({});
      expect(diagnostics.map(({ code }) => code)).toContain("FAILED_OPEN");
    },
  );

  test.each(["exited", "bad", "threw", "timeout"] as const)(
    "with guardFailure closed a failure by %s refuses",
    async (cause) => {
      const { session } = await openLane([["pre_tool", fail(cause, "why")]], { onError: "abort" });
      expect((await session.emit("tool.before", call("ls"))).answer).toMatchObject({
        decision: "deny",
        reason: "Tool call blocked by hook: /plugins/0-pre_tool failed (why)",
      });
    },
  );

  test.each(["timeout", "engine"] as const)("a failure by %s refuses whatever the settings", async (cause) => {
    const { session } = await openLane([["pre_tool", fail(cause, "why")]]);
    expect((await session.emit("tool.before", call("ls"))).answer.decision).toBe("deny");
  });
});

describe("pre_tool_output", () => {
  const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const;
  const after = (text: string, more: object = {}): any => ({
    ...call("ls"),
    content: [{ type: "text", text }, image],
    details: undefined,
    isError: false,
    blocked: false,
    ...more,
  });

  test("sees the call and the text of its output [chibi.point.9, chibi.output.1, chibi.output.2, chibi.output.3, chibi.output.4]", async () => {
    const hook = recorder();
    const { session } = await openLane([["pre_tool_output", hook.run]]);
    await session.emit("tool.after", after("raw"));
    expect(hook.seen).toEqual([{ tool_name: "run_command", arguments: { command: "ls" }, output: "raw" }]);
  });

  test("fires for refused and for failed calls too [chibi.edge.22]", async () => {
    const hook = recorder();
    const { session } = await openLane([["pre_tool_output", hook.run]]);
    await session.emit("tool.after", after("refused", { blocked: true, isError: true }));
    await session.emit("tool.after", after("failed", { isError: true }));
    expect(hook.seen.map(({ output }) => output)).toEqual(["refused", "failed"]);
  });

  test("the last output wins, what is not a text stays in the result [chibi.output.5]", async () => {
    const second = recorder({ output: "two" });
    const { session } = await openLane([
      ["pre_tool_output", () => ({ output: "one" })],
      ["pre_tool_output", second.run],
    ]);
    const { answer } = await session.emit("tool.after", after("raw"));
    expect(answer.content).toEqual([{ type: "text", text: "two" }, image]);
    expect(second.seen[0].output).toBe("raw");
  });

  test("a block replaces the output entirely, by its message or the program's text [chibi.output.6, chibi.output.1]", async () => {
    const one = await openLane([["pre_tool_output", () => ({ block: true, message: "secret" })]]);
    expect((await one.session.emit("tool.after", after("raw"))).answer.content).toEqual([
      { type: "text", text: "secret" },
    ]);
    const two = await openLane([
      ["pre_tool_output", () => ({ output: "early" })],
      ["pre_tool_output", () => ({ block: true })],
      ["pre_tool_output", () => ({ output: "late" })],
    ]);
    expect((await two.session.emit("tool.after", after("raw"))).answer.content).toEqual([
      { type: "text", text: "Output blocked by hook" },
    ]);
  });

  test("an echo keeps the very content", async () => {
    const { session } = await openLane([["pre_tool_output", ({ output }) => ({ output })]]);
    expect(await session.emit("tool.after", after("raw"))).toMatchObject({ answer: {}, edits: [] });
  });

  test("an empty output is an output", async () => {
    const { session } = await openLane([["pre_tool_output", () => ({ output: "" })]]);
    expect((await session.emit("tool.after", after("raw"))).answer.content).toEqual([image]);
  });
});

describe("guards of later releases", () => {
  test("pre_shell_exec refuses a command of hookline's shell", async () => {
    const hook = recorder({ denied: true, reason: "Command not allowed" });
    const { session } = await openLane([["pre_shell_exec", hook.run]]);
    const { answer } = await session.emit("tool.before", call("ls"));
    expect(hook.seen).toEqual([{ tool_name: "shell_exec", command: "ls" }]);
    expect(answer).toEqual({ decision: "deny", reason: "Command not allowed" });
  });

  test("pre_file_write is asked about writes and edits, and about nothing else", async () => {
    const hook = recorder({ approved: false });
    const { session } = await openLane([["pre_file_write", hook.run]]);
    const write = { toolCallId: "1", tool: "write", args: { path: "a", content: "c" } };
    expect((await session.emit("tool.before", write)).answer).toEqual({ decision: "deny", reason: "Denied by hook" });
    await session.emit("tool.before", { toolCallId: "2", tool: "edit", args: { path: "a", edits: [] } });
    await session.emit("tool.before", call("ls"));
    expect(hook.seen).toEqual([
      { tool_name: "write_file", path: "a", content: "c" },
      { tool_name: "file_edit", path: "a", edits: [] },
    ]);
  });

  test("no opinion allows the call; a guard that does not answer in time refuses it", async () => {
    const open = await openLane([["pre_shell_exec", () => ({ approved: true })]]);
    expect((await open.session.emit("tool.before", call("ls"))).answer).toEqual({});
    const late = await openLane([["pre_shell_exec", fail("timeout", "late")]]);
    expect((await late.session.emit("tool.before", call("ls"))).answer.decision).toBe("deny");
  });
});
