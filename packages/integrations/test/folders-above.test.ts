import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createHookRuntime } from "../../runtime/src/session/runtime.ts";
import { dialects } from "../src/index.ts";

let top: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "above-")));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

function put(path: string, content: unknown): void {
  const at = join(top, path);
  mkdirSync(dirname(at), { recursive: true });
  writeFileSync(at, typeof content === "string" ? content : JSON.stringify(content));
}

async function decided(folder: string, command: string) {
  const cwd = join(top, folder);
  mkdirSync(cwd, { recursive: true });
  const home = join(top, "home");
  const env = { PATH: process.env["PATH"], HOME: home };
  const runtime = createHookRuntime({
    dialects,
    runUnapprovedProjectHooks: true,
    env,
    home,
    hooklineHome: join(home, ".hookline"),
  });
  const session = await runtime.open({ scene: { sessionId: "s", cwd } });
  const call = { toolCallId: "c1", tool: "bash", args: { command } };
  const { decision = "none" } = (await session.emit("tool.before", call)).answer;
  const said = session.report.diagnostics.map(({ message }) => message).join("\n");
  await session.close();
  await runtime.close();
  return { decision, said };
}

it.each(["project", "project/a", "project/a/b"])(
  "deny and ask rules of a repository hold in %s, and a nearer file removes none",
  async (folder) => {
    mkdirSync(join(top, "project/.git"), { recursive: true });
    put("project/.claude/settings.json", { permissions: { deny: ["Bash(touch *)"] } });
    put("project/.claude/settings.local.json", { permissions: { ask: ["Bash(mkdir *)"] } });
    put("project/a/b/.claude/settings.json", { permissions: { deny: [] } });
    expect((await decided(folder, "touch x")).decision).toBe("deny");
    expect((await decided(folder, "mkdir x")).decision).toBe("ask");
    expect((await decided(folder, "echo x")).decision).not.toBe("deny");
  },
);

it("hooks of a folder above do not run, and each file is named", async () => {
  mkdirSync(join(top, "project/.git"), { recursive: true });
  const hook = { hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "exit 2" }] }] } };
  put("project/.claude/settings.json", hook);
  put("project/.pi/extensions/guard.js", "export default () => {}\n");
  put("project/.hookline/hooks.yaml", "stop:\n  - command: 'true'\n");
  const { decision, said } = await decided("project/a", "touch x");
  expect(decision).not.toBe("deny");
  for (const path of [".claude/settings.json", ".pi/extensions", ".hookline/hooks.yaml"])
    expect(said).toContain(join(top, "project", path));
  expect((await decided("project", "touch x")).decision).toBe("deny");
});

it("rules above the root of the project do not count", async () => {
  mkdirSync(join(top, "outer/project/.git"), { recursive: true });
  put("outer/.claude/settings.json", { permissions: { deny: ["Bash(touch *)"] } });
  expect((await decided("outer/project/a", "touch x")).decision).not.toBe("deny");
});
