import { describe, expect, test } from "vitest";
import type { CommandDefinition, HostServices, ToolDefinition } from "../../../runtime/src/port/host.ts";
import { openWith, settle, TestClock, type TestFactory, text } from "./kit.ts";

const NOT_BOUND = "Extension runtime not initialized. Action methods cannot be called during extension loading.";

/** A host that writes down what it is asked to do. */
function recordingHost(): { asked: unknown[][]; services: HostServices } {
  const asked: unknown[][] = [];
  const record =
    (name: string, answer?: unknown) =>
    (...args: unknown[]): any => {
      asked.push([name, ...args]);
      return answer;
    };
  return {
    asked,
    services: {
      conversation: {
        sendMessage: record("sendMessage"),
        sendUserMessage: record("sendUserMessage"),
        appendEntry: record("appendEntry"),
        setSessionName: record("setSessionName"),
        getSessionName: record("getSessionName", "name"),
        setLabel: record("setLabel"),
      },
      tools: {
        active: record("active", ["read"]),
        setActive: record("setActive"),
        all: record("all", [{ name: "read", description: "d", parameters: {}, type: "builtin" }]),
        commands: record("commands", [{ name: "x", source: "extension" }]),
      },
      models: {
        current: record("current", { id: "m", provider: "p" }),
        set: record("set", Promise.resolve(true)),
        thinkingLevel: record("thinkingLevel", "high"),
        setThinkingLevel: record("setThinkingLevel"),
        registerProvider: record("registerProvider"),
        unregisterProvider: record("unregisterProvider"),
      },
    },
  };
}

/** Runs `use` with the API object after the extension was loaded. */
const later =
  (use: (pi: any, ctx: any) => unknown): TestFactory =>
  (pi) =>
    pi.on("agent_start", (_: unknown, ctx: unknown) => use(pi, ctx));

describe("actions", () => {
  const actions: readonly (readonly [name: string, args: readonly unknown[]])[] = [
    ["sendMessage", [{ customType: "t", content: "c", display: true }]],
    ["sendUserMessage", ["hi"]],
    ["appendEntry", ["t", 1]],
    ["setSessionName", ["n"]],
    ["getSessionName", []],
    ["setLabel", ["e", "l"]],
    ["getActiveTools", []],
    ["getAllTools", []],
    ["setActiveTools", [["read"]]],
    ["getCommands", []],
    ["setModel", [{ id: "m", provider: "p" }]],
    ["getThinkingLevel", []],
    ["setThinkingLevel", ["low"]],
  ];

  test.each(actions)("%s is refused while the extension is loaded, and the load fails", async (name, args) => {
    await using opened = await openWith([(pi) => pi[name](...args)]);
    expect(opened.session.report.sources).toMatchObject([
      { state: "broken", reason: `Failed to load extension: ${NOT_BOUND}` },
    ]);
  });

  test("afterwards they reach the host, messages with the extension that sends them", async () => {
    const { asked, services } = recordingHost();
    const answers: unknown[] = [];
    const use = later(async (pi) => {
      for (const [name, args] of actions) answers.push(await pi[name](...args));
    });
    await using opened = await openWith([use], { services });
    await opened.session.emit("agent.start", {});
    const [sender] = opened.session.report.sources.map(({ path }) => path);
    expect(asked).toEqual([
      ["sendMessage", { customType: "t", content: "c", display: true }, { sender }],
      ["sendUserMessage", "hi", { sender }],
      ["appendEntry", "t", 1],
      ["setSessionName", "n"],
      ["getSessionName"],
      ["setLabel", "e", "l"],
      ["active"],
      ["all"],
      ["setActive", ["read"]],
      ["commands"],
      ["set", { id: "m", provider: "p" }],
      ["thinkingLevel"],
      ["setThinkingLevel", "low"],
    ]);
    expect(answers.filter((answer) => answer !== undefined)).toEqual([
      "name",
      ["read"],
      [{ name: "read", description: "d", parameters: {}, type: "builtin" }],
      [{ name: "x", source: "extension" }],
      true,
      "high",
    ]);
  });

  test("without a host they answer honestly and do nothing", async () => {
    const answers: unknown[] = [];
    const use = later(async (pi) => {
      for (const [name, args] of actions) answers.push(await pi[name](...args));
    });
    await using opened = await openWith([use]);
    await opened.session.emit("agent.start", {});
    const none = undefined;
    expect(answers).toEqual([none, none, none, none, none, none, [], [], none, [], false, "off", none]);
    expect(opened.diagnostics).toEqual([]);
  });

  test("a session's name is trimmed, what a message lacks is empty, and what cannot be one is refused", async () => {
    const { asked, services } = recordingHost();
    await using opened = await openWith(
      [
        later((pi) => pi.setSessionName("  my n ")),
        later((pi) => pi.sendMessage({ content: "x", display: true })),
        later((pi) => pi.sendMessage({ customType: "t", content: null })),
        later((pi) => pi.sendMessage({ customType: 1, content: "x" })),
        later((pi) => pi.sendMessage({ customType: "t", content: {} })),
        later((pi) => pi.sendMessage("x")),
        later((pi) => pi.sendUserMessage({})),
      ],
      { services },
    );
    await opened.session.emit("agent.start", {});
    const senders = opened.session.report.sources.map(({ path }) => path);
    expect(asked).toEqual([
      ["setSessionName", "my n"],
      ["sendMessage", { customType: "", content: "x", display: true }, { sender: senders[1] }],
      ["sendMessage", { customType: "t", content: [] }, { sender: senders[2] }],
    ]);
    expect(opened.codes()).toEqual(["HOOK_THREW", "HOOK_THREW", "HOOK_THREW", "HOOK_THREW"]);
  });

  test("what the host says against a message is reported and not thrown", async () => {
    const { services } = recordingHost();
    const conversation = {
      ...services.conversation,
      sendUserMessage: () => {
        throw new Error("already processing");
      },
    } as never;
    let went = false;
    await using opened = await openWith(
      [
        later((pi) => {
          pi.sendUserMessage("hi");
          went = true;
        }),
      ],
      { services: { conversation } },
    );
    await opened.session.emit("agent.start", {});
    expect(went).toBe(true);
    expect(opened.diagnostics[0]?.message).toContain("already processing");
  });

  test("the API's members can be taken off it, in pi's order", async () => {
    let keys: string[] = [];
    const seen: unknown[] = [];
    await using opened = await openWith([
      (pi) => {
        keys = Object.keys(pi);
        const { on } = pi;
        on("agent_start", () => void seen.push(1));
      },
    ]);
    await opened.session.emit("agent.start", {});
    expect(seen).toEqual([1]);
    expect(keys.slice(0, 8)).toEqual([
      "on",
      "registerTool",
      "registerCommand",
      "registerShortcut",
      "registerFlag",
      "registerMessageRenderer",
      "getFlag",
      "sendMessage",
    ]);
    expect(keys.at(-1)).toBe("events");
  });
});

describe("on", () => {
  test("handlers of one extension run in the order in which they were registered [pi.order.2]", async () => {
    const order: number[] = [];
    await using opened = await openWith([
      (pi) => {
        for (const i of [1, 2, 3]) pi.on("agent_start", () => void order.push(i));
      },
    ]);
    await opened.session.emit("agent.start", {});
    expect(order).toEqual([1, 2, 3]);
  });

  test("it gives back the undo", async () => {
    const seen: string[] = [];
    await using opened = await openWith([
      (pi) => {
        const off = pi.on("agent_start", () => void seen.push("a"));
        pi.on("turn_start", off);
      },
    ]);
    await opened.session.emit("agent.start", {});
    await opened.session.emit("turn.start", { turnIndex: 0, timestamp: 0 });
    await opened.session.emit("agent.start", {});
    expect(seen).toEqual(["a"]);
  });

  test("a handler that is added during a dispatch runs from the next one on", async () => {
    const seen: string[] = [];
    await using opened = await openWith([
      later((pi) => {
        seen.push("first");
        pi.on("agent_start", () => void seen.push("added"));
      }),
    ]);
    await opened.session.emit("agent.start", {});
    expect(seen).toEqual(["first"]);
    await opened.session.emit("agent.start", {});
    expect(seen).toEqual(["first", "first", "added"]);
  });

  test("a handler that is added later has the place of its extension", async () => {
    const seen: string[] = [];
    await using opened = await openWith([
      (pi) => {
        pi.on("session_start", () => pi.on("agent_start", () => void seen.push("a")));
      },
      (pi) => pi.on("agent_start", () => void seen.push("b")),
    ]);
    await opened.session.emit("session.start", { reason: "startup" });
    await opened.session.emit("agent.start", {});
    expect(seen).toEqual(["a", "b"]);
  });

  test.each([
    ["tool_cal", "UNKNOWN_HOOK_EVENT", 'Did you mean "tool_call"?'],
    ["PreToolUse", "UNKNOWN_HOOK_EVENT", "Hooks under this name never run."],
    ["session_directory", "NEVER_FIRES", ""],
    ["provider_stream_event", "NEVER_FIRES", ""],
  ])("a hook under %s is reported as %s", async (event, code, hint) => {
    await using opened = await openWith([(pi) => pi.on(event, () => {})]);
    expect(opened.diagnostics).toMatchObject([{ code, hint: expect.stringContaining(hint) }]);
    expect(opened.session.report.sources).toMatchObject([{ state: "unreachable", events: [] }]);
  });

  test("a handler that is not a function is reported, and the extension is loaded", async () => {
    await using opened = await openWith([
      (pi) => {
        pi.on("tool_call", "x");
        pi.on("agent_start", () => {});
      },
    ]);
    expect(opened.diagnostics[0]?.message).toContain('the handler of "tool_call" is not a function');
    expect(opened.session.report.summary.runs).toBe(1);
  });

  test.each([
    ["agent_start", "agent.start", {}, 30_000, {}],
    ["agent_start", "agent.start", {}, 200, { handlerTimeoutMs: 200 }],
    ["tool_call", "tool.before", { toolCallId: "1", tool: "ls", args: {} }, 60_000, { handlerTimeoutMs: 200 }],
    ["tool_call", "tool.before", { toolCallId: "1", tool: "ls", args: {} }, 300, { toolCallTimeoutMs: 300 }],
  ] as const)("%s has the time of the settings", async (name, event, payload, ms, settings) => {
    const clock = new TestClock();
    await using opened = await openWith([(pi) => pi.on(name, () => new Promise(() => {}))], { clock, settings });
    const outcome = opened.session.emit(event, payload as never);
    clock.advance(ms - 1);
    await settle();
    expect(opened.codes()).not.toContain("HOOK_TIMED_OUT");
    clock.advance(1);
    await outcome;
    expect(opened.codes()).toContain("HOOK_TIMED_OUT");
  });
});

describe("what extensions add", () => {
  const tool = (name: string, given = "given") => ({
    name,
    label: "L",
    description: "d",
    parameters: { type: "object" },
    execute: async (_id: string, params: any, _signal: unknown, onUpdate: any, ctx: any) => {
      onUpdate?.({ content: [text("part")] });
      return { content: [text(`${given} ${params.a} ${ctx.cwd.endsWith("project")}`)], details: {} };
    },
  });
  const all = (opened: { session: { contributions: any } }, kind: string): ReadonlyMap<string, any> =>
    opened.session.contributions.all(kind);

  test("a tool runs with a context of its own", async () => {
    await using opened = await openWith([(pi) => pi.registerTool(tool("hello"))]);
    const { value } = all(opened, "tool").get("hello") as { value: ToolDefinition };
    const partial: unknown[] = [];
    const result = await value.execute(
      "t1",
      { a: 1 } as never,
      undefined,
      (part) => partial.push(part),
      undefined as never,
    );
    expect(result).toEqual({ content: [text("given 1 true")], details: {} });
    expect(partial).toEqual([{ content: [text("part")] }]);
    expect(value).toMatchObject({ name: "hello", label: "L", description: "d", parameters: { type: "object" } });
  });

  test("a tool may be an instance of a class", async () => {
    class Tool {
      name = "classy";
      description = "d";
      parameters = { type: "object" };
      word = "own";
      async execute(): Promise<unknown> {
        return { content: [text(this.word)] };
      }
      prepareArguments(raw: unknown): unknown {
        return [this.word, raw];
      }
    }
    await using opened = await openWith([(pi) => pi.registerTool(new Tool())]);
    const { value } = all(opened, "tool").get("classy") as { value: ToolDefinition };
    expect(await value.execute("t", {} as never, undefined, undefined, undefined as never)).toEqual({
      content: [text("own")],
    });
    expect(value.prepareArguments?.(1)).toEqual(["own", 1]);
    expect(value.label).toBe("classy");
  });

  test.each([[{}], [{ name: "x" }], [{ ...tool("x"), parameters: undefined }], [undefined]])(
    "a tool that could never run fails the load: %j",
    async (definition) => {
      await using opened = await openWith([(pi) => pi.registerTool(definition)]);
      expect(opened.codes()).toEqual(["LOAD_FAILED"]);
      expect([...all(opened, "tool").keys()]).toEqual([]);
    },
  );

  test("the first tool, flag and command of a name win, the others are reported, the second command is /x:2 [pi.order.5]", async () => {
    const ran: string[] = [];
    const extension =
      (name: string): TestFactory =>
      (pi) => {
        pi.registerTool(tool("t", name));
        pi.registerFlag("f", { type: "string", default: name });
        pi.registerCommand("x", { handler: async (args: string) => void ran.push(`${name} ${args}`) });
      };
    await using opened = await openWith([extension("one"), extension("two")]);
    const given = (await all(opened, "tool").get("t").value.execute("1", { a: 0 })) as { content: unknown };
    expect(given.content).toEqual([text("one 0 true")]);
    expect(all(opened, "flag").get("f").value.default).toBe("one");
    const commands = all(opened, "command");
    expect([...commands.keys()]).toEqual(["x", "x:2"]);
    await commands.get("x").value.handler("a  b");
    await commands.get("x:2").value.handler("c");
    expect(ran).toEqual(["one a  b", "two c"]);
    expect(opened.codes()).toEqual(["DUPLICATE", "DUPLICATE", "SHADOWED"]);
  });

  test("the last shortcut of a key wins", async () => {
    const ran: string[] = [];
    const extension =
      (name: string): TestFactory =>
      (pi) =>
        pi.registerShortcut("ctrl+k", { handler: (ctx: any) => void ran.push(`${name} ${ctx.hasUI}`) });
    await using opened = await openWith([extension("one"), extension("two")]);
    await all(opened, "shortcut").get("ctrl+k").value.handler();
    expect(ran).toEqual(["two false"]);
  });

  test("a command that fails is reported and counts as done", async () => {
    await using opened = await openWith([
      (pi) =>
        pi.registerCommand("x", {
          description: "does x",
          getArgumentCompletions: (prefix: string) => [`${prefix}!`],
          handler: async () => {
            throw new Error("boom");
          },
        }),
    ]);
    const command = all(opened, "command").get("x").value as CommandDefinition;
    await command.handler("");
    expect(command.description).toBe("does x");
    expect(command.getArgumentCompletions?.("a")).toEqual(["a!"]);
    expect(opened.diagnostics).toMatchObject([{ code: "HOOK_THREW", message: expect.stringContaining("/x: boom") }]);
  });

  test("a flag is read by its own extension alone: the command line first, then the default", async () => {
    const read: unknown[] = [];
    const extension: TestFactory = (pi) => {
      pi.registerFlag("mine", { type: "string", default: "d" });
      read.push(pi.getFlag("mine"));
      pi.on("agent_start", () => void read.push(pi.getFlag("mine"), pi.getFlag("other"), pi.getFlag("--mine")));
    };
    const other: TestFactory = (pi) => pi.registerFlag("other", { type: "boolean" });
    let given: string | undefined;
    await using opened = await openWith([extension, other], {
      services: { flag: (name) => (name === "mine" ? given : undefined) },
    });
    given = "v";
    await opened.session.emit("agent.start", {});
    expect(read).toEqual(["d", "v", undefined, undefined]);
  });

  test("renderers are kept", async () => {
    const render = () => "x";
    await using opened = await openWith([
      (pi) => {
        pi.registerMessageRenderer("m", render);
        pi.registerEntryRenderer("e", render);
        pi.registerMarkdownTransformer(render);
        pi.registerToolRenderer(render);
      },
    ]);
    expect(all(opened, "message-renderer").get("m").value).toBe(render);
    expect(all(opened, "entry-renderer").get("e").value).toBe(render);
    expect(all(opened, "markdown-transformer").get("/extension/1.ts").value).toBe(render);
    expect([...all(opened, "tool-renderer").values()].map(({ value }: any) => value)).toEqual([render]);
    expect(opened.codes()).toEqual([]);
  });

  test("a provider reaches the host, under its name or its own id, and goes with the session", async () => {
    const { asked, services } = recordingHost();
    {
      await using opened = await openWith(
        [
          (pi) => {
            pi.registerProvider("p", { baseUrl: "u" });
            pi.registerProvider({ id: "q" });
          },
        ],
        { services },
      );
      expect([...all(opened, "provider").keys()]).toEqual(["p", "q"]);
      expect(asked).toEqual([
        ["registerProvider", "p", { baseUrl: "u" }],
        ["registerProvider", "q", { id: "q" }],
      ]);
    }
    expect(asked.slice(2)).toEqual([
      ["unregisterProvider", "q"],
      ["unregisterProvider", "p"],
    ]);
  });

  test("an extension whose factory fails leaves nothing behind", async () => {
    const seen: string[] = [];
    await using opened = await openWith([
      (pi) => {
        pi.registerTool(tool("gone"));
        pi.on("agent_start", () => void seen.push("gone"));
        throw new Error("boom");
      },
      (pi) => pi.on("agent_start", () => void seen.push("stays")),
    ]);
    await opened.session.emit("agent.start", {});
    expect(seen).toEqual(["stays"]);
    expect([...all(opened, "tool").keys()]).toEqual([]);
    expect(opened.session.report.sources.map(({ state }) => state)).toEqual(["broken", "runs"]);
  });
});

describe("events", () => {
  test("one bus for all extensions: in order, at once, promises not waited for", async () => {
    const seen: unknown[] = [];
    await using opened = await openWith([
      (pi) => pi.events.on("ch", (data: unknown) => void seen.push(["A", data])),
      (pi) => {
        pi.events.on("ch", async (data: unknown) => void seen.push(["B", data]));
        pi.events.emit("ch", 1);
        seen.push("emitted");
      },
    ]);
    expect(seen).toEqual([["A", 1], ["B", 1], "emitted"]);
    expect(opened.diagnostics).toEqual([]);
  });

  test("a listener that throws or rejects is reported and stops nobody; the undo takes one off", async () => {
    const seen: unknown[] = [];
    await using opened = await openWith([
      (pi) => {
        pi.events.on("ch", () => {
          throw new Error("boom");
        });
        pi.events.on("ch", () => Promise.reject(new Error("later")));
        const off = pi.events.on("ch", () => void seen.push("taken off"));
        pi.events.on("ch", (data: unknown) => void seen.push(data));
        off();
        pi.events.emit("ch", 1);
      },
    ]);
    await settle();
    expect(seen).toEqual([1]);
    expect(opened.diagnostics.map(({ message }) => message)).toEqual([
      'A listener for the channel "ch" failed: boom',
      'A listener for the channel "ch" failed: later',
    ]);
  });
});

describe("exec", () => {
  const run = async (use: (pi: any) => Promise<unknown>): Promise<any> => {
    let result: unknown;
    await using opened = await openWith([async (pi) => void (result = await use(pi))]);
    expect(opened.diagnostics).toEqual([]);
    return result;
  };

  test("a program's code and output come back, whatever the code", async () => {
    const script = "process.stdout.write('out'); process.stderr.write('err'); process.exit(3)";
    expect(await run((pi) => pi.exec(process.execPath, ["-e", script]))).toEqual({
      stdout: "out",
      stderr: "err",
      code: 3,
      killed: false,
      truncated: false,
    });
  });

  test("it runs in the session's folder, or in a folder below it", async () => {
    const cwd = (folder?: string) => (pi: any) =>
      pi.exec(process.execPath, ["-p", "process.cwd()"], folder === undefined ? {} : { cwd: folder });
    expect((await run(cwd())).stdout.trim()).toMatch(/project$/);
    expect((await run(cwd(".."))).stdout.trim()).toMatch(/hookline-modules-[^/]*$/);
  });

  test("a program that is not there has code 1 and the reason", async () => {
    const result = await run((pi) => pi.exec("hookline-no-such-program"));
    expect(result).toMatchObject({ stdout: "", code: 1, killed: false });
    expect(result.stderr).not.toBe("");
  });

  test("a program that is stopped is `killed`, and its code is no success", async () => {
    const forever = ["-e", "setInterval(() => {}, 1000)"];
    expect(await run((pi) => pi.exec(process.execPath, forever, { timeout: 200 }))).toMatchObject({
      code: 143,
      killed: true,
    });
    const abort = new AbortController();
    abort.abort();
    expect(await run((pi) => pi.exec(process.execPath, forever, { signal: abort.signal }))).toMatchObject({
      code: 1,
      killed: true,
    });
    const crash = ["-e", "process.kill(process.pid, 'SIGKILL')"];
    expect(await run((pi) => pi.exec(process.execPath, crash))).toMatchObject({ code: 137, killed: false });
    const flood = ["-e", "process.stdout.write('x'.repeat(9 * 2 ** 20))"];
    const cut = await run((pi) => pi.exec(process.execPath, flood));
    expect(cut).toMatchObject({ killed: true, truncated: true });
    expect(cut.code).toBeGreaterThan(0);
  });

  test("a host's own way to run programs is used", async () => {
    const asked: unknown[] = [];
    const exec = async (...args: unknown[]) => {
      asked.push(args.slice(0, 2));
      return { stdout: "s", stderr: "", code: 0, killed: false };
    };
    let result: unknown;
    await using _ = await openWith([async (pi) => void (result = await pi.exec("ls", ["-l"]))], { services: { exec } });
    expect(result).toEqual({ stdout: "s", stderr: "", code: 0, killed: false });
    expect(asked).toEqual([["ls", ["-l"]]]);
  });
});
