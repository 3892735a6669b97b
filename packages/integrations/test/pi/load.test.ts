import { describe, expect, test } from "vitest";
import type { Clock } from "../../../ground/src/time/clock.ts";
import { systemClock } from "../../../ground/src/time/system-clock.ts";
import { openFiles, settle } from "./kit.ts";

/** A file of the project's extension folder, by name. */
const extension = (name: string, source: string) => ({ [`project/.pi/extensions/${name}`]: source });
const start = { reason: "startup" } as const;
const blocking = (reason: string) => `export default (pi) => {
  pi.on("tool_call", () => ({ block: true, reason: ${JSON.stringify(reason)} }));
};`;
const call = { toolCallId: "t1", tool: "bash", args: { command: "ls" } };

describe("loading a file", () => {
  test("TypeScript with types, enums and relative imports runs as it is", async () => {
    await using opened = await openFiles({
      ...extension(
        "guard.ts",
        `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { REASON } from "./lib/reason";
enum Tool { Bash = "bash" }
export default function guard(pi: ExtensionAPI): void {
  pi.on("tool_call", async (event) => {
    if (event.toolName === Tool.Bash) return { block: true, reason: REASON };
  });
}`,
      ),
      ...extension("lib/reason.ts", `export const REASON: string = "from a helper";`),
    });
    const { answer } = await opened.session.emit("tool.before", call);
    expect(answer).toEqual({ decision: "deny", reason: "from a helper" });
    expect(opened.diagnostics).toEqual([]);
  });

  test("values of pi's packages are there under both scopes [pi.tool-call.7]", async () => {
    await using opened = await openFiles(
      extension(
        "guard.ts",
        `import { isToolCallEventType } from "@mariozechner/pi-coding-agent";
import { isBashToolResult, defineTool, VERSION, CONFIG_DIR_NAME } from "@earendil-works/pi-coding-agent";
export default (pi) => {
  pi.on("tool_call", async (event, ctx) => {
    if (isToolCallEventType("bash", event)) return { block: true, reason: "bash " + event.input.command };
    if (isToolCallEventType("write", event)) return { block: true, reason: event.input.path + event.input.content };
    if (isToolCallEventType<"my_tool", { action: string }>("my_tool", event)) return { block: true, reason: event.input.action };
    return { block: true, reason: [VERSION, CONFIG_DIR_NAME, isBashToolResult(event), defineTool(event) === event].join() };
  });
};`,
      ),
    );
    const reasonOf = async (tool: string, args: Record<string, string>) =>
      (await opened.session.emit("tool.before", { toolCallId: "t", tool, args })).answer.reason;
    expect(await reasonOf("bash", { command: "ls" })).toBe("bash ls");
    expect(await reasonOf("write", { path: "p", content: "c" })).toBe("pc");
    expect(await reasonOf("my_tool", { action: "go" })).toBe("go");
    expect(await reasonOf("ls", {})).toBe("0.87.1,.pi,false,true");
    expect(opened.diagnostics).toEqual([]);
  });

  test("an async factory is awaited: its handlers are there for the first event", async () => {
    await using opened = await openFiles(
      extension(
        "slow.ts",
        `export default async (pi) => {
  await new Promise((resolve) => setImmediate(resolve));
  pi.on("tool_call", () => ({ block: true, reason: "late but there" }));
};`,
      ),
    );
    expect((await opened.session.emit("tool.before", call)).answer.reason).toBe("late but there");
  });

  test("a module that CommonJS exports is a factory too", async () => {
    await using opened = await openFiles(
      extension("old.js", `module.exports = (pi) => { pi.on("tool_call", () => ({ block: true, reason: "cjs" })); };`),
    );
    expect((await opened.session.emit("tool.before", call)).answer.reason).toBe("cjs");
  });

  test("a name that is not provided is undefined, and is reported with file and package", async () => {
    await using opened = await openFiles(
      extension(
        "ui.ts",
        `import { Text } from "@mariozechner/pi-tui";
export default (pi) => { pi.on("tool_call", () => ({ block: true, reason: typeof Text })); };`,
      ),
    );
    expect((await opened.session.emit("tool.before", call)).answer.reason).toBe("undefined");
    expect(opened.diagnostics).toMatchObject([
      { code: "MISSING_EXPORT", message: expect.stringContaining('"Text" from "@mariozechner/pi-tui"') },
    ]);
  });

  test("missing names of one package are reported in one message, those of several files under the module's name", async () => {
    await using opened = await openFiles({
      ...extension(
        "ui.ts",
        `import { Text, Box } from "@mariozechner/pi-tui";
import { Agent } from "@earendil-works/pi-agent-core";
import { more } from "../more.ts";
export default (pi) => { pi.on("tool_call", () => ({ block: true, reason: [Text, Box, Agent, more].join() })); };`,
      ),
      "project/.pi/more.ts": `import { Spacer } from "@mariozechner/pi-tui"; export const more = typeof Spacer;`,
    });
    expect((await opened.session.emit("tool.before", call)).answer.reason).toBe(",,,undefined");
    const [several = "", one = "", ...rest] = opened.diagnostics
      .map(({ message }) => message)
      .sort((a, b) => b.length - a.length);
    expect(rest).toEqual([]);
    expect(several).toMatch(/ui\.ts imports ("\w+", "\w+" and "\w+") from "@mariozechner\/pi-tui", which has no such/);
    for (const name of ["Text", "Box", "Spacer"]) expect(several).toContain(`"${name}"`);
    expect(one).toMatch(/ui\.ts imports "Agent" from "@earendil-works\/pi-agent-core", which has no such export/);
  });

  test("what the host lends is used, asked for once a module, under the newer name and with the module's words", async () => {
    const asked: unknown[] = [];
    const modules = (specifier: string, mentions?: (word: string) => boolean) => {
      asked.push([specifier, mentions?.("Text"), mentions?.("Box")]);
      return specifier === "@earendil-works/pi-tui" ? Promise.resolve({ Text: "the host's" }) : undefined;
    };
    const source = `import { Text } from "@mariozechner/pi-tui";
export default (pi) => { pi.on("tool_call", () => ({ block: true, reason: Text })); };`;
    await using opened = await openFiles(
      { ...extension("a.ts", source), ...extension("b.ts", source) },
      { services: { modules } },
    );
    expect((await opened.session.emit("tool.before", call)).answer.reason).toBe("the host's");
    const once = ["@earendil-works/pi-tui", true, false];
    expect(asked).toEqual([once, once]);
    expect(opened.diagnostics).toEqual([]);
  });

  test("a package that only the host knows is imported from it", async () => {
    const modules = (specifier: string) =>
      specifier === "host-only" ? Promise.resolve({ default: "d", word: "w" }) : undefined;
    await using opened = await openFiles(
      extension(
        "a.ts",
        `import whole, { word } from "host-only";
export default (pi) => { pi.on("tool_call", () => ({ block: true, reason: whole + word })); };`,
      ),
      { services: { modules } },
    );
    expect((await opened.session.emit("tool.before", call)).answer.reason).toBe("dw");
  });

  test("typebox is loaded for the extension that builds a schema, under each of its names", async () => {
    await using opened = await openFiles({
      ...extension(
        "tool.ts",
        `import { Type } from "@sinclair/typebox";
import { Type as Same } from "typebox";
import { StringEnum, Type as Third } from "@mariozechner/pi-ai";
import { StringEnum as OldEnum, Type as Fourth } from "@earendil-works/pi-ai/compat";
export default (pi) => {
  pi.registerTool({
    name: "t", label: "T", description: String(Type === Same && Same === Third && Third === Fourth && StringEnum === OldEnum),
    parameters: Type.Object({ a: Type.Optional(Type.String()), e: StringEnum(["x", "y"], { description: "which" }) }),
    execute: async () => ({ content: [] }),
  });
};`,
      ),
    });
    const { value } = opened.session.contributions.all<any>("tool").get("t") as { value: any };
    expect(value.description).toBe("true");
    expect(JSON.parse(JSON.stringify(value.parameters))).toMatchObject({
      type: "object",
      required: ["e"],
      properties: { a: { type: "string" }, e: { type: "string", enum: ["x", "y"], description: "which" } },
    });
  });

  test("`__dirname` is the file's own folder", async () => {
    await using opened = await openFiles(
      extension(
        "res.ts",
        `import { join } from "node:path";
export default (pi) => {
  pi.on("resources_discover", () => ({ skillPaths: [join(__dirname, "skills", "SKILL.md")] }));
};`,
      ),
    );
    const { answer } = await opened.session.emit("resources.discover", { cwd: "/", reason: "startup" });
    expect(answer.skillPaths?.flat()).toEqual([`${opened.root}/project/.pi/extensions/skills/SKILL.md`]);
  });
});

/** A clock on which the 30 s that a module has to load are over soon; every other limit is as long as it says. */
const impatient: Clock = {
  ...systemClock,
  timer: (ms, done) => systemClock.timer(ms === 30_000 ? 1500 : ms, done),
};

describe("extensions that cannot be loaded", () => {
  const broken: readonly (readonly [what: string, source: string, problem: RegExp])[] = [
    ["no default export", "export const x = 1;", /^Extension does not export a valid factory function: .*bad\.ts$/],
    [
      "a default that is no function",
      "export default { on() {} };",
      /^Extension does not export a valid factory function: /,
    ],
    ["a factory that throws", `export default () => { throw new Error("boom"); };`, /^Failed to load extension: boom$/],
    ["a factory that rejects", `export default async () => { throw "str"; };`, /^Failed to load extension: str$/],
    [
      "a class",
      "export default class X {}",
      /^Failed to load extension: Class constructor X cannot be invoked without 'new'/,
    ],
    ["a syntax error", "export default (pi) => {", /^Failed to load extension: .*bad\.ts:1/],
    ["an error at the top", `throw new Error("top");`, /^Failed to load extension: .*top/],
    [
      "a missing package",
      `import x from "no-such-package"; export default () => x;`,
      /^Failed to load extension: .*no-such-package/,
    ],
    ["an exit at the top", "process.exit(0);", /^Failed to load extension: .*process\.exit\(0\)/],
    [
      "an exit in the factory",
      "export default () => process.exit(3);",
      /^Failed to load extension: .*process\.exit\(3\)/,
    ],
    [
      "an exit in an async factory",
      "export default async () => { await null; process.exit(4); };",
      /^Failed to load extension: .*process\.exit\(4\)/,
    ],
    ["an action while it is loaded", `export default (pi) => pi.sendUserMessage("x");`, /runtime not initialized/],
  ];

  test.each(broken)("%s is reported, and the neighbours run", async (_, source, problem) => {
    await using opened = await openFiles({
      ...extension("a.ts", blocking("a")),
      ...extension("bad.ts", source),
      ...extension("z.ts", `export default (pi) => { pi.on("session_start", () => {}); };`),
    });
    const { sources } = opened.session.report;
    expect(sources.map(({ state }) => state)).toEqual(["runs", "broken", "runs"]);
    expect(sources[1]?.reason).toMatch(problem);
    expect(opened.codes()).toEqual(["LOAD_FAILED"]);
    expect((await opened.session.emit("tool.before", call)).answer.reason).toBe("a");
  });

  test.each([
    [
      "a factory that never returns",
      "export default () => new Promise(() => {});",
      "its factory did not return within 30000 ms",
    ],
    [
      "a module that never finishes",
      "await new Promise(() => {}); export default () => {};",
      "it was not loaded within 30000 ms",
    ],
  ])("%s is given up", async (_, source, problem) => {
    await using opened = await openFiles(
      { ...extension("bad.ts", source), ...extension("good.ts", blocking("good")) },
      { settings: { handlerTimeoutMs: 1 }, clock: impatient },
    );
    expect(opened.session.report.sources.map(({ state }) => state)).toEqual(["broken", "runs"]);
    expect(opened.session.report.sources[0]?.reason).toBe(`Failed to load extension: ${problem}`);
  });

  test("an abandoned factory has no effect later", async () => {
    await using opened = await openFiles(
      extension(
        "late.ts",
        `export default async (pi) => {
  await new Promise((resolve) => { globalThis.goOn = resolve; });
  pi.on("tool_call", () => ({ block: true }));
  pi.registerCommand("late", { handler: async () => {} });
};`,
      ),
      { settings: { handlerTimeoutMs: 1 }, clock: impatient },
    );
    (globalThis as unknown as { goOn(): void }).goOn();
    await settle();
    expect((await opened.session.emit("tool.before", call)).answer).toEqual({});
    expect(opened.session.contributions.all("command").size).toBe(0);
  });
});

describe("extensions that misbehave later", () => {
  test.each([
    ["a handler", "process.exit(5)"],
    ["a handler, after a wait", "await null; process.exit(5)"],
    ["a handler, by the inner way", "process.reallyExit(5)"],
  ])("an exit in %s is an error of its hook", async (_, code) => {
    await using opened = await openFiles(
      extension("exit.ts", `export default (pi) => { pi.on("tool_call", async () => { ${code}; }); };`),
    );
    const { answer } = await opened.session.emit("tool.before", call);
    expect(answer.decision).toBe("deny");
    expect(answer.reason).toMatch(/exit\.ts called process\.(exit|reallyExit)\(5\)/);
    expect(opened.codes()).toEqual(["HOOK_THREW"]);
  });

  test("`process.exit` is what it was when the last session is closed", async () => {
    const { exit } = process;
    {
      await using _ = await openFiles(extension("a.ts", blocking("a")));
      expect(process.exit).not.toBe(exit);
    }
    expect(process.exit).toBe(exit);
  });

  test("a reload reads the file again, and every event fires once", async () => {
    await using opened = await openFiles(extension("a.ts", blocking("a")));
    await opened.session.load();
    await opened.session.load();
    expect(opened.session.hooks()).toHaveLength(1);
    const { hooks } = await opened.session.emit("tool.before", call);
    expect(hooks.map(({ status }) => status)).toEqual(["answered"]);
  });

  test("hooks of two extensions do not share the events that they are given", async () => {
    await using opened = await openFiles({
      ...extension(
        "a.ts",
        `export default (pi) => { pi.on("tool_result", (event) => { event.input.command = "x"; event.toolName = "y"; }); };`,
      ),
      ...extension(
        "b.ts",
        `export default (pi) => { pi.on("tool_result", (event) => ({ content: [{ type: "text", text: event.toolName + event.input.command }] })); };`,
      ),
    });
    const { answer } = await opened.session.emit("tool.after", {
      ...call,
      content: [],
      details: {},
      isError: false,
      blocked: false,
    });
    expect(answer.content).toEqual([{ type: "text", text: "bashls" }]);
  });

  test("a project's extensions do not run without consent", async () => {
    await using opened = await openFiles(extension("a.ts", `globalThis.ran = true; ${blocking("a")}`), {
      consent: { allows: () => false },
    });
    expect(opened.session.report.sources).toMatchObject([{ state: "untrusted" }]);
    expect((globalThis as { ran?: unknown }).ran).toBeUndefined();
    expect((await opened.session.emit("session.start", start)).hooks).toEqual([]);
    await settle();
  });
});
