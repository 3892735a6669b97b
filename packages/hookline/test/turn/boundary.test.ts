import { expect, test } from "vitest";
import { sentTo, startBench } from "../agent/bench.ts";

test("a hook that wants more after the run gets another run, at most as often as the cap allows", async () => {
  const bench = await startBench({ replies: [{ text: "again", repeat: true }], settings: { feedbackCap: 2 } });
  const { agent, hooks, server } = bench;
  hooks.on("agent.before-settle", () => ({
    continue: true,
    entries: [{ type: "custom_message", customType: "more", content: "Go on.", display: true }],
  }));
  const settled: boolean[] = [];
  hooks.on("agent.settled", () => {
    settled.push(agent.isIdle);
    return undefined;
  });
  const result = await agent.prompt("Begin");
  expect(result.kind).toBe("answered");
  expect(server.requests).toHaveLength(3);
  expect(sentTo(server, 1).at(-1)).toBe("user: Go on.");
  expect(settled).toEqual([true]);
  expect(bench.notices().join()).toMatch(/the limit is 2/);
});

test("a wish for more without anything to answer has no effect", async () => {
  const { agent, hooks, server } = await startBench({ replies: [{ text: "only" }] });
  hooks.on("agent.before-settle", () => ({ continue: true }));
  hooks.on("turn.end", () => ({ continue: true }));
  await agent.prompt("Begin");
  expect(server.requests).toHaveLength(1);
});

test("entries of turn.end are stored, and a request to continue is followed", async () => {
  const { agent, hooks, server } = await startBench({ replies: [{ text: "one" }, { text: "two" }] });
  let turns = 0;
  hooks.on("turn.end", () => {
    turns += 1;
    if (turns > 1) return undefined;
    return {
      continue: true,
      entries: [
        { type: "custom", customType: "state", data: { turns } },
        { type: "custom_message", customType: "ask", content: "More?", display: true },
      ],
    };
  });
  const result = await agent.prompt("Begin");
  expect(result).toMatchObject({ text: "two" });
  expect(server.requests).toHaveLength(2);
  expect(agent.core.store.getEntries()).toContainEqual(
    expect.objectContaining({ customType: "state", data: { turns: 1 } }),
  );
});

test("an entry that cannot be stored is reported and affects nothing else", async () => {
  const bench = await startBench({ replies: [{ text: "one" }] });
  bench.hooks.on("turn.end", () => ({ entries: [{ type: "context_edit", targetId: "nowhere", replacement: null }] }));
  const result = await bench.agent.prompt("Begin");
  expect(result.kind).toBe("answered");
  expect(bench.notices().join()).toMatch(/was not stored: Entry nowhere not found/);
});

test("stop hooks send the model back up to the cap, then the reply goes through with a notice", async () => {
  const bench = await startBench({ replies: [{ text: "done", repeat: true }], settings: { feedbackCap: 3 } });
  const counts: number[] = [];
  bench.hooks.on("agent.stop", ({ retryCount }) => {
    counts.push(retryCount);
    return { feedback: "not yet" };
  });
  const result = await bench.agent.prompt("Begin");
  expect(result).toMatchObject({ kind: "answered", text: "done" });
  expect(counts).toEqual([0, 1, 2, 3]);
  expect(bench.server.requests).toHaveLength(4);
  expect(bench.notices()).toHaveLength(1);
});

test("hooks of several events that all want more share the cap, which is reported once", async () => {
  const bench = await startBench({ replies: [{ text: "done", repeat: true }], settings: { feedbackCap: 2 } });
  const more = {
    continue: true,
    entries: [{ type: "custom_message", customType: "m", content: "more", display: true }],
  };
  bench.hooks.on("agent.stop", () => ({ feedback: "not yet" }));
  bench.hooks.on("turn.end", () => more as never);
  bench.hooks.on("agent.before-settle", () => more as never);
  expect(await bench.agent.prompt("Begin")).toMatchObject({ kind: "answered" });
  expect(bench.server.requests).toHaveLength(3);
  expect(bench.notices().filter((text) => text.includes("the limit is 2"))).toHaveLength(1);
});

test("a replaced message is what is stored, sent and returned", async () => {
  const { agent, hooks, server } = await startBench({ replies: [{ text: "plain" }, { text: "next" }] });
  hooks.on("message.end", ({ message }) =>
    message.role === "assistant"
      ? { message: { ...message, content: [{ type: "text", text: "replaced" }] } }
      : undefined,
  );
  expect(await agent.prompt("Begin")).toMatchObject({ text: "replaced" });
  await agent.prompt("Next");
  expect(sentTo(server, 1)).toContain("assistant: replaced");
});
