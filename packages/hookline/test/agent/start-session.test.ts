import { describe, expect, test } from "vitest";
import { forkSession } from "../../src/agent/branch.ts";
import { startSession } from "../../src/agent/start-session.ts";
import { sentTo, startBench } from "./bench.ts";

const ok = [{ text: "ok", repeat: true }];

describe("what session.start tells the model", () => {
  test("comes before the first prompt, hidden, and only once", async () => {
    const { agent, hooks, server, events } = await startBench({ replies: ok });
    hooks.on("session.start", () => ({ additionalContext: "branch: main" }));
    hooks.on("session.start", () => ({ additionalContext: "two todos" }));
    await startSession(agent, { reason: "startup" });
    await agent.prompt("Hello");
    await agent.prompt("Again");
    const first = sentTo(server, 0);
    expect(first.slice(-3)).toEqual([
      expect.stringContaining("branch: main"),
      expect.stringContaining("two todos"),
      "user: Hello",
    ]);
    expect(
      sentTo(server, 1)
        .join()
        .match(/branch: main/g),
    ).toHaveLength(1);
    const shown = events.flatMap((event) =>
      event.type === "message_end" && event.message.role === "custom" ? [event.message.display] : [],
    );
    expect(shown).toEqual([false, false]);
  });

  test("replaces what an earlier start has said and the model has not seen", async () => {
    const { agent, hooks, server } = await startBench({ replies: ok });
    let count = 0;
    hooks.on("session.start", () => ({ additionalContext: `start ${++count}` }));
    await startSession(agent, { reason: "startup" });
    await agent.prompt("/reload");
    await agent.prompt("/new");
    await agent.prompt("Hello");
    expect(sentTo(server, 0).join()).toContain("start 3");
    expect(sentTo(server, 0).join()).not.toMatch(/start [12]/);
  });

  test("is added at every start: new, resume, fork and reload", async () => {
    const { agent, hooks, server } = await startBench({ replies: ok });
    hooks.on("session.start", ({ reason }) => ({ additionalContext: `because of ${reason}`, title: `by ${reason}` }));
    await agent.prompt("One");
    const file = agent.core.store.getSessionFile();
    await agent.prompt("/reload");
    await agent.prompt("Two");
    expect(sentTo(server, -1).at(-2)).toContain("because of reload");
    expect(agent.core.store.getSessionName()).toBe("by reload");
    await agent.prompt("/new");
    await agent.prompt("Three");
    expect(sentTo(server, -1).at(-2)).toContain("because of new");
    await agent.prompt(`/resume ${file}`);
    await agent.prompt("Four");
    expect(sentTo(server, -1).at(-2)).toContain("because of resume");
    expect(agent.core.store.getSessionName()).toBe("by resume");
    await forkSession(agent, agent.core.store.getLeafId() ?? "", { position: "at" });
    await agent.prompt("Five");
    expect(sentTo(server, -1).at(-2)).toContain("because of fork");
  });
});

describe("a first message of a hook", () => {
  test("is returned at the start of a run without a person", async () => {
    const bench = await startBench({ replies: ok });
    bench.hooks.on("session.start", () => ({ firstMessage: "Say hello" }));
    expect(await startSession(bench.agent, { reason: "startup" })).toBe("Say hello");
    expect(bench.notices()).toEqual([]);
  });

  test.each([
    ["rpc", "startup"],
    ["print", "new"],
  ] as const)("is told of and not sent in mode %s at %s", async (mode, reason) => {
    const bench = await startBench({ mode, replies: ok });
    bench.hooks.on("session.start", () => ({ firstMessage: "Say hello" }));
    expect(await startSession(bench.agent, { reason })).toBeUndefined();
    expect(bench.notices().join()).toMatch(/first message of a hook is not sent/);
    expect(bench.server.requests).toHaveLength(0);
  });
});
