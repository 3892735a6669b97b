import { describe, expect, test } from "vitest";
import { on, openExtensions, openHooks, openModules, ran, settle, TestClock, text } from "./kit.ts";

const fails = () => {
  throw new Error("x");
};

describe("tool_result of HookAPI", () => {
  test("[omp.event.2, omp.tool-result.7] the event has the call, its input and what came of it", async () => {
    const seen: unknown[] = [];
    await using opened = await openHooks([on("tool_result", (event) => void seen.push(event))]);
    await opened.session.emit("tool.after", ran("out", { details: { n: 1 } }));
    expect(seen).toEqual([
      {
        type: "tool_result",
        toolName: "read",
        toolCallId: "c1",
        input: { path: "a.txt" },
        content: [text("out")],
        details: { n: 1 },
        isError: false,
      },
    ]);
  });

  test("[omp.tool-result.1, omp.tool-result.3, omp.tool-result.4, omp.tool-result.8, omp.mutate.2] content and details are replaced whole", async () => {
    const details = { lines: 1 };
    await using opened = await openHooks([on("tool_result", () => ({ content: [text("new")], details }))]);
    const { answer } = await opened.session.emit("tool.after", ran("old", { details: { bytes: 3 } }));
    expect(answer).toEqual({ content: [text("new")], details: { lines: 1 } });
    details.lines = 2;
    expect(answer.details).toEqual({ lines: 1 });
  });

  test("[omp.tool-result.2, omp.conflict.2] every handler sees the original, and the last answer counts whole", async () => {
    const seen: unknown[] = [];
    await using opened = await openHooks([
      on("tool_result", () => ({ content: [text("[REDACTED]")] })),
      on("tool_result", ({ content }) => {
        seen.push(content);
        return { details: { x: 1 } };
      }),
      on("tool_result", () => undefined),
    ]);
    const { answer } = await opened.session.emit("tool.after", ran("secret"));
    expect(seen).toEqual([[text("secret")]]);
    expect(answer).toEqual({ details: { x: 1 } });
  });

  describe.each([
    ["HookAPI", openHooks],
    ["ExtensionAPI", openExtensions],
  ])("an edit of the content in place, in %s,", (_name, open) => {
    const inPlace = on("tool_result", ({ content }) => {
      content[0].text = content[0].text.replace("secret", "***");
    });

    test("counts, and later handlers see it", async () => {
      const seen: unknown[] = [];
      const look = on("tool_result", ({ content }) => void seen.push(content[0].text));
      await using opened = await open([inPlace, look]);
      const { answer } = await opened.session.emit("tool.after", ran("a secret"));
      expect(answer).toEqual({ content: [text("a ***")] });
      expect(seen).toEqual(["a ***"]);
    });

    test("to something that is no list of blocks withholds the result, and names the hook", async () => {
      const breaks = on("tool_result", ({ content }) => void (content[0] = "secret"));
      await using opened = await open([breaks]);
      const { answer, hooks } = await opened.session.emit("tool.after", ran("a secret"));
      expect(answer).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("withheld") }] });
      expect(hooks).toMatchObject([{ status: "failed" }]);
      expect(opened.diagnostics.map(({ code, hook }) => [code, hook])).toEqual([["HOOK_BAD_ANSWER", hooks[0]?.hook]]);
    });

    test("ranks below an answer about something else, whoever gave it and when", async () => {
      const details = on("tool_result", () => ({ details: { x: 1 } }));
      for (const factories of [
        [inPlace, details],
        [details, inPlace],
      ]) {
        await using opened = await open(factories);
        const { answer } = await opened.session.emit("tool.after", ran("a secret"));
        expect(answer).toEqual({ content: [text("a ***")], details: { x: 1 } });
      }
    });

    test("gives way to returned content of the same handler", async () => {
      const both = on("tool_result", ({ content }) => {
        content[0].text = "in place";
        return { content: [text("returned")] };
      });
      await using opened = await open([both]);
      expect((await opened.session.emit("tool.after", ran("x"))).answer).toEqual({ content: [text("returned")] });
    });
  });

  test("an answer that loses another's content is reported with the hook that lost it", async () => {
    await using opened = await openHooks([
      on("tool_result", () => ({ content: [text("[REDACTED]")] })),
      on("tool_result", async () => ({ details: { x: 1 } })),
    ]);
    await opened.session.emit("tool.after", ran("secret"));
    const lost = opened.diagnostics.filter(({ code }) => code === "HOOK_LOST_EDIT");
    expect(lost).toMatchObject([{ hook: "omp-hooks:/hook/1.ts#tool_result[0]", event: "tool_result" }]);
    expect(lost[0]?.hint).toContain("mergeOverrides");
  });

  test("the same content twice is not lost", async () => {
    const redact = on("tool_result", () => ({ content: [text("[REDACTED]")] }));
    await using opened = await openHooks([redact, redact]);
    await opened.session.emit("tool.after", ran("secret"));
    expect(opened.codes()).toEqual([]);
  });

  test("content that is as it was is not lost, other content is", async () => {
    const echo = on("tool_result", ({ content }) => ({ content }));
    const details = on("tool_result", () => ({ details: 1 }));
    await using echoed = await openHooks([echo, details]);
    await echoed.session.emit("tool.after", ran("public"));
    expect(echoed.codes()).toEqual([]);
    const redact = on("tool_result", () => ({ content: [text("[REDACTED]")] }));
    await using redacted = await openHooks([redact, details]);
    await redacted.session.emit("tool.after", ran("secret"));
    expect(redacted.codes()).toEqual(["HOOK_LOST_EDIT"]);
  });

  test("mergeOverrides folds field by field, and only replaced content is lost", async () => {
    const redact = on("tool_result", () => ({ content: [text("[REDACTED]")] }));
    await using opened = await openHooks([redact, on("tool_result", () => ({ details: { x: 1 } }))], {
      settings: { own: { omp: { mergeOverrides: true } } },
    });
    const { answer } = await opened.session.emit("tool.after", ran("secret"));
    expect(answer).toEqual({ content: [text("[REDACTED]")], details: { x: 1 } });
    expect(opened.codes()).toEqual([]);
    opened.session.hooks()[0]?.hook.instance.on({
      event: opened.session.hooks()[0]?.hook.event as string,
      run: () => ({ content: [text("other")] }),
    });
    expect((await opened.session.emit("tool.after", ran("secret"))).answer.content).toEqual([text("other")]);
  });

  test.each([
    ["an empty list counts", { content: [] }, { content: [] }],
    ["details of null leave the tool's own", { details: null }, {}],
    ["details of false count", { details: false }, { details: false }],
    ["an empty object changes nothing", {}, {}],
    ["a text is no answer", "zzz", {}],
    [
      "content that is no list of blocks withholds the result",
      { content: "zzz" },
      { isError: true, content: [{ type: "text", text: expect.stringContaining("withheld") }] },
    ],
  ])("%s", async (_name, answered, expected) => {
    await using opened = await openHooks([on("tool_result", () => answered)]);
    const { answer } = await opened.session.emit("tool.after", ran("out", { details: { n: 1 } }));
    expect(answer).toEqual(expected);
  });

  test("[omp.tool-result.5, omp.mutate.7] isError has no effect and is reported", async () => {
    await using opened = await openHooks([on("tool_result", () => ({ isError: true, details: 1 }))]);
    expect((await opened.session.emit("tool.after", ran("out"))).answer).toEqual({ details: 1 });
    expect(opened.diagnostics).toMatchObject([{ code: "HOOK_ODD_ANSWER", event: "tool_result" }]);
    expect(opened.diagnostics[0]?.message).toContain("isError");
  });

  test("[omp.tool-result.5, omp.tool-result.6, omp.tool-result.9, omp.mutate.6, omp.flow.1] a failure is shown and stays as it is", async () => {
    const seen: unknown[] = [];
    await using opened = await openHooks([
      on("tool_result", ({ isError, content }) => {
        seen.push([isError, content]);
        return { content: [text("hidden")], isError: false };
      }),
    ]);
    const { answer } = await opened.session.emit("tool.after", ran("ENOENT", { isError: true }));
    expect(seen).toEqual([[true, [text("ENOENT")]]]);
    expect(answer).toEqual({});
    expect(opened.codes()).toEqual(["HOOK_ODD_ANSWER"]);
  });

  test("[omp.flow.1] a refused call has no result", async () => {
    const asked: number[] = [];
    await using opened = await openModules([
      ["hook", on("tool_result", () => void asked.push(1))],
      ["extension", on("tool_result", () => void asked.push(2))],
    ]);
    await opened.session.emit("tool.after", { ...ran("blocked", { isError: true }), blocked: true });
    expect(asked).toEqual([]);
  });

  test("[omp.error.3] a handler that fails is reported and the next one runs", async () => {
    await using opened = await openHooks([on("tool_result", fails, () => ({ content: [text("b")] }))]);
    expect((await opened.session.emit("tool.after", ran("a"))).answer).toEqual({ content: [text("b")] });
    expect(opened.codes()).toEqual(["HOOK_THREW", "FAILED_OPEN"]);
  });
});

describe("tool_result of ExtensionAPI", () => {
  test("each handler sees the edits before it, field by field", async () => {
    await using opened = await openExtensions([
      on("tool_result", ({ content }) => ({ content: [...content, text("a")] })),
      on("tool_result", ({ content }) => ({ details: { seen: content.length } })),
    ]);
    const { answer } = await opened.session.emit("tool.after", ran("o"));
    expect(answer).toEqual({ content: [text("o"), text("a")], details: { seen: 2 } });
  });

  test.each([
    ["a success becomes an error", false, { isError: true }, { isError: true }],
    [
      "an error is recovered",
      true,
      { isError: false, content: [text("ok")] },
      { isError: false, content: [text("ok")] },
    ],
    [
      "an error keeps being one with other content",
      true,
      { content: [text("guidance")] },
      { content: [text("guidance")] },
    ],
    ["an empty object leaves an error alone", true, {}, {}],
  ])("%s", async (_name, isError, answered, expected) => {
    await using opened = await openExtensions([on("tool_result", () => answered)]);
    expect((await opened.session.emit("tool.after", ran("out", { isError }))).answer).toEqual(expected);
  });

  test("a handler that takes too long is skipped, and the others count", async () => {
    const clock = new TestClock();
    await using opened = await openExtensions(
      [on("tool_result", () => new Promise(() => {})), on("tool_result", () => ({ details: 2 }))],
      { clock },
    );
    const asked = opened.session.emit("tool.after", ran("out"));
    clock.advance(30_000);
    expect((await asked).answer).toEqual({ details: 2 });
    expect(opened.codes()).toEqual(["HOOK_TIMED_OUT", "FAILED_OPEN"]);
  });
});

test("an extension sees what hooks have made of a result", async () => {
  const seen: unknown[] = [];
  await using opened = await openModules([
    [
      "extension",
      on("tool_result", ({ content }) => {
        seen.push(content);
        return { details: { e: 1 } };
      }),
    ],
    [
      "hook",
      on("tool_result", async () => {
        await settle();
        return { content: [text("H")] };
      }),
    ],
  ]);
  const { answer } = await opened.session.emit("tool.after", ran("o"));
  expect(seen).toEqual([[text("H")]]);
  expect(answer).toEqual({ content: [text("H")], details: { e: 1 } });
});
