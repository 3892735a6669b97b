import { describe, expect, it } from "vitest";
import { events } from "../../../integrations/src/copilot/host/events.ts";
import { Desk } from "./at-desk.ts";

describe("the installation in Copilot CLI", () => {
  const FILE = "~/.copilot/hooks/hookline.json";

  it("is a separate file, without a matcher and with limits in seconds, and leaves no trace when removed", async () => {
    using desk = new Desk();
    const dry = await desk.run("bridge", "install", "copilot", "--dry-run");
    expect((await desk.run("bridge", "install", "copilot", "--yes")).code).toBe(0);
    expect(desk.read(FILE)).toBe(dry.out);
    const { version, hooks } = JSON.parse(desk.read(FILE) ?? "");
    expect(version).toBe(1);
    expect(Object.keys(hooks)).toEqual(Object.keys(events));
    for (const entries of Object.values<object[]>(hooks)) {
      expect(entries).toHaveLength(1);
      expect(Object.keys(entries[0] ?? {})).toEqual(["type", "bash", "timeoutSec"]);
    }
    const again = await desk.run("bridge", "install", "copilot", "--yes", "--json");
    expect(JSON.parse(again.out)).toMatchObject({ files: [{ action: "none" }], trust: { needed: false } });
    expect((await desk.run("bridge", "status", "copilot")).out).not.toContain("changed since installation");
    await desk.run("bridge", "remove", "copilot", "--yes");
    expect(desk.read(FILE)).toBeUndefined();
  });

  it("leaves other entries of the file as they are, and a file that it cannot read", async () => {
    using desk = new Desk();
    const theirs =
      '{ "version": 1,\n "hooks": { "preToolUse": [ {"type":"command","bash":"./guard.sh"} ], "notification": [] } }\n';
    desk.write(FILE, theirs);
    await desk.run("bridge", "install", "copilot", "--guards-only", "--yes");
    const { hooks } = JSON.parse(desk.read(FILE) ?? "");
    expect(hooks.preToolUse[0]).toEqual({ type: "command", bash: "./guard.sh" });
    expect(Object.keys(hooks)).toEqual(["preToolUse", "notification", "userPromptSubmitted"]);
    const status = JSON.parse((await desk.run("bridge", "status", "copilot", "--json")).out);
    expect(status.hosts[0].foreign).toEqual([{ event: "preToolUse", source: desk.at(FILE) }]);
    await desk.run("bridge", "remove", "copilot", "--yes");
    expect(desk.read(FILE)).toBe(theirs);
    for (const broken of [
      '{ "version": 2 }',
      '{ "hooks": { "preToolUse": {} } }',
      '{ "hooks": { "preToolUse": ["x"] } }',
      "[]",
    ]) {
      desk.write(FILE, broken);
      const { code, err } = await desk.run("bridge", "install", "copilot", "--yes");
      expect([code, err]).toEqual([1, expect.stringContaining("nothing was changed")]);
      expect(desk.read(FILE)).toBe(broken);
    }
  });

  it("says that a project's hooks need a trusted folder, and whether it is one", async () => {
    using desk = new Desk();
    const { out } = await desk.run("bridge", "install", "copilot", "--scope", "project", "--yes");
    expect(out).toContain("only in a folder that you trust");
    expect(desk.read(".github/hooks/hookline.json")).not.toContain(desk.home);
    const trusted = async (): Promise<unknown> =>
      JSON.parse((await desk.run("bridge", "status", "copilot", "--json")).out).hosts[0].trusted;
    expect(await trusted()).toBe(false);
    for (const [folders, is] of [
      [[desk.top], "unknown"],
      [[`${desk.project}2`], false],
      [[desk.project], true],
    ] as const) {
      desk.write("~/.copilot/config.json", JSON.stringify({ trusted_folders: folders }));
      expect([folders, await trusted()]).toEqual([folders, is]);
    }
    desk.write("~/.copilot/config.json", "// mine\n{");
    expect(await trusted()).toBe("unknown");
  });
});
