import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { claude, jcli } from "../../../integrations/src/index.ts";
import { createRuntime } from "../../src/index.ts";
import { bench } from "./kit.ts";
import { call } from "./programs.ts";

const { platform } = process;

/** Has the library believe that it runs on another system. */
function pretend(name: NodeJS.Platform): void {
  Object.defineProperty(process, "platform", { value: name });
}

afterEach(() => {
  Object.defineProperty(process, "platform", { value: platform });
  vi.restoreAllMocks();
});

const says = /^hookline runs no shell commands on Windows, so what this hook guards is refused; write it as a module/;

test("a shell command does not start under win32, and says what to write in its place; a program does", async () => {
  await using at = bench({ path: "spawn" });
  pretend("win32");
  const shell = await at.transport.run(call("echo ran"));
  expect(shell).toMatchObject({
    status: "not-started",
    startError: { code: "NO_SHELL", message: expect.stringMatching(says) },
  });
  const opened = await at.transport.open({ ...call("cat"), onData: () => {} } as never);
  expect(await opened.ended).toMatchObject({ status: "not-started", startError: { code: "NO_SHELL" } });
  const program = await at.transport.run(call({ file: process.execPath, args: ["-e", "console.log('ran')"] }));
  expect(program).toMatchObject({ status: "exited", stdout: "ran\n" });
});

describe.each(["win32", "darwin"] as const)("under %s", (name) => {
  test("shell guards of Claude Code and j-cli refuse on Windows, and decide on macOS", async () => {
    const home = mkdtempSync(join(tmpdir(), "hookline-windows-"));
    mkdirSync(join(home, ".claude"));
    mkdirSync(join(home, "work"));
    const settings = {
      hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "exit 0" }] }] },
    };
    writeFileSync(join(home, ".claude/settings.json"), JSON.stringify(settings));
    pretend(name);
    const runtime = createRuntime({ dialects: [claude, jcli], home, nativeSpawn: false });
    const told: string[] = [];
    const session = await runtime.open({
      scene: { sessionId: "1", cwd: join(home, "work") },
      onDiagnostic: (one) => void told.push(one.message),
    });
    const run = vi.fn(() => "ran");
    const result = await session.wrap({ tool: "bash", toolCallId: "1", args: { command: "ls" } }, run);
    expect(result.blocked).toBe(name === "win32");
    expect(run).toHaveBeenCalledTimes(name === "win32" ? 0 : 1);
    expect(told.some((one) => one.includes("hookline runs no shell commands on Windows"))).toBe(name === "win32");
    await runtime.close();
    rmSync(home, { recursive: true });
  });
});
