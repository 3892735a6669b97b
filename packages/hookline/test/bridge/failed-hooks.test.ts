import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { beginPause } from "../../../bridge/src/daemon/pause.ts";
import { HOSTS, type HostName } from "../../../integrations/src/hosts.ts";
import { opened } from "./support/opened.ts";

type Call = readonly [event: string, fields: object];

/** A call and its result as each host tells of them, and where it shows its person a line. */
const CALLS: Readonly<Record<string, readonly Call[]>> = {
  claude: [
    ["PreToolUse", { session_id: "s", tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "1" }],
    [
      "PostToolUse",
      {
        session_id: "s",
        tool_name: "Bash",
        tool_input: { command: "ls" },
        tool_use_id: "1",
        tool_response: { stdout: "x" },
      },
    ],
  ],
  codex: [
    ["PreToolUse", { session_id: "s", tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "1" }],
    [
      "PostToolUse",
      { session_id: "s", tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "1", tool_response: "x" },
    ],
  ],
  copilot: [
    ["preToolUse", { sessionId: "s", timestamp: 1, toolName: "bash", toolArgs: { command: "ls", description: "d" } }],
    [
      "postToolUse",
      {
        sessionId: "s",
        timestamp: 2,
        toolName: "bash",
        toolArgs: { command: "ls", description: "d" },
        toolResult: { resultType: "success", textResultForLlm: "x" },
      },
    ],
    ["agentStop", { sessionId: "s", timestamp: 3 }],
  ],
  cursor: [],
  gemini: [
    ["BeforeTool", { session_id: "s", tool_name: "run_shell_command", tool_input: { command: "ls" } }],
    [
      "AfterTool",
      {
        session_id: "s",
        tool_name: "run_shell_command",
        tool_input: { command: "ls" },
        tool_response: { llmContent: "x" },
      },
    ],
  ],
  omp: [
    ["tool_call", { session: "s", event: { toolCallId: "1", toolName: "bash", input: { command: "ls" } } }],
    [
      "tool_result",
      {
        session: "s",
        event: { toolCallId: "1", toolName: "bash", input: { command: "ls" }, content: [{ type: "text", text: "x" }] },
      },
    ],
  ],
  opencode: [
    [
      "tool.execute.before",
      { session: "s", event: { input: { tool: "bash", callID: "1" }, output: { args: { command: "ls" } } } },
    ],
    [
      "tool.execute.after",
      {
        session: "s",
        event: { input: { tool: "bash", callID: "1", args: { command: "ls" } }, output: { output: "x", metadata: {} } },
      },
    ],
  ],
  pi: [
    ["tool_call", { session: "s", event: { toolCallId: "1", toolName: "bash", input: { command: "ls" } } }],
    [
      "tool_result",
      {
        session: "s",
        event: { toolCallId: "1", toolName: "bash", input: { command: "ls" }, content: [{ type: "text", text: "x" }] },
      },
    ],
  ],
  qwen: [
    [
      "PreToolUse",
      { session_id: "s", tool_name: "run_shell_command", tool_input: { command: "ls" }, tool_use_id: "1" },
    ],
    [
      "PostToolUse",
      {
        session_id: "s",
        tool_name: "run_shell_command",
        tool_input: { command: "ls" },
        tool_use_id: "1",
        tool_response: { llmContent: "x" },
      },
    ],
  ],
} satisfies Readonly<Record<HostName, readonly Call[]>>;

const FAILING = `pre_tool_execution:
  - command: cat > /dev/null; echo guard >&2; exit 1
post_tool_execution:
  - command: cat > /dev/null; echo redactor >&2; exit 1
`;

describe("hooks that fail behind the bridge", () => {
  // Cursor shows a person nothing but the reason of a refusal.
  it.each(Object.keys(CALLS).filter((name) => name !== "cursor"))(
    "are shown to the person in %s, once a session",
    async (name) => {
      const at = opened(await HOSTS[name]?.());
      at.write("~/.jdata/agent/hooks.yaml", FAILING);
      const said = [];
      for (const [event, fields] of CALLS[name] ?? []) said.push(JSON.stringify(await at.ask(event, fields)));
      const all = said.join("");
      expect(all.match(/hooks\.yaml:2 failed \(exit 1: guard\); the call went on/g)).toHaveLength(1);
      expect(all.match(/hooks\.yaml:4 failed \(exit 1: redactor\); the result/g)).toHaveLength(1);
      for (const [event, fields] of CALLS[name] ?? [])
        expect(JSON.stringify(await at.ask(event, fields)) ?? "").not.toContain("failed");
    },
  );

  it.each(Object.keys(CALLS).filter((name) => name !== "cursor"))(
    "are left alone in %s while guards are paused, of which the person is told once a session",
    async (name) => {
      const at = opened(await HOSTS[name]?.());
      at.write("~/.jdata/agent/hooks.yaml", FAILING);
      beginPause(join(at.home, ".hookline"), 5, "a test");
      const said = [];
      for (const [event, fields] of [...(CALLS[name] ?? []), ...(CALLS[name] ?? [])])
        said.push(JSON.stringify(await at.ask(event, fields)));
      const all = said.join("");
      expect(all.match(/guards of yours and of projects are paused until \d\d:\d\d UTC/g)).toHaveLength(1);
      expect(all).not.toContain("hooks.yaml:2 failed");
    },
  );

  it("are in the status of their host, also while its session runs", async () => {
    const at = opened(await HOSTS["codex"]?.());
    at.write("~/.jdata/agent/hooks.yaml", FAILING);
    for (const [event, fields] of CALLS["codex"] ?? []) await at.ask(event, fields);
    const status = async () => JSON.parse(await at.run("bridge", "status", "codex", "--json")).hosts[0];
    await vi.waitFor(async () => expect((await status()).failed).toHaveLength(2), 20_000);
    expect((await status()).failed).toContainEqual({
      source: expect.stringContaining("hooks.yaml:2"),
      event: "pre_tool_execution",
      failed: 1,
      failedOpen: 1,
    });
    expect(await at.run("bridge", "status", "codex")).toContain(
      "hooks.yaml:2 (pre_tool_execution) failed once since yesterday, and 1 call went on",
    );
  });
});
