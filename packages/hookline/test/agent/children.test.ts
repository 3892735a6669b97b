import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { textOf } from "@hookline/runtime";
import { describe, expect, test } from "vitest";
import type { Agent } from "../../src/agent/agent.ts";
import { listSessions } from "../../src/session/list.ts";
import { openSession } from "../../src/session/session.ts";
import { atDepth, taskCall, WITH_TASKS } from "../support/depth.ts";
import { type Bench, type BenchOptions, sentTo, startBench } from "./bench.ts";

const bash = (command: string) => ({ name: "bash", arguments: { command } });
const write = (path: string) => ({ name: "write", arguments: { path, content: "x" } });

const bench = (options: BenchOptions): Promise<Bench> => startBench({ settings: WITH_TASKS, ...options });

const resultsOf = ({ core }: Agent): string[] =>
  core.store
    .buildSessionContext()
    .messages.flatMap((message) => (message.role === "toolResult" ? [textOf(message.content)] : []));

const toolsAt = ({ server }: Bench, index: number): string[] =>
  server.requests[index]?.body.tools?.map((tool: any) => tool.function.name) ?? [];

describe("a sub-agent", () => {
  test("works only on its prompt and returns its last message", async () => {
    const one = await bench({ replies: atDepth(1, [{ toolCalls: [bash("echo hi")] }, { text: "the answer" }]) });
    const result = await one.agent.prompt("Ask somebody");
    expect(result).toMatchObject({ kind: "answered", text: "handed on" });
    expect(resultsOf(one.agent)).toEqual(["the answer"]);
    const sent = sentTo(one.server, 1);
    expect(sent[0]).toMatch(/^system: .*You are a sub-agent/s);
    expect(sent.slice(1)).toEqual(["user: Work"]);
    expect(sentTo(one.server, 2).at(-1)).toBe("tool: hi\n");
    expect(one.server.requests).toHaveLength(4);
  });

  test("has its own file beside the session's, and one entry in the session", async () => {
    const { agent, home } = await bench({ replies: atDepth(2, [{ text: "deep" }]) });
    await agent.prompt("Go");
    const file = agent.core.store.getSessionFile() as string;
    const folder = join(dirname(file), basename(file, ".jsonl"), "agents");
    const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
    expect(files).toHaveLength(2);
    const entries = agent.core.store.getEntries().filter((entry) => entry.type === "custom");
    expect(entries).toMatchObject([
      {
        customType: "hookline-subagent",
        data: { type: "general-purpose", state: "started", path: expect.any(String) },
      },
    ]);
    const { id, path } = (entries[0] as any).data;
    const opened = openSession({ kind: "file", path }, { cwd: "/" });
    expect(opened).toMatchObject({ state: "open", fresh: false });
    const { session } = opened as any;
    expect(session.getSessionId()).toBe(id);
    expect(session.buildSessionContext().messages.map(({ role }: any) => role)).toEqual([
      "user",
      "assistant",
      "toolResult",
      "assistant",
    ]);
    session.close();
    // It is no session that a person would look for.
    const listed = await listSessions({ cwd: agent.core.scene.cwd, home: join(home, ".hookline") });
    expect(listed.map((one) => one.path)).toEqual([file]);
  });

  test("leaves no file if the session is not stored", async () => {
    const { agent, home } = await bench({ replies: atDepth(1, [{ text: "done" }]), args: ["--no-session"] });
    expect(await agent.prompt("Go")).toMatchObject({ kind: "answered" });
    expect(existsSync(join(home, ".hookline/sessions"))).toBe(false);
  });

  test("adds its usage to its session, and that of its own sub-agents once", async () => {
    const usage = { input: 10, output: 5 };
    const { agent, events } = await bench({
      replies: atDepth(2, [{ text: "deep" }]).map((reply) => ({ ...reply, usage })),
    });
    await agent.prompt("Go");
    const { sessionStats } = await import("../../src/agent/usage.ts");
    // Five requests, of which three are sub-agents'.
    expect(sessionStats(agent.core).tokens).toMatchObject({ input: 50, output: 25 });
    const ends = events.filter((event) => event.type === "subagent_end");
    expect(ends.map(({ usage }: any) => usage.input)).toEqual([10, 30]);
  });
});

describe("hooks", () => {
  test("guard a sub-agent's call and that of a sub-agent's sub-agent", async () => {
    const { agent, hooks, project } = await bench({
      replies: [
        { toolCalls: [taskCall()] },
        { toolCalls: [bash("touch ran"), taskCall()] },
        { toolCalls: [write("written")] },
        { text: "deep" },
        { text: "middle" },
        { text: "top" },
      ],
    });
    const heard: unknown[] = [];
    hooks.on("tool.before", ({ tool }) => {
      heard.push(tool);
      return tool === "bash" || tool === "write" ? { decision: "deny", reason: "not here" } : undefined;
    });
    expect(await agent.prompt("Go")).toMatchObject({ kind: "answered", text: "top" });
    expect(heard).toEqual(["task", "bash", "task", "write"]);
    expect(existsSync(join(project, "ran")) || existsSync(join(project, "written"))).toBe(false);
  });

  test("of the main agent's own events fire for the main agent only", async () => {
    const { agent, hooks } = await bench({ replies: atDepth(2, [{ text: "deep" }]) });
    const heard: string[] = [];
    for (const name of ["prompt.before", "agent.start", "agent.end", "agent.stop", "turn.start", "agent.done"] as const)
      hooks.on(name, () => void heard.push(name));
    await agent.prompt("Go");
    expect(heard).toEqual([
      ...["prompt.before", "agent.start", "turn.start"],
      ...["agent.done", "agent.done"],
      ...["turn.start", "agent.stop", "agent.end"],
    ]);
  });

  test("refuse a sub-agent, change its prompt and model, and give it context", async () => {
    const { agent, hooks, server } = await bench({
      replies: [{ toolCalls: [taskCall(), taskCall({ prompt: "Bad" })] }, { text: "one" }, { text: "end" }],
    });
    const asked: unknown[] = [];
    hooks.on("agent.spawn", (payload) => {
      asked.push(payload);
      if (payload.prompt === "Bad") return { cancel: true, reason: "not that" };
      return { prompt: "Work well", model: ["none/such", "other"], note: "with another model" };
    });
    hooks.on("agent.spawned", () => ({ additionalContext: "N" }));
    await agent.prompt("Go");
    expect(asked).toMatchObject([
      { type: "general-purpose", prompt: "Work", model: "loop/model", depth: 1, description: "do the work" },
      { prompt: "Bad" },
    ]);
    expect((asked[0] as any).tools).toEqual(["read", "bash", "edit", "write", "grep", "find", "ls", "task"]);
    expect(resultsOf(agent)).toEqual(["one", "not that"]);
    expect(server.requests[1]?.body.model).toBe("other");
    const [, prompt, context] = sentTo(server, 1);
    expect([prompt, context]).toEqual(["user: Work well", expect.stringContaining("N")]);
  });

  test("send a reply back, eight times at most", async () => {
    const { agent, hooks, notices } = await bench({
      replies: (_, index) => (index === 0 ? { toolCalls: [taskCall()] } : { text: `reply ${index}` }),
    });
    const seen: unknown[] = [];
    hooks.on("agent.done", ({ retryCount, stopHookActive, cap }) => {
      seen.push([retryCount, stopHookActive, cap]);
      return { feedback: "again" };
    });
    await agent.prompt("Go");
    expect(resultsOf(agent)).toEqual(["reply 9"]);
    expect(seen).toHaveLength(9);
    expect([seen[0], seen[8]]).toEqual([
      [0, false, 8],
      [8, true, 8],
    ]);
    expect(notices()).toEqual([expect.stringMatching(/^Sub-agent general-purpose: .*limit is 8/)]);
  });

  test("that end a sub-agent end nothing else; their reason becomes the call's error", async () => {
    const { agent, hooks, project } = await bench({
      replies: [{ toolCalls: [taskCall()] }, { toolCalls: [bash("touch ran")] }, { text: "end" }],
    });
    hooks.on("tool.before", ({ tool }) => (tool === "bash" ? { halt: { reason: "enough of this" } } : undefined));
    expect(await agent.prompt("Go")).toMatchObject({ kind: "answered", text: "end" });
    expect(resultsOf(agent)).toEqual(["enough of this"]);
    expect(existsSync(join(project, "ran"))).toBe(false);
  });

  test("ask the person by the sub-agent's name", async () => {
    const questions: string[] = [];
    const { agent, hooks } = await bench({
      replies: atDepth(1, [{ toolCalls: [bash("echo ok")] }, { text: "done" }]),
      mode: "tui",
      ui: { confirm: async (title) => questions.push(title) > 0 },
    });
    hooks.on("tool.before", ({ tool }) => (tool === "bash" ? { decision: "ask", reason: "sure?" } : undefined));
    await agent.prompt("Go");
    expect(questions).toEqual(["Sub-agent general-purpose: Run bash?"]);
  });

  test("of Claude Code are told whose call it is, and read a sub-agent's conversation", async () => {
    const log = 'cat >> "$CLAUDE_PROJECT_DIR/log"; echo >> "$CLAUDE_PROJECT_DIR/log"';
    const group = (command: string) => [{ hooks: [{ type: "command", command }] }];
    const { agent, project } = await bench({
      replies: atDepth(1, [{ toolCalls: [bash("echo hi")] }, { text: "the end" }]),
      files: {
        ".claude/settings.json": JSON.stringify({
          hooks: { PreToolUse: group(log), SubagentStart: group(log), SubagentStop: group(log), Stop: group(log) },
        }),
      },
    });
    await agent.prompt("Go");
    const told = readFileSync(join(project, "log"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const { id } = (agent.core.store.getEntries().find((entry) => entry.type === "custom") as any).data;
    expect(told.map((one) => [one.hook_event_name, one.agent_id, one.agent_type, one.tool_name])).toEqual([
      ["PreToolUse", undefined, undefined, "Agent"],
      ["SubagentStart", id, "general-purpose", undefined],
      ["PreToolUse", id, "general-purpose", "Bash"],
      ["SubagentStop", id, "general-purpose", undefined],
      ["Stop", undefined, undefined, undefined],
    ]);
    const transcript = readFileSync(told[3].agent_transcript_path, "utf8");
    expect(
      transcript
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).type),
    ).toEqual(["user", "assistant", "user", "assistant"]);
  });
});

test("hooks in an agent's own file run for that sub-agent; its Stop fires at the sub-agent's end", async () => {
  const text = `---
name: careful
description: careful
hooks:
  PreToolUse:
    - matcher: Bash
      hooks: [{ type: command, command: "echo no >&2; exit 2" }]
  Stop:
    - hooks: [{ type: command, command: "touch stopped" }]
---
You are careful.`;
  const { agent, project } = await startBench({
    replies: [
      { toolCalls: [taskCall({ subagent_type: "careful" }), bash("touch mine")] },
      { toolCalls: [bash("touch theirs")] },
      { text: "x" },
      { text: "y" },
    ],
    files: { "~/.claude/agents/careful.md": text },
  });
  await agent.prompt("Go");
  expect(["mine", "theirs", "stopped"].map((name) => existsSync(join(project, name)))).toEqual([true, false, true]);
});

describe("tools", () => {
  const definition = (fields: string): string => `---\nname: reader\ndescription: reads\n${fields}\n---\nYou read.`;

  test("are those of the definition that the parent was offered, with the definition's names", async () => {
    const one = await startBench({
      replies: [
        { toolCalls: [taskCall({ subagent_type: "reader" })] },
        { toolCalls: [write("a")] },
        { text: "x" },
        { text: "y" },
      ],
      files: { "~/.claude/agents/reader.md": definition("tools: Read, Grep, TodoWrite") },
    });
    await one.agent.prompt("Go");
    expect(toolsAt(one, 0)).toContain("task");
    expect(toolsAt(one, 1)).toEqual(["read", "grep"]);
    expect(sentTo(one.server, 1)[0]).toMatch(/^system: You read\./);
    expect(sentTo(one.server, 2).at(-1)).toBe("tool: Tool write not found");
  });

  test("hidden from the parent stay hidden, and none is added later", async () => {
    const one = await bench({ replies: atDepth(1, [{ toolCalls: [bash("ls")] }, { text: "x" }]) });
    const { hooks, agent } = one;
    const undo = hooks.on("tools.select", () => ({ exclude: ["bash"] }));
    hooks.on("agent.spawn", () => void undo());
    await agent.prompt("Go");
    expect(toolsAt(one, 1)).toEqual(["read", "edit", "write", "grep", "find", "ls", "task"]);
    expect(sentTo(one.server, 2).at(-1)).toBe("tool: Tool bash not found");
    expect(resultsOf(agent)).toEqual(["x"]);
  });

  test("that make sub-agents or hooks are not offered if no more are allowed", async () => {
    const one = await bench({
      replies: atDepth(2, [{ toolCalls: [taskCall()] }, { text: "deep" }]),
      files: { ".jcli/hooks.yaml": "stop:\n  - command: 'true'\n" },
    });
    await one.agent.prompt("Go");
    expect(toolsAt(one, 0)).toContain("register_hook");
    expect(toolsAt(one, 1)).not.toContain("register_hook");
    expect(toolsAt(one, 2)).not.toContain("task");
    expect(sentTo(one.server, 3).at(-1)).toBe("tool: Tool task not found");
  });

  test("`task` is offered only if an agent is defined or the settings say so", async () => {
    const one = await startBench({ replies: [{ text: "x" }] });
    await one.agent.prompt("Go");
    expect(toolsAt(one, 0)).not.toContain("task");
  });
});

describe("limits", () => {
  test("an unknown agent is reported with the existing ones", async () => {
    const { agent } = await bench({ replies: [{ toolCalls: [taskCall({ subagent_type: "nobody" })] }, { text: "x" }] });
    await agent.prompt("Go");
    expect(resultsOf(agent)).toEqual(['There is no agent "nobody". There are: general-purpose.']);
  });

  test("more in parallel, or in one prompt, are refused with the limit's name; a person's next prompt resets the count", async () => {
    let index = 0;
    const { agent } = await bench({
      settings: { task: { enabled: true, maxAtOnce: 2, maxPerPrompt: 3 } },
      replies: ({ body }) => {
        const isChild = JSON.stringify(body.messages[0]).includes("You are a sub-agent");
        if (isChild) return { text: "done" };
        index += 1;
        if (index === 1) return { toolCalls: [taskCall(), taskCall(), taskCall()] };
        return index === 2
          ? { toolCalls: [taskCall(), taskCall()] }
          : index === 4
            ? { toolCalls: [taskCall()] }
            : { text: "x" };
      },
    });
    await agent.prompt("Go");
    expect(resultsOf(agent)).toEqual([
      "done",
      "done",
      expect.stringContaining("task.maxAtOnce"),
      "done",
      expect.stringContaining("task.maxPerPrompt"),
    ]);
    await agent.prompt("Again");
    expect(resultsOf(agent).at(-1)).toBe("done");
  });

  test("a project may not raise them", async () => {
    const { agent, diagnostics } = await bench({
      replies: [{ text: "x" }],
      files: { ".hookline/settings.json": JSON.stringify({ task: { maxDepth: 9 } }) },
    });
    expect(agent.core.settings.task.maxDepth).toBe(2);
    expect(diagnostics.map(({ message }) => message).join()).toContain("task.maxDepth");
  });
});

describe("an abort", () => {
  test("reaches every sub-agent and everything that it runs", async () => {
    const { agent, project } = await bench({
      replies: [
        { toolCalls: [taskCall(), taskCall()] },
        { toolCalls: [bash("touch a; sleep 60; touch late")] },
        { toolCalls: [bash("touch b; sleep 60; touch late")] },
      ],
    });
    const running = agent.prompt("Go");
    await expect.poll(() => existsSync(join(project, "a")) && existsSync(join(project, "b"))).toBe(true);
    agent.abort();
    expect(await running).toEqual({ kind: "aborted" });
    expect(resultsOf(agent)).toEqual(["Operation aborted", "Operation aborted"]);
    expect(existsSync(join(project, "late"))).toBe(false);
  });
});

test("a sub-agent's events carry its id, and the main agent's own events are unchanged", async () => {
  const { agent, events } = await bench({ replies: atDepth(2, [{ text: "deep" }]) });
  await agent.prompt("Go");
  const [outer, inner] = events.flatMap((event) => (event.type === "subagent_start" ? [event.agent] : []));
  expect([outer, inner]).toMatchObject([
    { depth: 1, type: "general-purpose" },
    { depth: 2, parentId: outer?.id },
  ]);
  const replies = events.flatMap((event) => {
    const own = event.type === "subagent_event" ? event.event : event;
    const by = event.type === "subagent_event" ? event.agentId : "main";
    return own.type === "message_end" && own.message.role === "assistant" ? [[by, textOf(own.message.content)]] : [];
  });
  expect(replies.filter(([, text]) => text !== "")).toEqual([
    [inner?.id, "deep"],
    [outer?.id, "handed on"],
    ["main", "handed on"],
  ]);
  expect(events.flatMap((event) => (event.type === "subagent_end" ? [event.agentId] : []))).toEqual([
    inner?.id,
    outer?.id,
  ]);
});
