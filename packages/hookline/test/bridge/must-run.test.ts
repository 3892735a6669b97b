import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { opened } from "./support/opened.ts";

const says = (text: string): object => ({ deny: expect.stringContaining(text) });
const call = (session: string): object => ({ session, args: { command: "npm publish" } });

const GUARD = `pre_tool_execution:
  - command: echo '{"action":"skip","retry_feedback":"made by people"}'
`;
const FROZEN = JSON.stringify({ "bridge.frozen": true });

test("with `bridge.frozen` the lock file decides for each session's folder, and nobody has to approve there", async () => {
  const at = opened();
  at.write(".jcli/hooks.yaml", GUARD);
  at.write("~/.hookline/settings.json", FROZEN);
  expect(await at.ask("Before", call("no lock"))).toEqual(says("hookline.lock"));
  expect(await at.ask("After", call("no lock"))).toEqual({});
  at.write("~/.hookline/settings.json", "{}");
  await at.run("trust", "approve", "--yes", "--lock");
  // Another machine has the project and no approval.
  rmSync(join(at.home, ".hookline/trust.json"));
  expect(await at.ask("Before", call("not frozen"))).toEqual({});
  at.write("~/.hookline/settings.json", FROZEN);
  expect(await at.ask("Before", call("frozen"))).toEqual(says("made by people"));
  at.write(".pi/extensions/more.ts", "export default () => {};\n");
  expect(await at.ask("Before", call("more"))).toEqual(says("more.ts"));
  rmSync(join(at.cwd, ".pi"), { recursive: true });
  rmSync(join(at.cwd, ".jcli"), { recursive: true });
  expect(await at.ask("Prompt", { session: "less", text: "x" })).toEqual(says("hookline.lock"));
  at.write("hookline.lock", "{");
  expect(await at.ask("Before", call("damaged"))).toEqual(says("hookline.lock"));
});

test("neither a project nor a word that cannot be read makes a bridge frozen or not", async () => {
  const at = opened();
  at.write(".jcli/hooks.yaml", GUARD);
  at.write(".hookline/settings.json", FROZEN);
  expect(await at.ask("Before", call("a project's"))).toEqual({});
  at.write("~/.hookline/settings.json", JSON.stringify({ "bridge.frozen": "yes" }));
  expect(await at.ask("Before", call("no boolean"))).toEqual(says("bridge.frozen"));
});

test("what a project requires and a person has not approved refuses there, and lanes are those of the settings", async () => {
  const at = opened();
  at.write(
    ".pi/extensions/guard.ts",
    'export default (pi) => pi.on("tool_call", () => ({ block: true, reason: "pi" }));',
  );
  at.write(".hookline/settings.json", JSON.stringify({ required: [".pi/extensions/guard.ts"] }));
  expect(await at.ask("Before", call("pending"))).toEqual(says(".pi/extensions/guard.ts"));
  await at.run("trust", "approve", "--yes");
  expect(await at.ask("Before", call("approved"))).toEqual({ deny: "pi" });
  at.write("~/.jdata/agent/hooks.yaml", GUARD);
  expect(await at.ask("Before", call("usual order"))).toEqual(says("made by people"));
  at.write("~/.hookline/settings.json", JSON.stringify({ lanes: ["pi", "jcli"] }));
  expect(await at.ask("Before", call("other order"))).toEqual({ deny: "pi" });
});

test("what must run and has registered nothing by the end of the session's start refuses from then on", async () => {
  const tables: string[] = [];
  const at = opened(undefined, ({ text = "" }) => void tables.push(text));
  const path = at.write("~/.pi/agent/extensions/guard.ts", "export default () => {};\n");
  at.write("~/.hookline/settings.json", JSON.stringify({ required: [path] }));
  await wait(50);
  expect(await at.ask("Before", call("silent"))).toEqual(says("guard.ts"));
  await at.ask("Start", { session: "host" });
  expect(await at.ask("Before", call("host"))).toEqual(says("guard.ts"));
  expect(tables.at(-1)).toContain("closed rig Prompt\n");
});

/** Begins to guard only when the session starts, which takes a while. */
const LATE = `export default (pi) => pi.on("session_start", async () => {
  await new Promise((end) => setTimeout(end, 300));
  pi.on("tool_call", () => ({ block: true, reason: "late" }));
});
`;

test("calls that come at once wait for the guards that a session's start registers, and the table knows of them", async () => {
  const tables: string[] = [];
  const at = opened(undefined, ({ text = "" }) => void tables.push(text));
  at.write("~/.pi/agent/extensions/late.ts", LATE);
  // A change within a tick of the clock before the search counts as one during it.
  await wait(50);
  const answers = await Promise.all(Array.from({ length: 10 }, () => at.ask("Before", call("at once"))));
  expect(answers).toEqual(answers.map(() => ({ deny: "late" })));
  // While a session is being opened nobody knows what it guards.
  expect(tables[0]).toBe("");
  expect(tables.at(-1)).toContain("closed rig Before\n");
  expect(tables.at(-1)).toContain("open rig Prompt\n");
});
