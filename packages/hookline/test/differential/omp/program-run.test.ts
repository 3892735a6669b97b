import { describe, test } from "vitest";
import { expectBeside } from "./beside.ts";
import { peer } from "./peer.ts";
import { probe, withTools } from "./probe.ts";

declare const note: (...values: unknown[]) => void;

const quick = { retry: { baseDelayMs: 5, maxRetries: 3 } };

describe.skipIf("absent" in peer)("a run beside oh-my-pi's own", () => {
  test("two prompts without tools", async () => {
    await expectBeside({ prompts: ["hello", "again"], replies: [{ text: "one" }, { text: "two" }] }, ["endOfThisRun"]);
  });

  test("a model that thinks", async () => {
    const thinks = { id: "thinks", reasoning: true, contextWindow: 50_000, maxTokens: 500 };
    await expectBeside({
      models: [thinks],
      args: ["--model", "loop/thinks", "--thinking", "low"],
      prompts: ["hello"],
      replies: [{ thinking: "hm", text: "one" }],
    });
  });

  test("the conversation of a request is changed", async () => {
    await expectBeside({
      extension: (pi: any) =>
        pi.on("context", ({ messages }: any) => ({
          messages: [...messages, { role: "user", content: [{ type: "text", text: "and this" }], timestamp: 1 }],
        })),
      prompts: ["hello"],
      replies: [{ text: "done" }],
    });
  });

  test("messages and a system prompt before the start", async () => {
    await expectBeside({
      extension: (pi: any) => {
        pi.on("before_agent_start", ({ systemPrompt }: any) => ({
          message: { customType: "a", content: "one", display: true },
          systemPrompt: [...systemPrompt, "[[mine]]"],
        }));
        pi.on("before_agent_start", ({ systemPrompt }: any) => {
          note(systemPrompt.at(-1).trim());
          return { message: { customType: "b", content: "two", display: false } };
        });
      },
      prompts: ["hello"],
      replies: [{ text: "done" }],
    });
  });

  test("session_stop has the agent go on once", async () => {
    await expectBeside(
      {
        extension: (pi: any) => {
          let asked = 0;
          pi.on("session_stop", (event: any) => {
            note(
              event.stop_hook_active,
              event.turn_id,
              event.last_assistant_message.content,
              typeof event.session_file,
            );
            asked += 1;
            return asked === 1 ? { continue: true, additionalContext: "go on" } : undefined;
          });
        },
        prompts: ["hello"],
        replies: [{ text: "one" }, { text: "two" }],
      },
      ["stopGoesOn", "endOfThisRun"],
    );
  });

  test("a text that is sent while a tool runs follows the run", async () => {
    await expectBeside(
      {
        extension: withTools((pi: any) => {
          pi.on("tool_result", () => void pi.sendUserMessage("and then", { deliverAs: "followUp" }));
        }),
        prompts: ["hello"],
        replies: [{ toolCalls: [probe("t1")] }, { text: "one" }, { text: "two" }],
      },
      ["followUpsStart"],
    );
  });

  test("a request that fails for a moment is sent again by the client of the provider, or by the agent", async () => {
    await expectBeside(
      {
        settings: quick,
        prompts: ["hello"],
        replies: [{ error: { status: 503, message: "overloaded" } }, { text: "done" }],
      },
      ["retriedBelow", "endOfThisRun"],
    );
  });

  test("a request that fails for a moment, and that the agent itself sends again", async () => {
    const error = { status: 400, message: "overloaded" };
    await expectBeside({ settings: quick, prompts: ["hello"], replies: [{ error }, { error }, { text: "done" }] }, [
      "retriesTold",
      "endOfThisRun",
    ]);
  });

  test("a request that cannot succeed", async () => {
    await expectBeside(
      { settings: quick, prompts: ["hello"], replies: [{ error: { status: 400, message: "no good" } }] },
      ["stopAfterError"],
    );
  });

  test("handlers that throw", async () => {
    await expectBeside({
      extension: (pi: any) => {
        for (const name of ["session_start", "before_agent_start", "context", "agent_end", "session_shutdown"])
          pi.on(name, () => {
            throw new Error(`${name} broke`);
          });
      },
      prompts: ["hello"],
      replies: [{ text: "one" }],
    });
  });

  test("a guard that aborts the run", async () => {
    await expectBeside(
      {
        extension: withTools((pi: any) => pi.on("tool_call", (_: any, ctx: any) => void ctx.abort())),
        prompts: ["hello"],
        replies: [{ toolCalls: [probe("t1")] }, { text: "never" }],
      },
      ["abortEndsTheRun"],
    );
  });
});
