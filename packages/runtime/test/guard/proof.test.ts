import type { SessionOptions, TraceLine } from "@hookline/runtime";
import { type Guard, guard } from "@hookline/runtime/guard";
import { createHookRuntime, type HookSession } from "@hookline/runtime/session";
import { describe, expect, onTestFinished, test } from "vitest";
import { NO_HOME } from "../../../../scripts/no-home.ts";

const call = (command: string, toolCallId = "1") => ({ toolCallId, tool: "bash", args: { command } });

interface Opened {
  readonly session: HookSession;
  readonly trace: TraceLine[];
  readonly told: string[];
}

async function opened(options: Partial<SessionOptions> = {}): Promise<Opened> {
  const runtime = createHookRuntime({ home: NO_HOME, env: {} });
  onTestFinished(() => runtime.close());
  const trace: TraceLine[] = [];
  const told: string[] = [];
  const session = await runtime.open({
    scene: { sessionId: "s", cwd: NO_HOME },
    trace: { write: (line) => void trace.push(line), payloads: true },
    onDiagnostic: ({ code, message }) => void told.push(`${code} ${message}`),
    ...options,
  });
  return { session, trace, told };
}

/** A guard that refuses what `isBad` says, with a case that it must refuse. */
function guardOf(name: string, isBad: (command: string) => unknown, more: Partial<Guard> = {}): Guard {
  return {
    ...guard({
      name,
      on: "tool.before",
      tools: ["bash"],
      run: ({ args }) => (isBad(args.command) ? { deny: `no ${name}` } : undefined),
      cases: [{ args: { command: "bad" }, expect: "deny" }],
    }),
    ...more,
  };
}

const isBad = (command: string): boolean => command === "bad";

test("a guard that refuses its case is alive, before the first call, once, and nothing else is asked or counted", async () => {
  const { session, trace } = await opened();
  const seen: string[] = [];
  session.on("tool.before", ({ args }) => void seen.push(String(args["command"])));
  const asked: string[] = [];
  const noted = (command: string): boolean => {
    asked.push(command);
    return isBad(command);
  };
  session.on(guardOf("g", noted));
  await session.emit("tool.before", call("ls"));
  await session.emit("tool.before", call("pwd"));
  expect(session.proof).toEqual({ asked: 1, alive: 1, dead: [], untested: [] });
  expect([asked, seen]).toEqual([
    ["bad", "ls", "pwd"],
    ["ls", "pwd"],
  ]);
  expect(trace.map(({ probe, outcome }) => [probe, (outcome as { decision?: string }).decision])).toEqual([
    [true, "deny"],
    [undefined, undefined],
    [undefined, undefined],
  ]);
  const { metrics } = session.hooks().find(({ hook }) => hook.id.includes(":g#"))?.hook ?? {};
  expect([metrics?.runs, metrics?.blocked]).toEqual([2, 0]);
});

test.each<[string, Guard["run"], RegExp]>([
  ["lets its case pass", () => undefined, /it let its case pass/],
  ["only asks about it", () => ({ ask: "Sure?" }), /it only asked about its case, which it must refuse/],
  ["allows it", () => ({ decision: "allow" }), /it let its case pass/],
  [
    "breaks",
    () => {
      throw new Error("no such module");
    },
    /it failed at its case: no such module/,
  ],
  ["answers nonsense", () => ({ decison: "deny" }), /it failed at its case/],
])("of a guard that %s, the calls that it listens to are refused, and no others", async (_, run, problem) => {
  const { session, told } = await opened();
  session.on(guardOf("dead", isBad, { run }));
  session.on(guardOf("good", isBad));
  const { answer } = await session.emit("tool.before", call("ls"));
  expect(answer.decision).toBe("deny");
  expect(answer.reason).toMatch(/the guard dead does not work/);
  expect(answer.reason).toMatch(problem);
  const read = { toolCallId: "2", tool: "read", args: { path: "x" } };
  expect((await session.emit("tool.before", read)).answer).toEqual({});
  expect(session.proof).toMatchObject({ asked: 2, alive: 1, dead: [{ name: "dead", event: "tool.before" }] });
  expect(told.filter((line) => line.startsWith("GUARD_NOT_ALIVE"))).not.toEqual([]);
});

const result = (text: string) => ({
  ...{ ...call("show"), details: {}, isError: false, blocked: false },
  content: [{ type: "text" as const, text }],
});

/** A guard that removes a secret, with a case that it must edit. */
function redactor(run: Guard["run"]): Guard {
  const { content } = result("my key");
  return { name: "r", on: "tool.after", run, cases: [{ payload: { content }, expect: "edit" }] };
}

test("a guard that edits its case is alive", async () => {
  const { session } = await opened();
  session.on(redactor(() => ({ content: result("-").content })));
  await session.prove();
  expect(session.proof).toEqual({ asked: 1, alive: 1, dead: [], untested: [] });
  expect((await session.emit("tool.after", result("a key"))).answer.content).toEqual(result("-").content);
});

test("of a guard that leaves its case as it was, what it redacts is withheld", async () => {
  const { session } = await opened();
  session.on(redactor(() => undefined));
  await session.prove();
  expect(session.proof.dead).toMatchObject([{ name: "r", problem: "it left its case as it was" }]);
  expect(JSON.stringify((await session.emit("tool.after", result("a key"))).answer.content)).not.toContain("a key");
});

test("a call waits for guards that need time, and those that hang count as dead when their time is up", async () => {
  const { session } = await opened();
  const slow = async (event: never): Promise<object | undefined> => {
    await Promise.resolve();
    return isBad((event as ReturnType<typeof call>).args.command) ? { deny: "no" } : undefined;
  };
  session.on(guardOf("slow", isBad, { run: slow }));
  session.on(guardOf("hangs", isBad, { run: () => new Promise(() => {}), timeoutMs: 20 }));
  const before = session.emit("tool.before", call("ls"));
  expect(before).toBeInstanceOf(Promise);
  expect((await before).answer.reason).toMatch(/the guard hangs does not work/);
  expect(session.proof).toMatchObject({ asked: 2, alive: 1, dead: [{ name: "hangs" }] });
});

test("a guard that is registered later is proved before the next call, and the others are not asked again", async () => {
  const { session, trace } = await opened();
  session.on(guardOf("first", isBad));
  await session.emit("tool.before", call("ls"));
  session.on(guardOf("second", () => false));
  expect((await session.emit("tool.before", call("ls"))).answer.reason).toMatch(/the guard second does not work/);
  expect(trace.filter(({ probe }) => probe)).toHaveLength(2);
});

test("a sub-agent's call comes after the proof, too", async () => {
  const { session } = await opened();
  session.on(guardOf("dead", () => false));
  const within = session.within({ sessionId: "s", cwd: "/", agentId: "a" });
  expect((await within.emit("tool.before", call("ls"))).answer.decision).toBe("deny");
});

test("a call with the id of a probe, or with any other mark, is an ordinary call", async () => {
  const { session, trace } = await opened();
  const ids: string[] = [];
  const noted = guardOf("g", isBad);
  let others = 0;
  session.on("tool.before", () => void (others += 1));
  const run: Guard["run"] = (event, info) => {
    ids.push((event as ReturnType<typeof call>).toolCallId);
    return noted.run(event, info);
  };
  session.on({ ...noted, run });
  await session.prove();
  expect(ids).toHaveLength(1);
  expect(others).toBe(0);
  const forged = { ...call("bad", ids[0]), probe: true };
  expect((await session.emit("tool.before", forged as never)).answer.decision).toBe("deny");
  expect((await session.emit("tool.before", call("ls", ids[0]))).answer).toEqual({});
  expect(others).toBe(2);
  expect(trace.map(({ probe }) => probe)).toEqual([true, undefined, undefined]);
  expect(session.hooks().reduce((sum, { hook }) => sum + hook.metrics.blocked, 0)).toBe(1);
});

test("a call with the id of a probe is reported, once, and other calls are not", async () => {
  const { session, told } = await opened();
  const ids: string[] = [];
  const run: Guard["run"] = (event) => {
    ids.push((event as ReturnType<typeof call>).toolCallId);
    return isBad((event as ReturnType<typeof call>).args.command) ? { deny: "no" } : undefined;
  };
  session.on(guardOf("g", isBad, { run }));
  await session.emit("tool.before", call("ls", "call_0123456789abcdef0123456789abcdef"));
  expect(told).toEqual([]);
  for (let i = 0; i < 2; i++) await session.emit("tool.before", call("ls", ids[0]));
  expect(told).toEqual([
    `GUARD_CASE_CLAIMED A call on tool.before used the id of a test call that this session had made to try a guard (${ids[0]}); it was judged like any other call`,
  ]);
});

test("each session issues an id of its own, which looks like that of any call", async () => {
  const ids = new Set<string>();
  for (let i = 0; i < 20; i++) {
    const { session } = await opened();
    const run = (event: never): object => {
      ids.add((event as ReturnType<typeof call>).toolCallId);
      return { deny: "no" };
    };
    session.on(guardOf("g", isBad, { run }));
    await session.prove();
  }
  expect(ids.size).toBe(20);
  for (const id of ids) expect(id).toMatch(/^call_[0-9a-f]{32}$/);
});

describe("which case is asked", () => {
  const deny = (command: string, more: object = {}) => ({ args: { command }, expect: "deny" as const, ...more });
  test.each<[string, Guard["cases"], string[]]>([
    ["the first that it must refuse", [{ args: { command: "ls" }, expect: "none" }, deny("a"), deny("b")], ["a"]],
    ["a refusal before a question", [{ ...deny("a"), expect: "ask" }, deny("b")], ["b"]],
    ["a question where there is no refusal", [{ ...deny("a"), expect: "ask" }], ["a"]],
    ["one that expects more than a word", [deny("a", { expect: { decision: "deny", text: "no" } })], ["a"]],
    ["none that says probe: false", [deny("a", { probe: false }), deny("b")], ["b"]],
    ["none, where there is no such case", [{ args: { command: "ls" }, expect: "none" }], []],
    ["none, without cases", undefined, []],
  ])("%s", async (_, cases, commands) => {
    const { session } = await opened();
    const asked: string[] = [];
    const run = (event: never): object => {
      asked.push((event as ReturnType<typeof call>).args.command);
      return { deny: "no" };
    };
    const { cases: __, ...bare } = guardOf("g", isBad, { run });
    session.on({ ...bare, ...(cases && { cases }) });
    const { asked: count, untested } = await session.prove();
    expect(asked).toEqual(commands);
    expect([count, untested]).toEqual(commands.length === 0 ? [0, ["g"]] : [1, []]);
  });
});
