import { describe, expect, it } from "vitest";
import { Desk } from "./at-desk.ts";

/** The events at which Cursor waits for a yes. */
const WAITS = ["beforeSubmitPrompt", "preToolUse", "subagentStart"];

describe("the installation in Cursor", () => {
  const FILE = "~/.cursor/hooks.json";

  it("has guards closed, starts in the project's folder, and leaves no trace when removed", async () => {
    using desk = new Desk();
    const { out } = await desk.run("bridge", "install", "cursor", "--yes");
    expect(out).toContain("known from its documentation only");
    const { version, hooks } = JSON.parse(desk.read(FILE) ?? "");
    expect(version).toBe(1);
    for (const [event, [entry]] of Object.entries<any>(hooks)) {
      expect([event, entry.failClosed]).toEqual([event, WAITS.includes(event) ? true : undefined]);
      expect(entry.command).toMatch(/^cd "\$\{CURSOR_PROJECT_DIR:-\.\}"; \[ -x /);
    }
    expect(hooks.preToolUse[0].timeout).toBe(60);
    expect((await desk.run("bridge", "install", "cursor", "--yes")).out).toContain("has these entries already");
    await desk.run("bridge", "remove", "cursor", "--yes");
    expect(desk.read(FILE)).toBeUndefined();
  });

  it("names the hooks of Claude Code's files, which it may run by itself", async () => {
    using desk = new Desk();
    const notes = async (host: string): Promise<string> =>
      JSON.parse((await desk.run("bridge", "status", host, "--json")).out).hosts[0].notes.join("\n");
    await desk.run("bridge", "install", "cursor", "--yes");
    await desk.run("bridge", "install", "copilot", "--yes");
    expect([await notes("cursor"), await notes("copilot")]).toEqual(["", ""]);
    const theirs = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}\n';
    desk.write("~/.claude/settings.json", theirs);
    expect(await notes("cursor")).toContain(desk.at("~/.claude/settings.json"));
    // Copilot CLI reads a project's only.
    expect(await notes("copilot")).toBe("");
    desk.write(".claude/settings.json", theirs);
    expect(await notes("copilot")).toContain(desk.at(".claude/settings.json"));
    // hookline's own entries are none of them.
    desk.write(".claude/settings.json", "{}");
    await desk.run("bridge", "install", "claude", "--scope", "project", "--yes");
    expect(await notes("copilot")).toBe("");
  });
});
