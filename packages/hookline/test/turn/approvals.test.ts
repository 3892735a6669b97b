import { existsSync } from "node:fs";
import { join } from "node:path";
import { type HostUi, type Payload, textOf } from "@hookline/runtime";
import { describe, expect, test } from "vitest";
import type { Agent } from "../../src/agent/agent.ts";
import { decide } from "../../src/turn/approval.ts";
import { type Bench, startBench } from "../agent/bench.ts";

const write = (path: string) => ({ name: "write", arguments: { path, content: "x" } });
const resultsOf = ({ core }: Agent): string[] =>
  core.store
    .buildSessionContext()
    .messages.flatMap((message) => (message.role === "toolResult" ? [textOf(message.content)] : []));

interface Asked extends Bench {
  /** The questions that the person was asked. */
  readonly questions: string[];
  readonly resolved: Payload<"approval.resolved">[];
}

/** An agent whose model wants to write a file, which a hook asks about; the person says no unless told otherwise. */
async function asked(person: "yes" | "no" | "nobody" = "no"): Promise<Asked> {
  const questions: string[] = [];
  const bench = await startBench({
    ...(person !== "nobody" && {
      mode: "rpc" as const,
      ui: { confirm: async (_title: string, text: string) => questions.push(text) > 0 && person === "yes" },
    }),
    replies: [{ toolCalls: [write("a")] }, { text: "ok" }],
  });
  const resolved: Payload<"approval.resolved">[] = [];
  bench.hooks.on("tool.before", ({ args }) =>
    args["path"] === "a" ? { decision: "ask", reason: "sure?" } : undefined,
  );
  bench.hooks.on("approval.resolved", (event) => {
    resolved.push(event);
    return undefined;
  });
  return { ...bench, questions, resolved };
}

test("a hook of the asker's own lane and tier answers for the person", async () => {
  const { agent, hooks, project, questions, resolved } = await asked();
  const seen: Payload<"approval.requested">[] = [];
  hooks.on("approval.requested", (event) => {
    seen.push(event);
    return { decision: "allow" };
  });
  await agent.prompt("Write");
  expect(existsSync(join(project, "a"))).toBe(true);
  expect(questions).toEqual([]);
  expect(seen).toMatchObject([
    { tool: "write", reason: "sure?", args: { path: "a" }, askedBy: [{ lane: "library", tier: "builtin" }] },
  ]);
  expect(resolved).toMatchObject([{ approved: true }]);
});

test.each([
  { askedBy: [{ lane: "claude", tier: "project" }] },
  {
    askedBy: [
      { lane: "library", tier: "builtin" },
      { lane: "pi", tier: "project" },
    ],
  },
  { askedBy: [] },
])("of $askedBy a hook of the library does not lift the question; the person decides", async ({ askedBy }) => {
  const { agent, hooks, questions } = await asked();
  hooks.on("approval.requested", () => ({ decision: "allow" }));
  const signal = new AbortController().signal;
  const question = { toolCallId: "1", tool: "write", args: {}, reason: "sure?", askedBy, title: "Run write?", signal };
  expect(await decide(agent.core, question)).toEqual({ approved: false, reason: "sure?" });
  expect(questions).toHaveLength(1);
});

test("a denial counts whoever gives it, and the model gets its reason", async () => {
  const { agent, hooks, project, questions, resolved } = await asked("yes");
  hooks.on("approval.requested", () => ({ decision: "allow" }));
  hooks.on("approval.requested", () => ({ decision: "deny", reason: "not on Sundays" }));
  await agent.prompt("Write");
  expect(existsSync(join(project, "a"))).toBe(false);
  expect(resultsOf(agent)).toEqual(["not on Sundays"]);
  expect(questions).toEqual([]);
  expect(resolved).toMatchObject([{ approved: false, reason: "not on Sundays" }]);
});

test("a hook that fails or says nothing leaves the question to the person", async () => {
  const { agent, hooks, project, questions } = await asked("yes");
  hooks.on("approval.requested", () => {
    throw new Error("broken");
  });
  hooks.on("approval.requested", () => undefined);
  await agent.prompt("Write");
  expect(questions).toHaveLength(1);
  expect(existsSync(join(project, "a"))).toBe(true);
});

test("a halt ends the run and the call does not run", async () => {
  const { agent, hooks, project, server, questions } = await asked("yes");
  hooks.on("approval.requested", () => ({ decision: "allow", halt: { reason: "go home" } }));
  expect(await agent.prompt("Write")).toEqual({ kind: "stopped", reason: "go home", halt: true });
  expect(existsSync(join(project, "a"))).toBe(false);
  expect(server.requests).toHaveLength(1);
  expect(questions).toEqual([]);
});

test("without a person no hook is asked, and the call is refused", async () => {
  const { agent, hooks, project, resolved } = await asked("nobody");
  let isAsked = false;
  hooks.on("approval.requested", () => {
    isAsked = true;
    return { decision: "allow" };
  });
  await agent.prompt("Write");
  expect(isAsked).toBe(false);
  expect(existsSync(join(project, "a"))).toBe(false);
  expect(resolved).toMatchObject([{ approved: false, reason: "no interactive UI available" }]);
});

describe("arguments that are changed while a call is approved", () => {
  const changedTo = (path: string) => () => ({ decision: "allow" as const, args: { path, content: "x" } });

  test("run when every guard lets them through", async () => {
    const { agent, hooks, project } = await asked();
    const judged: unknown[] = [];
    hooks.on("tool.before", ({ args }) => {
      judged.push(args["path"]);
      return undefined;
    });
    hooks.on("approval.requested", changedTo("b"));
    await agent.prompt("Write");
    expect([existsSync(join(project, "a")), existsSync(join(project, "b"))]).toEqual([false, true]);
    expect(judged).toEqual(["a", "b"]);
  });

  test("do not run when a guard denies them", async () => {
    const { agent, hooks, project, questions } = await asked("yes");
    hooks.on("tool.before", ({ args }) => (args["path"] === "b" ? { decision: "deny", reason: "not b" } : undefined));
    hooks.on("approval.requested", changedTo("b"));
    await agent.prompt("Write");
    expect(resultsOf(agent)).toEqual(["not b"]);
    expect([existsSync(join(project, "a")), existsSync(join(project, "b"))]).toEqual([false, false]);
    expect(questions).toEqual([]);
  });

  test.each([
    ["yes", true],
    ["no", false],
  ] as const)("go to the person when a guard asks about them, who says %s", async (person, runs) => {
    const { agent, hooks, project, questions } = await asked(person);
    hooks.on("tool.before", ({ args }) => (args["path"] === "b" ? { decision: "ask" } : undefined));
    hooks.on("approval.requested", changedTo("b"));
    await agent.prompt("Write");
    expect(questions).toHaveLength(1);
    expect(questions[0]).toContain('"b"');
    expect(existsSync(join(project, "b"))).toBe(runs);
  });

  test("do not run when they do not fit the tool, or a guard would change them again", async () => {
    const first = await asked("yes");
    first.hooks.on("approval.requested", () => ({ decision: "allow", args: { path: "b" } }));
    await first.agent.prompt("Write");
    expect(resultsOf(first.agent)[0]).toMatch(/cannot run.*do not fit the tool/);
    const second = await asked("yes");
    second.hooks.on("tool.before", ({ args }) => (args["path"] === "b" ? { args: { ...args, path: "c" } } : undefined));
    second.hooks.on("approval.requested", changedTo("b"));
    await second.agent.prompt("Write");
    expect(resultsOf(second.agent)[0]).toMatch(/would change it again/);
    for (const name of ["a", "b", "c"]) expect(existsSync(join(second.project, name))).toBe(false);
  });
});

describe("a person who changes the call, or says why not", () => {
  type Answer = Awaited<ReturnType<NonNullable<HostUi["approve"]>>>;

  async function answering(...answers: readonly Answer[]) {
    const shown: unknown[] = [];
    const bench = await startBench({
      mode: "rpc",
      ui: {
        approve: async (_title, _message, args) => {
          shown.push(args["path"]);
          return answers[shown.length - 1] ?? { approved: false };
        },
      },
      replies: [{ toolCalls: [write("a")] }, { text: "ok" }],
    });
    const judged: unknown[] = [];
    bench.hooks.on("tool.before", ({ args }) => {
      judged.push(args["path"]);
      if (args["path"] === "secret") return { decision: "deny", reason: "not there" };
      return { decision: "ask", reason: "sure?" };
    });
    return { ...bench, shown, judged, has: (name: string) => existsSync(join(bench.project, name)) };
  }

  test("the changed call is what runs, after every guard has judged it", async () => {
    const { agent, has, shown, judged } = await answering({ approved: true, args: { path: "b", content: "y" } });
    await agent.prompt("Write");
    expect([has("a"), has("b")]).toEqual([false, true]);
    expect(judged).toEqual(["a", "b"]);
    expect(shown).toEqual(["a"]);
  });

  test("a guard that denies the changed call has the last word", async () => {
    const { agent, has } = await answering({ approved: true, args: { path: "secret", content: "y" } });
    await agent.prompt("Write");
    expect([has("a"), has("secret")]).toEqual([false, false]);
    expect(resultsOf(agent)).toEqual(["not there"]);
  });

  test("a changed call that cannot run is refused, and so is one that a hook would change again", async () => {
    const bad = await answering({ approved: true, args: { path: 1 } });
    await bad.agent.prompt("Write");
    expect(bad.has("a")).toBe(false);
    expect(resultsOf(bad.agent)[0]).toMatch(/the changed call cannot run/);
    const again = await answering({ approved: true, args: { path: "b", content: "y" } });
    again.hooks.on("tool.before", ({ args }) => (args["path"] === "b" ? { args: { ...args, path: "c" } } : undefined));
    await again.agent.prompt("Write");
    expect([again.has("a"), again.has("b"), again.has("c")]).toEqual([false, false, false]);
  });

  test("the reason of a refusal is what the model is told", async () => {
    const { agent, has } = await answering({ approved: false, reason: "Use the branch instead." });
    await agent.prompt("Write");
    expect(has("a")).toBe(false);
    expect(resultsOf(agent)).toEqual(["Use the branch instead."]);
  });

  test("an answer that says neither refuses", async () => {
    const { agent, has } = await answering({ args: { path: "b", content: "y" } } as never);
    await agent.prompt("Write");
    expect([has("a"), has("b")]).toEqual([false, false]);
  });

  test("a wrapped call goes the same way: changed, judged again, refused by a guard", async () => {
    const answers: Answer[] = [
      { approved: true, args: { path: "b" } },
      { approved: true, args: { path: "secret" } },
      { approved: false, reason: "no" },
    ];
    const { hooks } = await answering(...answers);
    const ran: unknown[] = [];
    const call = { tool: "write", toolCallId: "c", args: { path: "a" } };
    const run = (args: object): string => String(ran.push(args));
    expect(await hooks.wrap(call, run)).toMatchObject({ blocked: false, args: { path: "b" } });
    expect(await hooks.wrap(call, run)).toMatchObject({ blocked: true, content: [{ text: "not there" }] });
    expect(await hooks.wrap(call, run)).toMatchObject({ blocked: true, content: [{ text: "no" }] });
    expect(ran).toEqual([{ path: "b" }]);
  });
});
