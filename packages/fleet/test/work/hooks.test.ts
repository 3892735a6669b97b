import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { coverageOf } from "../../src/policy/coverage.ts";
import { openHooks } from "../../src/work/hooks.ts";
import { manifestOf, ruleOf } from "../policy/sample.ts";

/** The folders that somebody still writes in, as `rmSync` finds them. */
const busy = vi.hoisted((): string[] => []);
vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  const rmSync: typeof fs.rmSync = (path, options) => {
    if (!String(path).includes("hookline-fleet-hooks-")) return fs.rmSync(path, options);
    busy.push(String(path));
    throw Object.assign(new Error("ENOTEMPTY: directory not empty"), { code: "ENOTEMPTY" });
  };
  return { ...fs, rmSync };
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookline-hooks-"));
  mkdirSync(join(folder, "tmp"));
  vi.stubEnv("TMPDIR", join(folder, "tmp"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

test("hooks are closed also while a program that one of them has left behind writes beside them", async () => {
  const files = { "extensions/guard.ts": `export default (pi) => pi.on("tool_call", () => undefined);\n` };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, "files/extensions"), { recursive: true });
    writeFileSync(join(folder, "files", path), text);
  }
  const bundle = { folder: join(folder, "files"), digest: "0".repeat(64), manifest: manifestOf({}, files) };
  const hooks = await openHooks(bundle, () => {});
  await hooks.close();
  expect(busy).toHaveLength(1);
});

test("a hook is asked about the calls of its tools alone, whatever other hooks are about", async () => {
  const guard = (reason: string) =>
    `export default (pi) => pi.on("tool_call", () => ({ block: true, reason: "${reason}" }));\n`;
  const files = { "extensions/shell.ts": guard("shell"), "extensions/all.ts": guard("all") };
  mkdirSync(join(folder, "files/extensions"), { recursive: true });
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, "files", path), text);
  const bundle = (rules: readonly ReturnType<typeof ruleOf>[]) => ({
    folder: join(folder, "files"),
    digest: "0".repeat(64),
    manifest: manifestOf({ hooks: rules }, files),
  });
  const reasons = async (rules: readonly ReturnType<typeof ruleOf>[]) => {
    const hooks = await openHooks(bundle(rules), () => {});
    const asked = ["bash", "read"].map((tool) =>
      hooks.ask("tool.before", { tool, args: {}, toolCallId: "1" }, new AbortController().signal),
    );
    const found = (await Promise.all(asked)).map(({ answer }) => (answer as { reason?: string } | undefined)?.reason);
    await hooks.close();
    return found;
  };
  const shell = ruleOf("extensions/shell.ts", { tools: ["Bash"] });
  expect(await reasons([shell])).toEqual(["shell", undefined]);
  expect(await reasons([shell, ruleOf("extensions/all.ts")])).toEqual([expect.any(String), "all"]);
  expect(coverageOf({ hooks: [shell] }).map(({ tools }) => [...(tools ?? [])])).toEqual([["bash"]]);
  expect(coverageOf({ hooks: [shell, ruleOf("extensions/all.ts")] })[0]?.tools).toBeUndefined();
});
