import { abouts } from "@hookline/integrations/abouts";
import type { Starter } from "@hookline/runtime/engine";
import { testHooks } from "@hookline/runtime/testing";
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

/** Ways to write a command that deletes recursively or by force. */
const DELETING = [
  "rm -rf x",
  "rm -fr x",
  "rm -f x",
  "rm -Rf x",
  "rm -v -rf x",
  "rm -i -r -f x",
  "rm --recursive --force x",
  "rm --force x",
  "rm --rec x",
  "rm x -rf",
  "rm 'my file' --recursive",
  'rm "my file" -r',
  "rm -v x y -r",
  "rm\t-rf\tx",
  "rm \\\n  -rf x",
  "ls\nrm -rf x",
  "cd build;rm -rf .",
  "cd build && rm -rf .",
  "(rm -rf x)",
  "/bin/rm -rf x",
  "\\rm -rf x",
  "sudo rm -rf x",
  "find . -name '*.o' -exec rm -f {} +",
  'bash -c "rm -rf x"',
];

const HARMLESS = [
  "rm x",
  "rm -i x",
  "rm --interactive=never --verbose x",
  "rm report-final.txt",
  "rm x; ls -R",
  "rm x\nls -R",
  "rm x && tar -rf y.tar z",
  "npm-rm -f x",
  "alarm -f x",
  "rmdir -p x",
  "npm install -f",
];

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

  test("refuses every way to delete recursively or by force, and says what a pattern cannot see", async () => {
    await desk.hookline(["hooks", "init", dialect]);
    await using hooks = await testHooks({ project: desk.cwd });
    const decided = async (command: string) =>
      (await hooks.emit("tool.before", { toolCallId: "1", tool: "bash", args: { command } })).answer.decision;
    const asked = async (commands: readonly string[]) =>
      Object.fromEntries(await Promise.all(commands.map(async (command) => [command, await decided(command)])));
    expect(await asked(DELETING)).toEqual(Object.fromEntries(DELETING.map((command) => [command, "deny"])));
    expect(await asked(HARMLESS)).toEqual(Object.fromEntries(HARMLESS.map((command) => [command, undefined])));
    // hookline's own reads what the shell would run; of the others, this is what the example's comment admits.
    expect(await decided('r""m -rf x')).toBe(dialect === "hookline" ? "deny" : undefined);
    if (dialect !== "hookline") expect(files.map(({ text }) => text).join("")).toMatch(/gets by\./);
  });

  test("overwrites nothing", async () => {
    const [{ path } = { path: "" }] = files;
    desk.write(path, "mine\n");
    const { code, err } = await desk.hookline(["hooks", "init", dialect]);
    expect(code).toBe(1);
    expect(err).toMatch(/already exists, and is not overwritten/);
    expect(desk.read(path)).toBe("mine\n");
  });

  test("says what to do next", async () => {
    const { out } = await desk.hookline(["hooks", "init", dialect]);
    expect(out).toMatch(
      /Next:\n(?: {2}hookline hooks test\n)? {2}hookline trust approve\n {2}hookline hooks\n {2}echo '.*' \| hookline hooks fire/,
    );
  });
});
