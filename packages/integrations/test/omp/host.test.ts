import { describe, expect, it } from "vitest";
import { host } from "../../src/omp/host/index.ts";
import { asked } from "../hosts/host-hooks.ts";
import { hasRecordings, type Recording, recordingsOf } from "../hosts/recordings.ts";

/** Effects in oh-my-pi of each thing that an extension did; our answers must have the same effects. */
const OBEYED: readonly (readonly [recording: string, model: RegExp, not: RegExp])[] = [
  ["deny", /"content":"REASON-X"/, /"content":"hit/],
  ["throw", /failed: REASON-X/, /"content":"hit/],
  ["args", /"content":"rewritten/, /"content":"hit/],
  ["result", /"content":"NEW-X"/, /"content":"hit/],
  ["context", /REWRITTEN-X/, /"Read it"/],
  ["before-agent", /"SYS-X".*"CTX-X"/, /RFC 2119/],
  ["wire", /"temperature":0.42/, /never said/],
];

describe.skipIf(!hasRecordings)("what oh-my-pi was recorded to do", () => {
  const all = new Map((hasRecordings ? recordingsOf("omp") : []).map((one) => [one.name, one]));

  it.each(OBEYED)("%s", (name, model, not) => {
    const sent = JSON.stringify((all.get(name) as Recording).modelRequests);
    expect(sent).toMatch(model);
    expect(sent).not.toMatch(not);
  });

  it("fires no input in print mode, so that the prompt is asked about when its run begins", () => {
    const fired = new Set([...all.values()].flatMap(({ hookCalls = [] }) => hookCalls.map(({ id }) => id)));
    expect(fired.has("input")).toBe(false);
    expect(host.events["before_agent_start"]?.moments).toContain("prompt.before");
    // Every recorded event with a moment of the catalog is asked.
    const left = [...fired].filter((event) => !Object.hasOwn(host.events, event));
    expect(left).toEqual(["agent_start", "tool_execution_start", "tool_execution_end"]);
  });
});

describe("oh-my-pi behind the bridge", () => {
  it("drops a prompt that a hook stops, typed or not, and asks once", async () => {
    const { session, say } = await asked(host);
    const seen: string[] = [];
    session.on("prompt.before", ({ text }) => {
      seen.push(text);
      return text.includes("secret") ? { stop: true, reason: "no secrets" } : undefined;
    });
    expect(await say("before_agent_start", { prompt: "a secret", systemPrompt: ["S"] })).toEqual({
      abort: true,
      notices: ["no secrets"],
    });
    expect(await say("input", { text: "a secret", source: "interactive" })).toEqual({
      returns: { handled: true },
      notices: ["no secrets"],
    });
    await say("input", { text: "harmless", source: "interactive" });
    await say("before_agent_start", { prompt: "harmless", systemPrompt: ["S"] });
    expect(seen).toEqual(["a secret", "a secret", "harmless"]);
  });

  it("sends a rewritten prompt with each request of its run, where oh-my-pi keeps the typed one", async () => {
    const { session, say } = await asked(host);
    session.on("prompt.before", ({ text }) => ({ text: text.replace("key-1", "[removed]") }));
    await say("before_agent_start", { prompt: "use key-1", systemPrompt: ["S"] });
    const typed = { role: "user", content: [{ type: "text", text: "use key-1" }], timestamp: 1 };
    const other = { role: "user", content: "another", timestamp: 0 };
    const rewritten = { ...typed, content: [{ type: "text", text: "use [removed]" }] };
    for (let request = 0; request < 2; request++)
      expect(await say("context", { messages: [other, typed] })).toEqual({ returns: { messages: [other, rewritten] } });
    await say("before_agent_start", { prompt: "go on", systemPrompt: ["S"] });
    expect(await say("context", { messages: [other] })).toEqual({});
  });

  it("adds to the system prompt, which oh-my-pi has in parts", async () => {
    const { session, say } = await asked(host);
    session.on("agent.before-start", ({ systemPrompt }) => ({ systemPrompt: `${systemPrompt}\nBe kind.` }));
    expect(await say("before_agent_start", { prompt: "p", systemPrompt: ["one", "two"] })).toEqual({
      returns: { systemPrompt: ["one\n\ntwo\nBe kind."] },
    });
  });

  it("changes arguments in place, and of an edit returns those that it runs with", async () => {
    const { session, say } = await asked(host);
    session.on("tool.before", ({ args }) => ({ args: { ...args, added: true } }));
    expect(await say("tool_call", { toolCallId: "1", toolName: "bash", input: { command: "ls" } })).toEqual({
      edits: { input: { command: "ls", added: true } },
    });
    const input = { input: "[a.ts#1234]\n…", path: "a.ts", paths: ["a.ts"] };
    expect(await say("tool_call", { toolCallId: "2", toolName: "edit", input })).toEqual({
      returns: { input: { input: "[a.ts#1234]\n…", added: true } },
    });
    expect(
      await say("tool_call", { toolCallId: "3", toolName: "edit", input: { path: "a.ts", old_string: "x" } }),
    ).toEqual({ returns: { input: { path: "a.ts", old_string: "x", added: true } } });
  });

  it("gives the search for files the name that hooks know", async () => {
    const { session, say } = await asked(host);
    session.on("tool.before", ({ tool }) => ({ decision: "deny", reason: tool }));
    const { returns } = (await say("tool_call", { toolCallId: "1", toolName: "glob", input: {} })) as never as {
      returns: object;
    };
    expect(returns).toEqual({ block: true, reason: "find" });
  });

  it("tells why a compaction was begun, and cancels it for hooks", async () => {
    const { session, say } = await asked(host);
    const triggers: string[] = [];
    session.on("compact.before", ({ trigger }) => {
      triggers.push(trigger);
      return { cancel: true };
    });
    await say("auto_compaction_start", { reason: "overflow", action: "context-full" });
    const cancelled = { returns: { cancel: true } };
    expect(await say("session_before_compact", { preparation: {}, branchEntries: [] })).toEqual(cancelled);
    await say("auto_compaction_end", { aborted: true, willRetry: false });
    expect(await say("session_before_compact", { preparation: {}, branchEntries: [] })).toEqual(cancelled);
    expect(triggers).toEqual(["overflow", "manual"]);
  });
});
