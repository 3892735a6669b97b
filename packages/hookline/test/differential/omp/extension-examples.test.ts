import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { peerFolder } from "../../../../../bench/peer.ts";
import { bash, done, example, person } from "./client.ts";
import { peer } from "./peer.ts";

const call = (name: string, args: Readonly<Record<string, unknown>>) => ({ toolCalls: [{ name, arguments: args }] });

describe.skipIf("absent" in peer)("the extensions that oh-my-pi ships act, unmodified", () => {
  test("hello gives the model a tool", async () => {
    const someone = await person({
      examples: ["extensions/hello.ts"],
      replies: [call("hello", { name: "Ada" }), done],
    });
    await someone.prompt("go");
    expect(someone.results).toEqual(["Hello, Ada!"]);
  });

  test("pirate adds to the system prompt while it is on", async () => {
    const prompts: string[] = [];
    const someone = await person({
      examples: ["extensions/pirate.ts"],
      replies: ({ body }) => {
        prompts.push(body.messages[0].content);
        return done;
      },
    });
    await someone.prompt("one");
    await someone.prompt("/pirate");
    await someone.prompt("two");
    await someone.prompt("/pirate");
    await someone.prompt("three");
    expect(prompts.map((text) => text.includes("PIRATE MODE"))).toEqual([false, true, false]);
    expect(someone.told).toEqual(["notify: Arrr! Pirate mode enabled!", "notify: Pirate mode disabled"]);
  });

  test("plan-mode lets only harmless commands run, lists the plan's steps and asks what next", async () => {
    const plan = "Here is what I would do:\n1. Read the configuration file\n2. Write the new parser\n";
    const someone = await person({
      examples: ["extensions/plan-mode.ts"],
      replies: [bash("rm -rf x"), bash("ls"), { text: plan }, { text: "ok", repeat: true }],
      answers: [{ value: "Stay in plan mode" }],
    });
    await someone.prompt("/plan");
    await someone.prompt("make a plan");
    expect(someone.results[0]).toMatch(/^Plan mode: destructive command blocked\./);
    expect(someone.results[0]).toContain("Command: rm -rf x");
    expect(someone.results[1]).not.toContain("Plan mode");
    const steps = await someone.program.line(
      ({ type, message }) => type === "message_end" && message.customType === "plan-todo-list",
    );
    expect(steps.message.content).toContain("1. ☐ Configuration file");
    expect(someone.told).toEqual(
      expect.arrayContaining([
        "notify: Plan mode enabled. Tools: read, bash, search, find",
        "select: Plan mode - what next?",
      ]),
    );
  });

  test("plan-mode begins with its flag", async () => {
    const someone = await person({
      examples: ["extensions/plan-mode.ts"],
      replies: [bash("touch x"), done],
      args: ["--plan"],
    });
    await someone.prompt("go");
    expect(someone.results[0]).toMatch(/^Plan mode: destructive command blocked\./);
    expect(existsSync(join(someone.project, "x"))).toBe(false);
  });

  test("reload-runtime reloads when the model asks for it", async () => {
    const someone = await person({
      examples: ["extensions/reload-runtime.ts"],
      replies: [call("reload_runtime", {}), done],
    });
    await someone.prompt("go");
    expect(someone.results).toEqual(["Queued /reload-runtime as a follow-up command."]);
    const names = (await someone.ask("get_commands")).data.commands.map(({ name }: any) => name);
    expect(names).toContain("reload-runtime");
  });

  test("api-demo takes its arguments in the older order, fails in the newer one, and the remedy is said", async () => {
    const someone = await person({
      examples: ["extensions/api-demo.ts"],
      replies: [call("api_demo", { message: "hi" }), done],
      args: ["--verbose"],
    });
    await someone.prompt("go");
    expect(someone.results).toHaveLength(1);
    await someone.leave();
    expect((await someone.program.finished).err).toContain('toolArgs: "legacy"');
  });

  test("with-deps finds a package in its own folder; what does not fit is an error result", async () => {
    const folder = "~/.omp/agent/extensions/with-deps";
    const ms = peerFolder("ms", "2.1.3");
    const someone = await person({
      examples: [],
      files: {
        [`${folder}/package.json`]: example("extensions/with-deps/package.json"),
        [`${folder}/index.ts`]: example("extensions/with-deps/index.ts"),
      },
      prepare: (home) => cpSync(ms, join(home, folder.slice(2), "node_modules/ms"), { recursive: true }),
      replies: [call("parse_duration", { duration: "2 days" }), call("parse_duration", { duration: "soon" }), done],
    });
    await someone.prompt("go");
    expect(someone.results).toEqual(["2 days = 172800000 milliseconds", 'Invalid duration: "soon"']);
    const errors = someone.program.lines
      .filter(({ type }) => type === "tool_execution_end")
      .map(({ isError }) => isError);
    expect(errors).toEqual([false, true]);
  });

  test("chalk-logger and tools load and stay out of the way; thinking-note says what is not here", async () => {
    const someone = await person({
      examples: ["extensions/chalk-logger.ts", "extensions/tools.ts", "extensions/thinking-note.ts"],
      replies: [bash("echo fine"), done],
      args: ["--verbose"],
    });
    await someone.prompt("go");
    expect(someone.results).toEqual([expect.stringContaining("fine")]);
    await someone.leave();
    const { err } = await someone.program.finished;
    expect(err).toContain("registerAssistantThinkingRenderer has no effect here");
  });
});
