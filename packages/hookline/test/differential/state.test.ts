import { test } from "vitest";
import { expectAlike } from "./compare.ts";
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
      ["takenBeforeTurn", "toolsOfBranch"],
    );
  });
});
