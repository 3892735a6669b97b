import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { whichOf } from "../../../src/dialect/omp/which.ts";
import { openFiles } from "./kit.ts";

test("$which gives the first program on the PATH that may be run, or null", () => {
  const [first, second] = [0, 1].map(() => mkdtempSync(join(tmpdir(), "hookline-which-"))) as [string, string];
  try {
    for (const folder of [first, second]) writeFileSync(join(folder, "tool"), "#!/bin/sh\n");
    chmodSync(join(second, "tool"), 0o755);
    const which = whichOf({ PATH: [first, second].join(delimiter) });
    expect(which("tool")).toBe(join(second, "tool"));
    expect(which(join(second, "tool"))).toBe(join(second, "tool"));
    expect([which("other"), which(join(first, "tool")), which("tool", { PATH: first })]).toEqual([null, null, null]);
  } finally {
    for (const folder of [first, second]) rmSync(folder, { recursive: true });
  }
});

test("a hook finds the environment, programs and folders in pi-utils", async () => {
  await using opened = await openFiles({
    "project/.omp/hooks/pre/own.ts": `import { $env, $which, CONFIG_DIR_NAME } from "@oh-my-pi/pi-utils";
export default (pi) => pi.on("tool_call", () => ({ block: true, reason: [CONFIG_DIR_NAME, $env.PATH === process.env.PATH, $which("no such program")].join() }));`,
  });
  const { answer } = await opened.session.emit("tool.before", {
    toolCallId: "c",
    tool: "bash",
    args: { command: "ls" },
  });
  expect(answer).toMatchObject({ decision: "deny", reason: ".omp,true," });
});
