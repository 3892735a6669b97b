import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";

const program = fileURLToPath(new URL("fixtures/late-host.ts", import.meta.url));

/** Runs a host with one extension that does this at each start of a turn. */
async function hostWith(
  body: string,
  ...more: readonly string[]
): Promise<{ code: unknown; told: string[]; stderr: string; path: string }> {
  const home = mkdtempSync(join(tmpdir(), "hookline-late-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  mkdirSync(join(home, "extensions"));
  const path = join(home, "extensions", "late.ts");
  writeFileSync(path, `export default function (pi: any) {\n  pi.on("turn_start", () => {\n    ${body}\n  });\n}\n`);
  return new Promise((resolve) => {
    execFile(process.execPath, ["--conditions=source", program, home, "2", ...more], (error, stdout, stderr) => {
      const told = stdout === "" ? [] : (JSON.parse(stdout) as { told: string[] }).told;
      resolve({ code: error?.code ?? 0, told, stderr, path });
    });
  });
}

describe("an error that a module causes after its handler has returned", () => {
  test.each([
    ["a throw in a timer", 'setTimeout(() => { throw new Error("late"); }, 0);'],
    ["a rejection nobody awaits", 'void Promise.reject(new Error("late"));'],
    ["a rejection after a wait", '(async () => { await null; throw new Error("late"); })();'],
  ])("%s does not end the host, and is told with the module's name", async (_, body) => {
    const { code, told, path } = await hostWith(body);
    expect(code).toBe(0);
    expect(told).toEqual([`HOOK_LATE_ERROR ${path} failed after its handler had returned: late`]);
  });

  test.each([
    ["a text thrown in a timer", 'setTimeout(() => { throw "late"; }, 0);'],
    ["an error of Node's", 'import("node:fs/promises").then((fs) => void fs.readFile("/no/such/file"));'],
    ["an event that nobody listens to", 'import("node:child_process").then((c) => void c.spawn("/no/such/program"));'],
  ])("%s does not end the host either, though nothing names the module", async (_, body) => {
    const { code, told } = await hostWith(body);
    expect(code).toBe(0);
    expect(told.every((one) => one.startsWith("HOOK_LATE_ERROR "))).toBe(true);
    expect(told.length).toBeGreaterThan(0);
  });

  test("an error of the host's own code ends the host as ever", async () => {
    const { code, told, stderr } = await hostWith("", "own");
    expect(told).toEqual([]);
    expect(code).toBe(1);
    expect(stderr).toContain("the host's own");
  });
});
