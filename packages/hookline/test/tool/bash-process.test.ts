import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ProcessTransport } from "@hookline/runtime/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../ground/src/time/system-clock.ts";
import { createProcessTransport } from "../../../runtime/src/transport/process/transport.ts";
import { alarm, bench } from "../../../runtime/test/process/kit.ts";
import { createBashTool } from "../../src/tool/bash.ts";
import type { ToolResult } from "../../src/tool/tool.ts";
import { makeFolder, textFrom } from "./folder.ts";

describe.skipIf(process.platform === "win32")("with real processes", () => {
  let processes: ProcessTransport;
  beforeAll(() => {
    processes = createProcessTransport({ clock: systemClock });
  });
  afterAll(() => processes.close());

  const bash = (folder: string) => createBashTool(folder, { processes, tmpDir: folder });

  test.each([
    ["output of both kinds", "echo out; echo err >&2", /^(out\nerr\n|err\nout\n)$/],
    ["silence", "true", /^\(no output\)$/],
    ["a code", "echo out; exit 3", /^Error: out\n\n\nCommand exited with code 3$/],
    ["a signal", "kill -9 $$", /^Error: \(no output\)\n\nCommand exited with code 137$/],
    ["no terminal and no input", "cat; echo done", /^done\n$/],
    ["a character in two writes", "printf '\\303'; sleep 0.05; printf '\\251'", /^é$/],
    ["a command that is missing", "no-such-command-here", /Command exited with code 127$/],
  ])("%s", async (_name, command, expected) => {
    expect(await textFrom(bash(makeFolder()), { command })).toMatch(expected);
  });

  test.each(["exec yes >&2", "yes & exec yes >&2"])(
    "%s: a command that floods is ended, and no more is saved than it may write",
    { timeout: 120_000 },
    async (command) => {
      const folder = makeFolder();
      expect(await textFrom(bash(folder), { command })).toContain("Command ended: it wrote more than 64.0MB");
      const [saved = ""] = readdirSync(folder);
      expect(statSync(join(folder, saved)).size).toBeLessThanOrEqual(64 * 1024 * 1024);
    },
  );

  test("runs in the folder", async () => {
    const folder = makeFolder();
    expect(await textFrom(bash(folder), { command: "pwd -P" })).toBe(`${folder}\n`);
  });

  test("a timeout ends the command and everything that it started", async () => {
    const folder = makeFolder();
    const limit = alarm(500);
    await using own = bench({ clock: limit });
    const tool = createBashTool(folder, { processes: own.transport, tmpDir: folder });
    const onUpdate = ({ content: [block] }: ToolResult) => {
      if (block?.type === "text" && block.text.includes("begun")) limit.ring();
    };
    const command = "echo begun; (sleep 30; touch late) & sleep 30; touch late";
    expect(await textFrom(tool, { command, timeout: 0.5 }, { onUpdate })).toBe(
      "Error: begun\n\n\nCommand timed out after 0.5 seconds",
    );
    expect(existsSync(join(folder, "late"))).toBe(false);
  });

  test("an abort ends the command and keeps what it said", async () => {
    const controller = new AbortController();
    const onUpdate = ({ content: [block] }: ToolResult) => {
      if (block?.type === "text" && block.text.includes("begun")) controller.abort();
    };
    const options = { signal: controller.signal, onUpdate };
    expect(await textFrom(bash(makeFolder()), { command: "echo begun; sleep 30" }, options)).toBe(
      "Error: begun\n\n\nCommand aborted",
    );
  });

  test("a process left in the background does not hold up the result", async () => {
    expect(await textFrom(bash(makeFolder()), { command: "sleep 600 & echo done" })).toBe("done\n");
  });

  test("much output is all in the file, in order", async () => {
    const folder = makeFolder();
    const shown = await textFrom(bash(folder), { command: "seq 1 100000" });
    const path = /Full output: (.*)\]/.exec(shown)?.[1] ?? "";
    expect(readFileSync(path, "utf8")).toBe(Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join(""));
    expect(shown).toContain("[Showing lines 98001-100000 of 100000.");
  });

  test("an argument list that is too long is an error, not a crash", async () => {
    expect(await textFrom(bash(makeFolder()), { command: `: ${"x".repeat(200_000)}` })).toMatch(
      /^Error: Command could not be started: /,
    );
  });
});
