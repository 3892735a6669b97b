import { describe, expect, it } from "vitest";
import { HookFailure } from "../../../runtime/src/run/failure.ts";
import { Bench, call, codes, HandClock, history, Lane, request, result, stopping } from "./kit.ts";

const fails =
  (cause: "exited" | "timeout" | "threw" | "engine" = "exited") =>
  () => {
    throw new HookFailure(cause, "exit code 3");
  };

describe("a chain", () => {
  it("[jcli.tier.5] hands on what each hook has changed", async () => {
    const seen: unknown[] = [];
    const add = (letter: string) => (event: { user_input?: string | undefined }) => {
      seen.push(event.user_input);
      return { user_input: `${event.user_input}${letter}` };
    };
    const lane = new Lane()
      .on("pre_send_message", add("a"))
      .on("pre_send_message", add("b"))
      .on("pre_send_message", add("c"));
    const outcome = await lane.emit("prompt.before", { text: "x" });
    expect(seen).toEqual(["x", "xa", "xab"]);
    expect(outcome.answer).toEqual({ text: "xabc" });
    expect(outcome.edits.map(({ field, from, to }) => [field, from, to])).toEqual([
      ["user_input", "x", "xa"],
      ["user_input", "xa", "xab"],
      ["user_input", "xab", "xabc"],
    ]);
  });

  it("hands on an edited error message too", async () => {
    const lane = new Lane()
      .on("post_tool_execution_failure", () => ({ tool_error: "first" }))
      .on("post_tool_execution_failure", ({ tool_error }) => ({ tool_error: `${tool_error} second` }));
    const { answer } = await lane.emit("tool.after", result("raw", { isError: true }));
    expect(answer).toEqual({ content: [{ type: "text", text: "first second" }] });
  });

  it("adds up injected messages and additional context, in hook order, without showing them on", async () => {
    const seen: unknown[] = [];
    const lane = new Lane();
    for (const name of ["a", "b"])
      lane.on("pre_llm_request", ({ messages, system_prompt }) => {
        seen.push([messages?.length, system_prompt]);
        return { inject_messages: [{ role: "user", content: name }], additional_context: name };
      });
    const { answer } = await lane.emit("model.context", request());
    expect(seen).toEqual([
      [1, "be kind"],
      [1, "be kind"],
    ]);
    expect(answer).toEqual({
      inject: [expect.objectContaining({ content: "a" }), expect.objectContaining({ content: "b" })],
      additionalContext: ["a\n\nb"],
    });
  });

  it("puts the system prompt together in the order replaced, then added", async () => {
    const lane = new Lane()
      .on("pre_llm_request", () => ({ additional_context: "tail" }))
      .on("pre_llm_request", () => ({ system_prompt: "new", messages: [{ role: "user", content: "only" }] }));
    const { answer } = await lane.emit("model.context", request());
    expect(answer).toMatchObject({ systemPrompt: "new", additionalContext: ["tail"] });
    expect(answer["messages"]).toEqual([{ ...history[0], content: "only" }]);
  });

  it("[jcli.action.2] ends with a stop, which discards the edits before it", async () => {
    let asked = false;
    const lane = new Lane()
      .on("pre_llm_request", () => ({ system_prompt: "x", inject_messages: [{ role: "user", content: "x" }] }))
      .on("pre_llm_request", () => ({ action: "stop", retry_feedback: "again", system_prompt: "y" }))
      .on("pre_llm_request", () => void (asked = true));
    const { answer } = await lane.emit("model.context", request());
    expect(answer).toEqual({ stop: true, feedback: "again" });
    expect(asked).toBe(false);
  });

  it("[jcli.action.3] ends with a skip, and the edits before it are dropped", async () => {
    const lane = new Lane()
      .on("pre_send_message", () => ({ user_input: "edited" }))
      .on("pre_send_message", () => ({ action: "skip" }));
    expect((await lane.emit("prompt.before", { text: "x" })).answer).toEqual({});
  });

  it("[jcli.call.3] a skip refuses a call that an earlier hook has rewritten", async () => {
    const lane = new Lane()
      .on("pre_tool_execution", () => ({ tool_arguments: '{"command":"ls -l"}' }))
      .on("pre_tool_execution", () => ({ action: "skip", tool_arguments: '{"command":"never"}' }));
    const { answer } = await lane.emit("tool.before", call());
    expect(answer).toEqual({ decision: "deny", reason: "Tool call skipped by hook" });
  });

  it("a stop keeps the additional context of the hook that said it, and of no other", async () => {
    const lane = new Lane()
      .on("stop", () => ({ additional_context: "mine" }))
      .on("stop", () => ({ action: "stop", retry_feedback: "go on", additional_context: "yours" }));
    expect((await lane.emit("agent.stop", stopping())).answer).toEqual({
      feedback: ["go on"],
      additionalContext: ["yours"],
    });
  });

  it("an action after an edit of a result ends the chain and keeps the edit", async () => {
    let asked = false;
    const lane = new Lane()
      .on("post_tool_execution_failure", () => ({ tool_error: "E", additional_context: "a" }))
      .on("post_tool_execution_failure", () => ({ action: "skip", additional_context: "b" }))
      .on("post_tool_execution_failure", () => void (asked = true));
    const { answer } = await lane.emit("tool.after", result("raw", { isError: true }));
    expect(answer).toEqual({ content: [{ type: "text", text: "E" }], additionalContext: ["a\n\nb"] });
    expect(asked).toBe(false);
  });
});

describe("a failing hook", () => {
  it("[jcli.protocol.6][jcli.protocol.7] is reported and passed over by default", async () => {
    const lane = new Lane()
      .on("pre_send_message", fails())
      .on("pre_send_message", ({ user_input }) => ({ user_input: `${user_input}!` }));
    const outcome = await lane.emit("prompt.before", { text: "x" });
    expect(outcome.answer).toEqual({ text: "x!" });
    expect(codes(outcome.diagnostics)).toEqual(["HOOK_EXITED", "FAILED_OPEN"]);
  });

  it("[jcli.protocol.6] ends the whole chain with on_error abort, whatever was edited before", async () => {
    let asked = false;
    const lane = new Lane()
      .on("pre_send_message", () => ({ user_input: "edited" }))
      .on("pre_send_message", fails(), { onError: "abort" })
      .on("pre_send_message", () => void (asked = true));
    expect((await lane.emit("prompt.before", { text: "x" })).answer).toEqual({ stop: true });
    expect(asked).toBe(false);
  });

  it("with on_error abort refuses a tool call and those behind it", async () => {
    const lane = new Lane().on("pre_tool_execution", fails(), { onError: "abort" });
    expect((await lane.emit("tool.before", call())).answer).toMatchObject({ decision: "deny", rest: "refuse" });
  });

  it("with on_error abort ends a chain of edits and keeps those before it", async () => {
    let asked = false;
    const lane = new Lane()
      .on("post_tool_execution", () => ({ tool_result: "redacted" }))
      .on("post_tool_execution", fails(), { onError: "abort" })
      .on("post_tool_execution", () => void (asked = true));
    const { answer } = await lane.emit("tool.after", result("secret"));
    expect(answer).toEqual({ content: [{ type: "text", text: "redacted" }] });
    expect(asked).toBe(false);
  });

  it("that the engine could not run refuses a tool call even with on_error skip", async () => {
    const outcome = await new Lane().on("pre_tool_execution", fails("engine")).emit("tool.before", call());
    expect(outcome.answer).toMatchObject({ decision: "deny" });
    expect(codes(outcome.diagnostics)).toEqual(["START_FAILED", "FAILED_CLOSED"]);
  });

  it("of an event that only tells is reported and nothing more", async () => {
    const outcome = await new Lane()
      .on("session_start", fails(), { onError: "abort" })
      .emit("session.start", { reason: "startup" });
    expect(outcome.answer).toEqual({});
    expect(codes(outcome.diagnostics)).toEqual(["HOOK_EXITED"]);
  });

  it("does not stop a turn that a person has aborted a second time", async () => {
    const abort = new AbortController();
    const lane = new Lane().on("stop", () => new Promise(() => {}), { onError: "abort" });
    const outcome = lane.emit("agent.stop", stopping(), abort.signal);
    abort.abort();
    expect((await outcome).answer).toEqual({});
  });
});

describe("retries", () => {
  it("[jcli.protocol.8][jcli.note.2] repeat a failure as often as retry says, and use the answer that comes", async () => {
    let tries = 0;
    const lane = new Lane().on(
      "pre_send_message",
      () => {
        tries += 1;
        if (tries < 3) throw new HookFailure("exited", "exit code 1");
        return { user_input: "third" };
      },
      { retry: 2 },
    );
    expect((await lane.emit("prompt.before", { text: "x" })).answer).toEqual({ text: "third" });
    expect(lane.instance.hooks[0]?.metrics).toMatchObject({ runs: 3, failed: 2, ok: 1 });
  });

  it("[jcli.note.2] never repeat an answer, a refusal included", async () => {
    let tries = 0;
    const lane = new Lane().on("pre_tool_execution", () => ({ action: "skip", tries: ++tries }), { retry: 5 });
    await lane.emit("tool.before", call());
    expect(tries).toBe(1);
  });

  it("repeat an answer that is not valid", async () => {
    let tries = 0;
    const lane = new Lane().on("pre_send_message", () => (++tries === 1 ? { user_input: 5 } : { user_input: "text" }), {
      retry: 1,
    });
    expect((await lane.emit("prompt.before", { text: "x" })).answer).toEqual({ text: "text" });
  });

  it("are over when retry is used up, and on_error decides", async () => {
    let tries = 0;
    const lane = new Lane().on(
      "pre_send_message",
      () => {
        tries += 1;
        throw new HookFailure("timeout", "late");
      },
      { retry: 2, onError: "abort" },
    );
    expect((await lane.emit("prompt.before", { text: "x" })).answer).toEqual({ stop: true });
    expect(tries).toBe(3);
  });
});

describe("the chain's 30 seconds", () => {
  it("[jcli.protocol.8][jcli.note.3] end the retries of a hook that goes on failing", async () => {
    const clock = new HandClock();
    let tries = 0;
    const lane = new Lane({ clock }).on(
      "pre_send_message",
      () => {
        tries += 1;
        clock.ms += 1000;
        throw new HookFailure("exited", "exit code 1");
      },
      { retry: 100, onError: "abort" },
    );
    const outcome = await lane.emit("prompt.before", { text: "x" });
    expect(tries).toBe(31);
    expect(outcome.answer).toEqual({ stop: true });
    expect(codes(outcome.diagnostics)).toContain("CHAIN_LIMIT");
  });

  it("keep a hook from starting, which then counts as failed; edits made before are kept", async () => {
    const clock = new HandClock();
    const asked: string[] = [];
    const slow = (name: string) => () => {
      asked.push(name);
      clock.ms += 12_000;
      return { user_input: name };
    };
    const lane = new Lane({ clock });
    for (const name of ["1", "2", "3", "4", "5"]) lane.on("pre_send_message", slow(name));
    const outcome = await lane.emit("prompt.before", { text: "x" });
    expect(asked).toEqual(["1", "2", "3"]);
    expect(outcome.answer).toEqual({ text: "3" });
    expect(codes(outcome.diagnostics)).toEqual(["CHAIN_LIMIT", "FAILED_OPEN", "CHAIN_LIMIT", "FAILED_OPEN"]);
  });

  it("refuse a tool call when the guard that they keep from starting says abort", async () => {
    const clock = new HandClock();
    const lane = new Lane({ clock })
      .on("pre_tool_execution", () => void (clock.ms += 30_001))
      .on("pre_tool_execution", () => undefined, { onError: "abort" });
    expect((await lane.emit("tool.before", call())).answer).toMatchObject({ decision: "deny" });
  });
});

describe("the order of tiers", () => {
  it("[jcli.tier.4][jcli.hooks.1] is builtin, user, project; in each tier j-cli's file, its folders, hookline's file", async () => {
    const bench = new Bench();
    const add = (letter: string) => `sed -E 's/.*"user_input":"([^"]*)".*/{"user_input":"\\1${letter}"}/'`;
    const file = (letter: string) => `pre_send_message:\n  - command: |\n      ${add(letter)}\n`;
    bench.user(file("1"));
    bench.write("home/.jdata/agent/hooks/b/HOOK.yaml", `events: [pre_send_message]\ncommand: |\n  ${add("3")}\n`);
    bench.write("home/.jdata/agent/hooks/a/HOOK.yaml", `events: [pre_send_message]\ncommand: |\n  ${add("2")}\n`);
    bench.write("home/.hookline/hooks.yaml", file("4"));
    bench.project(file("5"));
    bench.write("project/.jcli/hooks/z/HOOK.yaml", `events: [pre_send_message]\ncommand: |\n  ${add("6")}\n`);
    bench.write("project/.hookline/hooks.yaml", file("7"));
    const session = await bench.open();
    expect((await session.emit("prompt.before", { text: "x" })).answer).toEqual({ text: "x1234567" });
    expect(bench.diagnostics).toEqual([]);
  });
});
