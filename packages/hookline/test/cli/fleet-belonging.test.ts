import { chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VERSION } from "@hookline/ground";
import { HooklineError } from "@hookline/runtime";
import { createHookRuntime } from "@hookline/runtime/session";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { fleetChecks } from "../../src/cli/check-fleet.ts";
import { requireUnlocked } from "../../src/cli/fleet.ts";
import { readSettings } from "../../src/settings/settings.ts";
import { type FleetLock, fleetLock, fleetOf } from "../../src/start/fleet.ts";
import type { fleetPackage } from "../../src/start/fleet-package.ts";

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
    // A machine that belongs to no fleet may join one.
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
    const problemOf = async (lock: FleetLock | undefined) => {
      const found = await (await fleetOf(home, env, lock))?.dialect.discover({} as never);
      return found?.candidates.map(({ reason }) => reason).join();
    };
    expect(await problemOf(undefined)).toContain("HOOKLINE_FLEET_CREDS is not");
    expect(await problemOf({ path: managed.path, owner: uid })).toContain("fleet.json");
  });
});

test("a fleet that cannot be read refuses all guarded calls, and nothing else", async () => {
  const fleet = await fleetOf(home, {}, undefined);
  const runtime = createHookRuntime({ dialects: fleet ? [fleet.dialect] : [], home, hooklineHome: home, etc: home });
  const session = await runtime.open({ scene: { sessionId: "s", cwd: home }, onDiagnostic: () => {} });
  const said = "the fleet must run, but does not";
  const call = await session.emit("tool.before", { toolCallId: "c", tool: "read", args: {} });
  expect(call.answer).toMatchObject({ decision: "deny", reason: expect.stringContaining(said) });
  const shell = await session.emit("shell.user", { command: "ls", excludeFromContext: false, cwd: home });
  expect(shell.answer).toMatchObject({ cancel: expect.stringContaining(said) });
  expect((await session.emit("prompt.before", { text: "hello" })).answer).toEqual({});
  expect(session.report.sources).toMatchObject([{ tier: "managed", state: "broken" }]);
  await runtime.close();
});

test("a list of the fleet that leads nowhere is not no list", async () => {
  rmSync(join(home, "fleet/fleet.json"));
  expect(await fleetOf(home, {}, undefined)).toBeUndefined();
  symlinkSync(join(home, "nowhere"), join(home, "fleet/fleet.json"));
  expect((await fleetOf(home, {}, undefined))?.problem).toContain("fleet.json");
});

describe("a machine of a fleet without the fleet's package", () => {
  const none: typeof fleetPackage = async (needs, because) => {
    throw new HooklineError("FLEET_PACKAGE", { needs, version: VERSION, problem: `it is not in /opt${because}` });
  };
  const write = (text: string): void => writeFileSync(join(home, "fleet/fleet.json"), text);
  const install = `install @hookline/fleet@${VERSION}`;

  test.each<[string, () => void, object, string, string]>([
    ["its list", () => write('{"fleet":"acme"}'), {}, "fleet acme", "fleet.json is there"],
    ["a list without a name", () => write("{"), {}, "a fleet", "fleet.json is there"],
    [
      "a list with a text that could do harm",
      () => write('{"fleet":"\u001b[2J"}'),
      {},
      "a fleet",
      "fleet.json is there",
    ],
    ["a variable", leave, { HOOKLINE_FLEET_URL: "nats://127.0.0.1:1" }, "a fleet", "HOOKLINE_FLEET_URL is set"],
    ["the lock", leave, {}, "a fleet", `fleet.locked is set in ${managed.path}`],
  ])("says by %s what to install, wherever somebody looks", async (sign, prepare, env, whose, because) => {
    prepare();
    const lock = sign === "the lock" ? { path: managed.path, owner: uid } : undefined;
    const fleet = await fleetOf(home, { ...env }, lock, none);
    const said = `this machine belongs to ${whose}; ${install} (it is not in /opt, and `;
    const problem = fleet?.problem ?? "";
    expect([problem.slice(0, said.length), problem.slice(-because.length - 1)]).toEqual([said, `${because})`]);
    expect(await fleetChecks({ fleet }, {})).toMatchObject([{ name: "fleet", ok: false, message: problem }]);
    const runtime = createHookRuntime({ dialects: fleet ? [fleet.dialect] : [], home, hooklineHome: home, etc: home });
    const told: string[] = [];
    const scene = { sessionId: "s", cwd: home };
    const session = await runtime.open({ scene, onDiagnostic: ({ hint }) => void told.push(hint) });
    const { answer } = await session.emit("tool.before", { toolCallId: "c", tool: "read", args: {} });
    expect(answer).toMatchObject({ decision: "deny", reason: expect.stringContaining(problem) });
    expect(told).toContainEqual(expect.stringContaining(`npm install -g @hookline/fleet@${VERSION}`));
    await runtime.close();
  });

  test("is none without a sign", async () => {
    leave();
    expect(await fleetOf(home, { HOOKLINE_FLEET_URL: "" }, undefined, none)).toBeUndefined();
  });

  function leave(): void {
    rmSync(join(home, "fleet"), { recursive: true });
  }
});
