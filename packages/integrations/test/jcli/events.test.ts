import { describe, expect, it } from "vitest";
import { catalog } from "../../../runtime/src/catalog/catalog.ts";
import { EVENTS } from "../../src/jcli/hooks/fields.ts";
import { jcli } from "../../src/jcli/hooks/index.ts";
import { call, compacted, compacting, flatHistory, history, Lane, request, result, scene, stopping } from "./kit.ts";

const base = (event: string) => ({ event, session_id: "s1", cwd: "/project" });
const rows = jcli.lanes[0]?.rows ?? [];

describe("the table of events", () => {
  it("has a row for each of the seed's fourteen events, on an event of the catalog", () => {
    expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(EVENTS).sort());
    expect(rows).toHaveLength(14);
    for (const { of } of rows) expect(catalog.has(of)).toBe(true);
  });

  it.each(rows.map((row) => [row.name, row] as const))(
    "%s asks one hook after the other, or only tells",
    (name, row) => {
      expect(row.budgetMs).toBe(30_000);
      expect(row.schedule).toBe(EVENTS[name]?.writes.length ? "series" : row.kind === "shutdown" ? "all" : "parallel");
    },
  );
});

describe("session_start and session_end", () => {
  it("[jcli.flow.1][jcli.start.1][jcli.stdin.2] session_start reads the conversation", async () => {
    const seen = await Lane.shows("session_start", "session.start", { reason: "resume" });
    expect(seen).toEqual({ ...base("session_start"), messages: flatHistory });
  });

  it("[jcli.flow.2][jcli.end.1] session_end reads the conversation", async () => {
    const seen = await Lane.shows("session_end", "session.end", { reason: "quit" });
    expect(seen).toEqual({ ...base("session_end"), messages: flatHistory });
  });

  it("reads an empty list where there is no conversation yet", async () => {
    const bare = { sessionId: "s2", cwd: "/elsewhere" };
    const seen = await Lane.shows("session_start", "session.start", { reason: "startup" }, bare);
    expect(seen).toEqual({ event: "session_start", session_id: "s2", cwd: "/elsewhere", messages: [] });
  });

  it("a reload is not a new session", async () => {
    const seen: string[] = [];
    const lane = new Lane()
      .on("session_start", ({ event }) => void seen.push(event))
      .on("session_end", ({ event }) => void seen.push(event));
    await lane.emit("session.end", { reason: "reload" });
    await lane.emit("session.start", { reason: "reload" });
    expect(seen).toEqual([]);
    await lane.emit("session.end", { reason: "fork" });
    await lane.emit("session.start", { reason: "fork" });
    expect(seen).toEqual(["session_end", "session_start"]);
  });

  it("[jcli.start.2][jcli.end.2] ignores what their hooks answer, stop included", async () => {
    const answer = { action: "stop", messages: [], inject_messages: [{ role: "user", content: "x" }] };
    expect(await Lane.says("session_start", answer, "session.start", { reason: "startup" })).toEqual({});
    expect(await Lane.says("session_end", answer, "session.end", { reason: "quit" })).toEqual({});
  });
});

describe("pre_send_message and post_send_message", () => {
  it("[jcli.flow.3][jcli.send.1][jcli.stdin.5] reads the text, and the conversation without it", async () => {
    const seen = await Lane.shows("pre_send_message", "prompt.before", { text: "hi" });
    expect(seen).toEqual({ ...base("pre_send_message"), user_input: "hi", messages: flatHistory });
  });

  it.each([
    ["[jcli.send.2][jcli.stdout.1] replaces the text", { user_input: "HI" }, { text: "HI" }],
    ["takes the same text for no change", { user_input: "hi" }, {}],
    ["[jcli.send.3][jcli.action.4] stops the message", { action: "stop" }, { stop: true }],
    [
      "[jcli.send.4][jcli.feedback.2][jcli.stdout.9] stops it with feedback",
      { action: "stop", retry_feedback: "ask politely" },
      { stop: true, feedback: "ask politely" },
    ],
    [
      "[jcli.feedback.1] takes feedback without stop for nothing",
      { retry_feedback: "x", user_input: "HI" },
      { text: "HI" },
    ],
    ["[jcli.action.3] takes skip for nothing but the end of the chain", { action: "skip", user_input: "HI" }, {}],
  ])("%s", async (_, answer, expected) => {
    expect(await Lane.says("pre_send_message", answer, "prompt.before", { text: "hi" })).toEqual(expected);
  });

  it("[jcli.flow.4][jcli.sent.1] post_send_message reads the text that was sent", async () => {
    const seen = await Lane.shows("post_send_message", "input.sent", { text: "hi" });
    expect(seen).toEqual({ ...base("post_send_message"), user_input: "hi", messages: flatHistory });
  });

  it("[jcli.sent.2] post_send_message changes nothing", async () => {
    const answer = { user_input: "x", action: "stop" };
    expect(await Lane.says("post_send_message", answer, "input.sent", { text: "hi" })).toEqual({});
  });
});

describe("pre_llm_request", () => {
  const says = (answer: unknown) => Lane.says("pre_llm_request", answer, "model.context", request());

  it("[jcli.flow.5][jcli.flow.9][jcli.request.1][jcli.stdin.3][jcli.stdin.4] reads messages, system prompt and model of each request", async () => {
    expect(rows.find(({ name }) => name === "pre_llm_request")?.of).toBe("model.context");
    const seen = await Lane.shows("pre_llm_request", "model.context", request());
    expect(seen).toEqual({
      ...base("pre_llm_request"),
      messages: flatHistory,
      system_prompt: "be kind",
      model: "gpt-4o",
    });
  });

  it("[jcli.stdin.13] leaves out a system prompt and a model that are not there", async () => {
    const bare = { sessionId: "s1", cwd: "/project" };
    const seen = await Lane.shows("pre_llm_request", "model.context", { messages: [], systemPrompt: "" }, bare);
    expect(seen).toEqual({ ...base("pre_llm_request"), messages: [] });
  });

  it("[jcli.request.2][jcli.stdout.3] replaces the messages, keeping the objects of those that stay", async () => {
    const answer = (await says({ messages: [...flatHistory, { role: "user", content: "more" }] })) as any;
    expect(answer.messages[0]).toBe(history[0]);
    expect(answer.messages[1]).toMatchObject({ role: "user", content: "more" });
    expect(Object.keys(answer)).toEqual(["messages"]);
  });

  it("takes echoed messages and an echoed system prompt as no change", async () => {
    expect(await says({ messages: flatHistory, system_prompt: "be kind" })).toEqual({});
  });

  it("[jcli.request.3][jcli.stdout.4] replaces the system prompt", async () => {
    expect(await says({ system_prompt: "be brief" })).toEqual({ systemPrompt: "be brief" });
  });

  it("[jcli.request.4][jcli.stdout.8] adds messages behind the conversation", async () => {
    expect(await says({ inject_messages: [{ role: "user", content: "note" }] })).toEqual({
      inject: [{ role: "user", content: "note", timestamp: 1 }],
    });
  });

  it("[jcli.request.5][jcli.context.1][jcli.stdout.10] adds text to the end of the system prompt", async () => {
    expect(await says({ additional_context: "use tabs" })).toEqual({ additionalContext: ["use tabs"] });
    expect(await says({ additional_context: " " })).toEqual({});
  });

  it("[jcli.request.6][jcli.action.4] stops the request", async () => {
    expect(await says({ action: "stop", system_prompt: "x" })).toEqual({ stop: true });
  });

  it("[jcli.request.7] stops it with feedback", async () => {
    expect(await says({ action: "stop", retry_feedback: "not yet" })).toEqual({ stop: true, feedback: "not yet" });
  });

  it("drops injected tool results whose call is nowhere", async () => {
    expect(await says({ inject_messages: [{ role: "tool", content: "x", tool_call_id: "none" }] })).toEqual({});
  });
});

describe("post_llm_response", () => {
  const says = (answer: unknown) => Lane.says("post_llm_response", answer, "model.response", { text: "reply" });

  it("[jcli.flow.6][jcli.response.1][jcli.stdin.6] reads the reply and the conversation before it", async () => {
    const seen = await Lane.shows("post_llm_response", "model.response", { text: "", model: "gpt-4.1" });
    expect(seen).toEqual({
      ...base("post_llm_response"),
      assistant_output: "",
      messages: flatHistory,
      model: "gpt-4.1",
    });
  });

  it.each([
    ["[jcli.response.2][jcli.stdout.2] replaces the reply", { assistant_output: "REPLY" }, { text: "REPLY" }],
    ["[jcli.response.3][jcli.action.4] discards it", { action: "stop" }, { stop: true }],
    [
      "[jcli.response.4][jcli.feedback.2] sends it back",
      { action: "stop", retry_feedback: "no secrets" },
      { stop: true, feedback: "no secrets" },
    ],
    ["keeps it when feedback comes without stop", { retry_feedback: "no secrets" }, {}],
  ])("%s", async (_, answer, expected) => {
    expect(await says(answer)).toEqual(expected);
  });
});

describe("pre_tool_execution", () => {
  const says = (answer: unknown, payload = call()) => Lane.says("pre_tool_execution", answer, "tool.before", payload);

  it("[jcli.flow.7][jcli.call.1][jcli.stdin.7][jcli.stdin.8] reads the tool's name in j-cli and the arguments as JSON text, and nothing else", async () => {
    const seen = await Lane.shows("pre_tool_execution", "tool.before", call({ command: "ls", timeout: 3 }));
    expect(seen).toEqual({
      ...base("pre_tool_execution"),
      tool_name: "Bash",
      tool_arguments: '{"command":"ls","timeout":3}',
    });
  });

  it.each([
    [
      "[jcli.call.2][jcli.stdout.5] replaces the arguments",
      { tool_arguments: '{"command":"ls -l"}' },
      { args: { command: "ls -l" } },
    ],
    ["takes the same arguments, written otherwise, for no change", { tool_arguments: '{ "command": "ls" }' }, {}],
    [
      "[jcli.call.3][jcli.action.5][jcli.stdout.12] skip refuses this call only",
      { action: "skip" },
      { decision: "deny", reason: "Tool call skipped by hook" },
    ],
    [
      "[jcli.action.2] stop refuses this call and those that have not started",
      { action: "stop" },
      {
        decision: "deny",
        reason: "Tool call stopped by hook, with the calls of this reply that had not started",
        rest: "refuse",
      },
    ],
    [
      "gives feedback to the model as the reason",
      { action: "skip", retry_feedback: "rm is not allowed" },
      { decision: "deny", reason: "Tool call skipped by hook: rm is not allowed" },
    ],
    [
      "an old script's abort means stop",
      { abort: true },
      expect.objectContaining({ decision: "deny", rest: "refuse" }),
    ],
    ["an abort that is not true means nothing", { abort: "yes" }, {}],
  ])("%s", async (_, answer, expected) => {
    expect(await says(answer)).toEqual(expected);
  });

  it.each(["not json", "[1]", '"text"', "null", ""])(
    "refuses the call where %j is to be its arguments, although a failure is to be skipped",
    async (text) => {
      const lane = new Lane().on("pre_tool_execution", () => ({ tool_arguments: text }));
      const outcome = await lane.emit("tool.before", call());
      expect(outcome.answer).toMatchObject({ decision: "deny" });
      expect(outcome.diagnostics.map(({ code }) => code)).toEqual(["HOOK_BAD_ANSWER", "REWRITE_REFUSED"]);
    },
  );

  it.each([
    [{ tool_arguments: { command: "ls" } }],
    [{ tool_arguments: '{"command":"ls"}', user_input: 5 }],
    [{ tool_arguments: "{}", messages: "none" }],
  ])("refuses the call where %j cannot be used as a whole", async (answer) => {
    const outcome = await new Lane().on("pre_tool_execution", () => answer as never).emit("tool.before", call());
    expect(outcome.answer).toMatchObject({ decision: "deny" });
  });

  it("leaves the call to on_error where the answer has no arguments of its own", async () => {
    const lane = new Lane().on("pre_tool_execution", () => ({ user_input: 5, tool_arguments: null }) as never);
    expect((await lane.emit("tool.before", call())).answer).toEqual({});
  });

  it("asks a hook again about a call that a later one has changed", async () => {
    const seen: string[] = [];
    const lane = new Lane()
      .on("pre_tool_execution", ({ tool_arguments }) => {
        seen.push(tool_arguments as string);
        return tool_arguments?.includes("rm") ? { action: "skip" } : undefined;
      })
      .on("pre_tool_execution", () => ({ tool_arguments: '{"command":"rm -rf /"}' }));
    const outcome = await lane.emit("tool.before", call());
    expect(seen).toEqual(['{"command":"ls"}', '{"command":"rm -rf /"}']);
    expect(outcome.answer).toMatchObject({ decision: "deny" });
  });
});

describe("post_tool_execution and post_tool_execution_failure", () => {
  const both = async (payload: ReturnType<typeof result>): Promise<unknown[]> => {
    const seen: unknown[] = [];
    const lane = new Lane()
      .on("post_tool_execution", (event) => void seen.push(event))
      .on("post_tool_execution_failure", (event) => void seen.push(event));
    await lane.emit("tool.after", payload);
    return JSON.parse(JSON.stringify(seen)) as unknown[];
  };

  it("[jcli.flow.8][jcli.result.1][jcli.stdin.9] a success is told to post_tool_execution alone", async () => {
    expect(await both(result("out"))).toEqual([
      { ...base("post_tool_execution"), tool_name: "Bash", tool_arguments: expect.any(String), tool_result: "out" },
    ]);
  });

  it.each([
    ["a tool that failed", { isError: true }],
    ["a call that was refused", { isError: true, blocked: true }],
  ])(
    "[jcli.flow.8][jcli.failure.1][jcli.stdin.10] %s is told to post_tool_execution_failure alone",
    async (_, more) => {
      expect(await both(result("no", more))).toEqual([
        { ...base("post_tool_execution_failure"), tool_name: "Bash", tool_error: "no" },
      ]);
    },
  );

  it("[jcli.result.2][jcli.stdout.6] replaces the result's text and keeps what is beside it", async () => {
    const image = { type: "image", data: "aGk=", mimeType: "image/png" } as const;
    const content = [{ type: "text" as const, text: "out" }, image];
    const answer = await Lane.says(
      "post_tool_execution",
      { tool_result: "OUT" },
      "tool.after",
      result("", { content }),
    );
    expect(answer).toEqual({ content: [{ type: "text", text: "OUT" }, image] });
  });

  it("takes an echoed result as no change", async () => {
    expect(await Lane.says("post_tool_execution", { tool_result: "out" }, "tool.after", result("out"))).toEqual({});
  });

  it("an action beside an edit changes nothing about the edit", async () => {
    const answer = { tool_result: "OUT", action: "stop" };
    expect(await Lane.says("post_tool_execution", answer, "tool.after", result("out"))).toEqual({
      content: [{ type: "text", text: "OUT" }],
    });
  });

  it("[jcli.failure.2][jcli.failure.3][jcli.stdout.7] replaces the error and adds to the next request's system prompt", async () => {
    const answer = { tool_error: "denied", additional_context: "try another way" };
    const payload = result("no", { isError: true });
    expect(await Lane.says("post_tool_execution_failure", answer, "tool.after", payload)).toEqual({
      content: [{ type: "text", text: "denied" }],
      additionalContext: ["try another way"],
    });
  });

  it("an error may be made empty", async () => {
    const payload = result("no", { isError: true });
    expect(await Lane.says("post_tool_execution_failure", { tool_error: "" }, "tool.after", payload)).toEqual({
      content: [],
    });
  });
});

describe("stop", () => {
  const says = (answer: unknown) => Lane.says("stop", answer, "agent.stop", stopping());

  it("[jcli.flow.10][jcli.stop.1][jcli.stop.5] reads the user's text, the reply, the conversation, system prompt and model", async () => {
    expect(await Lane.shows("stop", "agent.stop", stopping())).toEqual({
      ...base("stop"),
      user_input: "do it",
      assistant_output: "done",
      messages: flatHistory,
      system_prompt: "be kind",
      model: "gpt-4o",
      retry_count: 2,
    });
  });

  it.each([
    [
      "[jcli.stop.2][jcli.feedback.1] feedback alone sends the model back",
      { retry_feedback: "test it" },
      { feedback: ["test it"] },
    ],
    [
      "[jcli.stop.2][jcli.feedback.2] so does stop with feedback",
      { action: "stop", retry_feedback: "test it" },
      { feedback: ["test it"] },
    ],
    [
      "[jcli.stop.3] adds to the next request's system prompt, beside feedback as well",
      { action: "stop", retry_feedback: "test it", additional_context: "run npm test" },
      { feedback: ["test it"], additionalContext: ["run npm test"] },
    ],
    ["[jcli.stop.4][jcli.action.4] stop without feedback ends the turn", { action: "stop" }, { stop: true }],
    ["an empty feedback is none", { retry_feedback: "" }, {}],
    ["skip lets the turn end as it would have", { action: "skip", retry_feedback: "x" }, {}],
  ])("%s", async (_, answer, expected) => {
    expect(await says(answer)).toEqual(expected);
  });
});

describe("compaction", () => {
  it("[jcli.flow.11][jcli.compact.1][jcli.compact.2] micro and full compaction have a pair each; rolling is heard as full", async () => {
    const seen: string[] = [];
    const lane = new Lane();
    for (const name of ["pre_micro_compact", "post_micro_compact", "pre_auto_compact", "post_auto_compact"])
      lane.on(name, ({ event }) => void seen.push(event));
    for (const kind of ["micro", "full", "rolling"] as const) {
      await lane.emit("compact.before", compacting(kind));
      await lane.emit("compact.after", compacted(kind));
    }
    expect(seen).toEqual([
      "pre_micro_compact",
      "post_micro_compact",
      "pre_auto_compact",
      "post_auto_compact",
      "pre_auto_compact",
      "post_auto_compact",
    ]);
  });

  it("[jcli.micro.1][jcli.auto.1] the first of each pair reads messages and model, the full one the system prompt as well", async () => {
    const own = { messages: flatHistory, model: "gpt-4o" };
    expect(await Lane.shows("pre_micro_compact", "compact.before", compacting("micro"))).toEqual({
      ...base("pre_micro_compact"),
      ...own,
    });
    expect(await Lane.shows("pre_auto_compact", "compact.before", compacting("full"))).toEqual({
      ...base("pre_auto_compact"),
      ...own,
      system_prompt: "be kind",
    });
  });

  it("[jcli.micro.3][jcli.auto.4] the second of each pair reads the messages", async () => {
    for (const [name, kind] of [
      ["post_micro_compact", "micro"],
      ["post_auto_compact", "full"],
    ] as const)
      expect(await Lane.shows(name, "compact.after", compacted(kind))).toEqual({
        ...base(name),
        messages: flatHistory,
      });
  });

  it("[jcli.micro.2][jcli.action.6] stop before micro compaction leaves out the full one as well", async () => {
    const answer = await Lane.says("pre_micro_compact", { action: "stop" }, "compact.before", compacting("micro"));
    expect(answer).toEqual({ skip: "all" });
  });

  it("[jcli.auto.3][jcli.action.7] stop before full compaction leaves out that one", async () => {
    const answer = await Lane.says("pre_auto_compact", { action: "stop" }, "compact.before", compacting("full"));
    expect(answer).toEqual({ skip: "this" });
  });

  it("[jcli.auto.2][jcli.stdout.10] additional context goes into the request that writes the summary", async () => {
    const lane = new Lane()
      .on("pre_auto_compact", () => ({ additional_context: "keep the plan" }))
      .on("pre_auto_compact", () => ({ additional_context: "keep the names" }));
    const { answer } = await lane.emit("compact.before", compacting("full"));
    expect(answer).toEqual({ instructions: ["keep the plan\n\nkeep the names"] });
  });

  it.each([
    ["[jcli.micro.4][jcli.stdout.3] post_micro_compact", "post_micro_compact", "micro"],
    ["[jcli.auto.5][jcli.stdout.3] post_auto_compact", "post_auto_compact", "full"],
  ] as const)("%s replaces the messages", async (_, name, kind) => {
    const answer = (await Lane.says(
      name,
      { messages: [{ role: "user", content: "short" }] },
      "compact.after",
      compacted(kind),
    )) as any;
    expect(answer.messages).toEqual([{ role: "user", content: "short", timestamp: 1 }]);
    expect(await Lane.says(name, { messages: flatHistory }, "compact.after", compacted(kind))).toEqual({});
  });
});

describe("every event", () => {
  it("[jcli.stdin.1][jcli.stdin.11][jcli.stdin.12][jcli.stdin.13] names itself, the session and the folder, and has no field that its table lacks", async () => {
    const payloads = {
      "session.start": { reason: "startup" },
      "session.end": { reason: "quit" },
      "prompt.before": { text: "t" },
      "input.sent": { text: "t" },
      "model.context": request(),
      "model.response": { text: "t" },
      "tool.before": call(),
      "agent.stop": stopping(),
    } as Record<string, unknown>;
    for (const row of rows) {
      const name = row.name;
      const kind = name.includes("micro") ? "micro" : "full";
      const payload =
        payloads[row.of] ??
        (row.of === "tool.after"
          ? result("t", { isError: name.endsWith("failure") })
          : row.of === "compact.before"
            ? compacting(kind)
            : compacted(kind));
      const seen = (await Lane.shows(name, row.of as never, payload as never)) as Record<string, unknown>;
      expect(seen).toMatchObject({ event: name, session_id: scene.sessionId, cwd: scene.cwd });
      const { event: _, session_id: __, cwd: ___, ...own } = seen;
      expect(Object.keys(own).sort()).toEqual([...(EVENTS[name]?.reads ?? [])].sort());
    }
  });
});
