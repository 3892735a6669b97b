import { abouts, type Starter } from "@hookline/runtime/internal";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Desk } from "./desk.ts";

let desk: Desk;

beforeEach(() => {
  desk = new Desk();
});

afterEach(() => desk.remove());

const STARTERS = await Promise.all(
  Object.entries(abouts).map(async ([id, { starter }]) => [id, (await starter?.()) as Starter] as const),
);

describe.each(STARTERS)("hooks init %s", (dialect, { event, refused, files }) => {
  test("writes a guard that loads, refuses what it should, and lets the rest pass", async () => {
    const written = await desk.hookline(["hooks", "init", dialect, "--json"]);
    expect(written.json.files).toEqual(files.map(({ path }) => desk.path(path)));
    await desk.hookline(["trust", "approve", "--yes"]);
    const listed = await desk.hookline(["hooks", "list", "--json", "--strict"]);
    expect(listed.code).toBe(0);
    expect(listed.json.summary.runs).toBe(1);
    expect(listed.json.diagnostics).toEqual([]);
    const fire = async (payload: object) =>
      (await desk.hookline(["hooks", "fire", event, "--payload", "-", "--json"], { stdin: JSON.stringify(payload) }))
        .json;
    const bad = await fire(refused);
    expect(bad.hooks).toMatchObject([{ status: "answered" }]);
    expect(JSON.stringify(bad.outcome)).toMatch(/"(block":true|action":"skip"|decision":"deny")/);
    const harmless = JSON.parse(JSON.stringify(refused).replace("rm -rf build", "ls -la"));
    expect((await fire(harmless)).outcome ?? {}).toEqual({});
    const whole = await desk.hookline(["hooks", "fire", "tool.before", "--payload", "-", "--json"], {
      stdin: '{"args":{"command":"rm -fr x"}}',
    });
    expect(whole.json.outcome).toMatchObject({ decision: "deny", reason: expect.stringMatching(/not allowed here/) });
  });

  test("overwrites nothing", async () => {
    const [{ path } = { path: "" }] = files;
    desk.write(path, "mine\n");
    const { code, err } = await desk.hookline(["hooks", "init", dialect]);
    expect(code).toBe(1);
    expect(err).toMatch(/is there already, and is not overwritten/);
    expect(desk.read(path)).toBe("mine\n");
  });

  test("says what to do next", async () => {
    const { out } = await desk.hookline(["hooks", "init", dialect]);
    expect(out).toMatch(/Next:\n {2}hookline trust approve\n {2}hookline hooks\n {2}echo '.*' \| hookline hooks fire/);
  });
});
