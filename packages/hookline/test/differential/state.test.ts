import { expect, test } from "vitest";
import { expectAlike, runApart } from "./compare.ts";
import { ask, prompt } from "./drive.ts";
import { describeWithPeer } from "./peer.ts";

declare const note: (...values: unknown[]) => void;

/** Notes for every event what its context says of the moment: tools, prompt, context, model, level and queue. */
const states = (pi: any): void => {
  const events = [
    ...["session_start", "resources_discover", "input", "before_agent_start", "agent_start", "turn_start", "turn_end"],
    ...["context", "message_start", "message_end", "tool_execution_start", "tool_execution_end", "tool_call"],
    ...[
      "tool_result",
      "agent_end",
      "agent_before_settle",
      "agent_settled",
      "session_before_compact",
      "session_compact",
    ],
    ...["session_compact_failed", "model_select", "thinking_level_select", "session_shutdown"],
  ];
  // Offered from the start here, on request there.
  const more = ["grep", "find", "ls", "powershell"];
  for (const name of events)
    pi.on(name, (event: any, ctx: any) => {
      // The system prompt is no message here.
      if (event.message?.role === "system") return;
      const prompt: string = ctx.getSystemPrompt();
      const usage = ctx.getContextUsage();
      const { provider, id, api, reasoning, input, contextWindow, maxTokens, thinkingLevelMap, compat } = ctx.model;
      note(name, {
        tools: pi
          .getActiveTools()
          .filter((tool: string) => !more.includes(tool))
          .sort(),
        prompt: [prompt.length > 200, prompt.includes("[[rule]]")],
        usage: usage && [usage.contextWindow, usage.tokens === null ? null : usage.tokens > 0],
        model: { provider, id, api, reasoning, input, contextWindow, maxTokens, thinkingLevelMap, compat },
        level: pi.getThinkingLevel(),
        pending: ctx.hasPendingMessages(),
      });
    });
};

const THINKS = {
  id: "thinks",
  reasoning: true,
  thinkingLevelMap: { xhigh: "most" },
  contextWindow: 50_000,
  maxTokens: 500,
  compat: { supportsStore: false },
};

const PLAIN = { id: "plain", contextWindow: 9000, maxTokens: 100, input: ["text", "image"] };

describeWithPeer("what a context says of the moment", () => {
  test("at each event of a run with a tool call", async () => {
    await expectAlike({
      record: false,
      extensions: [states],
      files: { "AGENTS.md": "[[rule]]\n", "a.txt": "text\n" },
      prompts: ["look", "again"],
      replies: [
        { toolCalls: [{ name: "read", id: "t1", arguments: { path: "a.txt" } }] },
        { text: "ok" },
        { text: "yes" },
      ],
    });
  });

  test("with a model that thinks, other tools, another level and a message that waits", async () => {
    await expectAlike(
      {
        record: false,
        models: [THINKS],
        args: ["--model", "thinks"],
        extensions: [
          (pi) => {
            pi.on("before_agent_start", () => {
              pi.setThinkingLevel("max");
              pi.setActiveTools(["read"]);
            });
            let sent = false;
            pi.on("tool_result", () => {
              if (!sent) pi.sendUserMessage("and then", { deliverAs: "followUp" });
              sent = true;
            });
          },
          states,
        ],
        files: { "AGENTS.md": "[[rule]]\n", "a.txt": "text\n" },
        prompts: ["look"],
        replies: [
          { toolCalls: [{ name: "read", id: "t1", arguments: { path: "a.txt" } }] },
          { text: "ok" },
          { text: "done" },
        ],
      },
      ["takenBeforeTurn", "toolsOfBranch", "roleOfInstructions"],
    );
  });

  const long = "word ".repeat(200);
  const settings = { compaction: { enabled: true, reserveTokens: 1000, keepRecentTokens: 100 } };

  /** A command that compacts and waits for the end. */
  const compacting = (pi: any): void => {
    pi.registerCommand("compact-now", {
      handler: (_: string, ctx: any) => new Promise<void>((done) => ctx.compact({ onComplete: done, onError: done })),
    });
  };

  test("through a compaction whose summary the model writes, and one that a hook refuses", async () => {
    await expectAlike(
      {
        record: false,
        settings,
        extensions: [
          compacting,
          (pi) => {
            let asked = 0;
            pi.on("session_before_compact", () => {
              asked += 1;
              return asked === 2 ? { cancel: true } : undefined;
            });
          },
          states,
        ],
        prompts: [long, long, "/compact-now", long, "/compact-now", "on"],
        replies: [
          { text: long },
          { text: long },
          { text: "SUMMARY" },
          { text: "TURN" },
          { text: long },
          { text: "on" },
        ],
      },
      ["wordsOfSummaries"],
    );
  });

  test("while a client changes the model and the level", async () => {
    await expectAlike(
      {
        mode: "rpc",
        record: false,
        models: [THINKS, PLAIN],
        extensions: [states],
        replies: () => ({ text: "ok" }),
        async drive(talk) {
          await prompt(talk, "one");
          expect((await ask(talk, { type: "set_model", provider: "loop", modelId: "thinks" })).success).toBe(true);
          await ask(talk, { type: "set_thinking_level", level: "max" });
          await prompt(talk, "two");
          await ask(talk, { type: "cycle_thinking_level" });
          await ask(talk, { type: "cycle_model" });
          await prompt(talk, "three");
        },
      },
      ["roleOfInstructions"],
    );
  });

  test("while a client begins, branches and takes up sessions", async () => {
    await expectAlike(
      {
        mode: "rpc",
        record: false,
        extensions: [states],
        replies: () => ({ text: "ok" }),
        async drive(talk) {
          await prompt(talk, "one");
          const { sessionFile } = (await ask(talk, { type: "get_state" })).data;
          await ask(talk, { type: "new_session" });
          await prompt(talk, "two");
          const { messages } = (await ask(talk, { type: "get_fork_messages" })).data;
          await ask(talk, { type: "fork", entryId: messages[0].entryId });
          await prompt(talk, "three");
          await ask(talk, { type: "switch_session", sessionPath: sessionFile });
          await prompt(talk, "four");
        },
      },
      ["toldTwice"],
    );
  });

  test("a session that begins continues with the model in use, and one that is taken up brings its own back", async () => {
    const { pi, hookline } = await runApart(
      {
        mode: "rpc",
        record: false,
        models: [THINKS, PLAIN],
        extensions: [
          (api) => api.on("agent_start", (_: unknown, ctx: any) => note(ctx.model.id, api.getThinkingLevel())),
        ],
        replies: () => ({ text: "ok" }),
        async drive(talk) {
          await prompt(talk, "one");
          const { sessionFile } = (await ask(talk, { type: "get_state" })).data;
          await ask(talk, { type: "set_model", provider: "loop", modelId: "thinks" });
          await ask(talk, { type: "set_thinking_level", level: "high" });
          await ask(talk, { type: "new_session" });
          await prompt(talk, "two");
          const second = (await ask(talk, { type: "get_state" })).data.sessionFile;
          await ask(talk, { type: "set_model", provider: "loop", modelId: "plain" });
          await ask(talk, { type: "switch_session", sessionPath: second });
          await prompt(talk, "three");
          await ask(talk, { type: "switch_session", sessionPath: sessionFile });
          await prompt(talk, "four");
        },
      },
      "modelOfSessions",
    );
    expect(pi.notes.map(([id]) => id)).toEqual(["m1", "m1", "m1", "m1"]);
    expect(hookline.notes).toEqual([
      ["m1", "off"],
      ["thinks", "high"],
      ["plain", "off"],
      ["thinks", "high"],
    ]);
  });

  test("while messages wait, of a client and of a hook", async () => {
    await expectAlike(
      {
        mode: "rpc",
        record: false,
        extensions: [
          (pi) => {
            pi.registerCommand("queue", {
              handler: async () =>
                pi.sendMessage({ customType: "c", content: "later", display: true }, { deliverAs: "nextTurn" }),
            });
          },
          states,
        ],
        replies: [
          { toolCalls: [{ name: "bash", id: "t1", arguments: { command: "while [ ! -e go ]; do sleep .05; done" } }] },
          { text: "1" },
          { text: "2" },
          { text: "3" },
        ],
        async drive(talk) {
          talk.send({ type: "prompt", message: "hello" });
          await talk.next((line) => line.type === "tool_execution_start");
          await ask(talk, { type: "follow_up", message: "afterwards" });
          await ask(talk, { type: "steer", message: "at once" });
          await ask(talk, { type: "bash", command: "touch go" });
          await talk.next((line) => line.type === "agent_settled");
          await ask(talk, { type: "prompt", message: "/queue" });
          await ask(talk, { type: "get_state" });
        },
      },
      ["takenBeforeTurn"],
    );
  });
});
