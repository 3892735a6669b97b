import { describe, expect, test } from "vitest";
import { call, on, openExtensions, openHooks, openModules, settle, TestClock } from "./kit.ts";

const rm = call("bash", { command: "rm -rf /" });
const apis = [
  ["HookAPI", openHooks, "hook"],
  ["ExtensionAPI", openExtensions, "extension"],
] as const;

describe.each(apis)("tool_call of %s", (_, open, noun) => {
  test("[omp.tool-call.1, omp.tool-call.2, omp.tool-call.3, omp.conflict.1] the first block ends the run, and its reason is the error text", async () => {
    const asked: number[] = [];
    await using opened = await open([
      on(
        "tool_call",
        () => void asked.push(1),
        () => {
          asked.push(2);
          return { block: true, reason: "policy" };
        },
        () => void asked.push(3),
      ),
    ]);
    const { answer } = await opened.session.emit("tool.before", rm);
    expect(answer).toEqual({ decision: "deny", reason: "policy" });
    expect(asked).toEqual([1, 2]);
  });

  test("[omp.event.1] the event has the tool's name, the call's id and its input", async () => {
    const seen: unknown[] = [];
    await using opened = await open([on("tool_call", (event) => void seen.push(event))]);
    await opened.session.emit("tool.before", rm);
    expect(seen).toEqual([{ type: "tool_call", toolName: "bash", toolCallId: "c1", input: { command: "rm -rf /" } }]);
  });

  test("hookline's find is glob", async () => {
    const seen: unknown[] = [];
    await using opened = await open([
      on("tool_call", (event) => {
        seen.push(event.toolName);
        return { input: { pattern: "*.md" } };
      }),
    ]);
    const { answer } = await opened.session.emit("tool.before", call("find", { pattern: "*.ts" }));
    expect(seen).toEqual(["glob"]);
    expect(answer).toEqual({ args: { pattern: "*.md" } });
  });

  test.each([
    ["no reason", { block: true }],
    ["an empty reason", { block: true, reason: "" }],
  ])("a block with %s has omp's own text", async (_name, answered) => {
    await using opened = await open([on("tool_call", () => answered)]);
    const { answer } = await opened.session.emit("tool.before", rm);
    const who = noun === "hook" ? "a hook" : "an extension";
    expect(answer).toEqual({ decision: "deny", reason: `Tool execution was blocked by ${who}` });
  });

  test.each([
    ["yes", { block: "yes", reason: "r" }, { decision: "deny", reason: "r" }],
    ["0", { block: 0 }, {}],
    ["nothing", undefined, {}],
    ["true", true, {}],
    ["text", "no", {}],
  ])("truth decides what blocks: %s", async (_name, answered, expected) => {
    await using opened = await open([on("tool_call", () => answered)]);
    expect((await opened.session.emit("tool.before", rm)).answer).toEqual(expected);
  });

  test("an async handler is waited for", async () => {
    await using opened = await open([
      on("tool_call", async () => {
        await settle();
        return { block: true, reason: "late" };
      }),
    ]);
    expect((await opened.session.emit("tool.before", rm)).answer).toMatchObject({ reason: "late" });
  });

  test("a block discards the input that an earlier handler gave", async () => {
    await using opened = await open([
      on(
        "tool_call",
        () => ({ input: { command: "ls" } }),
        () => ({ block: true, reason: "no" }),
      ),
    ]);
    expect((await opened.session.emit("tool.before", rm)).answer).toEqual({ decision: "deny", reason: "no" });
  });

  test("[omp.tool-call.5] the last input counts and contexts add up, blank ones left out", async () => {
    await using opened = await open([
      on(
        "tool_call",
        ({ input }) => (input.command === "c" ? undefined : { input: { command: "b" }, additionalContext: "one" }),
        ({ input }) => (input.command === "c" ? undefined : { additionalContext: "  " }),
        ({ input }) => (input.command === "c" ? undefined : { input: { command: "c" }, additionalContext: "two" }),
      ),
    ]);
    const { answer } = await opened.session.emit("tool.before", rm);
    expect(answer).toEqual({ args: { command: "c" }, additionalContext: ["one\n\ntwo"] });
  });

  test("[omp.mutate.5] an edit in place reaches the tool, re-assigning the input does not", async () => {
    await using opened = await open([
      on("tool_call", (event) => {
        event.input.command = "ls";
        event.input = { command: "pwd" };
      }),
    ]);
    const payload = call("bash", { command: "rm -rf /" });
    const { answer } = await opened.session.emit("tool.before", payload);
    expect(answer).toEqual({ args: { command: "ls" } });
    expect(payload.args).toEqual({ command: "rm -rf /" });
  });

  test("an echo of the input is not an edit", async () => {
    await using opened = await open([on("tool_call", ({ input }) => ({ input: { ...input } }))]);
    expect((await opened.session.emit("tool.before", rm)).answer).toEqual({});
  });

  test("input that is not an object refuses the call and is reported", async () => {
    await using opened = await open([on("tool_call", () => ({ input: "ls" }))]);
    const { answer } = await opened.session.emit("tool.before", rm);
    expect(answer).toEqual({ decision: "deny", reason: expect.stringContaining("input must be an object") });
    expect(opened.codes()).toEqual(["HOOK_BAD_ANSWER", "REWRITE_REFUSED"]);
  });

  test("a handler that is registered while it is asked runs in the same pass", async () => {
    const asked: string[] = [];
    await using opened = await open([
      (pi) => {
        let added = false;
        pi.on("tool_call", () => {
          asked.push("first");
          if (added) return;
          added = true;
          pi.on("tool_call", () => void asked.push("added"));
        });
      },
    ]);
    await opened.session.emit("tool.before", rm);
    expect(asked).toEqual(["first", "added"]);
  });

  test.each([
    [
      "while its own module is asked it runs in the same pass, before the next module",
      "a1",
      ["a1", "a2", "late", "b1"],
    ],
    ["while the next module is asked it runs from the next dispatch on", "b1", ["a1", "a2", "b1"]],
  ])("[omp.more.added-meanwhile] a handler keeps the place of its module: %s", async (_name, moment, firstPass) => {
    const asked: string[] = [];
    let add: (() => void) | undefined;
    const says = (name: string) => () => {
      asked.push(name);
      if (name !== moment) return;
      add?.();
      add = undefined;
    };
    await using opened = await open([
      (pi) => {
        pi.on("tool_call", says("a1"));
        pi.on("tool_call", says("a2"));
        add = () => pi.on("tool_call", says("late"));
      },
      on("tool_call", says("b1")),
    ]);
    await opened.session.emit("tool.before", rm);
    expect(asked.splice(0)).toEqual(firstPass);
    await opened.session.emit("tool.before", rm);
    expect(asked).toEqual(["a1", "a2", "late", "b1"]);
  });

  test("nothing is given back by on", async () => {
    const given: unknown[] = [];
    await using _opened = await open([(pi) => void given.push(pi.on("tool_call", () => {}))]);
    expect(given).toEqual([undefined]);
  });

  test("[omp.order.1, omp.order.2] order is that of the modules, then of registration", async () => {
    const asked: string[] = [];
    const two = (name: string) =>
      on(
        "tool_call",
        () => void asked.push(`${name}1`),
        async () => {
          await settle();
          asked.push(`${name}2`);
        },
      );
    await using opened = await open([two("a"), two("b")]);
    await opened.session.emit("tool.before", rm);
    expect(asked).toEqual(["a1", "a2", "b1", "b2"]);
  });
});

describe("tool_call handlers that fail", () => {
  test.each([
    ["an error", new Error("boom"), "boom"],
    ["a text", "str", "Hook failed, blocking execution: str"],
    ["nothing", undefined, "Hook failed, blocking execution: undefined"],
  ])("[omp.tool-call.4, omp.error.4] HookAPI blocks with what was thrown: %s", async (_name, thrown, reason) => {
    const asked: number[] = [];
    await using opened = await openHooks([
      on(
        "tool_call",
        () => {
          throw thrown;
        },
        () => void asked.push(2),
      ),
    ]);
    expect((await opened.session.emit("tool.before", rm)).answer).toEqual({ decision: "deny", reason });
    expect(asked).toEqual([]);
    expect(opened.codes()).toEqual(["HOOK_THREW"]);
  });

  test("ExtensionAPI blocks in the extension's name", async () => {
    await using opened = await openExtensions([
      on("tool_call", async () => {
        throw new Error("boom");
      }),
      on("tool_call", () => ({ block: true, reason: "second" })),
    ]);
    const { answer } = await opened.session.emit("tool.before", rm);
    expect(answer).toEqual({ decision: "deny", reason: "Extension /extension/1.ts failed: boom" });
  });

  test.each([
    [undefined, 30_000],
    [0, 30_000],
    [-1, 30_000],
    [Number.NaN, 30_000],
    [Number.POSITIVE_INFINITY, 30_000],
    [500, 500],
  ])("an ExtensionAPI guard that does not answer blocks after its time: a setting of %s", async (set, ms) => {
    const clock = new TestClock();
    await using opened = await openExtensions([on("tool_call", () => new Promise(() => {}))], {
      clock,
      settings: set === undefined ? {} : { toolCallTimeoutMs: set },
    });
    const asked = opened.session.emit("tool.before", rm);
    clock.advance(ms - 1);
    await settle();
    expect(opened.codes()).toEqual([]);
    clock.advance(1);
    const reason = `Extension /extension/1.ts timed out after ${ms}ms`;
    expect((await asked).answer).toEqual({ decision: "deny", reason });
  });

  test("a HookAPI guard has no limit; the person is told after five seconds", async () => {
    const clock = new TestClock();
    let answer: (value: unknown) => void = () => {};
    await using opened = await openHooks([on("tool_call", () => new Promise((resolve) => (answer = resolve)))], {
      clock,
    });
    const asked = opened.session.emit("tool.before", rm);
    clock.advance(5_000);
    clock.advance(3_600_000);
    await settle();
    expect(opened.codes()).toEqual(["HOOK_SLOW"]);
    answer({ block: true, reason: "at last" });
    expect((await asked).answer).toMatchObject({ reason: "at last" });
  });

  test("a dialog stops an extension's clock", async () => {
    const clock = new TestClock();
    let close: (value: boolean) => void = () => {};
    const ui = { confirm: () => new Promise<boolean>((resolve) => (close = resolve)) };
    await using opened = await openExtensions(
      [on("tool_call", async (_event, ctx) => ({ block: !(await ctx.ui.confirm("Sure?", "")), reason: "said no" }))],
      { clock, services: { mode: "tui", ui } },
    );
    const asked = opened.session.emit("tool.before", rm);
    await settle();
    clock.advance(600_000);
    close(false);
    expect((await asked).answer).toEqual({ decision: "deny", reason: "said no" });
  });
});

describe("both interfaces on one call", () => {
  test("a hook that blocks leaves extensions unasked", async () => {
    const asked: string[] = [];
    await using opened = await openModules([
      ["extension", on("tool_call", () => void asked.push("extension"))],
      ["hook", on("tool_call", () => ({ block: true, reason: "hook" }))],
    ]);
    expect((await opened.session.emit("tool.before", rm)).answer).toMatchObject({ reason: "hook" });
    expect(asked).toEqual([]);
  });

  test("an extension sees the input that a hook gave", async () => {
    const seen: unknown[] = [];
    await using opened = await openModules([
      [
        "hook",
        on("tool_call", ({ input }) => (seen.push(input.command) === 1 ? { input: { command: "hook" } } : undefined)),
      ],
      [
        "extension",
        on("tool_call", ({ input }) => {
          seen.push(input.command);
          return { input: { command: `${input.command}+ext` } };
        }),
      ],
    ]);
    const { answer } = await opened.session.emit("tool.before", rm);
    expect(answer.args).toEqual({ command: "hook+ext" });
    expect(seen).toEqual(["rm -rf /", "hook"]);
  });
});
