import { describe, expect, test } from "vitest";
import { catalog, type EventName } from "../../src/catalog/catalog.ts";
import type { Scene } from "../../src/hook/lane.ts";
import type { TraceLine } from "../../src/run/trace.ts";
import { openWith } from "../laws/session.ts";

const scene: Scene = { sessionId: "s", cwd: "/", agentId: "a1", agentType: "reviewer", depth: 1 };
const call = { toolCallId: "c1", tool: "bash", args: { command: "ls" } };
const spawn = { type: "reviewer", prompt: "p", model: "m", tools: ["read"], depth: 1 };

/** The events of the main agent alone. Source: design/agents-and-mcp.md, "Hooks". */
const MAIN = [
  ...[...catalog.keys()].filter((name) => /^(?:session|prompt|context|turn)\./.test(name)),
  ...["input", "input.sent", "python.user", "resources.discover", "reply.final", "todo.reminder", "project.trust"],
  ...["agent.before-start", "agent.start", "agent.end", "agent.stop", "agent.before-settle", "agent.settled"],
  ...["model.before-select", "model.select", "thinking.select", "instructions.loaded", "config.change"],
].sort();

describe("the hooks of a session, as a sub-agent asks them", () => {
  test("are those of its session, so that a guard refuses its calls", async () => {
    const { session, runtime } = await openWith({});
    session.on("tool.before", () => ({ decision: "deny", reason: "no" }));
    const within = session.within(scene);
    expect((await within.emit("tool.before", call)).answer).toMatchObject({ decision: "deny", reason: "no" });
    expect(await within.wrap(call, () => "ran")).toMatchObject({ blocked: true, isError: true });
    await runtime.close();
  });

  test("are those that come later, and not those that have gone", async () => {
    const { session, runtime } = await openWith({});
    const within = session.within(scene);
    expect(within.has("tool.before")).toBe(false);
    const undo = session.on("tool.before", () => ({ decision: "deny" }));
    expect(within.has("tool.before")).toBe(true);
    expect((await within.emit("tool.before", call)).answer.decision).toBe("deny");
    undo();
    expect((await within.emit("tool.before", call)).answer).toEqual({});
    await runtime.close();
  });

  test("hear nothing of the main agent's own moments", async () => {
    const { session, runtime } = await openWith({});
    for (const name of catalog.keys()) session.on(name as EventName, () => undefined);
    const within = session.within(scene);
    expect([...catalog.keys()].filter((name) => !within.has(name as EventName)).sort()).toEqual(MAIN);
    expect((await within.emit("agent.start", {})).answer).toEqual({});
    expect([...catalog.keys()].filter((name) => !session.has(name as EventName))).toEqual([]);
    await runtime.close();
  });

  test("are traced under the sub-agent's id", async () => {
    const lines: TraceLine[] = [];
    const { session, runtime } = await openWith({ trace: { write: (line) => void lines.push(line) } });
    session.on("tool.before", () => undefined);
    session.on("agent.done", async () => ({ feedback: "more" }));
    const done = { prompt: "p", reply: "r", messages: [], retryCount: 0, stopHookActive: false };
    await session.within(scene).emit("tool.before", call);
    expect((await session.within(scene).emit("agent.done", done)).answer).toEqual({ feedback: ["more"] });
    await session.emit("tool.before", call);
    expect(lines.map(({ event, agent }) => [event, agent])).toEqual([
      ["tool.before", "a1"],
      ["agent.done", "a1"],
      ["tool.before", undefined],
    ]);
    await runtime.close();
  });
});

describe("the wish for a sub-agent", () => {
  test("is cancelled by the first who says so; a prompt is handed on, and the last model counts", async () => {
    const { session, runtime } = await openWith({});
    const seen: string[] = [];
    session.on("agent.spawn", ({ prompt }) => ({ prompt: `${prompt}1`, model: "a" }));
    session.on("agent.spawn", ({ prompt }) => ({ prompt: `${prompt}2`, model: ["b", "c"] }));
    expect((await session.emit("agent.spawn", spawn)).answer).toEqual({ prompt: "p12", model: ["b", "c"] });
    session.on("agent.spawn", () => ({ cancel: true, reason: "no" }));
    session.on("agent.spawn", () => void seen.push("asked"));
    expect((await session.emit("agent.spawn", spawn)).answer).toMatchObject({ cancel: true, reason: "no" });
    expect(seen).toEqual([]);
    await runtime.close();
  });

  test("is refused while a hook that must run does not, in sub-agents too", async () => {
    const { session, runtime } = await openWith({ settings: { required: ["/guard.sh"] } });
    await session.load();
    for (const asked of [session, session.within(scene)])
      expect((await asked.emit("agent.spawn", spawn)).answer).toMatchObject({
        cancel: true,
        reason: expect.stringContaining("/guard.sh must run"),
      });
    await runtime.close();
  });
});
