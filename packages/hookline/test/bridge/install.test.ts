import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Desk } from "./at-desk.ts";

const FILE = "~/.codex/hooks.json";
const THEIRS = `{\n    "hooks": {\n        "PreToolUse": [ { "matcher": "Bash", "hooks": [{"type":"command", "command":"./guard.sh"}] } ]\n    },   "other" : [1,2]\n}\n`;

describe("bridge install", () => {
  it("prints the exact text with --dry-run and writes nothing, then writes that text", async () => {
    using desk = new Desk();
    const dry = await desk.run("bridge", "install", "codex", "--dry-run");
    expect(desk.read(FILE)).toBeUndefined();
    expect(existsSync(desk.at("~/.hookline/bin"))).toBe(false);
    expect((await desk.run("bridge", "install", "codex", "--yes")).code).toBe(0);
    expect(desk.read(FILE)).toBe(dry.out);
    expect(existsSync(desk.at("~/.hookline/bin/hookline-hook"))).toBe(true);
  });

  it("asks, and leaves everything as it is without a yes or a terminal", async () => {
    using desk = new Desk();
    desk.write(FILE, THEIRS);
    expect((await desk.run("bridge", "install", "codex")).err).toContain("Add --yes");
    desk.answers = ["n"];
    expect((await desk.run("bridge", "install", "codex")).code).toBe(1);
    expect(desk.asked[0]).toContain(desk.at(FILE));
    expect(desk.read(FILE)).toBe(THEIRS);
    desk.answers = ["y"];
    expect((await desk.run("bridge", "install", "codex")).code).toBe(0);
    expect(desk.read(FILE)).not.toBe(THEIRS);
  });

  it("adds behind what is there, keeps a backup, changes nothing twice, and removal gives the same bytes back", async () => {
    using desk = new Desk();
    desk.write(FILE, THEIRS);
    await desk.run("bridge", "install", "codex", "--yes");
    const { hooks, other } = JSON.parse(desk.read(FILE) ?? "");
    expect(other).toEqual([1, 2]);
    // An entry that was first stays first: Codex identifies a trusted hook by its position.
    expect(hooks.PreToolUse[0].hooks[0].command).toBe("./guard.sh");
    expect(hooks.PreToolUse).toHaveLength(2);
    expect(desk.read(`${FILE}.before-hookline`)).toBe(THEIRS);
    const once = desk.read(FILE);
    const again = JSON.parse((await desk.run("bridge", "install", "codex", "--yes", "--json")).out);
    expect(again).toMatchObject({ v: 1, host: "codex", scope: "user", files: [{ action: "none" }] });
    expect(desk.read(FILE)).toBe(once);
    expect((await desk.run("bridge", "remove", "codex", "--yes")).code).toBe(0);
    expect(desk.read(FILE)).toBe(THEIRS);
    expect(desk.read(`${FILE}.before-hookline`)).toBeUndefined();
  });

  it("takes away the file that it made, and keeps what a person has added since", async () => {
    using desk = new Desk();
    await desk.run("bridge", "install", "codex", "--yes");
    await desk.run("bridge", "remove", "codex", "--yes");
    expect(desk.read(FILE)).toBeUndefined();
    desk.write(FILE, THEIRS);
    await desk.run("bridge", "install", "codex", "--yes");
    desk.write(FILE, (desk.read(FILE) ?? "").replace('"other"', '"added": true, "other"'));
    await desk.run("bridge", "remove", "codex", "--yes");
    expect(JSON.parse(desk.read(FILE) ?? "")).toEqual({ ...JSON.parse(THEIRS), added: true });
  });

  it.each([
    ["gemini", "~/.gemini/settings.json", '{"hooks": {}}'],
    ["gemini", "~/.gemini/settings.json", '{"hooks": {"BeforeTool": [], "Other": []}, "a": 1}'],
    ["cursor", "~/.cursor/hooks.json", '{"version": 1}\n'],
    ["cursor", "~/.cursor/hooks.json", '{"version": 1, "hooks": {"stop": []}}'],
    ["copilot", "~/.copilot/hooks/hookline.json", '{"hooks": {"preToolUse": [{"type": "command", "bash": "./x"}]}}'],
  ])("gives %s the same bytes back where its file %s held %s", async (host, path, text) => {
    using desk = new Desk();
    desk.write(path, text);
    await desk.run("bridge", "install", host, "--yes");
    expect(desk.read(path)).toContain("hookline-hook");
    await desk.run("bridge", "remove", host, "--yes");
    expect([desk.read(path), desk.read(`${path}.before-hookline`)]).toEqual([text, undefined]);
  });

  it.each([
    '// mine\n{\n  "a": 1, // one\n  "b": "//" /* two */ // three\n}\n',
    '{\r\n\t// first\r\n\t"hooks": {\r\n\t\t/* x */ "Other": [ /* y */ ] // z\r\n\t} // last, \r\n}\r\n',
    "\ufeff{ // nothing yet\n}",
    '{ "hooks": { "BeforeTool": [ { "x": 1 } /* none, yet */ ], "PreToolUse": [ { "x": 1 } /* none */ ] }, /* c */ "x": "https://x" }',
  ])("keeps the comments in the settings of Gemini CLI and Qwen Code (%j)", async (text) => {
    for (const host of ["gemini", "qwen"]) {
      using desk = new Desk();
      const file = `~/.${host}/settings.json`;
      desk.write(file, text);
      expect((await desk.run("bridge", "install", host, "--yes")).code).toBe(0);
      const once = desk.read(file) ?? "";
      for (const comment of text.match(/ \/\/ .*| \/\*.*?\*\//g) ?? []) expect(once).toContain(comment.trimEnd());
      await desk.run("bridge", "install", host, "--yes");
      expect(desk.read(file)).toBe(once);
      const status = JSON.parse((await desk.run("bridge", "status", host, "--json")).out);
      expect(status.hosts[0].installed.length).toBeGreaterThan(5);
      await desk.run("bridge", "remove", host, "--yes");
      expect(desk.read(file)).toBe(text);
      // A person has changed the file since, so it is not the file from before.
      await desk.run("bridge", "install", host, "--yes");
      desk.write(file, (desk.read(file) ?? "").replace("{", '{ "added": 1,'));
      await desk.run("bridge", "remove", host, "--yes");
      expect(desk.read(file)).not.toContain("hookline-hook");
      for (const comment of text.match(/\/\*.*?\*\//g) ?? []) expect(desk.read(file)).toContain(comment);
    }
  });

  it.each([
    "/home/me/bin/hookline-hook-audit.sh codex",
    "[ -x ~/.hookline/bin/hookline-hook ] || ./warn.sh",
    "/opt/guard/bin/hookline-hook audit All",
    "exec ~/.hookline/bin/hookline-hook codex PreToolUse --origin codex-user --deadline 58000",
    "[ -x /g/bin/hookline-hook ] && exec /g/bin/hookline-hook audit All; exit 0",
    "[ -x /a/bin/hookline-hook ] && exec /b/bin/hookline-hook codex Stop --origin codex-user --deadline 58000; exit 0",
    "./before.sh; [ -x /a/bin/hookline-hook ] && exec /a/bin/hookline-hook codex Stop --origin codex-user --deadline 58000; exit 0",
    "[ -x /a/bin/hookline-hook ] && exec /a/bin/hookline-hook codex Stop --origin codex-user --deadline 58000; exit 0 # and mine",
  ])("does not take a person's own %s for an entry of hookline", async (command) => {
    using desk = new Desk();
    const text = JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command }] }] } });
    desk.write(FILE, text);
    await desk.run("bridge", "remove", "codex", "--yes");
    expect(desk.read(FILE)).toBe(text);
    await desk.run("bridge", "install", "codex", "--yes");
    expect(JSON.parse(desk.read(FILE) ?? "").hooks.PreToolUse).toHaveLength(2);
  });

  it("removes nothing from a file in which a person's hooks stand in front of hookline's under the same name", async () => {
    using desk = new Desk();
    await desk.run("bridge", "install", "codex", "--yes");
    const text = (desk.read(FILE) ?? "").replace("{", '{ "hooks": { "Stop": [] },');
    desk.write(FILE, text);
    expect((await desk.run("bridge", "remove", "codex", "--yes")).code).toBe(1);
    expect(desk.read(FILE)).toBe(text);
  });

  it.each([
    ["no JSON", '{ "hooks": { // mine\n } }'],
    ["another shape", '{ "hooks": [] }'],
    ["another shape of an event", '{ "hooks": { "Stop": {} } }'],
    ["its hooks twice", '{ "hooks": { "Stop": [] }, "hooks": {} }'],
    ["an event twice", '{ "hooks": { "Stop": [], "Stop": [] } }'],
    ["bytes that are no text", Buffer.from([0x7b, 0xff, 0x7d])],
  ])("refuses a file with %s, and leaves it alone", async (_, text) => {
    using desk = new Desk();
    desk.write(FILE, text);
    const before = desk.read(FILE);
    const { code, err } = await desk.run("bridge", "install", "codex", "--yes");
    expect(code).toBe(1);
    expect(err).toContain(desk.at(FILE));
    expect(err).toContain("nothing was changed");
    expect(desk.read(FILE)).toBe(before);
    expect(existsSync(desk.at("~/.hookline/bin"))).toBe(false);
  });

  it("installs only what decides with --guards-only, and says so as data", async () => {
    using desk = new Desk();
    const { out } = await desk.run("bridge", "install", "codex", "--guards-only", "--yes", "--json");
    const { entries, trust } = JSON.parse(out);
    expect(entries.map(({ event }: { event: string }) => event)).toEqual(["UserPromptSubmit", "PreToolUse"]);
    expect(entries[0]).toMatchObject({ timeout: 60, unit: "s" });
    expect(trust).toMatchObject({ needed: true, given: false });
    expect(trust.how).toContain("/hooks");
  });

  it.each([
    ["gemini", "GEMINI_CLI_HOME", "moved", "~/moved/.gemini/settings.json"],
    ["qwen", "QWEN_HOME", "moved", "~/moved/settings.json"],
  ])("goes into the file of %s that %s moves", async (host, variable, folder, file) => {
    using desk = new Desk();
    desk.env = { [variable]: join(desk.home, folder) };
    await desk.run("bridge", "install", host, "--yes");
    expect(desk.read(file)).toContain("hookline-hook");
    desk.env = {};
    expect((await desk.run("bridge", "remove", host, "--yes")).out).toContain("no entries of hookline");
  });

  it("gives Codex's trust only where Codex itself can be asked", async () => {
    using desk = new Desk();
    const { code, err } = await desk.run("bridge", "install", "codex", "--grant", "--yes");
    expect(code).toBe(1);
    expect(err).toContain("Nothing was trusted");
  });

  it("writes a project's entries without a folder of the person's", async () => {
    using desk = new Desk();
    await desk.run("bridge", "install", "codex", "--scope", "project", "--yes");
    expect(desk.read(".codex/hooks.json")).toContain("HOOKLINE_HOME:-$HOME/.hookline");
    expect(desk.read(".codex/hooks.json")).not.toContain(desk.home);
    const status = JSON.parse((await desk.run("bridge", "status", "codex", "--json")).out);
    expect(status.hosts[0]).toMatchObject({ host: "codex", trusted: "unknown", doubled: [], foreign: [] });
    expect(status.hosts[0].installed.every(({ intact }: { intact: boolean }) => intact)).toBe(true);
    await desk.run("bridge", "install", "codex", "--yes");
    const doubled = JSON.parse((await desk.run("bridge", "status", "codex", "--json")).out).hosts[0].doubled;
    expect(doubled).toContain("PreToolUse");
  });

  it("leaves a module of somebody else where pi's adapter would be", async () => {
    using desk = new Desk();
    const path = "~/.pi/agent/extensions/hookline-bridge.ts";
    desk.write(path, "export default () => {};\n");
    expect((await desk.run("bridge", "install", "pi", "--yes")).code).toBe(1);
    expect((await desk.run("bridge", "remove", "pi", "--yes")).code).toBe(0);
    expect(desk.read(path)).toBe("export default () => {};\n");
  });

  it("says what an adapter of pi that a person has changed is, and mends it", async () => {
    using desk = new Desk();
    const path = "~/.pi/agent/extensions/hookline-bridge.ts";
    await desk.run("bridge", "install", "pi", "--yes");
    const text = desk.read(path) ?? "";
    desk.write(path, text.replace("return undefined;", "return {};"));
    expect((await desk.run("bridge", "status", "pi")).out).toContain("changed since installation");
    await desk.run("bridge", "install", "pi", "--yes");
    expect(desk.read(path)).toBe(text);
    await desk.run("bridge", "remove", "pi", "--yes");
    expect(desk.read(path)).toBeUndefined();
  });
});
