import { createHookRuntime, type HookSession } from "@hookline/runtime/session";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { host } from "../../src/gemini/host/index.ts";
import { hooksOf } from "../hosts/host-hooks.ts";
import { hasRecordings, recordingsOf } from "../hosts/recordings.ts";

interface Told {
  readonly role: string;
  readonly content: string;
}

const SESSION = "<session_context>\nToday is …\n</session_context>";
const user = (content: string): Told => ({ role: "user", content });
const model = (content: string): Told => ({ role: "model", content });

describe("requests of Gemini CLI", () => {
  it("have a rewritten prompt from then on, wherever it stands in them", async () => {
    const { session, say, sent } = await asked();
    session.on("prompt.before", ({ text }) => ({ text: text.replace(/key-\d/, "[removed]") }));
    await say("BeforeAgent", { prompt: "use key-1" });
    expect(await sent([user(`${SESSION}use key-1`)])).toEqual([user(`${SESSION}use [removed]`)]);
    expect(await sent([user(`${SESSION}use key-1\n<hook_context>C</hook_context>`), model("yes")])).toEqual([
      user(`${SESSION}use [removed]\n<hook_context>C</hook_context>`),
      model("yes"),
    ]);
    await say("BeforeAgent", { prompt: "and with key-2, which is longer than most" });
    expect(
      await sent([
        user(`${SESSION}use key-1`),
        model("yes"),
        user("and with key-2, which is longer than most @file text"),
      ]),
    ).toEqual([
      user(`${SESSION}use [removed]`),
      model("yes"),
      user("and with [removed], which is longer than most @file text"),
    ]);
    // A short prompt is not looked for in other texts.
    await say("BeforeAgent", { prompt: "key-3" });
    expect(await sent([user("key-3 is what I said")])).toBeUndefined();
  });

  it("have texts as hooks want them, as many as before, and new ones behind", async () => {
    const { session, sent } = await asked();
    session.on("model.context", ({ messages }) => ({
      messages: messages.filter(({ role }) => role === "user"),
      additionalContext: "NOTE",
    }));
    expect(await sent([user("one"), model("two"), user("three")])).toEqual([
      user("one"),
      model("(removed by a hook)"),
      user("three"),
      user("NOTE"),
    ]);
  });

  it("are sent as they are where no hook changes anything, and redacted wherever one does", async () => {
    const text = fc.string({ minLength: 1 });
    const texts = fc.array(
      fc.record({ role: fc.constantFrom("user", "model"), content: text }, { noNullPrototype: true }),
      { maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(texts, text, async (messages, secret) => {
        const { session, sent, close } = await asked();
        expect(await sent(messages)).toBeUndefined();
        const hide = (content: string): string => content.replaceAll(secret, "…");
        session.on("model.context", ({ messages }) => ({
          messages: messages.map((message) =>
            message.role === "user"
              ? { ...message, content: hide(message.content as string) }
              : message.role === "assistant"
                ? {
                    ...message,
                    content: message.content.map((block) =>
                      block.type === "text" ? { ...block, text: hide(block.text) } : block,
                    ),
                  }
                : message,
          ),
        }));
        const hidden = messages.map(({ role, content }) => ({ role, content: hide(content) }));
        expect((await sent(messages)) ?? messages).toEqual(hidden);
        await close();
      }),
      { numRuns: 30 },
    );
  });

  it("have another model and other settings where a hook wants them, and are stopped by one", async () => {
    const { session, say } = await asked();
    session.on("model.request", ({ request }) => ({
      request: { ...request, model: { ...request.model, id: "other" }, temperature: 0 },
    }));
    const llm_request = { model: "m", messages: [user("x")], config: { temperature: 1, topP: 0.9 } };
    expect(await say("BeforeModel", { llm_request })).toMatchObject({
      hookSpecificOutput: { llm_request: { model: "other", config: { temperature: 0, topP: 0.9 } } },
    });
    session.on("model.context", () => ({ stop: true, feedback: "not this" }));
    expect(await say("BeforeModel", { llm_request })).toEqual({ decision: "deny", reason: "not this" });
    expect(host.events["BeforeModel"]?.guard).toBe(true);
  });
});

describe("replies in Gemini CLI", () => {
  const piece = (text: string, finishReason?: string): object => ({
    llm_response: {
      text,
      candidates: [{ content: { role: "model", parts: [text] }, index: 0, ...(finishReason && { finishReason }) }],
    },
  });

  it("are masked piece by piece, and so are sent again", async () => {
    const { session, say, sent } = await asked();
    session.on("model.response", ({ text }) => ({ text: text.replace("SECRET", "…") }));
    const ended: string[] = [];
    session.on(
      "message.end",
      ({ message }) => void ended.push(JSON.stringify("content" in message && message.content)),
    );
    expect(await say("AfterModel", piece("one "))).toEqual({});
    expect(await say("AfterModel", piece("SECRET", "STOP"))).toEqual({
      hookSpecificOutput: {
        hookEventName: "AfterModel",
        llm_response: {
          text: "…",
          candidates: [{ content: { role: "model", parts: ["…"] }, index: 0, finishReason: "STOP" }],
        },
      },
    });
    expect(ended).toEqual([JSON.stringify([{ type: "text", text: "one …" }])]);
    expect(await sent([user("x"), model("one SECRET")])).toEqual([user("x"), model("one …")]);
  });
});

describe("tools in Gemini CLI", () => {
  it("that hooks take away are not offered where all are, and calls of them are refused otherwise", async () => {
    const { session, say } = await asked();
    let choice: object = { exclude: ["bash"] };
    session.on("tools.select", () => choice);
    const call = (tool_name: string): Promise<object> => say("BeforeTool", { tool_name, tool_input: {} });
    const refused = { decision: "deny", reason: "A hook has removed this tool." };
    expect(await say("BeforeToolSelection", { llm_request: {} })).toEqual({});
    expect([await call("run_shell_command"), await call("read_file")]).toEqual([refused, {}]);
    choice = { include: ["read"] };
    await say("BeforeToolSelection", { llm_request: {} });
    expect([await call("run_shell_command"), await call("read_file")]).toEqual([refused, {}]);
    choice = { include: [] };
    expect(await say("BeforeToolSelection", { llm_request: {} })).toEqual({
      hookSpecificOutput: { hookEventName: "BeforeToolSelection", toolConfig: { mode: "NONE" } },
    });
  });

  it.skipIf(!hasRecordings)("are never asked for again by an answer: Gemini CLI would go on without end", async () => {
    const { session, say } = await asked();
    const tail = { tailToolCallRequest: { name: "read_file", args: {} } };
    session.on("tool.after", () => ({ ...tail, additionalContext: "C" }) as never);
    const recorded = recordingsOf("gemini").find(({ name }) => name === "post-tail");
    expect(recorded?.exit).toBe("SIGKILL");
    const again = recorded?.hookCalls?.filter(({ stdin }) => stdin["original_request_name"] !== undefined) ?? [];
    expect(again.length).toBeGreaterThan(0);
    for (const { stdin } of recorded?.hookCalls ?? [])
      expect(JSON.stringify(await say("AfterTool", { ...stdin }))).not.toContain("tailToolCallRequest");
  });
});

/** A session whose hooks Gemini CLI's events ask. */
describe("calls of Gemini CLI", () => {
  it("are known again by the arguments that they run with, which are merged, and their context arrives", async () => {
    const { session, say } = await asked();
    const ids: string[] = [];
    session.on("tool.before", ({ toolCallId }) => {
      ids.push(toolCallId);
      return { args: { command: "ls" }, additionalContext: "for the model" };
    });
    session.on("tool.after", ({ toolCallId }) => void ids.push(toolCallId));
    const call = { tool_name: "run_shell_command", tool_input: { command: "rm x", description: "d" } };
    expect(await say("BeforeTool", call)).toMatchObject({ hookSpecificOutput: { tool_input: { command: "ls" } } });
    const ran = { ...call, tool_input: { command: "ls", description: "d" }, tool_response: { llmContent: "x" } };
    expect(await say("AfterTool", ran)).toMatchObject({ hookSpecificOutput: { additionalContext: "for the model" } });
    expect(ids[0]).toBe(ids[1]);
  });
});

async function asked(): Promise<{
  readonly session: HookSession;
  say(event: string, fields: object): Promise<object>;
  /** The texts of a request after the hooks; nothing where they stay. */
  sent(messages: readonly Told[]): Promise<readonly Told[] | undefined>;
  close(): Promise<void>;
}> {
  const runtime = createHookRuntime({ dialects: [] });
  onTestFinished(() => runtime.close());
  const session = await runtime.open({ scene: { sessionId: "s", cwd: "/" } });
  const hooks = hooksOf(session);
  const say = async (name: string, fields: object): Promise<object> => {
    const event = host.events[name];
    const call = event?.read({ session_id: "s", ...fields }, {});
    if (event === undefined || call === undefined) throw new Error(`no event ${name}`);
    const { stdout } = await event.ask(call, hooks);
    return stdout === "" ? {} : JSON.parse(stdout);
  };
  return {
    session,
    say,
    close: () => runtime.close(),
    async sent(messages) {
      const said = (await say("BeforeModel", { llm_request: { model: "m", messages, config: {} } })) as never as {
        hookSpecificOutput?: { llm_request?: { messages: readonly Told[] } };
      };
      return said.hookSpecificOutput?.llm_request?.messages;
    },
  };
}
