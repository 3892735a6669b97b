import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dialects } from "@hookline/runtime/dialects";
import { createHookRuntime } from "@hookline/runtime/session";
import { afterAll, expect, test } from "vitest";
import { fleetDialect } from "../../src/lane/dialect.ts";

const home = mkdtempSync(join(tmpdir(), "hookline-fleet-"));
afterAll(() => rmSync(home, { recursive: true }));

const unreadable = fleetDialect({ membership: { problem: "its creds are gone", from: join(home, "fleet.json") } });

test("a fleet's lane is after all others and before the host's own handlers, however dialects are given", () => {
  for (const given of [
    [unreadable, ...dialects],
    [...dialects, unreadable],
  ]) {
    const lanes = createHookRuntime({ dialects: given, home, hooklineHome: home }).lanes.map(({ id }) => id);
    expect(lanes.slice(-2)).toEqual(["fleet", "library"]);
  }
});

test("a fleet that cannot be read refuses all guarded calls, and nothing else", async () => {
  const runtime = createHookRuntime({ dialects: [unreadable], home, hooklineHome: home, etc: home });
  const session = await runtime.open({ scene: { sessionId: "s", cwd: home } });
  const said = "the fleet must run, but does not";
  const call = await session.emit("tool.before", { toolCallId: "c", tool: "read", args: {} });
  expect(call.answer).toMatchObject({ decision: "deny", reason: expect.stringContaining(said) });
  expect(call.answer.reason).toContain("its creds are gone");
  const shell = await session.emit("shell.user", { command: "ls", excludeFromContext: false, cwd: home });
  expect(shell.answer).toMatchObject({ cancel: expect.stringContaining(said) });
  expect((await session.emit("prompt.before", { text: "hello" })).answer).toEqual({});
  expect(session.report.sources).toMatchObject([{ tier: "managed", state: "broken", reason: "its creds are gone" }]);
  expect(session.missing()).toMatchObject([{ expected: { name: "the fleet" } }]);
  await runtime.close();
});
