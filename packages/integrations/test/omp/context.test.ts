import { describe, expect, test } from "vitest";
import type { CommandDefinition, HostServices } from "../../../runtime/src/port/host.ts";
import { call, openExtensions, openFiles, openHooks, settle } from "./kit.ts";

const CONTROL = ["waitForIdle", "newSession", "branch", "navigateTree"];

/** The context that a handler gets. */
async function withContext(
  open: typeof openHooks,
  services: HostServices,
  use: (ctx: any) => unknown,
): Promise<readonly string[]> {
  let failed: unknown;
  const factory = (pi: any): void =>
    pi.on("agent_start", async (_event: unknown, ctx: unknown) => {
      try {
        await use(ctx);
      } catch (thrown) {
        failed = thrown;
      }
    });
  await using opened = await open([factory], { services });
  await opened.session.emit("agent.start", {});
  if (failed !== undefined) throw failed;
  return opened.codes();
}

/** The context that a command gets. */
async function withCommand(open: typeof openHooks, services: HostServices, use: (ctx: any) => unknown): Promise<void> {
  await using opened = await open(
    [(pi) => pi.registerCommand("c", { handler: (_args: string, ctx: unknown) => use(ctx) })],
    { services },
  );
  await opened.session.contributions.all<CommandDefinition>("command").get("c")?.value.handler("");
  expect(opened.codes()).toEqual([]);
}

/** Every dialog can be closed: by its own signal, with its handler, with its module. */
const closing = { signal: expect.any(AbortSignal) };

describe.each([
  ["HookContext", openHooks],
  ["ExtensionContext", openExtensions],
])("%s", (_, open) => {
  test("its members answer honestly without a host", async () => {
    await withContext(open, {}, (ctx) => {
      const { hasUI, cwd, model, isIdle, abort, hasQueuedMessages, hasPendingMessages } = ctx;
      expect([hasUI, model, isIdle(), hasQueuedMessages(), hasPendingMessages()]).toEqual([
        false,
        undefined,
        true,
        false,
        false,
      ]);
      expect(cwd).toMatch(/project$/);
      expect(abort()).toBeUndefined();
      expect(ctx.sessionManager.getEntries()).toEqual([]);
      expect(ctx.modelRegistry.getAll()).toEqual([]);
    });
  });

  test("its members are the host's", async () => {
    const aborted: number[] = [];
    const sessionManager = { getSessionId: () => "id" };
    const services = {
      mode: "rpc",
      ui: {},
      sessionManager,
      models: { current: () => ({ id: "m", provider: "p" }) },
      agent: { isIdle: () => false, abort: () => aborted.push(1), hasPendingMessages: () => true },
    } as unknown as HostServices;
    await withContext(open, services, (ctx) => {
      ctx.abort();
      expect([ctx.hasUI, ctx.model.id, ctx.isIdle(), ctx.hasQueuedMessages(), ctx.hasPendingMessages()]).toEqual([
        true,
        "m",
        false,
        true,
        true,
      ]);
      expect(ctx.sessionManager).toBe(sessionManager);
    });
    expect(aborted).toEqual([1]);
  });

  test("control over the session is not for handlers, because they would wait for themselves", async () => {
    await withContext(open, {}, (ctx) => {
      expect(CONTROL.filter((member) => member in ctx)).toEqual([]);
    });
  });

  test("commands have it; without a host nothing happens", async () => {
    await withCommand(open, {}, async ({ waitForIdle, newSession, branch, navigateTree }) => {
      expect(await waitForIdle()).toBeUndefined();
      for (const answer of [newSession({}), branch("e"), navigateTree("t")]) {
        expect(await answer).toEqual({ cancelled: false });
      }
    });
  });

  test("[omp.seed002.command] a command begins a new session and sets it up", async () => {
    const asked: unknown[] = [];
    const entries: unknown[] = [];
    const control = {
      waitForIdle: async () => void asked.push("idle"),
      newSession: async ({ setup, parentSession }: any) => {
        asked.push(parentSession);
        await setup({ appendMessage: (message: unknown) => entries.push(message) });
        return { cancelled: false };
      },
      navigateTree: async (...args: unknown[]) => {
        asked.push(args);
        return { cancelled: true };
      },
    };
    const services = { control, sessionManager: { getSessionFile: () => "/s" } } as unknown as HostServices;
    await withCommand(open, services, async (ctx) => {
      await ctx.waitForIdle();
      const setup = async (sm: any): Promise<void> => sm.appendMessage({ role: "user" });
      await ctx.newSession({ parentSession: ctx.sessionManager.getSessionFile(), setup });
      expect(await ctx.navigateTree("t", { summarize: true })).toEqual({ cancelled: true });
    });
    expect(asked).toEqual(["idle", "/s", ["t", { summarize: true }]]);
    expect(entries).toEqual([{ role: "user" }]);
  });

  test("[omp.ui.14, omp.ui.15, omp.ui.16, omp.ui.17, omp.ui.18] without a screen dialogs are dismissed and nothing is drawn", async () => {
    let made = 0;
    await withContext(open, { mode: "print" }, async ({ ui, hasUI }) => {
      expect(hasUI).toBe(false);
      expect(await ui.select("t", ["a"])).toBeUndefined();
      expect(await ui.input("t")).toBeUndefined();
      expect(await ui.editor("t")).toBeUndefined();
      expect(await ui.custom(() => (made += 1))).toBeUndefined();
      expect(await ui.confirm("t", "m")).toBe(false);
      expect([ui.notify("m"), ui.setStatus("k", "t"), ui.setEditorText("t")]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
      expect(ui.getEditorText()).toBe("");
      expect(ui.theme.fg("accent", "text")).toBe("text");
    });
    expect(made).toBe(0);
  });

  test("[omp.ui.1, omp.ui.2, omp.ui.4, omp.ui.5, omp.ui.6, omp.ui.8, omp.ui.9, omp.ui.11] with one they are the host's", async () => {
    const asked: unknown[] = [];
    const theme = { name: "dark" };
    const record =
      (name: string, answer?: unknown) =>
      (...args: unknown[]): any => {
        asked.push([name, ...args]);
        return answer;
      };
    const ui = {
      select: record("select", Promise.resolve("a")),
      confirm: record("confirm", Promise.resolve(true)),
      input: record("input", Promise.resolve("typed")),
      notify: record("notify"),
      setEditorText: record("setEditorText"),
      getEditorText: () => "draft",
      theme,
    };
    await withContext(open, { mode: "tui", ui }, async (ctx) => {
      expect(ctx.hasUI).toBe(true);
      expect(await ctx.ui.select("Pick", ["a", "b"])).toBe("a");
      expect(await ctx.ui.confirm("Sure?", "really")).toBe(true);
      expect(await ctx.ui.input("Name", "placeholder")).toBe("typed");
      ctx.ui.notify("note", "warning");
      ctx.ui.notify("plain");
      ctx.ui.setEditorText("text");
      expect(ctx.ui.getEditorText()).toBe("draft");
      expect(ctx.ui.theme).toBe(theme);
    });
    expect(asked).toEqual([
      ["select", "Pick", ["a", "b"], closing],
      ["confirm", "Sure?", "really", closing],
      ["input", "Name", "placeholder", closing],
      ["notify", "note", "warning"],
      ["notify", "plain", "info"],
      ["setEditorText", "text"],
    ]);
  });

  test("[omp.ui.7, omp.ui.12] the editor takes its style as a fourth argument", async () => {
    const asked: unknown[] = [];
    const aborted: boolean[] = [];
    const own = new AbortController();
    const ui = {
      editor: async (...args: unknown[]) => {
        asked.push(args);
        own.abort();
        aborted.push((args[2] as { readonly signal: AbortSignal }).signal.aborted);
        return "written";
      },
    };
    await withContext(open, { mode: "tui", ui }, async (ctx) => {
      expect(await ctx.ui.editor("Title", "prefill", { signal: own.signal }, { promptStyle: true })).toBe("written");
      await ctx.ui.editor("Other");
    });
    expect(aborted).toEqual([true, false]);
    expect(asked).toEqual([
      ["Title", "prefill", { ...closing, promptStyle: true }],
      ["Other", undefined, closing],
    ]);
  });

  test("[omp.ui.10] a component's factory gets done as the third of three or the fourth of four parameters", async () => {
    const custom = (factory: any): Promise<unknown> =>
      new Promise((resolve) => factory("tui", "theme", "keys", (result: unknown) => resolve(result)));
    await withContext(open, { mode: "tui", ui: { custom } }, async (ctx) => {
      const three = (_tui: unknown, theme: unknown, done: (result: unknown) => void) => done(`three ${theme}`);
      const four = (_tui: unknown, _theme: unknown, keys: unknown, done: (result: unknown) => void) =>
        done(`four ${keys}`);
      const rest = (...args: any[]) => args[3](`rest ${args.length}`);
      expect(await ctx.ui.custom(three)).toBe("three theme");
      expect(await ctx.ui.custom(four)).toBe("four keys");
      expect(await ctx.ui.custom(rest)).toBe("rest 4");
    });
  });

  test("[omp.ui.3, omp.statusline.1, omp.statusline.3] a status is one line under its key, and undefined takes it away", async () => {
    const asked: unknown[] = [];
    const ui = { setStatus: (...args: unknown[]) => void asked.push(args) };
    await withContext(open, { mode: "tui", ui }, (ctx) => {
      ctx.ui.setStatus("k", "a\n\tb   c \r\u001b[31mred\u001b[0m");
      ctx.ui.setStatus("k", undefined);
    });
    expect(asked).toEqual([
      ["k", "a b c \u001b[31mred\u001b[0m"],
      ["k", undefined],
    ]);
  });
});

test("a hook's contexts have all that an extension's have", async () => {
  const keys: string[][] = [];
  for (const open of [openHooks, openExtensions]) {
    await withContext(open, {}, (ctx) => void keys.push(Object.keys(ctx), Object.keys(ctx.ui)));
    await withCommand(open, {}, (ctx) => void keys.push(Object.keys(ctx)));
  }
  expect(keys.slice(0, 3)).toEqual(keys.slice(3));
  expect(keys[1]).toContain("setWidget");
  expect(keys[2]).toContain("switchSession");
});

describe("what ExtensionContext has beside", () => {
  test("choices may be objects with a label", async () => {
    const ui = { select: async (_title: string, choices: readonly string[]) => choices[1] };
    await withContext(openExtensions, { mode: "tui", ui }, async (ctx) => {
      expect(await ctx.ui.select("t", ["a", { label: "b", description: "d" }])).toBe("b");
    });
  });

  test("models, trust and jobs", async () => {
    const claude = { id: "claude-x", provider: "anthropic" };
    const services = {
      modelRegistry: { getAvailable: () => [claude] },
      models: { current: () => claude },
    } as unknown as HostServices;
    await withContext(openExtensions, services, (ctx) => {
      expect(ctx.models.list()).toEqual([claude]);
      expect(ctx.models.current()).toBe(claude);
      expect(ctx.models.resolve("anthropic/claude-x")).toBe(claude);
      expect(ctx.models.resolve("other")).toBeUndefined();
      expect(ctx.models.family()).toBe("claude");
      expect(ctx.isProjectTrusted()).toBe(true);
      expect(ctx.getAsyncJobSnapshot()).toEqual({ running: [], recent: [] });
      expect(ctx.getSystemPrompt()).toEqual([""]);
    });
  });

  test("compact takes instructions and settles when it is done", async () => {
    const asked: unknown[] = [];
    const agent = {
      compact: ({ customInstructions, onComplete }: any) => {
        asked.push(customInstructions);
        onComplete({});
      },
    };
    await withContext(openExtensions, { agent } as unknown as HostServices, async (ctx) => {
      await ctx.compact("briefly");
      await ctx.compact({ customInstructions: "again" });
    });
    expect(asked).toEqual(["briefly", "again"]);
    await withContext(openExtensions, {}, async (ctx) => {
      void ctx.compact();
      await expect(ctx.compact()).rejects.toThrow("no compaction");
    });
  });

  test("commands also switch and reload", async () => {
    const asked: unknown[] = [];
    const control = {
      switchSession: async (path: string) => {
        asked.push(path);
        return { cancelled: false };
      },
      reload: async () => void asked.push("reload"),
    };
    await withCommand(openExtensions, { control } as unknown as HostServices, async (ctx) => {
      await ctx.switchSession("/s");
      await ctx.reload();
    });
    expect(asked).toEqual(["/s", "reload"]);
  });
});

test("a dialog closes when its handler's time is over", async () => {
  const closed: string[] = [];
  const ui = {
    custom: async () => undefined,
    select: (_title: string, _options: readonly string[], { signal }: any) =>
      new Promise<undefined>((resolve) =>
        signal.addEventListener("abort", () => {
          closed.push("select");
          resolve(undefined);
        }),
      ),
  };
  const abort = new AbortController();
  const source = `export default (pi) => pi.on("tool_call", async (event, ctx) => { await ctx.ui.select("Which?", ["a"]); });`;
  await using opened = await openFiles(
    { "home/.omp/agent/hooks/pre/asks.ts": source },
    { services: { mode: "tui", ui } as never },
  );
  const asked = opened.session.emit("tool.before", call("bash", { command: "ls" }), { signal: abort.signal });
  await settle();
  abort.abort();
  expect((await asked).answer).toMatchObject({ decision: "deny" });
  expect(closed).toEqual(["select"]);
});
