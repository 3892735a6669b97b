import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lentPlace } from "./lent.ts";

test("settings are the user's, overridden by a trusted project's, then by explicit overrides", async () => {
  await using place = lentPlace();
  const { SettingsManager } = await place.use("pi-coding-agent", "SettingsManager");
  const agentDir = join(place.folder, "agent");
  mkdirSync(agentDir);
  mkdirSync(join(place.folder, ".pi"));
  writeFileSync(join(agentDir, "settings.json"), '{"theme":"light","compaction":{"reserveTokens":5},"own":{"a":1}}');
  writeFileSync(join(place.folder, ".pi/settings.json"), '{"theme":"dark"}');
  const settings = SettingsManager.create(place.folder, agentDir);
  expect(settings.getTheme()).toBe("dark");
  expect(settings.getCompactionSettings()).toEqual({ enabled: true, reserveTokens: 5, keepRecentTokens: 20_000 });
  expect(settings.getGlobalSettings().own).toEqual({ a: 1 });
  expect(SettingsManager.create(place.folder, agentDir, { projectTrusted: false }).getTheme()).toBe("light");
  settings.applyOverrides({ compaction: { enabled: false } });
  expect(settings.getCompactionSettings()).toMatchObject({ enabled: false, reserveTokens: 5 });
});

test("a change is written at once, and everything else in the file stays", async () => {
  await using place = lentPlace();
  const { SettingsManager } = await place.use("pi-coding-agent", "SettingsManager");
  const file = join(place.folder, "agent/settings.json");
  const settings = SettingsManager.create(place.folder, join(place.folder, "agent"));
  expect(existsSync(file)).toBe(false);
  settings.setShowImages(false);
  writeFileSync(file, '{"mine":1,"terminal":{"showImages":false}}');
  settings.setImageWidthCells(40);
  settings.setModelThinkingLevel("p", "m", "high");
  settings.setProjectSkillPaths(["s"]);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    mine: 1,
    terminal: { showImages: false, imageWidthCells: 40 },
    modelThinkingLevels: { "p/m": "high" },
  });
  expect(JSON.parse(readFileSync(join(place.folder, ".pi/settings.json"), "utf8"))).toEqual({ skills: ["s"] });
  settings.setProjectTrusted(false);
  expect(() => settings.setProjectSkillPaths([])).toThrow("not trusted");
  expect(settings.getSkillPaths()).toEqual([]);
});

test("a file that is not JSON is reported and never replaced", async () => {
  await using place = lentPlace();
  const { SettingsManager } = await place.use("pi-coding-agent", "SettingsManager");
  const file = join(place.folder, "settings.json");
  writeFileSync(file, "{ not");
  const settings = SettingsManager.create(join(place.folder, "other"), place.folder);
  expect(settings.drainErrors()).toMatchObject([{ scope: "global", path: file }]);
  settings.setTheme("dark");
  expect(readFileSync(file, "utf8")).toBe("{ not");
});
