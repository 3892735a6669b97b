import { describe, expect, it } from "vitest";
import { claude, jcli } from "../src/index.ts";
import { openSession } from "./opened.ts";

const OFFERED = "mcp__my_db__drop_0a1b2c";
const NAMES = ["mcp__my_db__drop", OFFERED, "mcp__my.db__drop"];
const scene = {
  tool: (name: string) => (name === OFFERED ? { names: NAMES, tier: "project" as const } : undefined),
};
const call = { tool: OFFERED, toolCallId: "1", args: { a: "b" } };
const settings = (value: object): Readonly<Record<string, string>> => ({
  "home/.claude/settings.json": JSON.stringify(value),
});
const hook = (event: string, handler: object, matcher?: string): object => ({
  hooks: { [event]: [{ ...(matcher !== undefined && { matcher }), hooks: [{ type: "command", ...handler }] }] },
});

describe.each(NAMES)("a tool that is offered under another name, guarded as %s", (name) => {
  it.each([
    ["a deny rule", claude, settings({ permissions: { deny: [name] } }), "deny"],
    ["an ask rule", claude, settings({ permissions: { ask: [name] } }), "ask"],
    ["a matcher", claude, settings(hook("PreToolUse", { command: "exit 2" }, name.replace(".", "\\."))), "deny"],
    ["an if", claude, settings(hook("PreToolUse", { command: "exit 2", if: name })), "deny"],
    [
      "a filter",
      jcli,
      {
        "home/.jdata/agent/hooks.yaml": `pre_tool_execution:\n  - command: "echo '{\\"action\\":\\"stop\\"}'"\n    filter:\n      tool_name: ${name}\n`,
      },
      "deny",
    ],
  ] as const)("is reached by %s", async (_, dialect, files, decision) => {
    await using opened = await openSession(dialect, files, { scene, env: { PATH: process.env["PATH"] ?? "" } });
    expect((await opened.session.emit("tool.before", call)).answer.decision).toBe(decision);
  });

  it("is allowed on a person's behalf only under the offered name", async () => {
    const decision = { hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } } };
    const command = `echo '${JSON.stringify(decision)}'`;
    const files = settings(hook("PermissionRequest", { command }, name.replace(".", "\\.")));
    await using opened = await openSession(claude, files, { scene, env: { PATH: process.env["PATH"] ?? "" } });
    const { answer } = await opened.session.emit("approval.requested", call);
    expect(answer.decision).toBe(name === OFFERED ? "allow" : undefined);
  });
});
