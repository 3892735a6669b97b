import { describe, expect, test } from "vitest";
import type { EventName } from "../../../runtime/src/catalog/catalog.ts";
import { on, openExtensions, openHooks, user } from "./kit.ts";

const shell = { command: "ls", excludeFromContext: false, cwd: "/p" };
const python = { code: "1", excludeFromContext: true, cwd: "/p" };

describe("events of ExtensionAPI alone", () => {
  test.each<[name: string, of: EventName, payload: object, event: object]>([
    [
      "tool_execution_start",
      "tool.start",
      { toolCallId: "c", tool: "find", args: { a: 1 } },
      { toolCallId: "c", toolName: "glob", args: { a: 1 } },
    ],
    [
      "tool_execution_update",
      "tool.update",
      { toolCallId: "c", tool: "bash", args: {}, partial: { content: [] } },
      { toolCallId: "c", toolName: "bash", args: {}, partialResult: { content: [] } },
    ],
    [
      "tool_execution_end",
      "tool.end",
      { toolCallId: "c", tool: "bash", args: {}, result: { content: [] }, isError: true },
      { toolCallId: "c", toolName: "bash", result: { content: [] }, isError: true },
    ],
    ["message_start", "message.start", { message: user("m") }, { message: user("m") }],
    [
      "message_update",
      "message.update",
      { message: user("m"), event: { type: "text_delta" } },
      { message: user("m"), assistantMessageEvent: { type: "text_delta" } },
    ],
    ["message_end", "message.end", { message: user("m") }, { message: user("m") }],
    [
      "after_provider_response",
      "model.responded",
      { status: 200, headers: { "request-id": "r" } },
      { status: 200, headers: { "request-id": "r" }, requestId: "r", metadata: {} },
    ],
    [
      "tool_approval_requested",
      "approval.requested",
      { toolCallId: "c", tool: "bash", reason: "r" },
      { sessionId: "s1", toolCallId: "c", toolName: "bash", reason: "r", approvalMode: "always-ask" },
    ],
    [
      "tool_approval_resolved",
      "approval.resolved",
      { toolCallId: "c", tool: "bash", approved: false, reason: "no interactive UI available" },
      { sessionId: "s1", toolCallId: "c", toolName: "bash", approved: false, reason: "no interactive UI available" },
    ],
  ])("[omp.module.2, omp.event.26] %s tells and takes no answer", async (name, of, payload, event) => {
    const seen: unknown[] = [];
    await using opened = await openExtensions([
      on(name, (given) => {
        seen.push(given);
        return { message: user("other") };
      }),
    ]);
    expect((await opened.session.emit(of, payload as never)).answer).toEqual({});
    expect(seen).toEqual([{ type: name, ...event }]);
  });

  test("[omp.event.26] modules in hooks/{pre,post} hear them too, without a time limit", async () => {
    const names = [
      "tool_execution_start",
      "tool_execution_update",
      "tool_execution_end",
      "input",
      "user_bash",
      "user_python",
    ];
    await using opened = await openHooks([(pi) => names.map((name) => pi.on(name, () => {}))]);
    expect(opened.codes()).toEqual([]);
    expect(opened.session.hooks().map(({ hook }) => [hook.event, hook.timeoutMs])).toEqual(
      names.map((name) => [name, undefined]),
    );
  });

  test.each(["goal_updated", "credential_disabled"])("%s is known and never fires", async (name) => {
    await using opened = await openExtensions([on(name, () => {})]);
    expect(opened.codes()).toEqual(["NEVER_FIRES"]);
  });

  test("an unknown name is reported with the nearest one", async () => {
    await using opened = await openHooks([on("tool_cal", () => {})]);
    expect(opened.diagnostics).toMatchObject([{ code: "UNKNOWN_HOOK_EVENT" }]);
    expect(opened.diagnostics[0]?.hint).toContain('"tool_call"');
  });
});

describe("input", () => {
  const given = { text: "x", source: "interactive" } as const;

  test("texts are handed on, and what is handled ends the event", async () => {
    const asked: unknown[] = [];
    await using opened = await openExtensions([
      on(
        "input",
        (event) => ({ text: `${event.text}1` }),
        (event) => ({ text: `${event.text}2`, images: [] }),
        (event) => void asked.push(event),
      ),
    ]);
    expect((await opened.session.emit("input", given)).answer).toEqual({ text: "x12" });
    expect(asked).toEqual([{ type: "input", text: "x12", images: [], source: "interactive" }]);
    await using handled = await openExtensions([
      on(
        "input",
        () => ({ handled: 1 }),
        () => void asked.push("late"),
      ),
    ]);
    expect((await handled.session.emit("input", given)).answer).toEqual({ handled: true });
    expect(asked).toHaveLength(1);
  });

  test.each([
    ["an empty text counts", { text: "" }, { text: "" }, []],
    ["an echo is no edit", { text: "x" }, {}, []],
    ["pi's answer is not understood", { action: "handled" }, {}, ["HOOK_ODD_ANSWER"]],
  ])("%s", async (_name, answered, expected, codes) => {
    await using opened = await openExtensions([on("input", () => answered)]);
    expect((await opened.session.emit("input", given)).answer).toEqual(expected);
    expect(opened.codes()).toEqual(codes);
  });
});

describe("a person's own commands", () => {
  test.each([
    ["user_bash", "shell.user", shell],
    ["user_python", "python.user", python],
  ] as const)("%s: the first object ends the event, and its result counts", async (name, of, payload) => {
    const seen: unknown[] = [];
    await using opened = await openExtensions([
      on(
        name,
        (event) => void seen.push(event),
        () => ({ result: { output: "o", exitCode: 0, cancelled: false, truncated: false, extra: 1 } }),
        () => void seen.push("late"),
      ),
    ]);
    expect((await opened.session.emit(of, payload as never)).answer).toEqual({
      result: { output: "o", exitCode: 0, cancelled: false, truncated: false, extra: 1 },
    });
    expect(seen).toEqual([{ type: name, ...payload }]);
  });

  test("an object without a result stops the others and lets the command run", async () => {
    const asked: number[] = [];
    await using opened = await openExtensions([
      on(
        "user_bash",
        () => ({}),
        () => void asked.push(1),
      ),
    ]);
    expect((await opened.session.emit("shell.user", shell)).answer).toEqual({});
    expect(asked).toEqual([]);
  });

  test("a result without output is not a result", async () => {
    await using opened = await openExtensions([on("user_bash", () => ({ result: { exitCode: 0 } }))]);
    expect((await opened.session.emit("shell.user", shell)).answer).toEqual({});
    expect(opened.codes()).toEqual(["HOOK_ODD_ANSWER"]);
  });
});

describe("before_provider_request", () => {
  test("whatever is returned replaces the body and is handed on", async () => {
    const seen: unknown[] = [];
    await using opened = await openExtensions([
      on(
        "before_provider_request",
        (event) => ({ ...event.payload, temperature: 0 }),
        (event) => void seen.push(event.payload),
      ),
    ]);
    const { answer } = await opened.session.emit("model.wire", { body: { model: "m" } });
    expect(answer).toEqual({ body: { model: "m", temperature: 0 } });
    expect(seen).toEqual([{ model: "m", temperature: 0 }]);
  });

  test("null replaces, nothing keeps, an edit in place counts", async () => {
    await using nulled = await openExtensions([on("before_provider_request", () => null)]);
    expect((await nulled.session.emit("model.wire", { body: { model: "m" } })).answer).toEqual({ body: null });
    await using kept = await openExtensions([on("before_provider_request", () => undefined)]);
    expect((await kept.session.emit("model.wire", { body: { model: "m" } })).answer).toEqual({});
    await using edited = await openExtensions([
      on("before_provider_request", (event) => {
        event.payload.model = "n";
      }),
    ]);
    expect((await edited.session.emit("model.wire", { body: { model: "m" } })).answer).toEqual({
      body: { model: "n" },
    });
  });
});

describe("session_stop", () => {
  const reply = { role: "assistant", content: [], timestamp: 2 } as any;
  const stop = {
    prompt: "p",
    reply: "r",
    messages: [user("u"), reply, user("v"), reply, reply],
    retryCount: 3,
    stopHookActive: true,
  };

  test("it tells the turn in snake case, counted from what the model was last told", async () => {
    const seen: unknown[] = [];
    await using opened = await openExtensions([on("session_stop", (event) => void seen.push(event))]);
    await opened.session.emit("agent.stop", stop);
    expect(seen).toEqual([
      {
        type: "session_stop",
        messages: stop.messages,
        turn_id: 1,
        last_assistant_message: reply,
        session_id: "s1",
        stop_hook_active: true,
        signal: expect.any(AbortSignal),
      },
    ]);
  });

  const goOn = { continue: true, additionalContext: "first" };

  test.each([
    ["the first that continues counts", [goOn, { continue: true, reason: "second" }], { feedback: ["first"] }],
    ["one that says nothing is passed over", [{ continue: true }, goOn], { feedback: ["first"] }],
    ["a block counts before it", [goOn, { decision: "block", reason: "tests fail" }], { feedback: ["tests fail"] }],
    ["words without a wish to continue", [{ reason: "r" }], {}],
    ["a block without words", [{ decision: "block" }], {}],
  ])("%s", async (_name, answers, expected) => {
    await using opened = await openExtensions([on("session_stop", ...answers.map((answer) => () => answer))]);
    expect((await opened.session.emit("agent.stop", stop)).answer).toEqual(expected);
  });

  test("a block leaves later handlers unasked, a wish to continue does not", async () => {
    const asked: number[] = [];
    await using opened = await openExtensions([
      on(
        "session_stop",
        () => goOn,
        () => {
          asked.push(2);
          return { decision: "block", reason: "r" };
        },
        () => void asked.push(3),
      ),
    ]);
    await opened.session.emit("agent.stop", stop);
    expect(asked).toEqual([2]);
  });

  test("an answer that gives the model nothing to go on with is reported", async () => {
    await using opened = await openExtensions([on("session_stop", () => ({ decision: "block" }))]);
    await opened.session.emit("agent.stop", stop);
    expect(opened.codes()).toEqual(["HOOK_ODD_ANSWER"]);
  });
});

test("resources_discover adds the paths of all extensions", async () => {
  await using opened = await openExtensions([
    on(
      "resources_discover",
      ({ cwd, reason }) => ({ skillPaths: [`${cwd}/${reason}`] }),
      () => ({ skillPaths: ["b"], themePaths: ["t"] }),
    ),
  ]);
  const { answer } = await opened.session.emit("resources.discover", { cwd: "/p", reason: "startup" });
  expect(answer).toEqual({ skillPaths: ["/p/startup", "b"], themePaths: ["t"] });
});
