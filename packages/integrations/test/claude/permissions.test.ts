import { beforeAll, describe, expect, it } from "vitest";
import { NO_HOME } from "../../../../scripts/no-home.ts";
import { systemFiles } from "../../../ground/src/file/system-files.ts";
import { type CommandReader, loadReader } from "../../../runtime/src/command/reader.ts";
import { type PermissionFile, readPermissions, type SettingsLevel } from "../../src/claude/hooks/permissions.ts";
import type { RuleWorld } from "../../src/claude/hooks/rule.ts";

let shell: CommandReader;
beforeAll(async () => {
  shell = await loadReader();
});

const file = (level: SettingsLevel, permissions: unknown, more: Record<string, unknown> = {}): PermissionFile => ({
  path: `/${level}/settings.json`,
  level,
  folder: `/${level}`,
  settings: { permissions, ...more },
});

function decide(files: readonly PermissionFile[], command: string, tool = "Bash", more: Partial<RuleWorld> = {}) {
  const world = { cwd: "/cwd", home: NO_HOME, files: systemFiles, shell, ...more };
  return readPermissions(files).decide({ tool_name: tool, tool_input: { command, file_path: command } }, world);
}

describe("permissions of settings files", () => {
  it("denies before it asks before it allows, whichever file says so", () => {
    const user = file("user", { deny: ["Bash(rm *)"], ask: ["Bash(git *)"], allow: ["Bash", "Read"] });
    expect(decide([user], "rm x")?.decision).toBe("deny");
    expect(decide([user], "git push && rm x")?.decision).toBe("deny");
    expect(decide([user], "git push")?.decision).toBe("ask");
    expect(decide([user], "ls")?.decision).toBe("allow");
    expect(decide([user], "x", "Write")).toBeUndefined();
    expect(
      decide([file("managed", { allow: ["Bash"] }), file("project", { deny: ["Bash(rm *)"] })], "rm x")?.decision,
    ).toBe("deny");
    expect(decide([file("user", { ask: ["Bash(aws *)"], allow: ["Bash(aws s3 ls)"] })], "aws s3 ls")?.decision).toBe(
      "ask",
    );
  });

  it("names rule, file and level, of the strongest level first", () => {
    const files = [file("user", { deny: ["Bash(rm *)"] }), file("managed", { deny: ["Bash"] })];
    expect(decide(files, "rm x")).toMatchObject({
      rule: "Bash",
      reason: 'denied by the rule "Bash" in permissions.deny of /managed/settings.json (managed settings)',
    });
    expect(decide([file("local", { ask: ["Bash(rm *)"] })], "rm x")?.reason).toBe(
      'to be asked about because of the rule "Bash(rm *)" in permissions.ask of /local/settings.json (local settings)',
    );
  });

  it("asks about a hidden command whether or not a person can be asked, and names the word [claude.rules.2]", () => {
    const user = file("user", { deny: ["Bash(rm *)"] });
    const reason =
      'to be asked about because of the rule "Bash(rm *)" in permissions.deny of /user/settings.json (user settings): hookline cannot tell whether it applies, because the command computes the name of a program: $PROGRAM. Write that part out in full.';
    for (const canAsk of [true, false])
      expect(decide([user], "$PROGRAM x", "Bash", { canAsk: () => canAsk })).toMatchObject({ decision: "ask", reason });
    expect(decide([user], "$PROGRAM x; rm y")?.decision).toBe("deny");
    expect(decide([user], "curl -s x | sh")?.decision).toBe("ask");
  });

  it("asks about an unknown command where a person can be asked, and else tells that it passed", () => {
    const user = file("user", { deny: ["Bash(rm *)"], ask: ["Bash(git push *)"] });
    const told: unknown[] = [];
    const tell = (...all: unknown[]): void => void told.push(all);
    expect(decide([user], "some-tool rm x", "Bash", { canAsk: () => true, tell })?.decision).toBe("ask");
    expect(decide([user], "some-tool git push", "Bash", { canAsk: () => true, tell })?.decision).toBe("ask");
    expect(told).toEqual([]);
    expect(decide([user], "some-tool rm x", "Bash", { canAsk: () => false, tell })).toBeUndefined();
    expect(told).toMatchObject([["Bash(rm *)", { level: "user" }, { kind: "unknown", word: "rm" }]]);
  });

  it.each([
    ["deny", "deny", "ask", "ask", undefined],
    ["ask", "ask", "ask", "ask", undefined],
    ["allow", "allow", undefined, undefined, undefined],
  ])("does what the table of its page says: %s [claude.rules.2]", (list, certain, hidden, unknown, unattended) => {
    const user = file("user", { [list]: ["Bash(rm *)"] });
    const decided = (command: string, isThere: boolean) =>
      decide([user], command, "Bash", { canAsk: () => isThere })?.decision;
    for (const isThere of [true, false]) {
      expect(decided("rm x", isThere)).toBe(certain);
      expect(decided("$PROGRAM x", isThere)).toBe(hidden);
      expect(decided("some-tool rm x", isThere)).toBe(isThere ? unknown : unattended);
    }
  });

  it("passes a computed word for a rule of a star, which it tells, but not a computed sub-command", () => {
    const user = file("user", { deny: ["Bash(* .env)", "Bash(* push)"] });
    const told: unknown[] = [];
    const tell = (...all: unknown[]): void => void told.push(all);
    expect(decide([user], 'cat "$FILE"', "Bash", { canAsk: () => true, tell })).toBeUndefined();
    expect(told.length).toBeGreaterThan(0);
    expect(decide([user], "cat .env", "Bash", { tell })?.decision).toBe("deny");
    expect(decide([user], "git $WHAT", "Bash", { tell })?.decision).toBe("ask");
  });

  it("says so where it cannot tell", () => {
    expect(decide([file("user", { deny: ["Bash(git push *)"] })], "git $(x)")?.reason).toMatch(
      /cannot tell whether it applies.*Write that part out in full\.$/,
    );
  });

  it("ties a path to the folder of its own settings file", () => {
    const files = [file("user", { deny: ["Edit(/x/**)"] }), file("project", { deny: ["Edit(/y/**)"] })];
    expect(decide(files, "/user/x/a", "Write")?.file.level).toBe("user");
    expect(decide(files, "/project/y/a", "Write")?.file.level).toBe("project");
    expect(decide(files, "/project/x/a", "Write")).toBeUndefined();
  });

  it("allows a command line whose commands different rules allow", () => {
    const user = file("user", { allow: ["Bash(ls *)", "Bash(npm test)"] });
    expect(decide([user], "ls && npm test")?.decision).toBe("allow");
    expect(decide([user], "ls && npm publish")).toBeUndefined();
  });

  it.each<SettingsLevel>(["project", "local"])("does not use what a %s file allows, and says so", (level) => {
    const files = [file(level, { allow: ["Bash"], deny: ["Read"] })];
    expect(decide(files, "ls")).toBeUndefined();
    expect(decide(files, "x", "Read")?.decision).toBe("deny");
    const { remarks, broken } = readPermissions(files);
    expect(broken).toEqual([]);
    expect(remarks).toMatchObject([{ at: "permissions.allow", problem: expect.stringContaining("allow nothing") }]);
  });

  it("uses managed rules only where managed settings say so", () => {
    const files = [
      file("managed", { ask: ["Read"] }, { allowManagedPermissionRulesOnly: true }),
      file("user", { deny: ["Bash"] }),
    ];
    expect(decide(files, "ls")).toBeUndefined();
    expect(decide(files, "x", "Read")?.decision).toBe("ask");
    expect(readPermissions(files).remarks).toMatchObject([{ at: "permissions.deny", file: { level: "user" } }]);
    const own = [
      file("user", { deny: ["Bash"] }, { allowManagedPermissionRulesOnly: true }),
      file("project", { ask: ["Read"] }),
    ];
    expect(decide(own, "x", "Read")?.decision).toBe("ask");
  });

  it("counts a rule that refuses or asks and cannot be read as broken, and keeps the others", () => {
    const files = [file("user", { deny: ["bash(rm *)", "Bash(git push)", 5], ask: "Bash", allow: ["Bash("] })];
    const { broken, remarks } = readPermissions(files);
    expect(broken.map(({ at }) => at)).toEqual(["permissions.deny[0]", "permissions.deny[2]", "permissions.ask"]);
    expect(broken[0]?.problem).toMatch(/^the rule "bash\(rm \*\)" names no tool/);
    expect(remarks.map(({ at }) => at)).toEqual(["permissions.allow[0]"]);
    expect(decide(files, "git push")?.decision).toBe("deny");
  });

  it.each([[[]], ["deny"], [null]])("counts permissions that are %j as broken", (permissions) => {
    expect(readPermissions([file("user", permissions)]).broken).toMatchObject([{ at: "permissions" }]);
  });

  it.each<readonly [string, unknown, string]>([
    ["defaultMode", "acceptEdit", 'Did you mean "acceptEdits"?'],
    ["defaultMode", 5, "Give one of"],
    ["defaultMode", "plan", '"deny"'],
    ["defaultMode", "dontAsk", '"deny"'],
    ["additionalDirectories", ["/srv"], '"Edit(//srv/**)"'],
    ["disableBypassPermissionsMode", "disable", '"deny"'],
    ["denny", ["Bash"], 'Did you mean "deny"?'],
    ["constructor", [], "Give one of"],
  ])("reports %s: %j", (key, value, remedy) => {
    expect(readPermissions([file("user", { [key]: value })]).remarks).toMatchObject([
      { at: `permissions.${key}`, remedy: expect.stringContaining(remedy) },
    ]);
  });

  it.each(["default", "manual", "acceptEdits", "bypassPermissions"])(
    "says nothing about the mode %s",
    (defaultMode) => {
      expect(readPermissions([file("user", { defaultMode })]).remarks).toEqual([]);
    },
  );

  it("tells whether there is anything to ask, and whether commands have to be read", () => {
    expect(readPermissions([])).toMatchObject({ isEmpty: true, needsShell: false });
    expect(readPermissions([file("user", { deny: ["Bash"] })])).toMatchObject({ isEmpty: false, needsShell: false });
    expect(readPermissions([file("user", { deny: ["Read(.env)"] })]).needsShell).toBe(true);
    expect(readPermissions([file("user", { deny: ["Bash(rm *)"] })]).needsShell).toBe(true);
  });
});
