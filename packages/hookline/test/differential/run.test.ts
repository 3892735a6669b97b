import { expect, test } from "vitest";
import { expectAlike, unneeded } from "./compare.ts";
import { describeWithPeer, IS_NEWER } from "./peer.ts";

declare const note: (...values: unknown[]) => void;

const twoCalls = {
  prompts: ["hello"],
  files: { "a.txt": "file text\n" },
  replies: [
    {
      text: "Let me look.",
      toolCalls: [
        { name: "bash", id: "t1", arguments: { command: "sleep .3; echo hi" } },
        { name: "read", id: "t2", arguments: { path: "a.txt" } },
      ],
    },
    { text: "done" },
  ],
};

describeWithPeer("one run", () => {
  test("two calls side by side: the same events, requests, session and reply, and no deviation without need", async () => {
    const pair = await expectAlike(twoCalls);
    expect(pair.hookline.out).toBe("done\n");
    // Nobody is asked anything here, so that it does not matter who is told first, and nothing is compacted.
    // No message starts a run either, and no client is answered.
    const ofOld = IS_NEWER ? [] : ["startByMessage", "dispositions"];
    expect(unneeded(pair)).toEqual([...ofOld, "levelAtCompaction", "toldFirst", "toldMore"].sort());
  });

  test("several prompts run one after the other in one session", async () => {
    const { hookline } = await expectAlike({ prompts: ["one", "two"], replies: [{ text: "1" }, { text: "2" }] });
    expect(hookline.out).toBe("2\n");
  });

  test("a reply without thinking, with thinking and with no text at all", async () => {
    await expectAlike({
      prompts: ["a", "b"],
      models: [],
      replies: [{ thinking: "hm", text: "said" }, { text: "" }],
    });
  });

  test("a program whose model fails reports the error and exits with 1", async () => {
    const { hookline, pi } = await expectAlike({
      prompts: ["hello"],
      settings: { retry: { enabled: false, maxRetries: 0, baseDelayMs: 1 } },
      replies: [{ error: { status: 400, message: "bad request" } }],
    });
    expect([hookline.code, hookline.out]).toEqual([1, ""]);
    expect(hookline.err).toContain("bad request");
    expect(pi.err).toContain("bad request");
  });

  test("an overloaded model is asked again; each try is a run of its own and settles once", async () => {
    await expectAlike({
      prompts: ["hello"],
      settings: { retry: { maxRetries: 2, baseDelayMs: 5 } },
      replies: [
        { error: { status: 529, message: "overloaded" } },
        { error: { status: 429, message: "rate limit" } },
        { text: "at last" },
      ],
    });
  });

  test("retries that are used up end with the error", async () => {
    const { hookline } = await expectAlike({
      prompts: ["hello"],
      settings: { retry: { maxRetries: 1, baseDelayMs: 5 } },
      replies: [{ error: { status: 529, message: "overloaded" } }, { error: { status: 529, message: "overloaded" } }],
    });
    expect(hookline.code).toBe(1);
  });

  test("message_end replaces a reply everywhere", async () => {
    const { hookline } = await expectAlike({
      prompts: ["hello"],
      extensions: [
        (pi: any) => {
          pi.on("message_end", ({ message }: any) =>
            message.role === "assistant"
              ? { message: { ...message, content: [{ type: "text", text: "REPLACED" }] } }
              : undefined,
          );
        },
      ],
      replies: [{ text: "said" }],
    });
    expect(hookline.out).toBe("REPLACED\n");
  });

  test("message_end cannot change a message's role", async () => {
    const { hookline, pi } = await expectAlike({
      prompts: ["hello"],
      extensions: [
        (api: any) => api.on("message_end", ({ message }: any) => ({ message: { ...message, role: "custom" } })),
      ],
      replies: [{ text: "said" }],
    });
    for (const { err } of [hookline, pi])
      expect(err).toContain("message_end handlers must return a message with the same role");
  });

  test("agent_before_settle continues once with a message of its own", async () => {
    const { hookline } = await expectAlike(
      {
        prompts: ["hello"],
        extensions: [
          (pi: any) => {
            let asked = false;
            pi.on("agent_before_settle", (event: any) => {
              note("settle", event.outcome, event.entries, event.continue, event.context.canContinue);
              if (asked) return undefined;
              asked = true;
              const entry = { type: "custom_message", customType: "more", content: "Go on.", display: true };
              return { entries: [...event.entries, entry], continue: true };
            });
          },
        ],
        replies: [{ text: "one" }, { text: "two" }],
      },
      ["boundaryPreview"],
    );
    expect(hookline.requests).toHaveLength(2);
  });

  test("each boundary handler sees what was proposed before it", async () => {
    await expectAlike(
      {
        prompts: ["hello"],
        extensions: [
          (pi: any) => {
            pi.on("agent_before_settle", (event: any) => ({
              entries: [...event.entries, { type: "custom", customType: "first", data: { n: 1 } }],
            }));
          },
          (pi: any) => {
            pi.on("agent_before_settle", (event: any) => {
              note(event.entries);
              return { entries: [...event.entries, { type: "custom", customType: "second" }] };
            });
          },
        ],
        replies: [{ text: "one" }],
      },
      ["boundaryPreview"],
    );
  });

  test("turn_end adds an entry and continues", async () => {
    await expectAlike(
      {
        prompts: ["hello"],
        extensions: [
          (pi: any) => {
            pi.on("turn_end", (event: any) =>
              event.turnIndex === 0
                ? {
                    entries: [{ type: "custom_message", customType: "x", content: "again", display: false }],
                    continue: true,
                  }
                : undefined,
            );
          },
        ],
        replies: [{ text: "one" }, { text: "two" }],
      },
      ["boundaryPreview"],
    );
  });

  test("ctx.abort in the middle of a reply ends the run as aborted", async () => {
    const { hookline } = await expectAlike(
      {
        prompts: ["hello"],
        extensions: [
          (pi: any) => {
            pi.on("tool_call", (_event: any, ctx: any) => {
              note("signal", ctx.signal?.aborted);
              ctx.abort();
              note("signal", ctx.signal?.aborted);
            });
          },
        ],
        replies: [{ toolCalls: [{ name: "bash", id: "t1", arguments: { command: "echo never" } }] }, { text: "never" }],
      },
      ["abortEndsTheRun"],
    );
    expect(hookline.code).toBe(1);
  });

  test("output of an extension does not get between the lines of the JSON mode", async () => {
    await expectAlike({
      mode: "json",
      prompts: ["hello"],
      extensions: [(pi: any) => pi.on("agent_start", () => console.log("printed"))],
      replies: [{ text: "said" }],
    });
  });

  test("JSON mode tells the same", async () => {
    await expectAlike({ ...twoCalls, mode: "json" });
  });
});
