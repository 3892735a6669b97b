import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Program, startProgram } from "../agent/program.ts";
import type { LoopbackScript } from "../support/loopback.ts";

const extension = (body: string) => ({ ".pi/extensions/e.ts": `export default function (pi) {\n${body}\n}\n` });

async function client(
  replies: LoopbackScript,
  files: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
) {
  const program = await startProgram({ replies, args: ["--mode", "rpc", ...args], files, stdin: "open" });
  let id = 0;
  return {
    program,
    /** Sends a command and gives its reply. */
    ask: async (type: string, fields: object = {}) => {
      id += 1;
      const own = `c${id}`;
      program.send({ id: own, type, ...fields });
      return program.line((line) => line.type === "response" && line.id === own);
    },
    settled: (program: Program, count = 1) =>
      program.line(() => program.lines.filter(({ type }) => type === "agent_settled").length >= count),
  };
}

describe("RPC mode", () => {
  test("a prompt is answered when it begins, events follow, the state tells of both", async () => {
    const { program, ask, settled } = await client([{ text: "hello" }]);
    expect(await ask("get_state")).toMatchObject({
      command: "get_state",
      success: true,
      data: {
        isStreaming: false,
        messageCount: 0,
        steeringMode: "one-at-a-time",
        autoCompactionEnabled: true,
        model: { id: "model" },
      },
    });
    const started = { command: "prompt", success: true, data: { disposition: "started" } };
    expect(await ask("prompt", { message: "Hi" })).toMatchObject(started);
    await settled(program);
    const types = program.lines.map(({ type }) => type).filter((type) => type !== "message_update");
    expect(types.slice(types.indexOf("agent_start"))).toEqual([
      "agent_start",
      "response",
      "turn_start",
      "message_start",
      "message_end",
      "message_start",
      "message_end",
      "turn_end",
      "agent_end",
      "agent_settled",
    ]);
    expect((await ask("get_last_assistant_text")).data).toEqual({ text: "hello" });
    expect((await ask("get_messages")).data.messages).toHaveLength(2);
    expect((await ask("get_session_stats")).data).toMatchObject({
      userMessages: 1,
      assistantMessages: 1,
      toolCalls: 0,
    });
  });

  test("an entry without its own event is reported as it is stored", async () => {
    const { program, ask, settled } = await client(
      [{ error: { status: 529, message: "overloaded" } }, { text: "after all" }],
      {
        ...extension(`
          pi.registerCommand("note", { handler: async (text) => void pi.appendEntry("note", { text }) });
          let told = false;
          pi.on("turn_end", () => {
            if (told) return undefined;
            told = true;
            return { entries: [{ type: "custom_message", customType: "aside", content: "by the way", display: true }] };
          });`),
        "~/.hookline/settings.json": JSON.stringify({ retry: { baseDelayMs: 1 } }),
      },
    );
    const told = () => program.lines.filter(({ type }) => type === "entry_appended").map(({ entry }: any) => entry);
    await ask("prompt", { message: "/note one" });
    await program.line(({ type }) => type === "entry_appended");
    expect(told()).toMatchObject([{ type: "custom", customType: "note", data: { text: "one" } }]);
    await ask("prompt", { message: "Hi" });
    await settled(program);
    // The failed reply is left out of later requests, by an edit; the hook's entry comes at the turn's end.
    const [, ...others] = told();
    expect(others.map(({ type, customType }) => customType ?? type).sort()).toEqual(["aside", "context_edit"]);
    const file = (await ask("get_state")).data.sessionFile;
    const stored = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    for (const entry of told()) expect(stored).toContainEqual(entry);
  });

  test("steering and follow-ups reach the running prompt, each through input; another prompt is refused", async () => {
    const { program, ask, settled } = await client(
      [
        { toolCalls: [{ name: "bash", arguments: { command: "until [ -f go ]; do sleep 0.02; done" } }] },
        { text: "a" },
        { text: "b" },
      ],
      extension(
        'pi.on("input", ({ text, source }) => source === "rpc" ? { action: "transform", text: text + "!" } : undefined);',
      ),
    );
    await ask("prompt", { message: "Begin" });
    await program.line(({ type }) => type === "tool_execution_start");
    expect(await ask("prompt", { message: "no" })).toMatchObject({
      success: false,
      error: expect.stringMatching(/already processing/),
    });
    expect(await ask("steer", { message: "left" })).toMatchObject({ success: true });
    expect(await ask("prompt", { message: "right", streamingBehavior: "followUp" })).toMatchObject({ success: true });
    expect((await ask("get_state")).data).toMatchObject({ isStreaming: true, pendingMessageCount: 2 });
    await ask("bash", { command: "touch go" });
    await settled(program);
    const said = program.lines.flatMap(({ type, message }) =>
      type === "message_end" && message.role === "user" ? [message.content[0].text] : [],
    );
    expect(said).toEqual(["Begin!", "left!", "right!"]);
  });

  test("the queue can be emptied and its texts come back; an abort ends the run", async () => {
    const { program, ask, settled } = await client([{ text: "slow", fault: "stall" }]);
    await ask("prompt", { message: "Begin" });
    await program.line(({ type }) => type === "message_update");
    await ask("steer", { message: "one" });
    await ask("follow_up", { message: "two" });
    expect((await ask("clear_queue")).data).toEqual({ steering: ["one"], followUp: ["two"] });
    expect(await ask("abort")).toMatchObject({ success: true });
    await settled(program);
    expect(program.lines.findLast(({ type }) => type === "message_end").message.stopReason).toBe("aborted");
  });

  test("dialogs of an extension are questions to the client", async () => {
    const { program, ask, settled } = await client(
      [{ toolCalls: [{ name: "write", arguments: { path: "made", content: "" } }] }, { text: "ok" }],
      extension(
        'pi.on("tool_call", async (event, ctx) => { ctx.ui.notify("asking"); if (!(await ctx.ui.confirm("Write?", event.input.path))) return { block: true, reason: "no" }; });',
      ),
    );
    await ask("prompt", { message: "Write" });
    const request = await program.line(({ method }) => method === "confirm");
    expect(request).toMatchObject({ type: "extension_ui_request", title: "Write?", message: "made" });
    program.send({ type: "extension_ui_response", id: request.id, confirmed: true });
    await settled(program);
    expect(existsSync(join(program.project, "made"))).toBe(true);
    expect(program.lines).toContainEqual(
      expect.objectContaining({ method: "notify", message: "asking", notifyType: "info" }),
    );
  });

  test("a question at the start of the session can be answered", async () => {
    const { program, ask } = await client(
      [],
      extension(
        'pi.on("session_start", async (_, ctx) => { pi.setSessionName((await ctx.ui.input("Name?")) ?? "none"); });',
      ),
    );
    const { id } = await program.line(({ method }) => method === "input");
    program.send({ type: "extension_ui_response", id, value: "given" });
    await expect.poll(async () => (await ask("get_state")).data.sessionName).toBe("given");
  });

  test("sessions are begun, named, forked, cloned and switched", async () => {
    const { program, ask, settled } = await client([{ text: "one" }, { text: "two" }]);
    await ask("prompt", { message: "First" });
    await settled(program);
    const first = (await ask("get_state")).data;
    const [message] = (await ask("get_fork_messages")).data.messages;
    expect(message.text).toBe("First");
    expect((await ask("fork", { entryId: message.entryId })).data).toEqual({ text: "First", cancelled: false });
    expect((await ask("get_state")).data.messageCount).toBe(0);
    expect((await ask("switch_session", { sessionPath: first.sessionFile })).data).toEqual({ cancelled: false });
    expect((await ask("get_state")).data).toMatchObject({ sessionId: first.sessionId, messageCount: 2 });
    expect(await ask("set_session_name", { name: " a name " })).toMatchObject({ success: true });
    expect((await ask("get_state")).data.sessionName).toBe("a name");
    expect(await ask("set_session_name", { name: " " })).toMatchObject({
      success: false,
      error: "Session name cannot be empty",
    });
    expect((await ask("clone")).data).toEqual({ cancelled: false });
    const cloned = (await ask("get_state")).data;
    expect(cloned.sessionId).not.toBe(first.sessionId);
    expect(cloned.messageCount).toBe(2);
    expect((await ask("new_session")).data).toEqual({ cancelled: false });
    expect((await ask("get_entries")).data.entries).toHaveLength(2);
    const { entries, leafId } = (await ask("get_entries")).data;
    expect((await ask("get_entries", { since: entries[0].id })).data.entries).toHaveLength(1);
    expect((await ask("get_tree")).data).toMatchObject({ leafId, tree: [{ entry: { id: entries[0].id } }] });
  });

  test("models, levels, modes and switches are set, and wrong values refused", async () => {
    const { ask } = await client([]);
    expect((await ask("get_available_models")).data.models).toMatchObject([{ provider: "loop", id: "model" }]);
    expect((await ask("cycle_model")).data).toBeNull();
    expect(await ask("set_model", { provider: "loop", modelId: "none" })).toMatchObject({
      success: false,
      error: "Model not found: loop/none",
    });
    expect((await ask("set_model", { provider: "loop", modelId: "model" })).data).toMatchObject({ id: "model" });
    expect((await ask("get_available_thinking_levels")).data).toEqual({ levels: ["off"] });
    expect((await ask("cycle_thinking_level")).data).toBeNull();
    expect(await ask("set_thinking_level", { level: "much" })).toMatchObject({ success: false });
    expect(await ask("set_steering_mode", { mode: "all" })).toMatchObject({ success: true });
    expect(await ask("set_follow_up_mode", { mode: "some" })).toMatchObject({ success: false });
    await ask("set_auto_compaction", { enabled: false });
    await ask("set_auto_retry", { enabled: false });
    expect((await ask("get_state")).data).toMatchObject({
      steeringMode: "all",
      followUpMode: "one-at-a-time",
      autoCompactionEnabled: false,
    });
  });

  test("a shell command gives its result and its pieces; one that fails to start says why", async () => {
    const { program, ask } = await client([]);
    expect((await ask("bash", { command: "echo out; exit 2" })).data).toEqual({
      output: "out\n",
      exitCode: 2,
      cancelled: false,
      truncated: false,
    });
    expect(program.lines).toContainEqual({ type: "bash_execution_update", id: "c1", delta: "out\n" });
    const running = ask("bash", { command: "echo begun; sleep 60" });
    await program.line(({ delta }) => delta === "begun\n");
    await ask("abort_bash");
    expect((await running).data).toMatchObject({ cancelled: true });
  });

  test("compaction by command fails in pi's words, the session is exported", async () => {
    const { program, ask } = await client([]);
    expect(await ask("compact")).toMatchObject({ success: false, error: "Nothing to compact (session too small)" });
    const path = join(program.project, "out.html");
    expect((await ask("export_html", { outputPath: path })).data).toEqual({ path });
    expect(existsSync(path)).toBe(true);
  });

  test("commands of extensions, prompts and skills are listed and can be called up", async () => {
    const { program, ask } = await client([], {
      ...extension(
        'pi.registerCommand("greet", { description: "greets", handler: async (args, ctx) => ctx.ui.notify("hello " + args) });',
      ),
      ".hookline/prompts/p.md": "Do it.",
      ".hookline/skills/s/SKILL.md": "---\ndescription: d\n---\nBody",
    });
    const { commands } = (await ask("get_commands")).data;
    expect(commands).toMatchObject([
      { name: "greet", description: "greets", source: "extension" },
      { name: "p", source: "prompt", sourceInfo: { scope: "project" } },
      { name: "skill:s", source: "skill" },
    ]);
    expect(await ask("prompt", { message: "/greet Ada" })).toMatchObject({ success: true });
    expect(program.lines).toContainEqual(expect.objectContaining({ method: "notify", message: "hello Ada" }));
    expect(await ask("prompt", { message: "/session" })).toMatchObject({ success: true });
    expect(program.lines).toContainEqual(expect.objectContaining({ type: "command_output", command: "session" }));
  });

  test("a line that is not a command is answered as such, and the next one is read", async () => {
    const { program, ask } = await client([]);
    program.child.stdin.write("{ no json\n[1]\n\n");
    expect(await ask("dance")).toMatchObject({ success: false, error: "Unknown command: dance" });
    const parse = program.lines.filter(({ command }) => command === "parse");
    expect(parse).toHaveLength(2);
    expect(parse[0]).toMatchObject({
      type: "response",
      success: false,
      error: expect.stringMatching(/^Failed to parse command: /),
    });
  });

  test("a hook that fails is told in pi's shape; what it prints stays out of the protocol", async () => {
    const { program, ask, settled } = await client(
      [{ text: "ok" }],
      extension('pi.on("agent_start", () => { console.log("noise"); throw new Error("broken"); });'),
    );
    await ask("prompt", { message: "Hi" });
    await settled(program);
    expect(program.lines).toContainEqual({
      type: "extension_error",
      extensionPath: join(program.project, ".pi/extensions/e.ts"),
      event: "agent_start",
      error: expect.stringMatching(/broken/),
    });
  });

  test("the end of stdin ends the process, what came before it is answered; and shutdown() ends it", async () => {
    const one = await client([{ fault: "hang" }]);
    one.program.send({ type: "prompt", message: "Hi", id: 1 });
    one.program.send({ type: "get_state", id: 2 });
    one.program.child.stdin.end();
    expect((await one.program.finished).code).toBe(0);
    const answers = one.program.lines.filter(({ type }) => type === "response");
    expect(answers.map(({ id, success }) => [id, success]).sort()).toEqual([
      [1, true],
      [2, true],
    ]);

    const two = await client(
      [],
      extension('pi.registerCommand("bye", { handler: async (_, ctx) => ctx.shutdown() });'),
    );
    await two.ask("prompt", { message: "/bye" });
    expect((await two.program.finished).code).toBe(0);
  });

  test.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("%s ends the process with %i", async (signal, code) => {
    const { program, ask } = await client([]);
    await ask("get_state");
    program.child.kill(signal);
    expect((await program.finished).code).toBe(code);
  });
});
