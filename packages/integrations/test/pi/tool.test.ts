import { describe, expect, test } from "vitest";
import { openWith, settle, TestClock, type TestFactory, text } from "./kit.ts";

const on =
  (event: string, handler: (event: any, ctx: any) => unknown): TestFactory =>
  (pi) =>
    pi.on(event, handler);
const before = (handler: (event: any, ctx: any) => unknown): TestFactory => on("tool_call", handler);
const after = (handler: (event: any, ctx: any) => unknown): TestFactory => on("tool_result", handler);
const call = { toolCallId: "t1", tool: "bash", args: { command: "ls" } };
const result = { ...call, content: [text("hi")], details: {} as unknown, isError: false, blocked: false };

describe("tool_call", () => {
  test("the event has toolCallId, toolName and input [pi.tool-call.4]", async () => {
    const seen: unknown[] = [];
    await using opened = await openWith([before((event) => void seen.push(event))]);
    await opened.session.emit("tool.before", call);
    expect(seen).toEqual([{ type: "tool_call", toolCallId: "t1", toolName: "bash", input: { command: "ls" } }]);
  });

  test("a block keeps the tool from running and its reason is the error result [pi.tool-call.1, pi.tool-call.3]", async () => {
    let ran = false;
    await using opened = await openWith([before(() => ({ block: true, reason: "Not allowed" }))]);
    const given = await opened.session.wrap(call, () => {
      ran = true;
      return [text("ran")];
    });
    expect(ran).toBe(false);
    expect(given).toMatchObject({ isError: true, content: [text("Not allowed")] });
  });

  test("the first block ends the run at once [pi.tool-call.2, pi.tool-call.5, pi.order.4, pi.order.6]", async () => {
    const asked: string[] = [];
    await using opened = await openWith([
      before(() => void asked.push("A")),
      before(() => {
        asked.push("B");
        return { block: true, reason: "R1" };
      }),
      before(() => {
        asked.push("C");
        return { block: true, reason: "R2" };
      }),
    ]);
    const { answer } = await opened.session.emit("tool.before", call);
    expect(answer).toEqual({ decision: "deny", reason: "R1" });
    expect(asked).toEqual(["A", "B"]);
  });

  test.each([undefined, null, {}, { block: false }, { reason: "only a reason" }, { terminate: true }])(
    "%j lets the call run [pi.tool-call.6]",
    async (raw) => {
      await using opened = await openWith([before(() => raw)]);
      expect((await opened.session.emit("tool.before", call)).answer).toEqual({});
    },
  );

  test.each([
    [{ block: true }, "Tool execution was blocked"],
    [{ block: "yes", reason: "R" }, "R"],
    [{ block: true, reason: "" }, "Tool execution was blocked"],
    [{ block: 1, reason: 123 }, "123"],
  ])("%j blocks with %j", async (raw, reason) => {
    await using opened = await openWith([before(() => raw)]);
    expect((await opened.session.emit("tool.before", call)).answer).toEqual({ decision: "deny", reason });
  });

  test.each([
    ["a symbol", Symbol("secret")],
    ["a function", () => "secret"],
  ])("a reason that is %s is not used, and the hook is named", async (_, reason) => {
    await using opened = await openWith([before(() => ({ block: true, reason }))]);
    const { answer, hooks } = await opened.session.emit("tool.before", call);
    expect(answer).toEqual({ decision: "deny", reason: "Tool execution was blocked" });
    expect(opened.diagnostics).toMatchObject([
      { code: "HOOK_ODD_ANSWER", hook: hooks[0]?.hook, message: expect.stringContaining("returned reason") },
    ]);
  });

  test("a block may end the run after the batch", async () => {
    await using opened = await openWith([before(() => ({ block: true, reason: "R", terminate: true }))]);
    const { answer } = await opened.session.emit("tool.before", call);
    expect(answer).toEqual({ decision: "deny", reason: "R", terminate: true });
  });

  test.each([
    [new Error("boom"), "boom"],
    ["strboom", "Extension failed, blocking execution: strboom"],
    [undefined, "Extension failed, blocking execution: undefined"],
    [{ code: 3 }, "Extension failed, blocking execution: [object Object]"],
  ])("a handler that throws %j blocks, and later handlers are not asked", async (thrown, reason) => {
    const asked: string[] = [];
    await using opened = await openWith([
      before(async () => {
        throw thrown;
      }),
      before(() => void asked.push("B")),
    ]);
    expect((await opened.session.emit("tool.before", call)).answer).toEqual({ decision: "deny", reason });
    expect(asked).toEqual([]);
    expect(opened.codes()).toEqual(["HOOK_THREW"]);
  });

  test("a handler that does not answer within its time blocks", async () => {
    const clock = new TestClock();
    await using opened = await openWith([before(() => new Promise(() => {}))], { clock });
    const outcome = opened.session.emit("tool.before", call);
    clock.advance(59_999);
    await settle();
    expect(opened.codes()).toEqual([]);
    clock.advance(1);
    const { answer } = await outcome;
    expect(answer).toEqual({
      decision: "deny",
      reason: "Extension failed, blocking execution: no answer within 60000 ms",
    });
    expect(opened.codes()).toEqual(["HOOK_TIMED_OUT"]);
  });

  test("changing the input in place changes the call, for the next handler too", async () => {
    const seen: string[] = [];
    await using opened = await openWith([
      before((event) => {
        event.input.command = "echo MUT";
      }),
      before((event) => void seen.push(event.input.command)),
    ]);
    expect((await opened.session.emit("tool.before", call)).answer).toEqual({ args: { command: "echo MUT" } });
    expect(seen).toEqual(["echo MUT"]);
    expect(call.args).toEqual({ command: "ls" });
  });

  test("assigning another input, or returning one, has no effect", async () => {
    await using opened = await openWith([
      before((event) => {
        event.input = { command: "rm" };
        return { input: { command: "rm" } };
      }),
    ]);
    expect((await opened.session.emit("tool.before", call)).answer).toEqual({});
    expect(opened.codes()).toEqual(["HOOK_ODD_ANSWER"]);
    expect(opened.diagnostics[0]?.message).toMatch(
      / returned input on tool_call, .*: there is no such field\. Give one of /,
    );
  });

  test("a guard that judged another call than the final one is asked again", async () => {
    const judged: string[] = [];
    await using opened = await openWith([
      before((event) => {
        judged.push(event.input.command);
        return event.input.command.startsWith("rm") ? { block: true, reason: "no rm" } : undefined;
      }),
      before((event) => {
        event.input.command = "rm -rf x";
      }),
    ]);
    expect((await opened.session.emit("tool.before", call)).answer).toMatchObject({
      decision: "deny",
      reason: "no rm",
    });
    expect(judged).toEqual(["ls", "rm -rf x"]);
  });

  test("a dialog that is asked again about the final call is answered from memory, and the clock stands still", async () => {
    const clock = new TestClock();
    let asked = 0;
    const ui = {
      confirm: async () => {
        asked += 1;
        clock.advance(120_000);
        return true;
      },
    };
    await using opened = await openWith(
      [
        before(async (_, ctx) => ((await ctx.ui.confirm("Run?", "sure?")) ? undefined : { block: true })),
        before((event) => {
          event.input.command = "pwd";
        }),
      ],
      { clock, services: { ui, mode: "tui" } },
    );
    expect((await opened.session.emit("tool.before", call)).answer).toEqual({ args: { command: "pwd" } });
    expect(asked).toBe(1);
  });

  test("what a class instance answers counts, what lies on Object.prototype does not", async () => {
    class Verdict {
      get block(): boolean {
        return true;
      }
    }
    await using opened = await openWith([before(() => new Verdict())]);
    expect((await opened.session.emit("tool.before", call)).answer).toMatchObject({ decision: "deny" });
    await using allowing = await openWith([before(() => ({}))]);
    Object.defineProperty(Object.prototype, "block", { value: true, configurable: true });
    try {
      expect((await allowing.session.emit("tool.before", call)).answer).toEqual({});
    } finally {
      delete (Object.prototype as { block?: unknown }).block;
    }
  });
});

describe("tool_execution events", () => {
  test("they tell what they know, and returns are dropped [pi.tool-execution.1, pi.tool-execution.2, pi.tool-execution.3, pi.tool-execution.4]", async () => {
    const seen: unknown[] = [];
    const listen: TestFactory = (pi) => {
      for (const name of ["start", "update", "end"]) {
        pi.on(`tool_execution_${name}`, (event: unknown) => {
          seen.push(event);
          return { block: true, content: [] };
        });
      }
    };
    await using opened = await openWith([listen]);
    const partial = { content: [text("part")] };
    const final = { content: [text("all")], details: {} };
    const { session } = opened;
    const outcomes = [
      await session.emit("tool.start", call),
      await session.emit("tool.update", { ...call, partial }),
      await session.emit("tool.end", { ...call, result: final, isError: true }),
    ];
    const base = { toolCallId: "t1", toolName: "bash", args: { command: "ls" } };
    const { args: _, ...ended } = base;
    expect(seen).toEqual([
      { type: "tool_execution_start", ...base },
      { type: "tool_execution_update", ...base, partialResult: partial },
      { type: "tool_execution_end", ...ended, result: final, isError: true },
    ]);
    expect(outcomes.map(({ answer }) => answer)).toEqual([{}, {}, {}]);
  });
});

describe("tool_result", () => {
  test("it fires when the tool is done and before its result is given back [pi.tool-result.1]", async () => {
    const order: string[] = [];
    await using opened = await openWith([
      after((event) => {
        order.push("tool_result");
        return { content: [...event.content, text("Audit: logged")] };
      }),
    ]);
    const given = await opened.session.wrap(call, () => {
      order.push("tool");
      return [text("hi")];
    });
    expect(order).toEqual(["tool", "tool_result"]);
    expect(given.content).toEqual([text("hi"), text("Audit: logged")]);
  });

  test("changes add up, and every handler sees the result as it is by then [pi.tool-result.2, pi.tool-result.3, pi.order.3]", async () => {
    const seen: unknown[] = [];
    await using opened = await openWith([
      after((event) => ({ content: [text(`${event.content[0].text}|A`)], details: { a: 1 }, isError: true })),
      after((event) => {
        seen.push(event.content, event.details, event.isError);
        return { content: [text(`${event.content[0].text}|B`)] };
      }),
    ]);
    const { answer } = await opened.session.emit("tool.after", result);
    expect(seen).toEqual([[text("hi|A")], { a: 1 }, true]);
    expect(answer).toEqual({ content: [text("hi|A|B")], details: { a: 1 }, isError: true });
  });

  test("the event has the call, its input and its result [pi.tool-result.4]", async () => {
    const seen: unknown[] = [];
    await using opened = await openWith([after((event) => void seen.push(event))]);
    await opened.session.emit("tool.after", { ...result, details: { n: 1 } });
    expect(seen).toEqual([
      {
        type: "tool_result",
        toolCallId: "t1",
        toolName: "bash",
        input: { command: "ls" },
        content: [text("hi")],
        details: { n: 1 },
        isError: false,
      },
    ]);
  });

  test.each([undefined, null, {}, { content: undefined }])("%j changes nothing [pi.tool-result.6]", async (raw) => {
    await using opened = await openWith([after(() => raw)]);
    expect((await opened.session.emit("tool.after", result)).answer).toEqual({});
  });

  test("content changed in place is changed", async () => {
    await using opened = await openWith([after((event) => void event.content.push(text("pushed")))]);
    expect((await opened.session.emit("tool.after", result)).answer).toEqual({ content: [text("hi"), text("pushed")] });
    expect(result.content).toEqual([text("hi")]);
  });

  test("an error can be edited and made a success [pi.tool-result.5, pi.tool-result.7, pi.tool-result.8]", async () => {
    const seen: unknown[] = [];
    await using opened = await openWith([
      after((event) => {
        seen.push(event.isError, event.content);
        return { content: [text("FIXED")], isError: false };
      }),
    ]);
    const given = await opened.session.wrap(call, () => {
      throw new Error("ENOENT: no such file");
    });
    expect(seen).toEqual([true, [text("ENOENT: no such file")]]);
    expect(given).toMatchObject({ content: [text("FIXED")], isError: false });
  });

  test("it does not fire for a call that was refused", async () => {
    const seen: unknown[] = [];
    await using opened = await openWith([after((event) => void seen.push(event))]);
    await opened.session.emit("tool.after", { ...result, isError: true, blocked: true });
    expect(seen).toEqual([]);
  });

  test("a field of the wrong type is left out and reported", async () => {
    await using opened = await openWith([after(() => ({ details: { kept: 1 }, isError: "no" }))]);
    expect((await opened.session.emit("tool.after", result)).answer).toEqual({ details: { kept: 1 } });
    expect(opened.codes()).toEqual(["HOOK_ODD_ANSWER"]);
  });

  test.each([{ content: "text" }, { content: [null] }, { content: null }, { content: 1 }, { content: { text: "a" } }])(
    "content that cannot be used withholds the result: %j",
    async (raw) => {
      await using opened = await openWith([after(() => raw)]);
      const { answer } = await opened.session.emit("tool.after", result);
      expect(answer).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("withheld") }] });
      expect(opened.codes()).toContain("HOOK_BAD_ANSWER");
    },
  );

  test("content that was made unusable in place withholds the result, and names the hook", async () => {
    const seen: unknown[] = [];
    await using opened = await openWith([
      after((event) => {
        (event as { content: unknown[] }).content[0] = "text";
      }),
      after((event) => void seen.push(event.content)),
    ]);
    const { answer, hooks } = await opened.session.emit("tool.after", result);
    expect(answer).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("withheld") }] });
    expect(seen).toEqual([answer.content]);
    expect(hooks).toMatchObject([{ status: "failed" }]);
    expect(opened.diagnostics.map(({ code, hook }) => [code, hook])).toEqual([["HOOK_BAD_ANSWER", hooks[0]?.hook]]);
  });

  test("content that was made unusable after the handler had returned withholds the result", async () => {
    let go = () => {};
    await using opened = await openWith([
      after((event) => {
        go = () => void ((event as { content: unknown[] }).content[0] = "text");
      }),
      after(() => go()),
    ]);
    const { answer } = await opened.session.emit("tool.after", result);
    expect(answer).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("withheld") }] });
    expect(opened.codes()).toContain("HOOK_BAD_ANSWER");
  });

  test("a handler that throws leaves the result as it was, and the next one runs", async () => {
    await using opened = await openWith([
      after(() => {
        throw new Error("boom");
      }),
      after(() => ({ isError: true })),
    ]);
    expect((await opened.session.emit("tool.after", result)).answer).toEqual({ isError: true });
  });

  test("what a hook keeps of its answer cannot be changed later", async () => {
    const kept = [text("mine")];
    await using opened = await openWith([after(() => ({ content: kept }))]);
    const { answer } = await opened.session.emit("tool.after", result);
    (kept[0] as { text: string }).text = "changed";
    expect(answer.content).toEqual([text("mine")]);
  });
});
