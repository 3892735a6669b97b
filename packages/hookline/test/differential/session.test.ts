import { expect, test } from "vitest";
import { expectAlike } from "./compare.ts";
import { ask, prompt } from "./drive.ts";
import { describeWithPeer } from "./peer.ts";

declare const note: (...values: unknown[]) => void;

const watching = (pi: any) => {
  for (const name of [
    "session_before_switch",
    "session_before_fork",
    "session_before_tree",
    "session_start",
    "session_shutdown",
    "session_switch",
    "session_fork",
    "session_tree",
  ]) {
    pi.on(name, (event: any) => {
      const { type, reason, position, previousSessionFile, targetSessionFile } = event;
      note(type, reason ?? "", position ?? "", Boolean(previousSessionFile), Boolean(targetSessionFile));
    });
  }
};

const legacy = ["legacyNames", "toldTwice"];

/** Selects tools by commands, and says which are active. */
const selecting = (pi: any) => {
  const say = (what: string): void =>
    note(
      what,
      pi.getActiveTools().filter((name: string) => !["grep", "find", "ls"].includes(name)),
    );
  const tool = (name: string) => ({
    name,
    label: name,
    description: name,
    parameters: { type: "object", properties: {} },
    execute: async () => ({ content: [{ type: "text", text: name }], details: {} }),
  });
  const of = (ctx: any, role: string): any[] =>
    ctx.sessionManager.getEntries().filter((entry: any) => entry.message?.role === role);
  pi.registerTool(tool("early"));
  pi.on("session_start", ({ reason }: any) => say(`session_start ${reason}`));
  pi.on("session_shutdown", () => say("shutdown"));
  pi.on("session_tree", () => say("tree"));
  pi.on("before_agent_start", () => say("before"));
  pi.registerCommand("plan", { handler: async (names: string) => pi.setActiveTools(names.split(",")) });
  pi.registerCommand("late", {
    handler: async () => {
      pi.registerTool(tool("late"));
      say("late");
    },
  });
  pi.registerCommand("reload", { handler: (_: string, ctx: any) => ctx.reload() });
  pi.registerCommand("fork", {
    handler: (position: string, ctx: any) => ctx.fork(of(ctx, "user").at(-1).id, { position }),
  });
  pi.registerCommand("move", {
    handler: async (where: string, ctx: any) => {
      const [role = "", at] = where.split(" ");
      await ctx.navigateTree(of(ctx, role)[Number(at)].id);
    },
  });
};

describeWithPeer("sessions over RPC", () => {
  test("a prompt is acknowledged, its events are told, and the state can be asked for", async () => {
    await expectAlike({
      mode: "rpc",
      replies: [{ text: "one" }],
      async drive(talk) {
        await prompt(talk, "hello");
        for (const type of ["get_state", "get_messages", "get_last_assistant_text", "get_session_stats"]) {
          const { success, data } = await ask(talk, { type });
          expect([type, success, data === undefined]).toEqual([type, true, false]);
        }
      },
    });
  });

  test.each([
    ["a new session", ["one", "/plan read", "two", "NEW", "three"]],
    [
      "a fork before a prompt, and at one",
      ["one", "/plan read", "two", "/fork before", "three", "/plan bash", "/fork at", "four"],
    ],
    ["a session that is gone back to", ["one", "/plan read", "two", "NEW", "three", "BACK", "four"]],
    [
      "moves in the tree",
      ["one", "/plan read", "two", "/plan read,bash", "three", "/move user 1", "four", "/move assistant 0", "five"],
    ],
    [
      "a tool that is registered late, and a reload",
      ["/plan read", "one", "/late", "two", "/plan bash", "three", "/move assistant 1", "/reload", "four"],
    ],
  ])("the tools that an extension has selected: %s", async (_, steps) => {
    await expectAlike(
      {
        mode: "rpc",
        record: false,
        extensions: [selecting],
        replies: () => ({ text: "ok" }),
        async drive(talk) {
          const path = (await ask(talk, { type: "get_state" })).data.sessionFile;
          for (const step of steps) {
            if (step === "NEW") await ask(talk, { type: "new_session" });
            else if (step === "BACK") await ask(talk, { type: "switch_session", sessionPath: path });
            else if (step.startsWith("/")) await ask(talk, { type: "prompt", message: step });
            else await prompt(talk, step);
          }
        },
      },
      [
        "toolsOfBranch",
        ...(steps.some((step) => /NEW|BACK/.test(step)) ? ["toldTwice"] : []),
        ...(steps.some((step) => /fork|BACK/.test(step)) ? ["toolsOfTakenUp"] : []),
        ...(steps.includes("/late") ? ["toolsNeverMentioned"] : []),
      ],
    );
  });

  test("a new session: asked, left, begun", async () => {
    await expectAlike(
      {
        mode: "rpc",
        extensions: [watching],
        replies: [{ text: "one" }, { text: "two" }],
        async drive(talk) {
          await prompt(talk, "hello");
          expect((await ask(talk, { type: "new_session" })).data).toEqual({ cancelled: false });
          await prompt(talk, "again");
        },
      },
      legacy,
    );
  });

  test("a hook prevents a new session; no later hook is asked", async () => {
    await expectAlike({
      mode: "rpc",
      extensions: [
        (pi: any) => pi.on("session_before_switch", () => ({ cancel: true })),
        (pi: any) => pi.on("session_before_switch", () => note("not reached")),
        watching,
      ],
      replies: [{ text: "one" }],
      async drive(talk) {
        await prompt(talk, "hello");
        expect((await ask(talk, { type: "new_session" })).data).toEqual({ cancelled: true });
      },
    });
  });

  test("a hook that fails does not prevent it", async () => {
    await expectAlike(
      {
        mode: "rpc",
        extensions: [
          (pi: any) =>
            pi.on("session_before_switch", () => {
              throw new Error("broken");
            }),
          watching,
        ],
        replies: [{ text: "one" }],
        async drive(talk) {
          await prompt(talk, "hello");
          expect((await ask(talk, { type: "new_session" })).data).toEqual({ cancelled: false });
        },
      },
      [...legacy, "wordsOfErrors"],
    );
  });

  test("a fork from an earlier message", async () => {
    await expectAlike(
      {
        mode: "rpc",
        extensions: [watching],
        replies: [{ text: "one" }, { text: "two" }, { text: "three" }],
        async drive(talk) {
          await prompt(talk, "first");
          await prompt(talk, "second");
          const { data } = await ask(talk, { type: "get_fork_messages" });
          expect(data.messages.map(({ text }: any) => text)).toEqual(["first", "second"]);
          const forked = await ask(talk, { type: "fork", entryId: data.messages[1].entryId });
          expect(forked.data).toEqual({ text: "second", cancelled: false });
          await prompt(talk, "other");
        },
      },
      legacy,
    );
  });

  test("going back to another session", async () => {
    await expectAlike(
      {
        mode: "rpc",
        extensions: [watching],
        replies: [{ text: "one" }, { text: "two" }, { text: "three" }],
        async drive(talk) {
          await prompt(talk, "first");
          const { sessionFile } = (await ask(talk, { type: "get_state" })).data;
          await ask(talk, { type: "new_session" });
          await prompt(talk, "second");
          expect((await ask(talk, { type: "switch_session", sessionPath: sessionFile })).data).toEqual({
            cancelled: false,
          });
          await prompt(talk, "third");
        },
      },
      legacy,
    );
  });

  test("steering and following up while a tool runs", async () => {
    await expectAlike({
      mode: "rpc",
      extensions: [
        (pi: any) =>
          pi.on("input", ({ text, source, streamingBehavior }: any) => note(text, source, streamingBehavior ?? "none")),
      ],
      replies: [
        {
          toolCalls: [
            { name: "bash", id: "t1", arguments: { command: "while [ ! -e go ]; do sleep .05; done; echo went" } },
          ],
        },
        { text: "1" },
        { text: "2" },
      ],
      async drive(talk) {
        talk.send({ type: "prompt", message: "hello" });
        await talk.next((line) => line.type === "tool_execution_start");
        await ask(talk, { type: "follow_up", message: "afterwards" });
        await ask(talk, { type: "steer", message: "at once" });
        await ask(talk, { type: "bash", command: "touch go" });
        await talk.next((line) => line.type === "agent_settled");
      },
    });
  });

  test("texts for the queues while nothing runs: the next prompt takes them, with their templates", async () => {
    await expectAlike(
      {
        mode: "rpc",
        extensions: [
          (pi: any) => {
            pi.registerCommand("own", { handler: async () => note("never") });
            pi.on("input", ({ text, source, streamingBehavior }: any) =>
              note(text, source, streamingBehavior ?? "none"),
            );
          },
        ],
        files: { "~/.pi/agent/prompts/greet.md": "Say hello to $1.\n" },
        replies: () => ({ text: "ok" }),
        async drive(talk) {
          await prompt(talk, "one");
          expect((await ask(talk, { type: "steer", message: "/greet Ann" })).success).toBe(true);
          expect((await ask(talk, { type: "follow_up", message: "afterwards" })).success).toBe(true);
          expect((await ask(talk, { type: "follow_up", message: "/own" })).success).toBe(false);
          await ask(talk, { type: "get_state" });
          await prompt(talk, "two");
        },
      },
      ["wordsOfErrors"],
    );
  });

  test("abort ends a run whose tool would go on for ever", async () => {
    await expectAlike(
      {
        mode: "rpc",
        replies: [{ toolCalls: [{ name: "bash", id: "t1", arguments: { command: "sleep 60" } }] }, { text: "never" }],
        async drive(talk) {
          talk.send({ type: "prompt", message: "hello" });
          await talk.next((line) => line.type === "tool_execution_start");
          await new Promise((done) => setTimeout(done, 200));
          // It is answered when the run has settled.
          expect((await ask(talk, { type: "abort" })).success).toBe(true);
        },
      },
      ["abortEndsTheRun"],
    );
  });

  test("the model is changed, cycled, and its events are reported", async () => {
    await expectAlike(
      {
        mode: "rpc",
        models: [{ id: "m2", reasoning: true }],
        extensions: [
          (pi: any) => {
            pi.on("model_select", ({ model, previousModel, source }: any) => note(model.id, previousModel?.id, source));
            pi.on("thinking_level_select", ({ level, previousLevel }: any) => note(level, previousLevel));
          },
        ],
        replies: [],
        async drive(talk) {
          expect((await ask(talk, { type: "set_model", provider: "loop", modelId: "m2" })).success).toBe(true);
          expect((await ask(talk, { type: "set_model", provider: "loop", modelId: "m2" })).success).toBe(true);
          expect((await ask(talk, { type: "set_model", provider: "loop", modelId: "none" })).success).toBe(false);
          await ask(talk, { type: "set_thinking_level", level: "high" });
          expect((await ask(talk, { type: "cycle_model" })).data.model.id).toBe("m1");
        },
      },
      ["sameModel", "wordsOfErrors"],
    );
  });

  test("dialogs are asked over the wire and answered", async () => {
    await expectAlike(
      {
        mode: "rpc",
        extensions: [
          (pi: any) => {
            pi.registerCommand("dialogs", {
              handler: async (_: string, { ui, hasUI, mode }: any) => {
                note(hasUI, mode);
                note(await ui.select("Which?", ["a", "b"]));
                note((await ui.select("Which?", ["a", "c"])) ?? "none");
                note(await ui.confirm("Sure?", "Really?"));
                note(await ui.input("Name?", "nobody"));
                note(await ui.editor("Text?", "before"));
                note((await ui.input("Slow?", undefined, { timeout: 50 })) ?? "none");
                ui.notify("told", "warning");
                ui.setStatus("key", "text");
                ui.setWidget("w", ["line"], { placement: "belowEditor" });
                ui.setTitle("title");
                ui.setEditorText("put");
                note((await ui.custom(() => note("never"))) ?? "none", ui.getEditorText());
              },
            });
          },
        ],
        replies: [],
        async drive(talk) {
          talk.send({ type: "prompt", message: "/dialogs" });
          for (const answer of [
            { value: "b" },
            { cancelled: true },
            { confirmed: true },
            { value: "me" },
            { value: "after" },
          ]) {
            const { id } = await talk.next((line) => line.type === "extension_ui_request");
            talk.send({ type: "extension_ui_response", id, ...answer });
          }
          await talk.next((line) => line.method === "set_editor_text");
          await ask(talk, { type: "get_state" });
        },
      },
      ["unshownComponent"],
    );
  });

  test("a person's command is taken over, answered or refused by a hook", async () => {
    await expectAlike(
      {
        mode: "rpc",
        extensions: [
          (pi: any) => {
            pi.on("user_bash", ({ command, excludeFromContext, cwd }: any) => {
              note(command, excludeFromContext, typeof cwd);
              if (command === "given")
                return { result: { output: "by a hook", exitCode: 4, cancelled: false, truncated: false } };
              if (command === "broken") throw new Error("hook broke");
              if (command === "elsewhere")
                return {
                  operations: {
                    exec: async (text: string, _: string, { onData }: any) => {
                      onData(Buffer.from(`far: ${text}`));
                      return { exitCode: 0 };
                    },
                  },
                };
              return undefined;
            });
          },
        ],
        replies: [],
        async drive(talk) {
          expect((await ask(talk, { type: "bash", command: "echo hi" })).data).toMatchObject({
            output: "hi\n",
            exitCode: 0,
          });
          expect((await ask(talk, { type: "bash", command: "given" })).data).toMatchObject({
            output: "by a hook",
            exitCode: 4,
          });
          expect((await ask(talk, { type: "bash", command: "elsewhere" })).data).toMatchObject({
            output: "far: elsewhere",
          });
          expect((await ask(talk, { type: "bash", command: "broken" })).success).toBe(false);
        },
      },
      ["wordsOfErrors"],
    );
  });

  test("an end of input shuts the session down", async () => {
    const { hookline } = await expectAlike({
      mode: "rpc",
      extensions: [watching],
      replies: [],
      drive: async (talk) => void (await ask(talk, { type: "get_state" })),
    });
    expect(hookline.notes.at(-1)?.[0]).toBe("session_shutdown");
  });

  test("a termination lets the hooks finish and ends with its code", async () => {
    const { hookline } = await expectAlike({
      mode: "rpc",
      extensions: [
        (pi: any) =>
          pi.on("session_shutdown", async ({ reason }: any) => {
            await new Promise((done) => setTimeout(done, 100));
            note("finished", reason);
          }),
      ],
      replies: [],
      async drive(talk) {
        await ask(talk, { type: "get_state" });
        talk.child.kill("SIGTERM");
        await new Promise((done) => talk.child.once("exit", done));
      },
    });
    expect(hookline.code).toBe(143);
  });
});

describeWithPeer("what commands do to the session", () => {
  const command = (name: string, body: string): string => `
import { appendFileSync } from "node:fs";
const note = (...values) => appendFileSync(process.env.NOTES, JSON.stringify(values) + "\\n");
export default (pi) => {
  pi.registerCommand("${name}", { handler: async (args, ctx) => { ${body} } });
};
`;

  test("a new session that is filled before it begins, and what is done in it", async () => {
    await expectAlike(
      {
        prompts: ["hello", "/fresh"],
        extensions: [
          command(
            "fresh",
            `const done = await ctx.newSession({
            setup: async (session) => {
              session.appendMessage({ role: "user", content: [{ type: "text", text: "seeded" }], timestamp: 1 });
            },
            withSession: async (fresh) => {
              note("with", fresh.sessionManager.getEntries().filter(({ type }) => type === "message").length);
              await fresh.sendUserMessage("on");
            },
          });
          note(done);`,
          ),
          watching,
        ],
        replies: [{ text: "one" }, { text: "two" }],
      },
      ["legacyNames"],
    );
  });

  test("moving in the tree, with a label", async () => {
    await expectAlike(
      {
        prompts: ["first", "second", "/back", "third"],
        extensions: [
          command(
            "back",
            `const users = ctx.sessionManager.getBranch().filter((entry) => entry.message?.role === "user");
          note(await ctx.navigateTree(ctx.sessionManager.getLeafId()));
          note(await ctx.navigateTree(users[1].id, { label: "left" }));
          note(ctx.sessionManager.getBranch().map((entry) => entry.message?.role ?? entry.type).filter((role) => role !== "system"));
          try { await ctx.navigateTree("nothing"); } catch (error) { note(error.message); }`,
          ),
          (pi: any) => {
            pi.on("session_before_tree", ({ preparation }: any) =>
              note(
                "before",
                Object.keys(preparation).sort(),
                preparation.entriesToSummarize.length,
                preparation.userWantsSummary,
              ),
            );
            pi.on("session_tree", (event: any) =>
              note(
                "tree",
                Object.keys(event)
                  .filter((key) => event[key] !== undefined)
                  .sort(),
              ),
            );
          },
        ],
        replies: [{ text: "1" }, { text: "2" }, { text: "3" }],
      },
      ["idleBesides"],
    );
  });

  test("leaving a branch with a summary that a hook gives", async () => {
    await expectAlike(
      {
        prompts: ["first", "second", "/back", "third"],
        extensions: [
          command(
            "back",
            `const users = ctx.sessionManager.getBranch().filter((entry) => entry.message?.role === "user");
          note(await ctx.navigateTree(users[1].id, { summarize: true, label: "left" }));`,
          ),
          (pi: any) =>
            pi.on("session_before_tree", () => ({ summary: { summary: "what was there", details: { n: 1 } } })),
        ],
        replies: [{ text: "1" }, { text: "2" }, { text: "3" }],
      },
      ["idleBesides"],
    );
  });

  test("a fork of the session at an entry", async () => {
    await expectAlike(
      {
        prompts: ["first", "second", "/split", "third"],
        extensions: [
          command(
            "split",
            `const users = ctx.sessionManager.getBranch().filter((entry) => entry.message?.role === "user");
          note(await ctx.fork(users[1].id));`,
          ),
          watching,
        ],
        replies: [{ text: "1" }, { text: "2" }, { text: "3" }],
      },
      ["legacyNames"],
    );
  });

  test("a reload: ended, loaded from disk again, begun", async () => {
    await expectAlike({
      prompts: ["/again", "hello"],
      extensions: [command("again", `await ctx.reload(); note("after");`), watching],
      replies: [{ text: "1" }],
    });
  });
});

describeWithPeer("compaction", () => {
  const compact = (options: string): string => `
import { appendFileSync } from "node:fs";
const note = (...values) => appendFileSync(process.env.NOTES, JSON.stringify(values) + "\\n");
const PREPARED = "fileOps firstKeptEntryId isSplitTurn messagesToSummarize settings tokensBefore turnPrefixMessages".split(" ");
export default (pi) => {
  pi.registerCommand("compact-now", {
    handler: (args, ctx) => new Promise((done) => {
      ctx.compact({ ${options} onComplete: (result) => { note("complete", result.summary); done(); }, onError: (error) => { note("error", error.message); done(); } });
    }),
  });
  pi.on("session_before_compact", (event) => note(["branchEntries", "signal"].map((key) => typeof event[key]), PREPARED.map((key) => event.preparation[key] !== undefined), event.reason, event.willRetry));
  pi.on("session_compact", ({ fromExtension, reason, compactionEntry }) => note("compacted", fromExtension, reason, compactionEntry.summary));
  pi.on("session_compact_failed", ({ reason, aborted, errorMessage }) => note("failed", reason, aborted, errorMessage ?? ""));
};
`;
  const long = "word ".repeat(200);
  const settings = { compaction: { enabled: true, reserveTokens: 1000, keepRecentTokens: 100 } };

  test("a summary that a hook gives is used, and no model is asked", async () => {
    await expectAlike(
      {
        prompts: [long, long, "/compact-now", "on"],
        settings,
        extensions: [
          compact(""),
          (pi: any) =>
            pi.on("session_before_compact", ({ preparation }: any) => ({
              compaction: {
                summary: "by a hook",
                firstKeptEntryId: preparation.firstKeptEntryId,
                tokensBefore: preparation.tokensBefore,
                details: { n: 1 },
              },
            })),
        ],
        replies: [{ text: long }, { text: long }, { text: "3" }],
      },
      ["idleBesides"],
    );
  });

  test("a hook that cancels, and one that fails", async () => {
    await expectAlike({
      prompts: [long, long, "/compact-now"],
      settings,
      extensions: [
        compact(""),
        (pi: any) =>
          pi.on("session_before_compact", () => {
            throw new Error("broken");
          }),
        (pi: any) => pi.on("session_before_compact", () => ({ cancel: true })),
      ],
      replies: [{ text: long }, { text: long }],
    });
  });

  test("without a hook the model is asked for the summary", async () => {
    await expectAlike(
      {
        prompts: [long, long, "/compact-now", "on"],
        settings,
        extensions: [compact("")],
        replies: [{ text: long }, { text: long }, { text: "SUMMARY" }, { text: "TURN" }, { text: "3" }],
      },
      ["wordsOfSummaries", "idleBesides"],
    );
  });
});
