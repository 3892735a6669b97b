import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { trustNothing } from "../../../runtime/src/consent/consent.ts";
import { type Opened, openFiles, settle, text, user } from "./kit.ts";

const hook = `export default (pi) => { pi.on("agent_start", () => {}); };`;

/** omp's hook package as a module of a session imports it. */
async function library(files: Readonly<Record<string, string>> = {}): Promise<{ opened: Opened; lib: any }> {
  const source = `import * as hooks from "@oh-my-pi/pi-coding-agent/hooks"; export default () => { globalThis.ompHooks = hooks; };`;
  const opened = await openFiles({ "home/.omp/agent/extensions/uses.ts": source, ...files });
  return { opened, lib: (globalThis as any).ompHooks };
}

/** A hook as a program puts one together itself. */
function loaded(path: string, handlers: Readonly<Record<string, readonly unknown[]>>): any {
  return {
    path,
    resolvedPath: path,
    handlers: new Map(Object.entries(handlers).map(([event, list]) => [event, [...list]])),
    messageRenderers: new Map(),
    commands: new Map(),
    setSendMessageHandler: () => {},
    setAppendEntryHandler: () => {},
  };
}

describe("loadHooks", () => {
  test("[omp.load.2, omp.load.3, omp.load.4, omp.load.5, omp.error.1, omp.error.2] imports each path in order; what fails is among the errors", async () => {
    const { opened, lib } = await library({
      "project/a.ts": hook,
      "home/b.ts": hook,
      "project/none.ts": "export const x = 1;",
      "project/throws.ts": "throw new Error('top');",
    });
    await using _ = opened;
    const absolute = join(opened.root, "project/a.ts");
    const result = await lib.loadHooks(["none.ts", "~/b.ts", "throws.ts", absolute], join(opened.root, "project"));
    expect(result.hooks.map(({ path, resolvedPath }: any) => [path, resolvedPath])).toEqual([
      ["~/b.ts", join(opened.root, "home/b.ts")],
      [absolute, absolute],
    ]);
    expect(result.errors).toEqual([
      { path: "none.ts", error: "Hook must export a default function" },
      { path: "throws.ts", error: expect.stringMatching(/^Failed to load hook: top/) },
    ]);
  });

  test("a loaded hook has what its factory has registered, and is in no lane of the session", async () => {
    const source = `export default (pi) => {
      pi.on("tool_call", () => {});
      pi.registerCommand("c", { description: "one", handler: () => {} });
      pi.registerCommand("c", { description: "two", handler: () => {} });
      pi.registerMessageRenderer("t", () => {});
    };`;
    const { opened, lib } = await library({ "project/a.ts": source });
    await using _ = opened;
    const { hooks } = await lib.loadHooks(["a.ts"], join(opened.root, "project"));
    expect([...hooks[0].handlers.keys()]).toEqual(["tool_call"]);
    expect(hooks[0].commands.get("c")).toMatchObject({ name: "c", description: "two" });
    expect(hooks[0].messageRenderers.has("t")).toBe(true);
    expect(opened.session.hooks()).toEqual([]);
  });

  test("[omp.api.1] sending waits for its handler; exec runs in the folder of the load", async () => {
    const source = `export default (pi) => {
      globalThis.ompEarly = (() => { try { pi.sendMessage("x"); } catch (thrown) { return thrown.message; } })();
      pi.on("agent_start", async () => { pi.sendMessage("x", true); pi.appendEntry("t", 1); globalThis.ompPwd = await pi.exec("pwd", []); });
    };`;
    const { opened, lib } = await library({ "project/a.ts": source });
    await using _ = opened;
    const { hooks } = await lib.loadHooks([join(opened.root, "project/a.ts")], "/");
    expect((globalThis as any).ompEarly).toBe("sendMessage handler not initialized");
    const sent: unknown[] = [];
    const runner = new lib.HookRunner(hooks, "/");
    const sendMessageHandler = (...args: unknown[]) => sent.push(args);
    runner.initialize({ sendMessageHandler, appendEntryHandler: sendMessageHandler });
    await runner.emit({ type: "agent_start" });
    expect(sent).toEqual([
      [{ customType: "custom-message", content: "x", display: true, attribution: "agent" }, { triggerTurn: true }],
      ["t", 1],
    ]);
    expect((globalThis as any).ompPwd).toMatchObject({ stdout: "/\n", code: 0 });
  });
});

describe("discoverAndLoadHooks", () => {
  test("[omp.load.1, omp.discover.4] discovered hooks come first, then configured ones, each path once", async () => {
    const { opened, lib } = await library({
      "home/.omp/agent/hooks/pre/u.ts": hook,
      "project/.omp/hooks/pre/p.ts": hook,
      "project/extra.ts": hook,
    });
    await using _ = opened;
    const cwd = join(opened.root, "project");
    const { hooks, errors } = await lib.discoverAndLoadHooks(["extra.ts", "~/.omp/agent/hooks/pre/u.ts"], cwd);
    expect(errors).toEqual([]);
    expect(hooks.map(({ resolvedPath }: any) => resolvedPath.slice(opened.root.length + 1))).toEqual([
      "project/.omp/hooks/pre/p.ts",
      "home/.omp/agent/hooks/pre/u.ts",
      "project/extra.ts",
    ]);
  });

  test("[omp.load.7] files that are not modules are among the errors", async () => {
    const { opened, lib } = await library({ "home/.claude/hooks/pre/guard.sh": "#!/bin/sh\n" });
    await using _ = opened;
    const { hooks, errors } = await lib.discoverAndLoadHooks([], join(opened.root, "project"));
    expect(hooks).toEqual([]);
    expect(errors).toMatchObject([{ path: join(opened.root, "home/.claude/hooks/pre/guard.sh") }]);
  });

  test("a project's hooks that nobody has approved stay out", async () => {
    const source = `import * as hooks from "@oh-my-pi/pi-coding-agent/hooks"; export default () => { globalThis.ompHooks = hooks; };`;
    await using opened = await openFiles(
      { "home/.omp/agent/extensions/uses.ts": source, "project/.omp/hooks/pre/p.ts": `globalThis.ompRan = 1; ${hook}` },
      { consent: trustNothing },
    );
    const { hooks, errors } = await (globalThis as any).ompHooks.discoverAndLoadHooks([], join(opened.root, "project"));
    expect(hooks).toEqual([]);
    expect(errors).toMatchObject([{ error: expect.stringContaining("trust approve") }]);
    expect((globalThis as any).ompRan).toBeUndefined();
  });
});

/** A runner over hooks that are put together by hand. */
async function running(...hooks: any[]): Promise<{ opened: Opened; runner: any; errors: unknown[]; lib: any }> {
  const { opened, lib } = await library();
  const runner = new lib.HookRunner(hooks, "/cwd", { session: true }, { models: true });
  const errors: unknown[] = [];
  runner.onError((error: unknown) => errors.push(error));
  return { opened, runner, errors, lib };
}

describe("HookRunner", () => {
  test("[omp.order.1, omp.order.2] asks hooks in their order, and each one's handlers in theirs", async () => {
    const asked: string[] = [];
    const slow = (name: string) => async () => {
      await settle();
      asked.push(name);
    };
    const { opened, runner } = await running(
      loaded("/a", { agent_start: [slow("a1"), slow("a2")] }),
      loaded("/b", { agent_start: [slow("b1")] }),
    );
    await using _ = opened;
    expect(await runner.emit({ type: "agent_start" })).toBeUndefined();
    expect(asked).toEqual(["a1", "a2", "b1"]);
    expect([runner.hasHandlers("agent_start"), runner.hasHandlers("agent_end")]).toEqual([true, false]);
  });

  test("[omp.error.3] failures go to listeners and stop nobody, a listener's own neither", async () => {
    const asked: number[] = [];
    const { opened, runner, errors } = await running(
      loaded("/a", {
        context: [
          () => {
            throw new Error("x");
          },
          async () => {
            asked.push(2);
            throw "text";
          },
        ],
      }),
    );
    await using _ = opened;
    runner.onError(() => {
      throw new Error("listener");
    });
    expect(await runner.emitContext([user("a")])).toEqual([user("a")]);
    expect(errors).toEqual([
      { hookPath: "/a", event: "context", error: "x" },
      { hookPath: "/a", event: "context", error: "text" },
    ]);
    expect(asked).toEqual([2]);
    expect(opened.codes()).toContain("LISTENER_THREW");
  });

  test("[omp.conflict.1, omp.conflict.2, omp.conflict.3, omp.conflict.4, omp.conflict.5, omp.conflict.6] folds as each event does", async () => {
    const give = (value: unknown) => () => value;
    const { opened, runner } = await running(
      loaded("/a", {
        tool_call: [
          give({ reason: "r", additionalContext: "one" }),
          give({ input: { n: 1 }, additionalContext: "two" }),
        ],
        tool_result: [give({ content: [] }), give({ details: 1, isError: true })],
        context: [(event: any) => ({ messages: [...event.messages, 1].map((m) => (m === 1 ? user("b") : m)) })],
        before_agent_start: [give({ message: "first" }), give({ message: "second" })],
        session_before_switch: [give({ cancel: false }), give({ cancel: true }), give({})],
        "session.compacting": [give({ prompt: "p" }), give({ context: ["c"] })],
      }),
    );
    await using _ = opened;
    expect(await runner.emitToolCall({ type: "tool_call", toolName: "t", toolCallId: "c", input: {} })).toEqual({
      input: { n: 1 },
      additionalContext: "one\n\ntwo",
    });
    expect(await runner.emit({ type: "tool_result", content: [text("a")] })).toEqual({ details: 1, isError: true });
    expect(await runner.emitContext([user("a")])).toEqual([user("a"), user("b")]);
    expect(await runner.emitBeforeAgentStart("p")).toEqual({ message: "first" });
    expect(await runner.emit({ type: "session_before_switch", reason: "new" })).toEqual({ cancel: true });
    expect(await runner.emit({ type: "session.compacting" })).toEqual({ context: ["c"] });
    expect(await runner.emit({ type: "agent_end", messages: [] })).toBeUndefined();
  });

  test("an edit in place counts behind two handlers that answer with equal lists", async () => {
    const answered = () => ({ messages: [user("b")] });
    const edits = ({ messages }: { messages: { content: unknown }[] }): void => {
      for (const message of messages) message.content = "in place";
    };
    const { runner } = await running(loaded("/a", { context: [answered, answered, edits] }));
    expect(await runner.emitContext([user("a")])).toMatchObject([{ content: "in place" }]);
  });

  test("[omp.error.4] a tool_call handler's failure is thrown as it was, and listeners are not told", async () => {
    const error = new RangeError("boom");
    const { opened, runner, errors } = await running(
      loaded("/a", {
        tool_call: [
          () => {
            throw error;
          },
        ],
      }),
    );
    await using _ = opened;
    await expect(runner.emitToolCall({ type: "tool_call", input: {} })).rejects.toBe(error);
    expect(errors).toEqual([]);
  });

  test("a handler that is added while an event is asked about runs in the same pass", async () => {
    const asked: string[] = [];
    const mine = loaded("/a", {});
    mine.handlers.set("agent_start", [
      () => {
        asked.push("first");
        mine.handlers.get("agent_start").push(() => void asked.push("added"));
      },
    ]);
    const { opened, runner } = await running(mine);
    await using _ = opened;
    await runner.emit({ type: "agent_start" });
    expect(asked).toEqual(["first", "added"]);
  });

  test("[omp.conflict.7, omp.conflict.8, omp.conflict.9] commands and renderers: the first by name, all in the list", async () => {
    const [a, b] = [loaded("/a", {}), loaded("/b", {})];
    for (const one of [a, b]) {
      one.commands.set("c", { name: "c", description: one.path });
      one.messageRenderers.set("t", one.path);
    }
    const { opened, runner } = await running(a, b);
    await using _ = opened;
    expect(runner.getCommand("c").description).toBe("/a");
    expect(runner.getMessageRenderer("t")).toBe("/a");
    expect(runner.getRegisteredCommands()).toHaveLength(2);
    expect([runner.getCommand("x"), runner.getMessageRenderer("x")]).toEqual([undefined, undefined]);
    expect(runner.getHookPaths()).toEqual(["/a", "/b"]);
  });

  test("[omp.ui.15, omp.ui.16, omp.ui.17, omp.ui.18] contexts have omp's keys, and session control only for commands", async () => {
    const contexts: any[] = [];
    const { opened, runner } = await running(
      loaded("/a", { agent_start: [(_event: unknown, ctx: unknown) => contexts.push(ctx)] }),
    );
    await using _ = opened;
    await runner.emit({ type: "agent_start" });
    runner.initialize({
      getModel: () => "model",
      hasUI: true,
      uiContext: { mine: true },
      hasQueuedMessages: () => true,
    });
    await runner.emit({ type: "agent_start" });
    const [before, after] = contexts;
    expect(Object.keys(before)).toEqual([
      "ui",
      "hasUI",
      "cwd",
      "sessionManager",
      "modelRegistry",
      "model",
      "isIdle",
      "abort",
      "hasQueuedMessages",
      "hasPendingMessages",
    ]);
    expect(before).toMatchObject({ hasUI: false, cwd: "/cwd", sessionManager: { session: true } });
    expect([await before.ui.select(), await before.ui.confirm(), before.ui.getEditorText()]).toEqual([
      undefined,
      false,
      "",
    ]);
    expect(after).toMatchObject({ hasUI: true, ui: { mine: true }, model: "model" });
    expect(after.hasQueuedMessages()).toBe(true);
    const command = runner.createCommandContext();
    expect(Object.keys(command).slice(-4)).toEqual(["waitForIdle", "newSession", "branch", "navigateTree"]);
    expect(await command.branch("e")).toEqual({ cancelled: false });
    expect([runner.getCwd(), runner.getHasUI()]).toEqual(["/cwd", true]);
  });
});

describe("HookToolWrapper", () => {
  const call = { type: "text", text: "ran" };
  const tool = (execute: (...args: any[]) => unknown): any => ({
    name: "read",
    label: "Read",
    parameters: { type: "object" },
    execute,
  });
  const done = async () => ({ content: [call], details: { n: 1 }, extra: true });

  async function wrapped(handlers: Readonly<Record<string, readonly unknown[]>>, inner: any = tool(done)) {
    const { opened, runner, lib } = await running(loaded("/a", handlers));
    return { opened, wrapper: new lib.HookToolWrapper(inner, runner), runner, lib };
  }

  test("[omp.tool-call.6, omp.flow.1] without hooks the tool runs as it is and its result is its own", async () => {
    const result = { content: [call] };
    const { opened, wrapper, lib } = await wrapped(
      {},
      tool(async () => result),
    );
    await using _ = opened;
    expect(await wrapper.execute("c", {})).toBe(result);
    expect([wrapper.name, wrapper.label, wrapper.parameters]).toEqual(["read", "Read", { type: "object" }]);
    expect(wrapper).toBeInstanceOf(lib.HookToolWrapper);
  });

  test.each([
    ["a reason", { block: true, reason: "no" }, "no"],
    ["no reason", { block: true }, "Tool execution was blocked by a hook"],
  ])(
    "[omp.tool-call.1, omp.tool-call.3, omp.flow.1] a block with %s is thrown, and no result is reported",
    async (_name, answer, message) => {
      const ran: unknown[] = [];
      const { opened, wrapper } = await wrapped(
        { tool_call: [() => answer], tool_result: [() => void ran.push("result")] },
        tool(async () => ran.push("tool")),
      );
      await using _ = opened;
      await expect(wrapper.execute("c", {})).rejects.toThrow(message);
      expect(ran).toEqual([]);
    },
  );

  test.each([
    ["an error", new TypeError("boom"), "boom"],
    ["anything else", "str", "Hook failed, blocking execution: str"],
  ])("[omp.tool-call.4, omp.error.4] a guard that throws %s blocks", async (_name, thrown, message) => {
    const { opened, wrapper } = await wrapped({
      tool_call: [
        () => {
          throw thrown;
        },
      ],
    });
    await using _ = opened;
    await expect(wrapper.execute("c", {})).rejects.toThrow(message);
  });

  test("[omp.mutate.5] the tool runs with the input that a hook gives, or has edited in place", async () => {
    const ran: unknown[] = [];
    const inner = tool(async (_id: string, params: unknown) => {
      ran.push(params);
      return { content: [] };
    });
    const given = await wrapped({ tool_call: [() => ({ input: { path: "b" } })] }, inner);
    await using _given = given.opened;
    await given.wrapper.execute("c", { path: "a" });
    const edited = await wrapped({ tool_call: [(event: any) => void (event.input.path = "c")] }, inner);
    await using _edited = edited.opened;
    await edited.wrapper.execute("c", { path: "a" });
    expect(ran).toEqual([{ path: "b" }, { path: "c" }]);
  });

  test("[omp.tool-result.7, omp.tool-result.8, omp.tool-result.5] content and details are replaced, all else is the tool's own", async () => {
    const seen: unknown[] = [];
    const { opened, wrapper } = await wrapped({
      tool_result: [
        (event: unknown) => {
          seen.push(event);
          return { content: [text("new")], isError: true };
        },
      ],
    });
    await using _ = opened;
    expect(await wrapper.execute("c", { path: "a" })).toEqual({
      content: [text("new")],
      details: { n: 1 },
      extra: true,
    });
    expect(seen).toEqual([
      {
        type: "tool_result",
        toolName: "read",
        toolCallId: "c",
        input: { path: "a" },
        content: [call],
        details: { n: 1 },
        isError: false,
      },
    ]);
  });

  test("[omp.tool-result.9, omp.mutate.6] a failure is shown as text and thrown on as it was", async () => {
    const seen: any[] = [];
    const error = new RangeError("gone");
    const { opened, wrapper } = await wrapped(
      {
        tool_result: [
          (event: unknown) => {
            seen.push(event);
            return { content: [text("hidden")] };
          },
        ],
      },
      tool(async () => {
        throw error;
      }),
    );
    await using _ = opened;
    await expect(wrapper.execute("c", {})).rejects.toBe(error);
    expect(seen).toMatchObject([{ content: [text("gone")], isError: true }]);
  });

  test("context that a hook adds follows a success", async () => {
    const { opened, wrapper } = await wrapped({ tool_call: [() => ({ additionalContext: "note" })] });
    await using _ = opened;
    expect(await wrapper.execute("c", {})).toMatchObject({ content: [call, text("note")] });
  });
});
