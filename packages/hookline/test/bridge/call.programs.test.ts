import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { CHILD_ENV } from "../../../../scripts/child-env.ts";
import { HOSTS } from "../../../integrations/src/hosts.ts";
import { bin, runProgram } from "./support/program.ts";
import { Rigged } from "./support/rigged.ts";

const GUARD = `export default (pi) => pi.on("tool_call", ({ input }) =>
  input.command.includes("rm") ? { block: true, reason: "no rm" } : undefined);
`;

const payload = (command: string): string =>
  JSON.stringify({
    session_id: "s",
    turn_id: "t",
    transcript_path: null,
    cwd: "/",
    hook_event_name: "PreToolUse",
    model: "m",
    permission_mode: "default",
    tool_name: "Bash",
    tool_input: { command },
    tool_use_id: "call_1",
  });

const refused = (permissionDecisionReason: string): object => ({
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason },
});

test.skipIf(HOSTS["codex"] === undefined)(
  "the command answers with a daemon that it starts, and by itself, in the host's words",
  async () => {
    const at = new Rigged("");
    onTestFinished(() => at.close());
    at.write("~/.pi/agent/extensions/guard.ts", GUARD);
    const call = (command: string, ...more: string[]) =>
      runProgram(at, ["bridge", "call", "codex", "PreToolUse", ...more], payload(command));
    const denied = { code: 0, out: JSON.stringify(refused("no rm")), err: "" };
    // The first answer of a session also says what the host loses.
    expect(JSON.parse((await call("rm x", "--one-shot")).out)).toMatchObject(refused("no rm"));
    expect(JSON.parse((await call("rm x")).out)).toMatchObject(refused("no rm"));
    expect(await call("rm x")).toEqual(denied);
    expect(await call("ls")).toEqual({ code: 0, out: "", err: "" });
    expect(readFileSync(at.place.table, "utf8")).toContain("open codex UserPromptSubmit\nclosed codex PreToolUse\n");
    process.kill(at.pid, "SIGSTOP");
    const hung = await call("ls", "--deadline", "300");
    expect(JSON.parse(hung.out)).toEqual(refused("hookline is not reachable (no answer in time)"));
  },
);

/** An agent that starts its hook as one does: its command line is what tells whether somebody is there. */
const AGENT = `import { execFileSync } from "node:child_process";
const input = JSON.stringify({ sessionId: "s", toolName: "bash", toolArgs: { command: "mywrap rm x" } });
const words = ["bridge", "call", "copilot", "preToolUse", "--one-shot"];
process.stdout.write(execFileSync(process.execPath, [process.env.HOOKLINE, ...words], { input, encoding: "utf8" }));
`;

test.skipIf(HOSTS["copilot"] === undefined || process.platform !== "linux")(
  "an unattended run of an agent that can ask passes a program that is not known, and asks about what is hidden",
  async () => {
    const at = new Rigged("");
    onTestFinished(() => at.close());
    at.write("~/.claude/settings.json", JSON.stringify({ permissions: { deny: ["Bash(rm *)"] } }));
    const run = (agent: string, ...words: string[]): string =>
      execFileSync(process.execPath, [at.write("~/agent.mjs", agent), ...words], {
        cwd: at.project,
        env: { ...CHILD_ENV, HOME: at.home, HOOKLINE: bin },
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      });
    expect(run(AGENT)).toMatch(/"permissionDecision":"ask".*mywrap/);
    expect(run(AGENT, "-p", "go")).not.toContain("permissionDecision");
    expect(run(AGENT.replace("mywrap rm", "$PROGRAM"), "-p", "go")).toMatch(/"permissionDecision":"ask"/);
  },
);
