import { describe, expect, test } from "vitest";
import { expectBeside, unneeded } from "./beside.ts";
import { peer } from "./peer.ts";
import { probe, withTools } from "./probe.ts";

declare const note: (...values: unknown[]) => void;

/** Refuses the first two calls, breaks at the third and lets the fourth run. */
const guard = (pi: any): void => {
  pi.on("tool_call", ({ input }: any) => {
    if (input.n === 1) return { block: true, reason: "not one" };
    if (input.n === 2) return { block: true };
    if (input.n === 3) throw new Error("guard broke");
    return undefined;
  });
};
const guarded = {
  prompts: ["hello"],
  replies: [
    { toolCalls: [probe("t1")] },
    { toolCalls: [probe("t2", 2)] },
    { toolCalls: [probe("t3", 3), probe("t4", 4)] },
    { text: "done" },
  ],
};

describe.skipIf("absent" in peer)("tool calls beside oh-my-pi's own", () => {
  test("the tools that both have: a command, a file read, a file written", async () => {
    const pair = await expectBeside({
      files: { "a.txt": "[[a]]\n" },
      prompts: ["hello"],
      replies: [
        { toolCalls: [{ name: "bash", id: "t1", arguments: { command: "echo '[[hi]]'" } }] },
        { toolCalls: [{ name: "read", id: "t2", arguments: { path: "a.txt" } }] },
        { toolCalls: [{ name: "write", id: "t3", arguments: { path: "b.txt", content: "b\n" } }] },
        { toolCalls: [{ name: "bash", id: "t4", arguments: { command: "exit 3" } }] },
        { text: "done" },
      ],
      results: ["b.txt"],
    });
    expect(unneeded(pair)).toEqual([]);
  });

  test("a tool that fails, one that is not there, and arguments that do not fit", async () => {
    await expectBeside(
      {
        extension: withTools(),
        prompts: ["hello"],
        replies: [
          { toolCalls: [probe("t1", 1, "breaks")] },
          { toolCalls: [probe("t2", 1, "missing")] },
          { toolCalls: [{ ...probe("t3"), arguments: { n: "x" } }] },
          { text: "done" },
        ],
      },
      ["wordsAboutArguments"],
    );
  });

  test("several calls in a turn", async () => {
    await expectBeside(
      {
        extension: withTools(),
        prompts: ["hello"],
        replies: [
          { text: "look", toolCalls: [probe("t1"), probe("t2", 2), probe("t3", 3, "breaks")] },
          { text: "done" },
        ],
      },
      ["callsAtOnce"],
    );
  });

  test("an extension refuses calls, and breaks", async () => {
    await expectBeside({ ...guarded, extension: withTools(guard) }, ["callsAtOnce"]);
  });

  test("a hook refuses calls, and breaks", async () => {
    await expectBeside({ ...guarded, extension: withTools(), hook: guard }, [
      "callsAtOnce",
      "hooksFirst",
      "wordsOfHooks",
    ]);
  });

  test("an input that is returned, and one that is edited in place", async () => {
    await expectBeside(
      {
        extension: withTools((pi: any) => {
          pi.on("tool_call", (event: any) => {
            if (event.input.n === 1) return { input: { n: 10 } };
            event.input.n = 20;
            return undefined;
          });
          pi.on("tool_result", ({ input }: any) => note(input));
        }),
        prompts: ["hello"],
        replies: [{ toolCalls: [probe("t1")] }, { toolCalls: [probe("t2", 2)] }, { text: "done" }],
      },
      ["returnedInput", "writtenInput"],
    );
  });

  test("results of extensions: one after the other, and a failure that is made good", async () => {
    await expectBeside({
      extension: withTools((pi: any) => {
        pi.on("tool_result", ({ toolName, content }: any) =>
          toolName === "breaks"
            ? { isError: false, content: [{ type: "text", text: "fine" }] }
            : { content: [...content, { type: "text", text: "and more" }], details: { changed: true } },
        );
        pi.on("tool_result", ({ content, isError, details }: any) => note(content, isError, details));
      }),
      prompts: ["hello"],
      replies: [{ toolCalls: [probe("t1")] }, { toolCalls: [probe("t2", 2, "breaks")] }, { text: "done" }],
    });
  });

  test("the result of a hook", async () => {
    await expectBeside(
      {
        extension: withTools(),
        hook: (pi: any) =>
          pi.on("tool_result", ({ content }: any) => ({ content: [...content, { type: "text", text: "seen" }] })),
        prompts: ["hello"],
        replies: [{ toolCalls: [probe("t1")] }, { text: "done" }],
      },
      ["hooksFirst"],
    );
  });
});
