import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { BridgeHost } from "../../../bridge/src/host/host.ts";
import { rig } from "../../../bridge/test/fixtures/rig.ts";
import { Desk } from "./at-desk.ts";
import { opened } from "./support/opened.ts";

const why = "Rig asks no hook about `type`";
const host: BridgeHost = {
  ...rig,
  tools: { ...rig.tools, tools: { ...rig.tools.tools, type: { kind: "other", unasked: { bash: why } } } },
  table: async () => ({ cells: {}, absent: { "model.*": "Rig hides it" } }),
};

const GUARD = 'export default (pi) => pi.on("tool_call", () => undefined);\n';
const CONTEXT = 'export default (pi) => pi.on("context", () => undefined);\n';
const guards = "~/.pi/agent/extensions/a.ts";

test("what is lost is told at the first session start, and again when it has changed", async () => {
  const at = opened(host);
  const start = async (session: string): Promise<string> =>
    ((await at.ask("Start", { session })) as { readonly notices: readonly string[] }).notices.join("\n");
  // Without a hook nothing is lost.
  expect(await start("none")).toBe("");
  const path = at.write(guards, GUARD);
  const first = await start("one");
  expect(first.split("\n")).toEqual([
    "hookline: Your hooks in Rig: 1 works except for something.",
    `works except  pi      ${path} (guard)`,
    `              tool: ${why}`,
    "`hookline bridge report rig` shows all.",
  ]);
  expect(await start("one")).toBe("");
  expect(await start("two")).toBe("");
  // Hooks of another place are another report, and one that was not shown is shown later.
  const other = at.write("~/.omp/agent/extensions/b.ts", CONTEXT);
  await at.ask("Before", { session: "three", args: {} });
  const changed = await start("four");
  expect(changed).toContain("1 never runs. What has changed:");
  expect(changed).toContain(`${other}\n              context: Rig hides it`);
  expect(changed).not.toContain(path);
  at.write(guards, "export default () => {};\n");
  expect(await start("five")).toContain("1 never runs");
  expect(await start("six")).toBe("");
});

test("a missing guard is reported, and an added line in its file is not a change", async () => {
  const at = opened(host);
  const start = async (session: string): Promise<string> =>
    ((await at.ask("Start", { session })) as { readonly notices: readonly string[] }).notices.join("\n");
  const command = '  - command: "true"\n';
  const path = at.write("~/.jdata/agent/hooks.yaml", `pre_tool_execution:\n${command}`);
  expect(await start("1")).toContain(`${path}:2`);
  at.write("~/.jdata/agent/hooks.yaml", `# of the team\npre_tool_execution:\n${command}`);
  expect(await start("2")).toBe("");
  at.write("~/.jdata/agent/hooks.yaml", "# none\n");
  expect(await start("3")).toContain(`What has changed:\ngone          jcli    ${path}`);
  expect(await start("4")).toBe("");
});

test("what was shown is kept privately for each folder, and what cannot be kept is shown again", async () => {
  const at = opened(host);
  at.write(guards, GUARD);
  await at.ask("Start", { session: "1" });
  const folder = join(at.home, ".hookline/bridge/shown");
  const [name = ""] = readdirSync(folder);
  expect(name).toMatch(/^rig-[0-9a-f]{16}\.json$/);
  expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);

  const blocked = opened(host);
  blocked.write(guards, GUARD);
  mkdirSync(join(blocked.home, ".hookline/bridge"), { recursive: true });
  symlinkSync("/dev/full", join(blocked.home, ".hookline/bridge/shown"));
  const told = { notices: [expect.stringContaining("1 works except")] };
  expect(await blocked.ask("Start", { session: "1" })).toMatchObject(told);
  expect(await blocked.ask("Start", { session: "2" })).toMatchObject(told);
  expect(await blocked.ask("Before", { session: "2", args: {} })).toEqual({});
});

test("what the installation has shown is not told again, what a command inside of an agent prints is", async () => {
  using desk = new Desk();
  const shown = (): boolean => existsSync(join(desk.home, ".hookline/bridge/shown"));
  desk.write(guards, GUARD);
  await desk.run("bridge", "report", "codex");
  expect(shown()).toBe(false);
  await desk.run("bridge", "install", "gemini", "--yes", "--json");
  expect(shown()).toBe(false);
  await desk.run("bridge", "install", "codex", "--yes");
  const [name = ""] = readdirSync(join(desk.home, ".hookline/bridge/shown"));
  expect(name).toMatch(/^codex-/);
  expect(readFileSync(join(desk.home, ".hookline/bridge/shown", name), "utf8")).toContain("a.ts");
});
