import { describe, expect, test } from "vitest";
import type { CommandDefinition, HostServices } from "../../../runtime/src/port/host.ts";
import { type Opened, openWith, type Setting } from "./kit.ts";

/** The context of a handler, kept beyond it. */
async function contextOf(setting: Setting = {}): Promise<{ ctx: any; pi: any; opened: Opened }> {
  let ctx: any;
  let pi: any;
  const opened = await openWith(
    [
      (api) => {
        pi = api;
        api.on("agent_start", (_: unknown, given: unknown) => {
          ctx = given;
        });
      },
    ],
    setting,
  );
  await opened.session.emit("agent.start", {});
  return { ctx, pi, opened };
}

/** A command's context, while the command runs. */
async function inCommand(setting: Setting, use: (ctx: any) => Promise<unknown>): Promise<unknown> {
  let result: unknown;
  await using opened = await openWith(
    [(pi) => pi.registerCommand("x", { handler: async (_: string, ctx: any) => void (result = await use(ctx)) })],
    setting,
  );
  const command = opened.session.contributions.all<CommandDefinition>("command").get("x");
  await command?.value.handler("");
  expect(opened.diagnostics).toEqual([]);
  return result;
}

test("a copy of a context has every member of it, and so has one of its property descriptors", async () => {
  const current = { id: "m", provider: "p" };
  const { ctx, opened } = await contextOf({
    services: { models: { current: () => current, thinkingLevel: () => "off" } as never },
  });
  await using _ = opened;
  const copies = [{ ...ctx }, Object.defineProperties({}, Object.getOwnPropertyDescriptors(ctx)), Object.create(ctx)];
  for (const copy of copies as any[]) {
    expect([copy.model, copy.cwd, copy.isIdle(), copy.sessionManager.getBranch()]).toEqual([
      current,
      ctx.cwd,
      true,
      [],
    ]);
    expect(copy.modelRegistry).toBe(ctx.modelRegistry);
  }
  expect(Object.keys(ctx)).toContain("ui");
  expect(Object.keys(ctx)).not.toContain("owner");
});

describe("without a host", () => {
  test("the session is idle and has no person, no model and no usage", async () => {
    const { ctx, opened } = await contextOf({ scene: { systemPrompt: () => "scene's" } });
    await using _ = opened;
    expect({
      mode: ctx.mode,
      hasUI: ctx.hasUI,
      model: ctx.model,
      signal: ctx.signal,
      idle: ctx.isIdle(),
      pending: [ctx.hasPendingMessages(), ctx.hasQueuedMessages()],
      usage: ctx.getContextUsage(),
      prompt: ctx.getSystemPrompt(),
      trusted: ctx.isProjectTrusted(),
      scoped: ctx.scopedModels,
      found: ctx.modelRegistry.find("p", "m"),
      session: ctx.sessionManager.getSessionId(),
    }).toEqual({
      mode: "print",
      hasUI: false,
      model: undefined,
      signal: undefined,
      idle: true,
      pending: [false, false],
      usage: undefined,
      prompt: "scene's",
      trusted: false,
      scoped: [],
      found: undefined,
      session: "s1",
    });
    expect(ctx.cwd).toBe(`${opened.root}/project`);
    ctx.abort();
    ctx.shutdown();
  });

  test("a compaction that cannot be done says so to its caller", async () => {
    const { ctx, opened } = await contextOf();
    await using _ = opened;
    const errors: Error[] = [];
    ctx.compact({ onError: (error: Error) => errors.push(error) });
    expect(errors.map(({ message }) => message)).toEqual(["This host has no compaction"]);
  });

  test("the user interface answers as pi's does in print mode", async () => {
    const { ctx, opened } = await contextOf();
    await using _ = opened;
    const { ui } = ctx;
    expect({
      select: await ui.select("t", ["a"]),
      confirm: await ui.confirm("t", "m"),
      input: await ui.input("t"),
      editor: await ui.editor("t"),
      custom: await ui.custom(() => "never called"),
      text: ui.getEditorText(),
      themes: ui.getAllThemes(),
      theme: ui.getTheme("dark"),
      set: ui.setTheme("dark"),
      expanded: ui.getToolsExpanded(),
      styled: ui.theme.fg("accent", ui.theme.bold("x")),
      off: typeof ui.onTerminalInput(() => {}),
    }).toEqual({
      select: undefined,
      confirm: false,
      input: undefined,
      editor: undefined,
      custom: undefined,
      text: "",
      themes: [],
      theme: undefined,
      set: { success: false, error: "UI not available" },
      expanded: false,
      styled: "x",
      off: "function",
    });
    for (const silent of [
      "notify",
      "setStatus",
      "setWidget",
      "setTitle",
      "setEditorText",
      "pasteToEditor",
      "setFooter",
      "setHeader",
      "setEditorComponent",
      "setWorkingMessage",
      "setWorkingVisible",
      "setWorkingIndicator",
      "setHiddenThinkingLabel",
      "addAutocompleteProvider",
      "setToolsExpanded",
    ]) {
      expect(ui[silent]("a", "b")).toBeUndefined();
    }
  });
});

describe("with a host", () => {
  test.each([
    ["tui", true],
    ["rpc", true],
    ["json", false],
    ["print", false],
  ] as const)("in mode %s, hasUI is %s", async (mode, hasUI) => {
    const { ctx, opened } = await contextOf({ services: { mode, ui: {} } });
    await using _ = opened;
    expect([ctx.mode, ctx.hasUI]).toEqual([mode, hasUI]);
  });

  test("dialogs and everything shown go to the host's screen", async () => {
    const asked: unknown[][] = [];
    const record =
      (name: string, answer?: unknown) =>
      (...args: unknown[]): any => {
        asked.push([name, ...args]);
        return answer;
      };
    const ui: HostServices["ui"] = {
      select: record("select", Promise.resolve("b")),
      confirm: record("confirm", Promise.resolve(true)),
      notify: record("notify"),
      setStatus: record("setStatus"),
      setWidget: record("setWidget"),
      screen: { setFooter: record("setFooter"), getToolsExpanded: record("getToolsExpanded", true) },
    };
    const { ctx, opened } = await contextOf({ services: { mode: "tui", ui } });
    await using _ = opened;
    const { select, notify } = ctx.ui;
    expect(await select("t", ["a", "b"], { timeout: 5 })).toBe("b");
    expect(await ctx.ui.confirm("t", "m")).toBe(true);
    notify("hello");
    ctx.ui.notify("bad", "error");
    ctx.ui.setStatus("k", "v");
    ctx.ui.setWidget("w", ["line"], { placement: "belowEditor" });
    ctx.ui.setFooter(undefined);
    expect(ctx.ui.getToolsExpanded()).toBe(true);
    expect(asked).toEqual([
      ["select", "t", ["a", "b"], { timeout: 5, signal: expect.any(AbortSignal) }],
      ["confirm", "t", "m", { signal: expect.any(AbortSignal) }],
      ["notify", "hello", "info"],
      ["notify", "bad", "error"],
      ["setStatus", "k", "v"],
      ["setWidget", "w", ["line"], { placement: "belowEditor" }],
      ["setFooter", undefined],
      ["getToolsExpanded"],
    ]);
  });

  test.each([null, 0, "", false, undefined])("a component of a module's own may answer with %j", async (answer) => {
    const { ctx, opened } = await contextOf({ services: { mode: "tui", ui: { custom: async () => answer } } });
    await using _ = opened;
    expect(await ctx.ui.custom(() => ({ render: () => [] }))).toBe(answer);
  });

  test("the agent's state is the host's, and members can be taken off the context", async () => {
    const signal = new AbortController().signal;
    const asked: string[] = [];
    const agent: HostServices["agent"] = {
      isIdle: () => false,
      abort: () => void asked.push("abort"),
      signal: () => signal,
      hasPendingMessages: () => true,
      shutdown: () => void asked.push("shutdown"),
      contextUsage: () => ({ tokens: 1, contextWindow: 2, percent: 50 }),
      compact: () => void asked.push("compact"),
      systemPrompt: () => "effective",
    };
    const { ctx, opened } = await contextOf({ services: { agent } });
    await using _ = opened;
    const { isIdle, hasPendingMessages, getContextUsage, getSystemPrompt, abort, shutdown, compact } = ctx;
    expect([isIdle(), hasPendingMessages(), getSystemPrompt(), ctx.signal]).toEqual([false, true, "effective", signal]);
    expect(getContextUsage()).toEqual({ tokens: 1, contextWindow: 2, percent: 50 });
    abort();
    shutdown();
    compact();
    expect(asked).toEqual(["abort", "shutdown", "compact"]);
  });

  test("objects that are made from a context are contexts too", async () => {
    const { ctx, opened } = await contextOf();
    await using _ = opened;
    const derived = Object.assign(Object.create(ctx), { extra: 1 });
    const proxied = new Proxy(ctx, {});
    expect([derived.isIdle(), derived.cwd, derived.extra]).toEqual([true, ctx.cwd, 1]);
    expect(proxied.isIdle()).toBe(true);
  });
});

describe("commands", () => {
  test("without control nothing happens, and the answer is `cancelled`", async () => {
    const answers = await inCommand({}, async (ctx) => {
      await ctx.waitForIdle();
      await ctx.reload();
      return [
        await ctx.newSession(),
        await ctx.fork("e"),
        await ctx.navigateTree("e"),
        await ctx.switchSession("/s"),
        ctx.getSystemPromptOptions().cwd === ctx.cwd,
      ];
    });
    const none = { cancelled: true };
    expect(answers).toEqual([none, none, none, none, true]);
  });

  test("with control they replace the session, and `withSession` gets the new one", async () => {
    const asked: unknown[][] = [];
    const sent: unknown[] = [];
    const conversation = { sendUserMessage: (content: unknown) => void sent.push(content) } as never;
    const control: any = {
      newSession: async (options: any) => {
        asked.push(["newSession", Object.keys(options)]);
        await options.withSession({ services: { conversation, control }, scene: { sessionId: "s2", cwd: "/new" } });
        return { cancelled: false };
      },
      branch: async (entry: string, { position }: any) => {
        asked.push(["branch", entry, position]);
        return { cancelled: false };
      },
    };
    const answers = await inCommand({ services: { control } }, async (ctx) => {
      let inside: unknown;
      const created = await ctx.newSession({
        setup: async () => {},
        withSession: async (fresh: any) => {
          await fresh.sendUserMessage("go on");
          inside = [fresh.cwd, fresh.sessionManager.getSessionId()];
        },
      });
      return [created, inside, ctx.cwd, await ctx.fork("e1", { position: "at" })];
    });
    expect(answers).toEqual([{ cancelled: false }, ["/new", "s2"], "/new", { cancelled: false }]);
    expect(sent).toEqual(["go on"]);
    expect(asked).toEqual([
      ["newSession", ["setup", "withSession"]],
      ["branch", "e1", "at"],
    ]);
  });
});

describe("after the session", () => {
  test("a context that was kept is inert, throws nothing and is reported once", async () => {
    const asked: string[] = [];
    const services: HostServices = {
      mode: "tui",
      ui: { notify: () => void asked.push("notify"), confirm: async () => asked.push("confirm") > 0 },
      conversation: {
        appendEntry: () => void asked.push("appendEntry"),
        sendMessage: () => void asked.push("send"),
      } as never,
      agent: { abort: () => void asked.push("abort"), shutdown: () => void asked.push("shutdown") } as never,
      models: {
        current: () => ({ id: "m", provider: "p" }),
        registerProvider: () => void asked.push("provider"),
      } as never,
      sessionManager: { getBranch: () => void asked.push("branch"), getSessionId: () => "real" },
    };
    const { ctx, pi, opened } = await contextOf({ services });
    const kept = ctx.ui;
    await opened.runtime.close();
    kept.notify("x");
    ctx.ui.setStatus("a", "b");
    expect(await kept.confirm("t", "m")).toBe(false);
    pi.appendEntry("t", 1);
    pi.sendMessage({ customType: "t", content: "c", display: true });
    pi.registerProvider("p", {});
    pi.events.emit("ch", 1);
    pi.on("agent_start", () => {});
    pi.registerCommand("late", { handler: async () => {} });
    ctx.abort();
    ctx.shutdown();
    expect([ctx.model, ctx.isIdle(), ctx.signal, ctx.sessionManager.getBranch()]).toEqual([
      undefined,
      true,
      undefined,
      [],
    ]);
    expect(await pi.exec("ls")).toMatchObject({ code: 1 });
    expect(asked).toEqual([]);
    expect(opened.codes()).toEqual(["STALE_CONTEXT"]);
    expect(opened.session.contributions.all("command").size).toBe(0);
    await opened[Symbol.asyncDispose]();
  });

  test("after a reload the old instance is inert and the new one listens once", async () => {
    const listened: number[] = [];
    let made = 0;
    const apis: any[] = [];
    await using opened = await openWith([
      (pi) => {
        const own = ++made;
        apis.push(pi);
        pi.on("agent_start", () => void listened.push(own));
        pi.events.on("ch", () => void listened.push(own * 10));
      },
    ]);
    await opened.session.load();
    await opened.session.emit("agent.start", {});
    apis[0].events.emit("ch", 0);
    apis[1].events.emit("ch", 0);
    expect(listened).toEqual([2, 20]);
    expect(opened.codes()).toEqual(["STALE_CONTEXT"]);
  });
});
