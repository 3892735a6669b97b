import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Project } from "./kit.ts";

let project: Project;

beforeEach(() => {
  project = new Project();
});

afterEach(() => project.remove());

test("each source has its place, order, filter, limit, policy and hash; only those that run have an order", async () => {
  project.write(
    "~/.jdata/agent/hooks.yaml",
    "stop:\n  - { command: cat, timeout: 3, on_error: abort }\npre_tool_execution:\n  - { command: cat, filter: { tool_name: Read } }\n",
  );
  project.write(".jcli/hooks.yaml", "stop:\n  - command: cat\n");
  await using opened = await project.open();
  const { sources, summary } = opened.session.report;
  expect(sources).toMatchObject([
    {
      line: 2,
      state: "runs",
      events: ["stop"],
      order: 1,
      timeoutMs: 3000,
      onFailure: expect.stringMatching(/abort/),
      tier: "user",
    },
    {
      line: 4,
      state: "runs",
      events: ["pre_tool_execution"],
      order: 2,
      filter: "tool_name=Read",
      onFailure: "skip: fails open",
    },
    {
      line: 2,
      state: "untrusted",
      events: ["stop"],
      tier: "project",
      reason: expect.stringMatching(/not been approved/),
    },
  ]);
  expect(sources[2]).not.toHaveProperty("order");
  expect(summary).toEqual({ found: 3, runs: 2, notRunning: 1 });
  const hashes = sources.map(({ hash }) => hash);
  expect(new Set(hashes).size).toBe(3);
  for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect(JSON.parse(JSON.stringify(sources[0])).hash).toBe(hashes[0]);
});

test("the hash follows the bytes, not the place", async () => {
  project.write("~/.pi/agent/extensions/a.ts", "export default (pi) => pi.on('input', () => {});\n");
  const hashOf = async (): Promise<string | undefined> => {
    await using opened = await project.open();
    return opened.session.report.sources[0]?.hash;
  };
  const first = await hashOf();
  expect(await hashOf()).toBe(first);
  expect(first).not.toBe(
    createHash("sha256")
      .update(readFileSync(project.path("~/.pi/agent/extensions/a.ts")))
      .digest("hex"),
  );
  project.write("~/.pi/agent/extensions/a.ts", "export default (pi) => pi.on('input', () => {}); \n");
  expect(await hashOf()).not.toBe(first);
});

test("what modules report while they are loaded is in the report; what comes later does not", async () => {
  project.write(
    "~/.pi/agent/extensions/a.ts",
    "export default (pi) => { pi.on('tool_cal', () => {}); pi.on('input', () => { throw new Error('late'); }); };\n",
  );
  await using opened = await project.open();
  const codes = (): string[] => opened.session.report.diagnostics.map(({ code }) => code);
  expect(codes()).toEqual(["UNKNOWN_HOOK_EVENT"]);
  await opened.session.emit("input", { text: "hi", source: "interactive" });
  expect(codes()).toEqual(["UNKNOWN_HOOK_EVENT"]);
  expect(opened.diagnostics.map(({ code }) => code)).toContain("HOOK_THREW");
});

test("a module that registers nothing says so", async () => {
  project.write("~/.pi/agent/extensions/a.ts", "export default () => {};\n");
  project.write(
    "~/.pi/agent/extensions/b.ts",
    'export default (pi) => pi.registerCommand("x", { handler: async () => {} });\n',
  );
  await using opened = await project.open();
  expect(opened.session.report.sources.map(({ reason }) => reason)).toEqual([
    "it was loaded, but it has registered nothing that can be called",
    undefined,
  ]);
});
