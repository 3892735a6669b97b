import { readdirSync, readFileSync } from "node:fs";
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
    expect(bench.notices().join()).toMatch(/hook's first message was not sent/);
    expect(bench.server.requests).toHaveLength(0);
  });
});

describe("a session that a hook refuses at its start", () => {
  const reason = "not this one";

  /** A session with one reply, and a hook that refuses every other session from now on. */
  async function refusing(how: "halts" | "fails" = "halts") {
    const bench = await startBench({ mode: "rpc", replies: ok });
    const { agent, hooks } = bench;
    await agent.prompt("One");
    const { store } = agent.core;
    const heard: string[] = [];
    hooks.on("session.end", ({ reason }) => void heard.push(`end ${reason}`));
    hooks.on("session.switch", ({ reason }) => void heard.push(`switch ${reason}`));
    hooks.on("session.branch", () => void heard.push("branch"));
    hooks.on(
      "session.start",
      (event) => {
        heard.push(`start ${event.reason}`);
        if (agent.core.store.getSessionId() === store.getSessionId()) return undefined;
        if (how === "fails") throw new Error("broken");
        return { halt: { reason } };
      },
      { redact: true, name: "gate" },
    );
    return { ...bench, heard, store };
  }

  test("does not begin: the session before it goes on, in its own file and with its lock", async () => {
    const { agent, heard, store, notices, server, events } = await refusing();
    const files = () => readdirSync(store.getSessionDir());
    const before = files();
    await agent.prompt("/new");
    expect(agent.core.store).toBe(store);
    expect(heard).toEqual(["end new", "start new", "end resume", "start resume"]);
    expect(notices().join()).toContain(`A hook refused the session: ${reason}`);
    expect(events.map(({ type }) => type)).not.toContain("session_changed");
    expect(files()).toEqual(before);
    expect(await agent.prompt("Two")).toMatchObject({ kind: "answered" });
    expect(sentTo(server, -1)).toEqual(expect.arrayContaining(["user: One", "user: Two"]));
    expect(readFileSync(store.getSessionFile() ?? "", "utf8")).toContain("Two");
  });

  test("does not begin either if the hook that must judge it fails", async () => {
    const { agent, store, notices } = await refusing("fails");
    await agent.prompt("/new");
    expect(agent.core.store).toBe(store);
    expect(notices().join()).toMatch(/refused the session: .*gate/);
    expect(await agent.prompt("Two")).toMatchObject({ kind: "answered" });
  });

  test("is not resumed, and can be resumed once no hook refuses it", async () => {
    const { agent, hooks, store } = await startBench({ replies: ok }).then(async (bench) => {
      await bench.agent.prompt("One");
      return { ...bench, store: bench.agent.core.store };
    });
    const other = store.getSessionFile();
    await agent.prompt("/new");
    await agent.prompt("Two");
    const current = agent.core.store;
    const off = hooks.on("session.start", () =>
      agent.core.store.getSessionFile() === other ? { halt: { reason } } : undefined,
    );
    await agent.prompt(`/resume ${other}`);
    expect(agent.core.store).toBe(current);
    off();
    await agent.prompt(`/resume ${other}`);
    expect(agent.core.store.getSessionFile()).toBe(other);
  });

  test("is not forked: the caller is told, and no hook hears of a branch", async () => {
    const { agent, heard, store } = await refusing();
    const forked = await forkSession(agent, store.getLeafId() ?? "", { position: "at" });
    expect(forked).toEqual({ cancelled: true });
    expect(agent.core.store).toBe(store);
    expect(heard.filter((line) => line === "branch" || line.startsWith("switch"))).toEqual([]);
  });

  test("and the one before it too takes no prompt", async () => {
    const { agent, hooks, server } = await startBench({ replies: ok });
    await agent.prompt("One");
    hooks.on("session.start", () => ({ halt: { reason } }));
    await agent.prompt("/new");
    expect(await agent.prompt("Two")).toMatchObject({ kind: "stopped", reason });
    expect(server.requests).toHaveLength(1);
  });

  test("j-cli's answer stays ignored [ruling 36a]", async () => {
    const { agent } = await startBench({
      files: {
        "~/.jdata/agent/hooks.yaml": `session_start:\n  - command: echo '{"action":"stop","system_message":"no"}'\n`,
      },
      replies: ok,
    });
    expect(agent.halt).toBeUndefined();
    expect(await agent.prompt("Hello")).toMatchObject({ kind: "answered" });
  });
});
