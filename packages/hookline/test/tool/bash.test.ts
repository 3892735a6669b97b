import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProcessCall, ProcessReport, ProcessTransport } from "@hookline/runtime/engine";
import { describe, expect, test } from "vitest";
import { type BashToolOptions, createBashTool } from "../../src/tool/bash.ts";
import type { ToolResult } from "../../src/tool/tool.ts";
import { makeFolder, numbered, run, textFrom } from "./folder.ts";

type Play = (call: ProcessCall) => Promise<Partial<ProcessReport>> | Partial<ProcessReport>;

/** A transport that starts nothing: `play` says what a process would do. */
function pretend(play: Play): ProcessTransport & { readonly calls: ProcessCall[] } {
  const calls: ProcessCall[] = [];
  return {
    calls,
    async run(call) {
      calls.push(call);
      const rest = { stdout: "", stdoutValid: true, stderr: "", survivors: [], queueMs: 0, runMs: 0 };
      return { status: "exited", exitCode: 0, ...rest, ...(await play(call)) };
    },
    open: () => Promise.reject(new Error("no process is kept here")),
    close: async () => {},
  };
}

function bash(play: Play, options: BashToolOptions = {}) {
  const folder = makeFolder();
  const processes = pretend(play);
  return { folder, processes, tool: createBashTool(folder, { processes, tmpDir: folder, ...options }) };
}

const says =
  (...chunks: (string | Buffer)[]) =>
  (call: ProcessCall): Partial<ProcessReport> => {
    for (const chunk of chunks) call.onData?.(Buffer.from(chunk), "stdout");
    return {};
  };

test("runs the command as shell text in the tool's folder, as the user", async () => {
  const { folder, processes, tool } = bash(says("hi\n"));
  expect(await run(tool, { command: "echo hi" })).toEqual({
    content: [{ type: "text", text: "hi\n" }],
    details: undefined,
  });
  expect(processes.calls).toMatchObject([
    { command: { shell: "echo hi" }, cwd: folder, tier: "user", label: "bash", timeoutMs: 2_147_483_647 },
  ]);
});

test("stdout and stderr are one text in arrival order, and no character is torn between them", async () => {
  const { tool } = bash((call) => {
    call.onData?.(Buffer.from([0x61, 0xc3]), "stdout");
    call.onData?.(Buffer.from("[err]"), "stderr");
    call.onData?.(Buffer.from([0xa9, 0x62]), "stdout");
    return {};
  });
  expect(await textFrom(tool, { command: "x" })).toBe("a[err]éb");
});

test("a character that is never finished is shown as what it is", async () => {
  const { tool } = bash(says("a", Buffer.from([0xc3])));
  expect(await textFrom(tool, { command: "x" })).toBe("a\uFFFD");
});

describe("ends", () => {
  test.each<[string, Play, string]>([
    ["in silence", says(), "(no output)"],
    ["with a code", (call) => ({ ...says("out\n")(call), exitCode: 3 }), "Error: out\n\n\nCommand exited with code 3"],
    ["with a code and in silence", () => ({ exitCode: 3 }), "Error: (no output)\n\nCommand exited with code 3"],
    [
      "by a signal",
      () => ({ status: "signalled", signal: "SIGKILL" }),
      "Error: (no output)\n\nCommand exited with code 137",
    ],
    [
      "by an unknown signal",
      () => ({ status: "signalled", signal: "SIGNEW" }),
      "Error: (no output)\n\nCommand exited with code 128",
    ],
    [
      "by a timeout",
      (call) => ({ ...says("half")(call), status: "timed-out" }),
      "Error: half\n\nCommand timed out after 2 seconds",
    ],
    ["by a timeout, in silence", () => ({ status: "timed-out" }), "Error: Command timed out after 2 seconds"],
    ["by an abort", (call) => ({ ...says("half")(call), status: "aborted" }), "Error: half\n\nCommand aborted"],
    [
      "by too much output",
      (call) => ({ ...says("half")(call), status: "over-limit" }),
      "Error: half\n\nCommand ended: it wrote more than 64.0MB. Redirect its output to a file.",
    ],
    [
      "before it starts",
      () => ({ status: "not-started", startError: { code: "E2BIG", message: "spawn E2BIG" } }),
      "Error: Command could not be started: spawn E2BIG",
    ],
  ])("%s", async (_name, play, expected) => {
    expect(await textFrom(bash(play).tool, { command: "x", timeout: 2 })).toBe(expected);
  });
});

describe("timeouts", () => {
  test.each([
    [0.5, 500],
    [0.0001, 1],
    [2_147_483.647, 2_147_483_647],
  ])("%f seconds are %i ms", async (timeout, timeoutMs) => {
    const { processes, tool } = bash(says());
    await run(tool, { command: "x", timeout });
    expect(processes.calls[0]?.timeoutMs).toBe(timeoutMs);
  });

  test.each([
    [0, "Invalid timeout: must be a finite number of seconds"],
    [-1, "Invalid timeout: must be a finite number of seconds"],
    [Number.NaN, "Invalid timeout: must be a finite number of seconds"],
    [Number.POSITIVE_INFINITY, "Invalid timeout: must be a finite number of seconds"],
    [2_147_484, "Invalid timeout: maximum is 2147483.647 seconds"],
  ])("%f seconds start nothing", async (timeout, message) => {
    const { processes, tool } = bash(says());
    expect(await textFrom(tool, { command: "x", timeout })).toBe(`Error: ${message}`);
    expect(processes.calls).toEqual([]);
  });
});

test("an abort before the start starts nothing; one later reaches the process", async () => {
  const controller = new AbortController();
  const { processes, tool } = bash((call) => {
    const { promise, resolve } = Promise.withResolvers<Partial<ProcessReport>>();
    call.signal?.addEventListener("abort", () => resolve({ status: "aborted" }));
    controller.abort();
    return promise;
  });
  expect(await textFrom(tool, { command: "x" }, { signal: AbortSignal.abort() })).toBe("Error: Command aborted");
  expect(processes.calls).toEqual([]);
  expect(await textFrom(tool, { command: "x" }, { signal: controller.signal })).toBe("Error: Command aborted");
  expect(processes.calls).toHaveLength(1);
});

test("a folder that is gone is named", async () => {
  const { folder, processes, tool } = bash(says());
  const cwd = join(folder, "gone");
  const expected = `Error: Working directory does not exist: ${cwd}\nCannot execute bash commands.`;
  expect(await textFrom(tool, { command: "x" }, { context: { cwd } })).toBe(expected);
  expect(processes.calls).toEqual([]);
});

describe("long output", () => {
  test.each([
    ["lines", `${numbered(2002)}\n`, 0, (path: string) => `[Showing lines 3-2002 of 2002. Full output: ${path}]`],
    [
      "bytes",
      `${"x".repeat(30_000)}\n`.repeat(3),
      0,
      (path: string) => `[Showing lines 3-3 of 3 (50.0KB limit). Full output: ${path}]`,
    ],
    [
      "one line",
      "é".repeat(30_000),
      0,
      (path: string) => `[Showing last 50.0KB of line 1 (line is 58.6KB). Full output: ${path}]`,
    ],
    [
      "lines of a failure",
      `${numbered(2002)}\n`,
      1,
      (path: string) => `[Showing lines 3-2002 of 2002. Full output: ${path}]`,
    ],
  ])("of %s shows its end and names the file with all of it", async (_name, text, exitCode, notice) => {
    const { tool } = bash((call) => ({ ...says(text)(call), exitCode }));
    const shown = await textFrom(tool, { command: "x" });
    const path = /Full output: (.*)\]/.exec(shown)?.[1] ?? "";
    expect(shown).toContain(`\n\n${notice(path)}${exitCode === 0 ? "" : "\n\nCommand exited with code 1"}`);
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  test("is described in the details", async () => {
    const { tool } = bash(says(numbered(2001)));
    const { details } = await run(tool, { command: "x" });
    expect(details).toMatchObject({
      truncation: { truncated: true, totalLines: 2001 },
      fullOutputPath: expect.stringMatching(/hookline-bash-[0-9a-f]{16}\.log$/),
    });
  });

  test("that cannot be saved says so", async () => {
    const { tool } = bash(says(numbered(2001)), { tmpDir: "/dev/null/folder" });
    expect(await textFrom(tool, { command: "x" })).toContain("Full output could not be saved: ENOTDIR");
  });
});

describe("partial results", () => {
  test("the first is empty, the last holds everything, and none comes after the result", async () => {
    let late: ProcessCall["onData"];
    const { tool } = bash(async (call) => {
      late = call.onData?.bind(call);
      for (const word of ["a", "b", "c"]) call.onData?.(Buffer.from(word), "stdout");
      return {};
    });
    const partials: ToolResult[] = [];
    const result = await run(tool, { command: "x" }, { onUpdate: (partial) => partials.push(partial) });
    const count = partials.length;
    // Longer than the least time between two partial results, so that one would come at once.
    await new Promise((resolve) => setTimeout(resolve, 150));
    late?.(Buffer.from("late"), "stdout");
    expect(partials).toHaveLength(count);
    expect(partials[0]).toEqual({ content: [], details: undefined });
    expect(partials[1]).toEqual({
      content: [{ type: "text", text: "a" }],
      details: { truncation: undefined, fullOutputPath: undefined },
    });
    expect(partials.at(-1)?.content).toEqual(result.content);
    expect(result.content).toEqual([{ type: "text", text: "abc" }]);
  });

  test("many chunks at once are not many results", async () => {
    const { tool } = bash(says(...Array.from({ length: 1000 }, () => "x")));
    const partials: ToolResult[] = [];
    await run(tool, { command: "x" }, { onUpdate: (partial) => partials.push(partial) });
    expect(partials.length).toBeLessThan(1000);
    expect(partials.at(-1)?.content).toEqual([{ type: "text", text: "x".repeat(1000) }]);
  });
});

describe("options", () => {
  test("a prefix goes before the command, another shell takes it as an argument", async () => {
    const { processes, tool } = bash(says(), { commandPrefix: "set -e", shellPath: "/bin/zsh" });
    await run(tool, { command: "x" });
    expect(processes.calls[0]?.command).toEqual({ file: "/bin/zsh", args: ["-c", "set -e\nx"] });
  });

  test("the session's variables are set, and can be kept from the command", async () => {
    const context = {
      sessionManager: { getSessionId: () => "s1", getSessionFile: () => undefined },
      model: { provider: "p", id: "m", input: ["text"] },
      thinkingLevel: "high",
    };
    const envOf = async (options: BashToolOptions) => {
      const { processes, tool } = bash(says(), options);
      await run(tool, { command: "x" }, { context });
      return processes.calls[0]?.env;
    };
    expect(await envOf({})).toEqual({
      PI_SESSION_ID: "s1",
      PI_PROVIDER: "p",
      PI_MODEL: "m",
      PI_REASONING_LEVEL: "high",
    });
    expect(await envOf({ exposeSessionEnvironment: false })).toEqual({});
    expect(
      createBashTool("/", { processes: pretend(says()), exposeSessionEnvironment: false }).promptGuidelines,
    ).toBeUndefined();
  });

  test("a spawn hook changes command, folder and variables; what it leaves alone is not handed on", async () => {
    const other = makeFolder();
    const { processes, tool } = bash(says(), {
      spawnHook: ({ command, env }) => ({
        command: `nice ${command}`,
        cwd: other,
        env: { ...env, ADDED: "1", PATH: "/only" },
      }),
    });
    await run(tool, { command: "x" });
    expect(processes.calls).toMatchObject([{ command: { shell: "nice x" }, cwd: other }]);
    expect(processes.calls[0]?.env).toEqual({ ADDED: "1", PATH: "/only" });
  });

  test("operations run commands in place of the transport", async () => {
    const tool = createBashTool("/far", {
      operations: {
        exec: async (command, cwd, { onData, timeout }) => {
          onData(Buffer.from(`${command} in ${cwd} for ${timeout}`));
          return { exitCode: 0 };
        },
      },
    });
    expect(await textFrom(tool, { command: "ls", timeout: 5 })).toBe("ls in /far for 5");
  });

  test.each([
    ["no exit code", async () => ({ exitCode: null }), "Error: (no output)\n\nCommand terminated without an exit code"],
    ["aborted", () => Promise.reject(new Error("aborted")), "Error: Command aborted"],
    ["a timeout of theirs", () => Promise.reject(new Error("timeout:7")), "Error: Command timed out after 7 seconds"],
    ["another error", () => Promise.reject(new Error("ssh is down")), "Error: ssh is down"],
  ])("operations that report %s", async (_name, exec, expected) => {
    expect(await textFrom(createBashTool("/far", { operations: { exec } }), { command: "x" })).toBe(expected);
  });

  test("nothing to run commands with is the caller's mistake", () => {
    expect(() => createBashTool("/")).toThrow("pass processes or operations.exec");
  });
});
