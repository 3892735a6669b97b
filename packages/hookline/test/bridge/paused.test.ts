import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { pausedUntil } from "../../../bridge/src/client/place.ts";
import { beginPause, endPause, pauseRefusal, pauseState } from "../../../bridge/src/daemon/pause.ts";
import { type Opened, opened } from "./support/opened.ts";

const says = (text: string): object => ({ deny: expect.stringContaining(text) });
const call = (session: string, command = "npm publish"): object => ({ session, args: { command } });
const homeOf = (at: Opened): string => join(at.home, ".hookline");
const guard = (reason: string): string => `pre_tool_execution:
  - command: echo '{"action":"skip","retry_feedback":"${reason}"}'
`;
/** Gives the administrator's settings, which only their owner may write. */
const manage = (at: Opened, settings: object): void =>
  writeFileSync(at.managed, JSON.stringify(settings), { mode: 0o644 });

/** A home with a guard of the person and an approved one of the project. */
async function guarded(): Promise<Opened> {
  const at = opened();
  at.write(".jcli/hooks.yaml", guard("the project's"));
  await at.run("trust", "approve", "--yes");
  at.write(
    "~/.pi/agent/extensions/guard.ts",
    'export default (pi) => { pi.on("tool_call", () => ({ block: true, reason: "a person\'s" })); };',
  );
  return at;
}

test("a pause leaves out the hooks of the person and of projects, from its beginning to its end", async () => {
  const at = await guarded();
  expect(await at.ask("Before", call("s"))).toHaveProperty("deny");
  beginPause(homeOf(at), 5, "a test");
  expect(await at.ask("Before", call("s"))).not.toHaveProperty("deny");
  expect(await at.ask("Before", call("a new session"))).not.toHaveProperty("deny");
  expect(endPause(homeOf(at))).toBe(true);
  expect(await at.ask("Before", call("s"))).toHaveProperty("deny");
  // One that began an hour ago is over by itself.
  beginPause(homeOf(at), 60, "a test", Date.now() - 3_600_000);
  expect(await at.ask("Before", call("s"))).toHaveProperty("deny");
});

const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;
const lasting = (from: number, until: number) => (file: string) => {
  const now = Math.floor(Date.now() / 1000);
  writeFileSync(file, `from ${now + from} until ${now + until}\n`);
};
const foreign = "is not what this command writes, or other users can write to it";
const resting = "may begin at";

test.each([
  ["is another user's", foreign, (file: string) => chownSync(file, NOBODY, NOBODY)],
  ["is in another user's folder", foreign, (file: string) => chownSync(dirname(file), NOBODY, NOBODY)],
  ...[0o620, 0o602, 0o640, 0o604].map(
    (mode) => [`has the mode ${mode.toString(8)}`, foreign, (file: string) => chmodSync(file, mode)] as const,
  ),
  ["is in a folder that a group may write", foreign, (file: string) => chmodSync(dirname(file), 0o770)],
  [
    "is a link",
    foreign,
    (file: string) => {
      renameSync(file, `${file}.real`);
      symlinkSync(`${file}.real`, file);
    },
  ],
  [
    "is in a folder that is a link",
    foreign,
    (file: string) => {
      renameSync(dirname(file), `${dirname(file)}.real`);
      symlinkSync(`${dirname(file)}.real`, dirname(file));
    },
  ],
  ["has a second name", foreign, (file: string) => linkSync(file, `${file}.2`)],
  ["lasts more than an hour", foreign, lasting(-10, 3591)],
  ["is in the future and lasts more than an hour", foreign, lasting(60, 3661)],
  ["ends before it begins", foreign, lasting(-10, -20)],
  ["has not begun", resting, lasting(60, 120)],
  ["ends now", resting, lasting(-60, 0)],
] as const)("a pause of which the file %s opens nothing and is not replaced", async (what, why, change) => {
  if (what.includes("another user's") && !isRoot) return;
  const at = await guarded();
  expect(pauseRefusal(homeOf(at))).toBeUndefined();
  beginPause(homeOf(at), 5, "a test");
  expect(await at.ask("Before", call("s"))).not.toHaveProperty("deny");
  change(join(homeOf(at), "run/bridge/pause"));
  expect(await at.ask("Before", call("s"))).toHaveProperty("deny");
  expect(await at.ask("Before", call("a new session"))).toHaveProperty("deny");
  expect(pauseRefusal(homeOf(at))).toContain(why);
  expect(endPause(homeOf(at))).toBe(false);
});

test("a pause is not written through a link that is in the way", () => {
  const at = opened();
  const other = at.write("other", "kept");
  const folder = join(homeOf(at), "run/bridge");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  symlinkSync(other, join(folder, "pause.new"));
  beginPause(homeOf(at), 5, "a test");
  expect(pauseState(homeOf(at)).until).toBeDefined();
  expect(at.read("other")).toBe("kept");
});

test("no pause begins in a folder that others may use", () => {
  const at = opened();
  const folder = join(homeOf(at), "run/bridge");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o770);
  expect(() => beginPause(homeOf(at), 5, "a test")).toThrow("it must be your own, with mode 700");
});

test("a call that waits for another one is judged when the pause has ended meanwhile", async () => {
  const at = await guarded();
  const go = join(at.home, "go");
  const slow = at.write(
    "~/.jdata/agent/hooks.yaml",
    `pre_tool_execution:\n  - command: until [ -e '${go}' ]; do sleep 0.05; done; echo '{}'\n    timeout: 60\n`,
  );
  manage(at, { required: [slow] });
  await at.ask("Prompt", { session: "s", text: "x" });
  beginPause(homeOf(at), 1, "a test", Date.now() - 57_000);
  const first = at.ask("Before", call("s"));
  const second = at.ask("Before", call("s"));
  await expect.poll(() => pausedUntil(homeOf(at))).toBeUndefined();
  at.write("~/go", "");
  await first;
  expect(await second).toHaveProperty("deny");
});

test("what an administrator requires is asked, whoever wrote it", async () => {
  const at = await guarded();
  manage(at, { required: ["~/.pi/agent/extensions/guard.ts"] });
  beginPause(homeOf(at), 5, "a test");
  expect(await at.ask("Before", call("s"))).toEqual({ deny: "a person's" });
});

test("what an administrator wants closed is asked, by its file, event or id", async () => {
  const at = await guarded();
  beginPause(homeOf(at), 5, "a test");
  const file = `${at.home}/.pi/agent/extensions/guard.ts`;
  for (const [i, name] of [file, `${file}#tool_call`, `pi:${file}#tool_call[0]`].entries()) {
    manage(at, { failClosed: [name] });
    expect(await at.ask("Before", call(`s${i}`))).toEqual({ deny: "a person's" });
  }
});

test("what an administrator requires and does not run refuses, and so do settings of theirs that cannot be read", async () => {
  const at = await guarded();
  beginPause(homeOf(at), 5, "a test");
  const missing = join(at.home, "nowhere/guard.yaml");
  manage(at, { required: [missing] });
  expect(await at.ask("Before", call("missing"))).toEqual(says(missing));
  writeFileSync(at.managed, "{", { mode: 0o644 });
  expect(await at.ask("Before", call("unreadable"))).toHaveProperty("deny");
  expect(await at.ask("Prompt", { session: "unreadable", text: "x" })).toHaveProperty("deny");
});

test("a hook of the person's own that must run and does not is left out, too", async () => {
  const at = await guarded();
  at.write("~/.hookline/settings.json", JSON.stringify({ required: ["~/gone.yaml"] }));
  expect(await at.ask("Before", call("s"))).toEqual(says("gone.yaml"));
  beginPause(homeOf(at), 5, "a test");
  expect(await at.ask("Before", call("s"))).not.toHaveProperty("deny");
});

test("the protection stays: neither the command nor the file of the pause is for a tool call", async () => {
  const at = await guarded();
  beginPause(homeOf(at), 5, "a test");
  expect(await at.ask("Before", call("s", "setsid hookline bridge pause 60"))).toEqual(says("Only a person may run"));
  expect(await at.ask("Before", call("s", "rm ~/.hookline/run/bridge/pause"))).toEqual(
    says("only a person may change"),
  );
  expect(await at.ask("Write", { session: "s", args: { path: `${homeOf(at)}/run/bridge/pause` } })).toEqual(
    says("decides which hooks run"),
  );
  expect(await at.ask("Before", call("s", "npm test"))).not.toHaveProperty("deny");
});

test("the decision log has the hooks that were left out, and why", async () => {
  const at = await guarded();
  at.write("~/.hookline/settings.json", JSON.stringify({ record: "log" }));
  beginPause(homeOf(at), 5, "a test");
  await at.ask("Before", call("s"));
  await at.sessions.closeAll();
  const folder = join(homeOf(at), "recordings");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".jsonl"));
  const log = files.map((file) => readFileSync(join(folder, file), "utf8")).join("");
  expect(log.match(/"status":"skipped"[^}]*"problem":"guards are paused"/g)).toHaveLength(2);
});

test("the person is told when it begins and when it is over, once each", async () => {
  const at = await guarded();
  beginPause(homeOf(at), 5, "a test");
  const told: unknown[] = [];
  const ask = async (): Promise<void> => {
    await at.ask("Before", call("s"));
    told.push(...(((await at.ask("Stop", { session: "s" })) as { notices: unknown[] }).notices ?? []));
  };
  await ask();
  await ask();
  endPause(homeOf(at));
  await ask();
  await ask();
  expect(told.filter((line) => /paused?/.test(String(line)))).toEqual([
    expect.stringMatching(/^hookline: guards of yours and of projects are paused until \d\d:\d\d UTC;/),
    "hookline: the pause is over; guards are asked again",
  ]);
});

test("a pause is not renewed until an hour after its end", () => {
  const at = opened();
  const home = homeOf(at);
  const minute = 60_000;
  const now = Math.floor(Date.now() / 1000) * 1000;
  expect(pauseRefusal(home, now)).toBeUndefined();
  const until = beginPause(home, 10, "a test", now);
  expect(until).toBe(now + 10 * minute);
  expect(pauseState(home, now + 10 * minute - 1)).toEqual({ until, nextFrom: now + 70 * minute });
  expect(pauseRefusal(home, now + minute)).toContain("cannot be renewed");
  expect(pauseState(home, until)).toEqual({ nextFrom: now + 70 * minute });
  expect(pauseRefusal(home, now + 69 * minute)).toContain("may begin at");
  expect(pauseRefusal(home, now + 70 * minute)).toBeUndefined();
  // A clock that was set back neither lengthens a pause nor allows the next one.
  expect(pauseState(home, now - minute).until).toBeUndefined();
  expect(pauseRefusal(home, now - minute)).toContain("may begin at");
});
