import { describe, expect, test, vi } from "vitest";
import type { CommandDefinition, HostServices, ToolDefinition } from "../../../runtime/src/port/host.ts";
import { openExtensions, openFiles, openHooks, openModules, settle, TestClock } from "./kit.ts";

const HOOK_KEYS = [
  "on",
  "sendMessage",
  "appendEntry",
  "registerMessageRenderer",
  "registerCommand",
  "exec",
  "logger",
  "typebox",
  "arktype",
  "zod",
  "pi",
];

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
        active: () => ["read", "find"],
        setActive: record("setActive"),
        all: () => [{ name: "find", description: "d", parameters: {}, type: "builtin" }],
        commands: () => [],
      },
      log: record("log"),
    },
  };
}

describe("HookAPI", () => {
  test("[omp.module.6, omp.status.1] a factory gets HookAPI's members, and ExtensionAPI's besides", async () => {
    const keys: string[][] = [];
    const note = (pi: object): void => void keys.push(Object.keys(pi));
    await using _hook = await openHooks([note]);
    await using _extension = await openExtensions([note]);
    expect(keys[0]?.slice(0, HOOK_KEYS.length)).toEqual(HOOK_KEYS);
    expect(keys[0]).toEqual(keys[1]);
  });

  test("a hook registers tools and flags, and hears the events of ExtensionAPI", async () => {
    await using opened = await openHooks([
      (pi) => {
        pi.registerTool({ name: "mine", label: "M", description: "d", parameters: {}, execute: async () => ({}) });
        pi.registerFlag("loud", { type: "boolean" });
        pi.on("input", (event: { text: string }) => ({ text: `${event.text}!` }));
        pi.on("session_stop", () => {});
      },
    ]);
    const { answer } = await opened.session.emit("input", { text: "hello", source: "interactive" });
    expect(answer).toMatchObject({ text: "hello!" });
    expect(opened.session.report.sources).toMatchObject([{ state: "runs", events: ["input", "session_stop"] }]);
    expect([...opened.session.contributions.all<ToolDefinition>("tool").keys()]).toEqual(["mine"]);
    expect([...opened.session.contributions.all("flag").keys()]).toEqual(["loud"]);
  });

  test.each([
    ["sendMessage", "text"],
    ["appendEntry", "type"],
  ])("%s is refused while the factory runs, and the load fails in omp's words", async (member, argument) => {
    await using opened = await openHooks([(pi) => pi[member](argument)]);
    expect(opened.session.report.sources).toMatchObject([
      { state: "broken", reason: `Failed to load hook: ${member} handler not initialized` },
    ]);
  });

  test.each([
    ["text", ["hello"], { customType: "custom-message", content: "hello", display: true, attribution: "agent" }, {}],
    [
      "a message",
      [
        { customType: "t", content: "c", display: true, details: 1 },
        { triggerTurn: true, deliverAs: "followUp" },
      ],
      { customType: "t", content: "c", display: true, details: 1, attribution: "agent" },
      { triggerTurn: true, deliverAs: "followUp" },
    ],
    ["true", ["x", true], { content: "x" }, { triggerTurn: true }],
    ["an aside", ["x", { deliverAs: "aside" }], { content: "x" }, { deliverAs: "steer" }],
  ])("[omp.api.2] sendMessage sends %s", async (_name, args, message, options) => {
    const { asked, services } = recordingHost();
    await using opened = await openHooks([(pi) => pi.on("agent_start", () => pi.sendMessage(...args))], { services });
    await opened.session.emit("agent.start", {});
    expect(asked).toMatchObject([["sendMessage", message, options]]);
  });

  test("[omp.api.3] appendEntry stores what the model does not see", async () => {
    const { asked, services } = recordingHost();
    await using opened = await openHooks([(pi) => pi.on("agent_start", () => pi.appendEntry("state", { n: 1 }))], {
      services,
    });
    await opened.session.emit("agent.start", {});
    expect(asked).toEqual([["appendEntry", "state", { n: 1 }]]);
  });

  test("[omp.api.4, omp.api.5, omp.conflict.7, omp.conflict.8] of several commands and renderers of a name the first hook's counts", async () => {
    const asked: string[] = [];
    const adding = (name: string) => (pi: any) => {
      pi.registerCommand("c", { handler: () => void asked.push("replaced") });
      pi.registerCommand("c", { description: name, handler: (args: string) => void asked.push(`${name} ${args}`) });
      pi.registerMessageRenderer("t", () => name);
    };
    await using opened = await openHooks([adding("a"), adding("b")]);
    const { contributions } = opened.session;
    await contributions.all<CommandDefinition>("command").get("c")?.value.handler("x");
    expect(asked).toEqual(["a x"]);
    expect(contributions.all<() => string>("message-renderer").get("t")?.value()).toBe("a");
    expect(opened.codes()).toContain("DUPLICATE");
  });

  test("[omp.api.6] exec runs a program without a shell, where it is told and with what it is given", async () => {
    const results: any[] = [];
    await using opened = await openHooks([
      (pi) =>
        pi.on("agent_start", async () => {
          results.push(await pi.exec("sh", ["-c", "pwd; printf '%s' \"$0\" >&2; exit 3", "a b"]));
          results.push(await pi.exec("pwd", [], { cwd: "/" }));
        }),
    ]);
    await opened.session.emit("agent.start", {});
    expect(results).toEqual([
      { stdout: `${opened.root}/project\n`, stderr: "a b", code: 3, killed: false, truncated: false },
      { stdout: "/\n", stderr: "", code: 0, killed: false, truncated: false },
    ]);
  });

  test("the logger writes to the host's log", async () => {
    const { asked, services } = recordingHost();
    await using _opened = await openHooks([(pi) => pi.logger.warn("m", { n: 1 })], { services });
    expect(asked).toEqual([["log", "warn", 'm {"n":1}']]);
  });

  test("builders that are not there can be held and say what to do when they are used", async () => {
    const said: string[] = [];
    await using _opened = await openHooks([
      (pi) => {
        const { zod, arktype, typebox } = { ...pi };
        for (const builder of [zod, arktype, typebox]) {
          try {
            builder.object({});
          } catch (thrown) {
            said.push((thrown as Error).message);
          }
        }
      },
    ]);
    expect(said).toEqual([
      expect.stringContaining("npm install zod"),
      expect.stringContaining("npm install arktype"),
      expect.stringContaining("pi.typebox"),
    ]);
  });

  test("a module that names typebox and pi gets them", async () => {
    const path = "home/.omp/agent/hooks/pre/a.ts";
    const source = `export default function (omp: any) {
      globalThis.ompBuilders = [omp.typebox.Type.String().type, omp.pi.VERSION, typeof omp.pi.logger.info];
    }`;
    await using _opened = await openFiles({ [path]: source });
    expect((globalThis as any).ompBuilders).toEqual(["string", "18.3.4", "function"]);
  });
});

describe("ExtensionAPI", () => {
  test("[omp.module.2, omp.module.7] it has HookAPI's members and more", async () => {
    const keys: string[] = [];
    await using _opened = await openExtensions([(pi) => void keys.push(...Object.keys(pi))]);
    expect(keys).toEqual(expect.arrayContaining(HOOK_KEYS));
    expect(keys).toEqual(
      expect.arrayContaining(["registerTool", "registerFlag", "registerShortcut", "sendUserMessage", "events"]),
    );
  });

  test("actions are refused while the factory runs", async () => {
    await using opened = await openExtensions([(pi) => pi.sendUserMessage("x")]);
    expect(opened.session.report.sources[0]?.reason).toContain("Extension runtime not initialized");
  });

  test("tools go by omp's names both ways", async () => {
    const { asked, services } = recordingHost();
    const seen: unknown[] = [];
    await using opened = await openExtensions(
      [
        (pi) =>
          pi.on("agent_start", async () => {
            seen.push(pi.getActiveTools(), pi.getAllTools()[0].name);
            await pi.setActiveTools(["glob", "read"]);
          }),
      ],
      { services },
    );
    await opened.session.emit("agent.start", {});
    expect(seen).toEqual([["read", "glob"], "glob"]);
    expect(asked).toEqual([["setActive", ["find", "read"]]]);
  });

  test("of several tools, commands and flags with one name, the last extension's counts", async () => {
    const adding = (name: string) => (pi: any) => {
      pi.registerTool({ name: "t", description: name, parameters: {}, execute: async () => ({ content: [] }) });
      pi.registerCommand("c", { description: name, handler: () => {} });
      pi.registerMessageRenderer("m", () => name);
    };
    await using opened = await openExtensions([adding("a"), adding("b")]);
    const { contributions } = opened.session;
    expect(contributions.all<ToolDefinition>("tool").get("t")?.value.description).toBe("b");
    expect(contributions.all<CommandDefinition>("command").get("c")?.value.description).toBe("b");
    expect(contributions.all<() => string>("message-renderer").get("m")?.value()).toBe("a");
  });

  test("the agent's own names cannot be taken", async () => {
    await using opened = await openExtensions([
      (pi) => {
        pi.registerCommand("compact", { handler: () => {} });
        pi.registerShortcut("Ctrl+C", { handler: () => {} });
        pi.registerShortcut("ctrl+j", { handler: () => {} });
      },
    ]);
    expect([...opened.session.contributions.all("command").keys()]).toEqual([]);
    expect([...opened.session.contributions.all("shortcut").keys()]).toEqual(["ctrl+j"]);
    expect(opened.codes()).toEqual(["DUPLICATE", "DUPLICATE"]);
  });

  test("a tool may take its arguments in omp's older order when it says so", async () => {
    const seen: unknown[] = [];
    const execute = async (...args: unknown[]) => {
      seen.push(args.slice(0, 3), typeof (args[3] as any).cwd, args[4]);
      return { content: [] };
    };
    await using opened = await openExtensions([
      (pi) => pi.registerTool({ name: "t", description: "", parameters: {}, toolArgs: "legacy", execute }),
    ]);
    const tool = opened.session.contributions.all<ToolDefinition>("tool").get("t")?.value;
    const { signal } = new AbortController();
    const update = (): void => {};
    await tool?.execute("id", {} as never, signal, update, undefined as never);
    expect(seen).toEqual([["id", {}, update], "string", signal]);
  });

  test("a tool that fails because of the order is reported with the remedy", async () => {
    const execute = async (_id: string, _params: unknown, _onUpdate: unknown, ctx: any) => ctx.sessionManager.getCwd();
    await using opened = await openExtensions([
      (pi) => pi.registerTool({ name: "t", description: "", parameters: {}, execute }),
    ]);
    const tool = opened.session.contributions.all<ToolDefinition>("tool").get("t")?.value;
    await expect(tool?.execute("id", {} as never, undefined, undefined, undefined as never)).rejects.toThrow(TypeError);
    expect(opened.diagnostics).toMatchObject([{ code: "LINT", hint: expect.stringContaining("legacy") }]);
  });

  test("members that do nothing here are reported", async () => {
    await using opened = await openExtensions([(pi) => pi.registerComposerShape({})]);
    expect(opened.diagnostics).toMatchObject([
      { code: "LINT", message: expect.stringContaining("registerComposerShape") },
    ]);
  });

  test("a label with two arguments is an entry's, with one the extension's own", async () => {
    const { asked, services } = recordingHost();
    await using opened = await openExtensions(
      [
        (pi) => {
          pi.setLabel("My extension");
          pi.on("agent_start", () => pi.setLabel("e", "l"));
        },
      ],
      { services },
    );
    await opened.session.emit("agent.start", {});
    expect(asked).toEqual([["setLabel", "e", "l"]]);
  });

  test("modules talk over a bus of their own", async () => {
    const heard: unknown[] = [];
    await using _opened = await openExtensions([
      (pi) => pi.events.on("c", (data: unknown) => heard.push(data)),
      (pi) => pi.events.emit("c", 1),
    ]);
    expect(heard).toEqual([1]);
  });

  test("clear takes away a module's own listeners and leaves those of others", async () => {
    const heard: unknown[] = [];
    await using _opened = await openExtensions([
      (pi) => pi.events.on("c", (data: unknown) => heard.push(["other", data])),
      (pi) => {
        pi.events.on("c", (data: unknown) => heard.push(["own", data]));
        pi.events.emit("c", 1);
        pi.events.clear();
        pi.events.emit("c", 2);
      },
    ]);
    expect(heard).toEqual([
      ["other", 1],
      ["own", 1],
      ["other", 2],
    ]);
  });

  test("the logger hands its lines to a module's own sinks, runs what it is given to time, and times nothing", async () => {
    const log = vi.fn();
    const seen: unknown[] = [];
    await using _opened = await openExtensions(
      [
        (pi) => {
          const end = pi.logger.registerLogSink(({ level, message, context }: any) =>
            seen.push([level, message, context]),
          );
          pi.logger.registerLogSink(() => {
            throw new Error("a broken sink");
          });
          pi.logger.warn("one", { n: 1 });
          end();
          pi.logger.error("two");
          seen.push(
            pi.logger.time("adding", (a: number, b: number) => a + b, 1, 2),
            pi.logger.time("a point"),
          );
          pi.logger.setTransports({ console: true });
          seen.push(pi.logger.openSpanPath(), pi.logger.timingModeIncludes("x"), pi.logger.shouldExitAfterTimings());
        },
      ],
      { services: { log } },
    );
    expect(seen).toEqual([["warn", "one", { n: 1 }], 3, undefined, [], false, false]);
    expect(log.mock.calls).toEqual([
      ["warn", 'one {"n":1}'],
      ["error", "two"],
    ]);
  });

  test("timers end with the session, and what they throw is reported", async () => {
    const clock = new TestClock();
    const ticks: number[] = [];
    await using opened = await openExtensions(
      [
        (pi) =>
          pi.on("agent_start", (_event: unknown, ctx: any) => {
            ctx.setInterval(() => ticks.push(ticks.length), 10);
            const never = ctx.setTimeout(() => ticks.push(99), 10);
            ctx.clearTimer(never);
            ctx.setTimeout(() => {
              throw new Error("x");
            }, 15);
          }),
      ],
      { clock },
    );
    await opened.session.emit("agent.start", {});
    clock.advance(10);
    clock.advance(10);
    await settle();
    expect(ticks).toEqual([0, 1]);
    expect(opened.codes()).toEqual(["HOOK_LATE_ERROR"]);
    await opened.session.close();
    clock.advance(100);
    expect(ticks).toEqual([0, 1]);
  });
});

test("objects kept from an ended session do nothing and are reported once per module", async () => {
  const { asked, services } = recordingHost();
  const kept: any[] = [];
  const keep = (pi: any): void => {
    kept.push(pi);
    pi.on("agent_start", (_event: unknown, ctx: unknown) => void kept.push(ctx));
  };
  await using opened = await openModules(
    [
      ["hook", keep],
      ["extension", keep],
    ],
    { services },
  );
  await opened.session.emit("agent.start", {});
  await opened.session.close();
  const [hook, extension, hookCtx, extensionCtx] = kept;
  hook.sendMessage("x");
  extension.sendUserMessage("x");
  expect(hookCtx.isIdle()).toBe(true);
  expect(extensionCtx.model).toBeUndefined();
  expect(await extension.exec("sh", ["-c", "exit 3"])).toMatchObject({ code: 1 });
  expect(asked).toEqual([]);
  expect(opened.codes()).toEqual(["STALE_CONTEXT", "STALE_CONTEXT"]);
});
