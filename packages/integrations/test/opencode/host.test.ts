import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Message } from "@hookline/runtime";
import { createHookRuntime, type HookSession } from "@hookline/runtime/session";
import fc from "fast-check";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../../bridge/test/support/temporary.ts";
import { host } from "../../src/opencode/host/index.ts";
import { changesTo, placedMessages } from "../../src/opencode/host/messages.ts";
import { pluginText } from "../../src/opencode/host/plugin.ts";
import type { OutputChange } from "../../src/opencode/host/words.ts";
import { hooksOf } from "../hosts/host-hooks.ts";
import { hasRecordings, type Recording, recordingsOf } from "../hosts/recordings.ts";

/** Effects in OpenCode of each thing that a plugin did; our plugin does the same, or leaves it out. */
const OBEYED: readonly (readonly [recording: string, model: RegExp, not: RegExp])[] = [
  ["deny-throw", /"content":"REASON-X"/, /"content":"hit/],
  ["two-deny-first", /"content":"REASON-X"/, /"content":"hit/],
  ["args", /"content":"rewritten/, /"content":"hit/],
  // A new object in place of the arguments is ignored, so the fields are changed.
  ["args-replace", /"content":"hit/, /"content":"replaced/],
  ["result", /"content":"NEW-X"/, /"content":"hit/],
  ["messages", /REWRITTEN-X/, /Read it/],
  ["system", /"role":"system","content":"CTX-X"/, /never said/],
  ["chatmsg", /"content":"NEW-X"/, /Read it/],
  ["slow-before", /"content":"hit/, /never said/],
];

describe.skipIf(!hasRecordings)("what OpenCode was recorded to do", () => {
  const all = new Map((hasRecordings ? recordingsOf("opencode") : []).map((one) => [one.name, one]));
  const named = (name: string): Recording => all.get(name) as Recording;

  it.each(OBEYED)("%s", (name, model, not) => {
    const sent = JSON.stringify(named(name).modelRequests);
    expect(sent).toMatch(model);
    expect(sent).not.toMatch(not);
  });

  it("never calls permission.ask, takes no text at the end of a run, and ends at a throw before the prompt", () => {
    const called = new Set([...all.values()].flatMap(({ hookCalls = [] }) => hookCalls.map(({ id }) => id)));
    expect(called.has("permission.ask")).toBe(false);
    expect(called.has("permission.asked")).toBe(true);
    expect(Object.hasOwn(host.events, "permission.ask")).toBe(false);
    expect(named("idle-reprompt").modelRequests).toHaveLength(1);
    expect(named("chatmsg-throw")).toMatchObject({ exit: 1, modelRequests: [] });
    expect(named("plugin-offline-first-start")).toMatchObject({ exit: "SIGKILL", hookCalls: [] });
  });
});

describe("OpenCode behind the bridge", () => {
  it("gives calls hookline's names and their own back", async () => {
    const { session, say } = await asked();
    const seen: object[] = [];
    session.on("tool.before", ({ tool, args }) => {
      seen.push({ tool, args });
      return { args: { ...args, edits: [{ oldText: "a", newText: "safe" }] } };
    });
    const args = { filePath: "x.ts", oldString: "a", newString: "b", replaceAll: true };
    expect(await say("tool.execute.before", call("edit"), { args })).toEqual({
      changes: [{ at: ["args"], to: { filePath: "x.ts", oldString: "a", newString: "safe", replaceAll: true } }],
    });
    const edits = [{ oldText: "a", newText: "b" }];
    expect(seen).toEqual([{ tool: "edit", args: { path: "x.ts", replaceAll: true, edits } }]);
  });

  it("asks those who judge sub-agents about the tool that starts one", async () => {
    const { session, say } = await asked();
    session.on("agent.spawn", ({ type, prompt }) =>
      type === "deploy" ? { cancel: true, reason: "no deploys" } : { prompt: `${prompt} Carefully.` },
    );
    const task = (subagent_type: string) => ({ args: { description: "d", prompt: "Go.", subagent_type } });
    expect(await say("tool.execute.before", call("task"), task("deploy"))).toEqual({ refuse: "no deploys" });
    expect(await say("tool.execute.before", call("task"), task("general"))).toMatchObject({
      changes: [{ at: ["args"], to: { prompt: "Go. Carefully." } }],
    });
  });

  it("adds what hooks say to the system prompt, with every request of a run and no further", async () => {
    const { session, say } = await asked();
    session.on("session.start", () => ({ additionalContext: "START" }));
    session.on("prompt.before", ({ text }) => ({ additionalContext: `about ${text}` }));
    session.on("agent.before-start", ({ systemPrompt }) => ({ systemPrompt: `FIRST\n${systemPrompt}\nLAST` }));
    const prompt = (text: string) => ({ message: { id: text }, parts: [{ type: "text", text }] });
    const system = async (): Promise<unknown> =>
      made(await say("experimental.chat.system.transform", { sessionID: "s" }, { system: ["base"] }), {
        system: ["base"],
      });
    await say("session.created", undefined, undefined, { info: { id: "s" } });
    await say("chat.message", { sessionID: "s" }, prompt("one"));
    for (let request = 0; request < 2; request++)
      expect(await system()).toEqual({ system: ["FIRST", "base", "LAST", "START", "about one"] });
    await say("chat.message", { sessionID: "s" }, prompt("two"));
    expect(await system()).toEqual({ system: ["FIRST", "base", "LAST", "START", "about two"] });
  });

  it("rewrites a prompt of several parts, and leaves that of a sub-agent alone", async () => {
    const { session, say } = await asked();
    session.on("prompt.before", ({ text }) => ({ text: text.toUpperCase() }));
    const parts = [
      { type: "text", text: "look at" },
      { type: "text", text: "a file", synthetic: true },
      { type: "file", url: "file:///x" },
      { type: "text", text: "this" },
    ];
    const said = await say("chat.message", { sessionID: "s" }, { message: {}, parts });
    expect(said).toEqual({
      changes: [
        { at: ["parts", 0, "text"], to: "LOOK AT\n\nTHIS" },
        { at: ["parts", 3, "text"], to: "" },
      ],
    });
    await say("session.created", undefined, undefined, { info: { id: "s", parentID: "p", title: "t" } });
    expect(await say("chat.message", { sessionID: "s" }, { message: {}, parts })).toEqual({});
  });

  it("sends what is left of the messages, and those that hooks add", async () => {
    const { session, say } = await asked();
    session.on("model.context", ({ messages }) => ({
      messages: messages.slice(1),
      additionalContext: "NOTE",
    }));
    const output = { messages: RUN };
    const { messages } = made(await say("experimental.chat.messages.transform", {}, output), output) as never as {
      messages: { info: object; parts: object[] }[];
    };
    expect(messages.slice(0, 2)).toEqual(RUN.slice(1));
    expect(messages.at(-1)).toMatchObject({ info: { role: "user", sessionID: "s" }, parts: [{ text: "NOTE" }] });
    session.on("model.context", () => ({ stop: true }));
    expect(await say("experimental.chat.messages.transform", {}, output)).toEqual({
      refuse: "A hook stopped this request.",
    });
  });

  it("tells of a sub-agent's end, and of a run's", async () => {
    const { session, say } = await asked();
    const told: string[] = [];
    session.on("agent.done", ({ reply }) => void told.push(`done ${reply}`));
    session.on("reply.final", ({ prompt, reply }) => void told.push(`${prompt}: ${reply}`));
    await say("chat.message", { sessionID: "s" }, { message: {}, parts: [{ type: "text", text: "p" }] });
    await say("experimental.text.complete", { sessionID: "s", partID: "1" }, { text: "r" });
    await say("session.idle", undefined, undefined, { sessionID: "s" });
    await say("session.created", undefined, undefined, { info: { id: "s", parentID: "p" } });
    await say("session.idle", undefined, undefined, { sessionID: "s" });
    expect(told).toEqual(["p: r", "done r"]);
  });
});

describe("OpenCode's messages", () => {
  const text = fc.string({ minLength: 1 });
  const user = fc.record({ text, id: fc.uuid() }).map(({ text, id }) => ({
    info: { id, role: "user", sessionID: "s", time: { created: 1 } },
    parts: [{ type: "text", text }],
  }));
  const reply = fc
    .record({ text, output: text, id: fc.uuid(), status: fc.constantFrom("completed", "error", "running") })
    .map(({ text, output, id, status }) => ({
      info: { id, role: "assistant", sessionID: "s", time: { created: 2 } },
      parts: [
        { type: "step-start" },
        { type: "text", text },
        { type: "tool", tool: "bash", callID: id, state: { status, input: { command: "ls" }, output, error: output } },
      ],
    }));
  const all = fc.array(fc.oneof(user, reply), { maxLength: 6 });

  it("come back as they were where no hook has changed them, and with each text as hooks want it", () => {
    fc.assert(
      fc.property(all, text, (messages, secret) => {
        const before = placedMessages(messages);
        const shown = before.map(({ message }) => message);
        expect(changesTo(messages, before, structuredClone(shown))).toEqual([]);
        const redacted = shown.map((message) => everyText(message, (one) => one.replaceAll(secret, "…")));
        const sent = made({ changes: changesTo(messages, before, redacted) }, { messages }) as { messages: unknown[] };
        expect(placedMessages(sent.messages).map(({ message }) => message)).toEqual(redacted);
      }),
    );
  });

  it("lack those that hooks take away, and have those that they add where they add them", () => {
    fc.assert(
      fc.property(all, fc.nat(), fc.nat(), (messages, gone, place) => {
        const before = placedMessages(messages);
        const shown = before.map(({ message }) => message);
        const users = shown.filter(({ role }) => role === "user");
        const target = users[gone % Math.max(1, users.length)];
        const left = shown.filter((message) => message !== target);
        const added: Message = { role: "user", content: [{ type: "text", text: "an added one" }], timestamp: 1 };
        // Between two of OpenCode's messages, not between a reply and its results.
        const at = left.findIndex(({ role }, index) => index >= place % (left.length + 1) && role !== "toolResult");
        const after = at < 0 ? [...left, added] : left.toSpliced(at, 0, added);
        const sent = made({ changes: changesTo(messages, before, after) }, { messages }) as { messages: unknown[] };
        const texts = placedMessages(sent.messages).map(({ message }) => textsOf(message));
        expect(texts).toEqual(after.map(textsOf));
      }),
    );
  });
});

describe("OpenCode's plugin", () => {
  const top = temporaryFolder();
  afterAll(() => rmSync(top, { recursive: true, force: true }));

  it("changes what it was given in place, throws to refuse, and waits for the session's start", async () => {
    const order: string[] = [];
    const { hooks, answers } = await plugged(top);
    answers["session.created"] = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      order.push("started");
      return { notices: [] };
    };
    answers["tool.execute.before"] = async ({ event }) => {
      order.push(`asked about ${event["input"].callID}`);
      return event["input"].callID === "no"
        ? { refuse: "NOT THIS" }
        : { changes: [{ at: ["args"], to: { command: "safe" } }] };
    };
    void hooks.event({ event: { type: "session.created", properties: { info: { id: "s" } } } });
    const args = { command: "rm", description: "d" };
    await hooks["tool.execute.before"]({ sessionID: "s", callID: "1", tool: "bash" }, { args });
    expect(args).toEqual({ command: "safe" });
    await expect(hooks["tool.execute.before"]({ sessionID: "s", callID: "no" }, { args: {} })).rejects.toThrow(
      "NOT THIS",
    );
    expect(order).toEqual(["started", "asked about 1", "asked about no"]);
    const system = ["base"];
    answers["experimental.chat.system.transform"] = async () => ({ changes: [{ at: ["system"], add: "more" }] });
    await hooks["experimental.chat.system.transform"]({ sessionID: "s" }, { system });
    expect(system).toEqual(["base", "more"]);
  });

  it("refuses guarded calls where hookline is away or anything goes wrong, and disturbs nothing else", async () => {
    const { hooks, answers } = await plugged(top);
    const away = async (): Promise<object> => ({ away: "no daemon runs", refuses: true });
    const broken = async (): Promise<object> => ({ changes: [{ at: ["nothing", "here"], to: 1 }] });
    for (const wrong of [away, broken]) {
      for (const name of Object.keys(host.events)) answers[name] = wrong;
      const input = { sessionID: "s", callID: "1", tool: "bash", args: {} };
      await expect(hooks["tool.execute.before"](input, { args: {} })).rejects.toThrow();
      await expect(hooks["chat.message"](input, { message: {}, parts: [] })).rejects.toThrow();
      const result = { title: "t", output: "o", metadata: {} };
      await hooks["tool.execute.after"](input, result);
      await hooks.event({ event: { type: "session.idle", properties: { sessionID: "s" } } });
      expect(result).toEqual({ title: "t", output: "o", metadata: {} });
    }
    answers["tool.execute.before"] = away;
    await expect(hooks["tool.execute.before"]({ sessionID: "s" }, { args: {} })).rejects.toThrow(
      "hookline is not reachable (no daemon runs)",
    );
  });

  it("sends all of a call and of a text, even if they begin like a file's address", async () => {
    const { hooks, answers, sent } = await plugged(top);
    const content = `data:text/plain,${"A".repeat(5000)}secret`;
    for (const name of ["tool.execute.before", "chat.message"]) answers[name] = async () => ({});
    const file = { type: "file", url: content };
    await hooks["tool.execute.before"]({ sessionID: "s", tool: "write" }, { args: { content, file } });
    await hooks["chat.message"]({ sessionID: "s" }, { message: {}, parts: [{ type: "text", text: content }, file] });
    expect(sent.map((one) => JSON.stringify(one).split("secret").length - 1)).toEqual([2, 1]);
  });

  it("ends each session that it has seen, and sends no bytes of files", async () => {
    const { hooks, answers, sent } = await plugged(top);
    const url = `data:image/png;base64,${"A".repeat(5000)}`;
    answers["experimental.chat.messages.transform"] = async () => ({});
    await hooks["experimental.chat.messages.transform"](
      {},
      { messages: [{ info: { sessionID: "one" }, parts: [{ type: "file", url }] }] },
    );
    await hooks["chat.headers"]({ sessionID: "two" }, { headers: {} });
    await hooks.dispose();
    expect(JSON.stringify(sent[0]).length).toBeLessThan(1000);
    expect(sent.filter(({ name }) => name === "dispose").map(({ session }) => session)).toEqual(["one", "two"]);
  });
});

/** A run of one call, as OpenCode keeps it. */
const RUN = [
  { info: { id: "1", role: "user", sessionID: "s", time: { created: 1 } }, parts: [{ type: "text", text: "do" }] },
  {
    info: { id: "2", role: "assistant", sessionID: "s", time: { created: 2 } },
    parts: [{ type: "tool", tool: "bash", callID: "c", state: { status: "completed", input: {}, output: "out" } }],
  },
  { info: { id: "3", role: "user", sessionID: "s", time: { created: 3 } }, parts: [{ type: "text", text: "go on" }] },
];

function call(tool: string): object {
  return { tool, sessionID: "s", callID: `call of ${tool}` };
}

/** Applies the changes to OpenCode's output as the plugin does. */
function made({ changes = [] }: { readonly changes?: readonly OutputChange[] }, given: object): object {
  const output = structuredClone(given);
  for (const { at, to, add, before, cut } of changes) {
    const holder = at.slice(0, -1).reduce((value: any, key) => value[key], output);
    const list = holder[at.at(-1) as string];
    if (cut !== undefined) list.splice(cut, 1);
    else if (add !== undefined) list.splice(before ?? list.length, 0, add);
    else holder[at.at(-1) as string] = to;
  }
  return output;
}

function everyText(message: Message, change: (text: string) => string): Message {
  if (!("content" in message) || typeof message.content === "string") return message;
  const content = message.content.map((block) =>
    block.type === "text" ? { ...block, text: change(block.text) } : block,
  );
  return { ...message, content } as Message;
}

function textsOf(message: Message): string[] {
  if (!("content" in message) || typeof message.content === "string") return [];
  return message.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
}

/** A session whose hooks OpenCode's events ask. */
async function asked(): Promise<{
  readonly session: HookSession;
  say(
    event: string,
    input: unknown,
    output: unknown,
    properties?: object,
  ): Promise<{ readonly changes?: OutputChange[] }>;
}> {
  const runtime = createHookRuntime({ dialects: [] });
  onTestFinished(() => runtime.close());
  const session = await runtime.open({ scene: { sessionId: "s", cwd: "/" } });
  const hooks = hooksOf(session);
  return {
    session,
    async say(name, input, output, properties) {
      const event = host.events[name];
      const call = event?.read({ session: "s", event: { input, output, properties } }, {});
      if (event === undefined || call === undefined) throw new Error(`no event ${name}`);
      const { stdout } = await event.ask(call, hooks);
      return stdout === "" ? {} : JSON.parse(stdout);
    },
  };
}

type Answers = Record<string, (payload: { readonly event: Record<string, any> }) => Promise<object>>;

/** The plugin as OpenCode loads it, whose questions the test answers. */
async function plugged(top: string): Promise<{
  readonly hooks: any;
  readonly answers: Answers;
  readonly sent: { readonly name: string; readonly session: string }[];
}> {
  const entries = Object.entries(host.events).map(([event, { timeoutMs: timeout }]) => ({
    event,
    timeout,
    command: "",
  }));
  const at = { home: top, hooklineHome: top, cwd: top, env: {} };
  const text = pluginText({ host, entries, origin: "opencode-user", at });
  const [answers, sent]: [Answers, { name: string; session: string }[]] = [{}, []];
  const client = `asked${Math.random()}`;
  (globalThis as any)[client] = async (name: string, payload: any): Promise<object> => {
    sent.push({ ...payload, name });
    const said = (await answers[name]?.(payload)) ?? {};
    return "away" in said ? said : { exit: 0, stdout: JSON.stringify(said), stderr: "" };
  };
  const file = join(mkdtempSync(join(top, "plugin-")), "plugin.mjs");
  const start = "async function hookline(event, payload, options = {}) {";
  expect(text).toContain(start);
  writeFileSync(file, text.replace(start, `${start}\n  return globalThis["${client}"](event, payload);`));
  const { HooklineBridge, ...others } = await import(pathToFileURL(file).href);
  // OpenCode takes every export for a plugin.
  expect(others).toEqual({});
  const hooks = await HooklineBridge({ directory: top, client: { tui: { showToast: async () => {} } } });
  return { hooks, answers, sent };
}
