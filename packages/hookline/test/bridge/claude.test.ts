import { chmodSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { answerCall } from "../../../bridge/src/daemon/answer.ts";
import { Caller } from "../../../bridge/src/daemon/caller.ts";
import { Sessions } from "../../../bridge/src/daemon/sessions.ts";
import { events } from "../../../integrations/src/claude/host/events.ts";
import { HOSTS } from "../../../integrations/src/hosts.ts";
import { openSession } from "../../src/bridge/open.ts";
import { Desk } from "./at-desk.ts";

const CALL = { tool_name: "Bash", tool_input: { command: "rm x", description: "d" }, tool_use_id: "t1" };

describe("the installation in Claude Code", () => {
  const FILE = "~/.claude/settings.json";
  const claude = (desk: Desk, version: string): void =>
    chmodSync(desk.write("../bin/claude", `#!/bin/sh\n[ "$1" = --version ] && echo "${version}"\n`), 0o755);
  const handlers = (desk: Desk): Record<string, Record<string, unknown>> => {
    const { hooks } = JSON.parse(desk.read(FILE) ?? "");
    return Object.fromEntries(Object.entries<any>(hooks).map(([event, [group]]) => [event, group.hooks[0]]));
  };

  it.each([
    ["2.1.295 (Claude Code)", true],
    ["2.2.0", true],
    ["2.1.294 (Claude Code)", false],
    ["1.9.400", false],
    ["something", false],
    [undefined, false],
  ])("has guards refuse when they fail, if %s is known to know it: %s", async (version, isKnown) => {
    using desk = new Desk();
    if (version !== undefined) claude(desk, version);
    const { out } = await desk.run("bridge", "install", "claude", "--yes");
    for (const [event, handler] of Object.entries(handlers(desk)))
      expect([event, handler["onFailure"]]).toEqual([event, isKnown && events[event]?.guard ? "block" : undefined]);
    expect(handlers(desk)["PreToolUse"]).toMatchObject({ timeout: 60 });
    expect(out.includes("2.1.295")).toBe(!isKnown);
    expect(out).toContain("known from its documentation only");
    const status = JSON.parse((await desk.run("bridge", "status", "claude", "--json")).out).hosts[0];
    expect(status.installed.every(({ intact }: { intact: boolean }) => intact)).toBe(true);
    expect(status).toMatchObject({
      trusted: true,
      problems: [],
      notes: isKnown ? [] : [expect.stringContaining("2.1.295")],
    });
    await desk.run("bridge", "remove", "claude", "--yes");
    expect(desk.read(FILE)).toBeUndefined();
  });

  it("leaves out of a project's file what an older version may not know", async () => {
    using desk = new Desk();
    claude(desk, "2.1.330");
    const { out } = await desk.run("bridge", "install", "claude", "--scope", "project", "--yes");
    expect(desk.read(".claude/settings.json")).not.toContain("onFailure");
    expect(desk.read(".claude/settings.json")).not.toContain(desk.home);
    expect(out).toContain("older versions may not know");
  });

  it("is no hook of hookline's own where the name of its folder must be quoted", async () => {
    using desk = new Desk();
    desk.env = { HOOKLINE_HOME: desk.at("~/it's a 'home'") };
    await desk.run("bridge", "install", "claude", "--yes");
    expect(desk.read(FILE)).toContain("home");
    expect(JSON.parse((await desk.run("hooks", "list", "--json")).out).summary).toMatchObject({ runs: 0 });
  });

  it("is no hook of hookline's own, and a hook that only looks like it stays one", async () => {
    using desk = new Desk();
    desk.write(
      FILE,
      '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "echo hookline-hook"}]}]}}\n',
    );
    await desk.run("bridge", "install", "claude", "--yes");
    await desk.run("bridge", "install", "claude", "--scope", "project", "--yes");
    await desk.run("bridge", "install", "pi", "--yes");
    const listed = JSON.parse((await desk.run("hooks", "list", "--json")).out);
    expect(listed.summary).toMatchObject({ runs: 1 });
    const module = listed.sources.find(({ path }: { path: string }) => path.endsWith("hookline-bridge.ts"));
    expect(module).toMatchObject({ state: "disabled", reason: expect.stringContaining("hookline's own") });
    expect(listed.diagnostics).toEqual([]);
    desk.write("~/.pi/agent/extensions/hookline-bridge.ts", `export default (pi) => pi.on("tool_call", () => {});\n`);
    expect(JSON.parse((await desk.run("hooks", "list", "--json")).out).summary.runs).toBe(2);
  });

  it("leaves the hooks of Claude Code's own files to it, and says that nothing was tried", async () => {
    using desk = new Desk();
    desk.write(FILE, '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}\n');
    const { out } = await desk.run("bridge", "report", "claude", "--all");
    expect(out).toContain("(Claude Code runs it itself)");
    expect(out).toContain("known from its documentation only");
    const { source } = JSON.parse((await desk.run("bridge", "report", "claude", "--json")).out);
    expect(source).toEqual({ kind: "documented" });
    expect(JSON.parse((await desk.run("bridge", "report", "codex", "--json")).out).source).toEqual({
      kind: "recorded",
      version: "0.171.0",
    });
  });
});

describe("an entry of Claude Code's that another agent runs, too", () => {
  async function bothIn(desk: Desk) {
    desk.write(
      "~/.pi/agent/extensions/guard.ts",
      `export default (pi) => pi.on("tool_call", () => ({ block: true, reason: "closed" }));\n`,
    );
    const log = (): void => {};
    const sessions = new Sessions({
      open: (parts) => openSession({ ...parts, managed: { path: desk.at("none"), uid: 0 } }),
      log,
    });
    onTestFinished(() => sessions.closeAll());
    return async (host: string, event: string, payload: object, env = {}, origin = `${host}-user`): Promise<string> => {
      const request = {
        ...{ host, event, origin, cwd: desk.project, deadlineMs: 100_000, detach: false },
        env: { HOME: desk.home, HOOKLINE_HOME: desk.at("~/.hookline"), PATH: process.env["PATH"] ?? "", ...env },
        input: Buffer.from(JSON.stringify(payload)),
      };
      return (
        await answerCall(request, new Caller(), { hosts: HOSTS, sessions, hooklineHome: desk.at("~/.hookline"), log })
      ).stdout;
    };
  }

  const claudes = { session_id: "s", hook_event_name: "PreToolUse", ...CALL };
  const copilots = { sessionId: "s", toolName: "bash", toolArgs: { command: "rm x" } };

  it("answers there, unless that agent asks by an entry of its own", async () => {
    using desk = new Desk();
    const ask = await bothIn(desk);
    const inCopilot = () => ask("claude", "PreToolUse", claudes, { COPILOT_CLI: "1" });
    expect(await inCopilot()).toContain("closed");
    expect(await ask("copilot", "preToolUse", copilots)).toContain("closed");
    expect(await inCopilot()).toBe("");
    // In a session of its own, and where it is Claude Code that asks, it answers.
    expect(await ask("claude", "PreToolUse", { ...claudes, session_id: "other" }, { COPILOT_CLI: "1" })).toContain(
      "closed",
    );
    expect(await ask("claude", "PreToolUse", claudes)).toContain("closed");
  });

  it("is asked once by two entries of Copilot CLI, whose calls have no id, and anew by the same entry", async () => {
    using desk = new Desk();
    const ask = await bothIn(desk);
    desk.write(
      "~/.pi/agent/extensions/count.ts",
      `import { appendFileSync } from "node:fs";
       const tell = (text) => appendFileSync(${JSON.stringify(desk.at("told.txt"))}, text + "\\n");
       export default (pi) => {
         pi.on("session_start", ({ reason }) => tell(reason));
         pi.on("tool_call", () => tell("call"));
         pi.on("session_shutdown", () => tell("end"));
       };`,
    );
    const from = (origin: string, event: string, payload: object) =>
      ask("copilot", event, { ...payload, timestamp: Math.random() }, {}, origin);
    // The start overlaps with the first call.
    const first = from("user", "preToolUse", copilots);
    await from("user", "sessionStart", { sessionId: "s", source: "new" });
    const said = [
      await first,
      await from("project", "preToolUse", copilots),
      await from("user", "preToolUse", copilots),
    ];
    expect(new Set(said).size).toBe(1);
    for (const origin of ["user", "project"]) await from(origin, "sessionEnd", { sessionId: "s", reason: "complete" });
    const ended = { session_id: "s", hook_event_name: "SessionEnd" };
    await ask("claude", "SessionEnd", ended, { COPILOT_CLI: "1" });
    await expect.poll(() => desk.read("told.txt")).toBe("startup\ncall\ncall\nend\n");
  });
});
