import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { requireUnlocked } from "../../src/cli/fleet.ts";
import { readSettings } from "../../src/settings/settings.ts";
import { fleetLock, fleetOf } from "../../src/start/fleet.ts";

const place = mkdtempSync(join(tmpdir(), "hookline-locked-"));
const uid = process.getuid?.() ?? 0;
const managed = { path: join(place, "etc/settings.json"), uid };
let home = "";
beforeEach(() => {
  home = mkdtempSync(join(place, "home-"));
  mkdirSync(join(home, "fleet"));
  writeFileSync(join(home, "fleet/fleet.json"), "{}", { mode: 0o600 });
});
afterAll(() => rmSync(place, { recursive: true }));

const lockOf = (settings: object, own: object = {}) => {
  mkdirSync(join(place, "etc"), { recursive: true });
  writeFileSync(managed.path, JSON.stringify(settings), { mode: 0o644 });
  writeFileSync(join(home, "settings.json"), JSON.stringify(own), { mode: 0o600 });
  return fleetLock(readSettings(home, home, managed), managed);
};

describe("a machine that is locked into its fleet", () => {
  test("is left and joined again only by the owner of the settings for everybody", () => {
    const lock = lockOf({ fleet: { locked: true } });
    expect(lock).toEqual({ path: managed.path, owner: uid });
    expect(() => requireUnlocked(lock, home, uid + 1)).toThrow(/fleet\.locked in .*settings\.json; only the owner/);
    expect(() => requireUnlocked(lock, home, uid)).not.toThrow();
    // Who belongs to no fleet may join one.
    rmSync(join(home, "fleet"), { recursive: true });
    expect(() => requireUnlocked(lock, home, uid + 1)).not.toThrow();
  });

  test("is not locked by a person's own settings, nor by a file that somebody else could have written", () => {
    expect(lockOf({}, { fleet: { locked: true } })).toBeUndefined();
    expect(lockOf({ fleet: { locked: true } }, { fleet: { locked: false } })).toBeDefined();
    if (uid !== 0) return;
    chownSync(managed.path, 4711, 4711);
    expect(fleetLock(readSettings(home, home, managed), managed)).toBeUndefined();
  });

  test("follows the fleet of its home, whatever the environment says", async () => {
    const env = { HOOKLINE_FLEET_URL: "nats://127.0.0.1:1" };
    const problemOf = async (isLocked: boolean) => {
      const found = await (await fleetOf(home, env, isLocked))?.dialect.discover({} as never);
      return found?.candidates.map(({ reason }) => reason).join();
    };
    expect(await problemOf(false)).toContain("HOOKLINE_FLEET_CREDS is not");
    expect(await problemOf(true)).toContain("fleet.json");
  });
});
