import { describe, expect, it } from "vitest";
import { GUARD_SETTINGS, type GuardName, readSettings } from "../src/settings.ts";

const NAMES = Object.keys(GUARD_SETTINGS) as GuardName[];

describe("the settings of a guard", () => {
  it.each(NAMES)("of %s have defaults, and a person's values in their place", (name) => {
    const { settings, problems } = readSettings(name);
    expect(problems).toEqual([]);
    for (const [key, row] of Object.entries(GUARD_SETTINGS[name])) expect(settings).toHaveProperty(key, row.default);
  });

  it("are tightened by a project, and never loosened", () => {
    const rows = Object.entries(GUARD_SETTINGS).flatMap(([guard, keys]) =>
      Object.entries(keys).flatMap(([key, row]) => ("project" in row ? [`${guard}.${key}`] : [])),
    );
    expect(rows).toEqual([
      ...["commands.level", "commands.protectedBranches", "paths.protect", "paths.noRead"],
      ...["secrets.files", "secrets.names", "secrets.patterns", "undo.include"],
    ]);
    const read = readSettings(
      "commands",
      { protectedBranches: ["prod"], allow: ["make clean"] },
      { level: "note", protectedBranches: ["next"], allow: ["*"], outside: ["/"] },
    );
    expect(read.settings).toEqual({
      ...readSettings("commands").settings,
      protectedBranches: ["prod", "next"],
      allow: ["make clean"],
    });
    expect(read.problems).toEqual(
      ["level", "allow", "outside"].map(
        (key) =>
          `guards.commands.${key} in the project's settings is not used, because a project cannot loosen a guard. Set it in your own settings.`,
      ),
    );
    expect(readSettings("commands", {}, { level: "refuse" }).settings.level).toBe("refuse");
    expect(readSettings("commands", { level: "refuse" }, { level: "ask" }).settings.level).toBe("refuse");
  });

  it.each([
    ["undo", { keepDays: -1 }, "guards.undo.keepDays in your settings must be a whole number over 0; it is not used."],
    ["undo", { exclude: "x" }, "guards.undo.exclude in your settings must be a list of texts; it is not used."],
    [
      "undo",
      { other: 1 },
      "guards.undo.other in your settings is not a setting; choose one of include, exclude, maxBytes, keepDays.",
    ],
    [
      "commands",
      { level: "warn" },
      "guards.commands.level in your settings must be one of note, ask, refuse; it is not used.",
    ],
    ["paths", [], "guards.paths in your settings must be an object; it is not used."],
  ] as const)("name what is wrong, and the default holds: %s %j", (name, person, problem) => {
    expect(readSettings(name, person)).toEqual({ settings: readSettings(name).settings, problems: [problem] });
  });

  it("keep the entries of a list that can be used", () => {
    expect(readSettings("secrets", { patterns: ["acme_*", "*", 1] })).toMatchObject({
      settings: { patterns: ["acme_*"] },
      problems: [
        "guards.secrets.patterns in your settings has 2 entries that are not used: each must be a beginning of 3 to 40 characters and a final `*`, such as `acme_live_*`.",
      ],
    });
  });
});
