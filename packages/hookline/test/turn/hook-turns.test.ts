import { expect, test } from "vitest";
import { type Bench, startBench } from "../agent/bench.ts";

const message = { customType: "again", content: "again", display: true };
const endless = () => ({ text: "done" });

/** Starts another turn whenever a run is over, `times` times. */
function keepGoing({ hooks, agent }: Bench, times = Number.POSITIVE_INFINITY, sender?: string): void {
  let count = 0;
  hooks.on("agent.end", () => {
    if (++count <= times)
      agent.services.conversation?.sendMessage(message, { deliverAs: "followUp", triggerTurn: true, sender });
    return undefined;
  });
}

test("a loop that ends by itself is not reported", async () => {
  const bench = await startBench({ replies: endless });
  keepGoing(bench, 9);
  expect((await bench.agent.prompt("Go")).kind).toBe("answered");
  expect(bench.server.requests).toHaveLength(10);
  expect(bench.notices()).toEqual([]);
});

test("one that does not is reported at 10 and stopped at hookTurnCap; the next prompt resets the count", async () => {
  const bench = await startBench({ replies: endless, settings: { hookTurnCap: 15 }, mode: "tui" });
  keepGoing(bench, Number.POSITIVE_INFINITY, "/some/extension.ts");
  const told = [
    "/some/extension.ts keeps the agent going: 10 turns since the last prompt. Esc stops it.",
    "/some/extension.ts has started 15 turns since the last prompt, which is the limit (hookTurnCap). Send a prompt to continue.",
  ];
  expect((await bench.agent.prompt("Go")).kind).toBe("stopped");
  await bench.agent.waitForIdle();
  expect(bench.server.requests).toHaveLength(16);
  expect(bench.notices()).toEqual(told);
  expect(bench.agent.core.queues.pending).toBe(false);
  await bench.agent.prompt("Go on");
  expect(bench.server.requests).toHaveLength(32);
  expect(bench.notices()).toEqual([...told, ...told]);
});

test("turns are counted over all ways to start one, and over runs", async () => {
  const bench = await startBench({ replies: endless, settings: { hookTurnCap: 12 } });
  const { hooks, agent } = bench;
  const { conversation } = agent.services;
  let count = 0;
  hooks.on("agent.settled", () => {
    if (count++ % 2 === 0) conversation?.sendUserMessage("again", {});
    else conversation?.sendMessage(message, { triggerTurn: true });
    return undefined;
  });
  hooks.on("turn.end", () => {
    if (count % 3 === 0) conversation?.sendMessage(message, { deliverAs: "steer" });
    return undefined;
  });
  await agent.prompt("Go");
  await expect.poll(() => agent.core.hookTurns.isOver).toBe(true);
  await agent.waitForIdle();
  expect(bench.server.requests).toHaveLength(13);
});

test("an abort that comes between two turns keeps the second from starting", async () => {
  const call = { toolCalls: [{ name: "bash", arguments: { command: "true" } }] };
  const bench = await startBench({ replies: () => call });
  let started = 0;
  bench.hooks.on("turn.start", () => {
    started += 1;
    return undefined;
  });
  bench.hooks.on("turn.end", () => {
    // Long enough that the loop lets timers and signals in before it goes on.
    const until = performance.now() + 100;
    while (performance.now() < until);
    setImmediate(() => bench.agent.abort());
    return undefined;
  });
  expect((await bench.agent.prompt("Go")).kind).toBe("aborted");
  expect(started).toBe(1);
});

test("steering a run whose tools continue anyway starts no turn of its own", async () => {
  const call = { toolCalls: [{ name: "bash", arguments: { command: "true" } }] };
  const bench = await startBench({
    replies: [...Array.from({ length: 6 }, () => call), { text: "done" }],
    settings: { hookTurnCap: 2 },
  });
  bench.hooks.on("tool.after", () => {
    bench.agent.services.conversation?.sendMessage(message, { deliverAs: "steer" });
    return undefined;
  });
  expect((await bench.agent.prompt("Go")).kind).toBe("answered");
  expect(bench.server.requests).toHaveLength(7);
});

test("what a person sends meanwhile resets the count, and 0 means no limit", async () => {
  const bench = await startBench({ replies: endless, settings: { hookTurnCap: 8 } });
  keepGoing(bench, 14);
  bench.hooks.on("turn.start", () => {
    if (bench.server.requests.length === 7) void bench.agent.prompt("And this", { streaming: "steer" });
    return undefined;
  });
  expect((await bench.agent.prompt("Go")).kind).toBe("answered");

  const unlimited = await startBench({ replies: endless, settings: { hookTurnCap: 0 } });
  keepGoing(unlimited, 210);
  expect((await unlimited.agent.prompt("Go")).kind).toBe("answered");
  expect(unlimited.server.requests).toHaveLength(211);
});
