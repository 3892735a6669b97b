import { describe, expect, test } from "vitest";
import { openWith, type TestFactory, text, user } from "./kit.ts";

const on =
  (event: string, handler: (event: any, ctx: any) => unknown): TestFactory =>
  (pi) =>
    pi.on(event, handler);
const context = (...messages: readonly unknown[]) => ({ messages: messages as never, systemPrompt: "base" });

describe("context", () => {
  test("each handler gets what the one before it returned [pi.context.3]", async () => {
    const seen: unknown[] = [];
    await using opened = await openWith([
      on("context", (event) => ({ messages: [...event.messages, user("A")] })),
      on("context", (event) => {
        seen.push(event.messages);
        return { messages: [...event.messages, user("B")] };
      }),
    ]);
    const { answer } = await opened.session.emit("model.context", context(user("hi")));
    expect(seen).toEqual([[user("hi"), user("A")]]);
    expect(answer).toEqual({ messages: [user("hi"), user("A"), user("B")] });
  });

  test("the list is a copy that may be changed in place, which counts without a return [pi.context.4]", async () => {
    const history = [user("hi"), { role: "assistant", content: [text("old")], timestamp: 2 }];
    const before = structuredClone(history);
    await using opened = await openWith([
      on("context", (event) => {
        event.messages.push(user("pushed"));
        event.messages[1].content[0].text = "new";
      }),
    ]);
    const { answer } = await opened.session.emit("model.context", context(...history));
    expect(answer.messages).toEqual([
      user("hi"),
      { role: "assistant", content: [text("new")], timestamp: 2 },
      user("pushed"),
    ]);
    expect(history).toEqual(before);
  });

  test("assigning another list to the event has no effect", async () => {
    await using opened = await openWith([
      on("context", (event) => {
        event.messages = [];
      }),
    ]);
    expect((await opened.session.emit("model.context", context(user("hi")))).answer).toEqual({});
  });

  test("what is returned unchanged is in nobody's reach: of who returned it, of the next, or of the host's list", async () => {
    const history = [user("one"), { role: "user", content: [text("two")] }, { role: "user", content: [text("three")] }];
    const before = structuredClone(history);
    const kept: any[] = [];
    const spoil = (messages: any[]): void => {
      for (const message of messages.splice(1)) message.content = "spoilt";
    };
    await using opened = await openWith([
      on("context", (event) => {
        const messages = event.messages.slice(1);
        kept.push(messages, [...messages]);
        return { messages };
      }),
      on("context", async (event) => {
        for (const messages of kept) spoil(messages);
        kept.push(event.messages, [...event.messages]);
        event.messages[0].content[0].text = "two of the second";
        return { messages: event.messages };
      }),
      on("context", (event) => {
        for (const messages of kept) spoil(messages);
        event.messages[1].content[0].text = "three of the third";
      }),
    ]);
    const { answer } = await opened.session.emit("model.context", context(...history));
    expect(answer.messages).toEqual([
      { role: "user", content: [text("two of the second")] },
      { role: "user", content: [text("three of the third")] },
    ]);
    expect(history).toEqual(before);
  });

  test("messages can be filtered out [pi.context.5]", async () => {
    await using opened = await openWith([
      on("context", (event) => ({ messages: event.messages.filter((m: any) => m.content !== "drop") })),
    ]);
    const { answer } = await opened.session.emit("model.context", context(user("keep"), user("drop")));
    expect(answer).toEqual({ messages: [user("keep")] });
  });

  test("all of them can [pi.context.5]", async () => {
    await using opened = await openWith([on("context", () => ({ messages: [] }))]);
    expect((await opened.session.emit("model.context", context(user("hi")))).answer).toEqual({ messages: [] });
  });

  test("messages can be put in, before and after changes in place [pi.context.6]", async () => {
    await using opened = await openWith([
      on("context", (event) => {
        event.messages.push(user("in place"));
      }),
      on("context", (event) => ({ messages: [...event.messages, user("returned")] })),
      on("context", (event) => {
        event.messages.push(user("again"));
      }),
    ]);
    const { answer } = await opened.session.emit("model.context", context(user("hi")));
    expect(answer.messages).toEqual([user("hi"), user("in place"), user("returned"), user("again")]);
  });

  test.each([
    [() => undefined],
    [(event: any) => ({ messages: event.messages })],
    [(event: any) => ({ messages: [...event.messages] })],
  ])("nothing returned, or the same again, changes nothing [pi.context.7]", async (handler) => {
    await using opened = await openWith([on("context", handler)]);
    expect((await opened.session.emit("model.context", context(user("hi")))).answer).toEqual({});
  });

  test("messages of every role are shown as they are [pi.context.8]", async () => {
    const roles = ["user", "assistant", "toolResult", "custom", "bashExecution", "compactionSummary", "branchSummary"];
    const messages = roles.map((role, i) => ({ role, own: { part: i }, timestamp: i }));
    const seen: unknown[] = [];
    await using opened = await openWith([on("context", (event) => void seen.push(event.messages))]);
    await opened.session.emit("model.context", context(...messages));
    expect(seen).toEqual([messages]);
  });

  test("neither the system prompt nor the tools are in it [pi.context.10, pi.context.11]", async () => {
    const seen: object[] = [];
    await using opened = await openWith([on("context", (event) => void seen.push(event))]);
    await opened.session.emit("model.context", context(user("hi")));
    expect(seen).toEqual([{ type: "context", messages: [user("hi")] }]);
  });

  test("a value that is not a list is reported and ignored", async () => {
    await using opened = await openWith([on("context", () => ({ messages: "none" }))]);
    expect((await opened.session.emit("model.context", context(user("hi")))).answer).toEqual({});
    expect(opened.codes()).toEqual(["HOOK_ODD_ANSWER"]);
  });
});

describe("context_with_system", () => {
  test("it comes after context and shows the prompt as the leading message", async () => {
    const seen: unknown[] = [];
    await using opened = await openWith([
      on("context_with_system", (event) => void seen.push(event.messages)),
      on("context", (event) => ({ messages: [...event.messages, user("A")] })),
    ]);
    const { answer } = await opened.session.emit("model.context", context(user("hi")));
    expect(seen).toEqual([[{ role: "system", content: "base" }, user("hi"), user("A")]]);
    expect(answer).toEqual({ messages: [user("hi"), user("A")] });
  });

  test("what it returns is used as it is, the prompt too", async () => {
    await using opened = await openWith([
      on("context_with_system", (event) => ({
        messages: [
          { role: "system", content: "other" },
          ...event.messages.slice(1),
          { role: "system", content: "more" },
        ],
      })),
    ]);
    const { answer } = await opened.session.emit("model.context", context(user("hi")));
    expect(answer).toEqual({ systemPrompt: "other\n\nmore" });
  });
});

describe("the provider's request", () => {
  test("whatever before_provider_request returns is the next body, and a failure keeps the last", async () => {
    const seen: unknown[] = [];
    await using opened = await openWith([
      on("before_provider_request", (event) => ({ ...event.payload, extra: "A" })),
      on("before_provider_request", () => {
        throw new Error("boom");
      }),
      on("before_provider_request", (event) => {
        seen.push(event.payload);
        return { ...event.payload, extra: `${event.payload.extra}B` };
      }),
    ]);
    const { answer } = await opened.session.emit("model.wire", { body: { model: "m" } });
    expect(seen).toEqual([{ model: "m", extra: "A" }]);
    expect(answer).toEqual({ body: { model: "m", extra: "AB" } });
    expect(opened.codes()).toEqual(["HOOK_THREW", "FAILED_OPEN"]);
  });

  test.each([[null], [false], [""], [0]])("%j is a body like any other", async (body) => {
    await using opened = await openWith([on("before_provider_request", () => body)]);
    expect((await opened.session.emit("model.wire", { body: {} })).answer).toEqual({ body });
  });

  test("a body changed in place is changed", async () => {
    const body = { messages: [{ role: "user" }] };
    await using opened = await openWith([
      on("before_provider_request", (event) => {
        event.payload.messages.push({ role: "assistant" });
      }),
    ]);
    const { answer } = await opened.session.emit("model.wire", { body });
    expect(answer).toEqual({ body: { messages: [{ role: "user" }, { role: "assistant" }] } });
    expect(body.messages).toHaveLength(1);
  });

  test("headers are changed in place, `null` takes one out, returns are ignored", async () => {
    await using opened = await openWith([
      on("before_provider_headers", (event) => {
        event.headers["x-a"] = "1";
        event.headers["x-b"] = null;
        return { headers: {} };
      }),
    ]);
    const { answer } = await opened.session.emit("model.headers", { headers: { "x-b": "2" } });
    expect(answer).toEqual({ headers: { "x-a": "1", "x-b": null } });
  });

  test("headers that are neither text nor null are reported, and the old ones stay", async () => {
    await using opened = await openWith([
      on("before_provider_headers", (event) => {
        event.headers["x-a"] = 1;
      }),
    ]);
    expect((await opened.session.emit("model.headers", { headers: {} })).answer).toEqual({});
    expect(opened.codes()).toEqual(["HOOK_BAD_ANSWER"]);
  });
});

describe("the model", () => {
  const model = { id: "m2", provider: "p" };
  test.each(["set", "cycle", "restore"] as const)(
    "model_select has the new model, the previous one and the source: %s [pi.model.2]",
    async (source) => {
      const seen: unknown[] = [];
      await using opened = await openWith([on("model_select", (event) => void seen.push(event))]);
      await opened.session.emit("model.select", { model, previousModel: { id: "m1", provider: "p" }, source });
      await opened.session.emit("model.select", { model, source });
      expect(seen).toEqual([
        { type: "model_select", model, previousModel: { id: "m1", provider: "p" }, source },
        { type: "model_select", model, previousModel: undefined, source },
      ]);
    },
  );

  test("thinking_level_select and after_provider_response tell what they know", async () => {
    const seen: unknown[] = [];
    await using opened = await openWith([
      on("thinking_level_select", (event) => void seen.push(event)),
      on("after_provider_response", (event) => void seen.push(event)),
    ]);
    await opened.session.emit("thinking.select", { level: "high", previousLevel: "off" });
    await opened.session.emit("model.responded", { status: 200, headers: { a: "b" } });
    expect(seen).toEqual([
      { type: "thinking_level_select", level: "high", previousLevel: "off" },
      { type: "after_provider_response", status: 200, headers: { a: "b" } },
    ]);
  });
});
