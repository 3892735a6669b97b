import fs, { existsSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { setImmediate as turned } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { switchSession } from "../../src/agent/switch.ts";
import { systemDisk } from "../../src/session/file.ts";
import { startBench } from "../agent/bench.ts";

/** Holds every sync of the thread pool until it is let go. */
function heldSyncs() {
  const held: (() => void)[] = [];
  const spy = vi.spyOn(systemDisk, "syncAside").mockImplementation(() => new Promise((done) => held.push(done)));
  onTestFinished(() => {
    spy.mockRestore();
    for (const letGo of held) letGo();
  });
  return { begun: () => held.length, letGo: () => held.pop()?.() };
}

/** Gives everything that is ready a chance to run. */
async function idle(): Promise<void> {
  for (let n = 0; n < 20; n++) await turned();
}

test("the sync of a turn goes on while the model answers, and the next tool call and the end wait for it", async () => {
  const write = (path: string) => ({ name: "write", arguments: { path, content: path } });
  const { agent, hooks, events } = await startBench({
    replies: [{ toolCalls: [write("a")] }, { toolCalls: [write("b")] }, { text: "done" }],
  });
  const { begun, letGo } = heldSyncs();
  const judged: unknown[] = [];
  hooks.on("tool.before", ({ args }) => {
    judged.push(args["path"]);
    return undefined;
  });
  const started = () =>
    events.flatMap((event) => (event.type === "tool_execution_start" ? (event.args as { path: string }).path : []));
  const replies = () => events.filter((event) => event.type === "message_end" && event.message.role === "assistant");
  let result: unknown;
  const ended = agent.prompt("Write").then((kind) => {
    result = kind;
  });

  await expect.poll(() => replies().length).toBeGreaterThan(1);
  await idle();
  expect({ judged, started: started(), syncs: begun() }).toEqual({ judged: ["a"], started: ["a"], syncs: 1 });
  letGo();
  await expect.poll(() => replies().length).toBe(3);
  await idle();
  expect({ judged, started: started() }).toEqual({ judged: ["a", "b"], started: ["a", "b"] });
  await expect.poll(() => events.some(({ type }) => type === "agent_end")).toBe(true);
  await idle();
  expect(result).toBeUndefined();
  while (result === undefined) {
    letGo();
    await turned();
  }
  await ended;
  expect(result).toMatchObject({ kind: "answered", text: "done" });
});

test("a session that is left is synced before it is closed", async () => {
  const { agent } = await startBench({ replies: [{ text: "one" }] });
  await agent.prompt("One");
  const blocking = vi.spyOn(systemDisk, "sync");
  onTestFinished(() => blocking.mockRestore());
  const { begun, letGo } = heldSyncs();
  const old = agent.core.store;
  old.appendCustomEntry("late");
  const left = switchSession(agent, { reason: "new", open: () => agent.openSession({ kind: "new" }) });
  await expect.poll(begun).toBe(1);
  await idle();
  expect(agent.core.store).toBe(old);
  letGo();
  await left;
  expect(agent.core.store).not.toBe(old);
  expect(blocking).not.toHaveBeenCalled();
});

test("a run of several turns, with hooks that are counted and read the transcript, never blocks on a sync", async () => {
  const blocking = vi.spyOn(fs, "fsyncSync");
  syncBuiltinESMExports();
  onTestFinished(() => {
    blocking.mockRestore();
    syncBuiltinESMExports();
  });
  const call = { name: "write", arguments: { path: "a", content: "a" } };
  const { agent, close, home } = await startBench({
    replies: [{ toolCalls: [call] }, { toolCalls: [call] }, { text: "done" }],
    files: {
      "~/.claude/settings.json": JSON.stringify({
        hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "cat $HOME/none; exit 0" }] }] },
      }),
    },
  });
  blocking.mockClear();
  await agent.prompt("Write");
  expect(existsSync(join(home, ".hookline/sessions"))).toBe(true);
  await close();
  expect(blocking.mock.calls).toEqual([]);
});
