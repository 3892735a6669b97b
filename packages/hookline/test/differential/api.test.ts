import { expect, test } from "vitest";
import { expectAlike, runApart, unneeded } from "./compare.ts";
import { ask } from "./drive.ts";
import { describeWithPeer } from "./peer.ts";

declare const note: (...values: unknown[]) => void;

const reply = [{ text: "done" }];
const call = { toolCalls: [{ name: "bash", id: "t1", arguments: { command: "echo hi" } }] };

describeWithPeer("what extensions do to the conversation", () => {
  test("messages sent while idle: kept without a run, held for the next prompt, or starting a run", async () => {
    await expectAlike(
      {
        prompts: ["/plain", "/next", "/run", "hello"],
        extensions: [
          (pi: any) => {
            const message = (customType: string) => ({
              customType,
              content: customType,
              display: true,
              details: { n: 1 },
            });
            const wait = { handler: async (_: string, ctx: any) => ctx.waitForIdle() };
            pi.registerCommand("plain", { ...wait, handler: async () => pi.sendMessage(message("plain")) });
            pi.registerCommand("next", {
              handler: async () => pi.sendMessage(message("next"), { deliverAs: "nextTurn" }),
            });
            pi.registerCommand("run", {
              handler: async (_: string, ctx: any) => {
                pi.sendMessage(message("run"), { triggerTurn: true });
                await ctx.waitForIdle();
              },
            });
          },
        ],
        replies: [{ text: "to the message" }, { text: "to the prompt" }],
      },
      ["nextTurnWithAnyRun", "promptForMessages"],
    );
  });

  test("a client's command whose message starts a run, with no deviation without need", async () => {
    const pair = await expectAlike({
      mode: "rpc",
      extensions: [
        (pi: any) => {
          pi.registerCommand("run", {
            handler: async () =>
              pi.sendMessage({ customType: "c", content: "go", display: true }, { triggerTurn: true }),
          });
        },
      ],
      replies: [call, { text: "one" }, { text: "two" }],
      async drive(talk) {
        for (const message of ["hello", "/run"]) {
          talk.send({ type: "prompt", message });
          await talk.next((line) => line.type === "agent_settled");
        }
        await ask(talk, { type: "bash", command: "true" });
      },
    });
    // Nobody is asked anything, and nothing is compacted.
    expect(unneeded(pair)).toEqual(["levelAtCompaction", "toldFirst"]);
  });

  test("messages sent while a tool is judged: steering first, one a turn, then what follows up, the rest with the next prompt", async () => {
    await expectAlike({
      prompts: ["hello", "again"],
      extensions: [
        (pi: any) => {
          let sent = false;
          pi.on("tool_call", () => {
            if (sent) return;
            sent = true;
            const custom = (text: string) => ({ customType: "c", content: text, display: true });
            pi.sendMessage(custom("followUp custom"), { deliverAs: "followUp" });
            pi.sendMessage(custom("steer custom"), { deliverAs: "steer" });
            pi.sendMessage(custom("next custom"), { deliverAs: "nextTurn" });
            pi.sendUserMessage("steer user", { deliverAs: "steer" });
            pi.sendUserMessage("followUp user", { deliverAs: "followUp" });
          });
        },
      ],
      replies: [call, { text: "1" }, { text: "2" }, { text: "3" }, { text: "4" }, { text: "5" }, { text: "6" }],
    });
  });

  test("a text sent as the person's while idle goes all the way a prompt goes", async () => {
    await expectAlike({
      prompts: ["/ask what"],
      extensions: [
        (pi: any) => {
          pi.registerCommand("ask", {
            handler: async (args: string, ctx: any) => {
              pi.sendUserMessage(args);
              await new Promise((done) => setTimeout(done, 50));
              await ctx.waitForIdle();
            },
          });
          pi.on("input", ({ text, source }: any) => note(text, source));
        },
      ],
      replies: reply,
    });
  });

  test("a run that an extension starts when the last one has ended", async () => {
    await expectAlike({
      prompts: ["hello"],
      extensions: [
        (pi: any) => {
          let again = true;
          pi.on("agent_end", () => {
            if (!again) return;
            again = false;
            pi.sendMessage(
              { customType: "more", content: "Go on.", display: true },
              { deliverAs: "followUp", triggerTurn: true },
            );
          });
        },
      ],
      replies: [{ text: "one" }, { text: "two" }],
    });
  });

  test("entries, names and labels are kept in the session", async () => {
    await expectAlike({
      prompts: ["hello"],
      extensions: [
        (pi: any) => {
          pi.on("agent_end", (_: any, ctx: any) => {
            pi.appendEntry("mine", { n: 1 });
            pi.appendEntry("bare");
            pi.setSessionName("  my name ");
            note(pi.getSessionName());
            const leaf = ctx.sessionManager.getLeafId();
            pi.setLabel(leaf, "here");
            note(ctx.sessionManager.getLabel(leaf));
            pi.setLabel(leaf, undefined);
            note(ctx.sessionManager.getLabel(leaf) ?? "none");
            try {
              pi.setLabel("nothing", "x");
            } catch (error) {
              note((error as Error).message);
            }
          });
        },
      ],
      replies: reply,
    });
  });
});

describeWithPeer("what extensions ask of the agent", () => {
  test("programs: output, exit code, a missing one, a time limit, an abort, the folder", async () => {
    await expectAlike(
      {
        prompts: ["hello"],
        files: { "inner/a.txt": "" },
        extensions: [
          (pi: any) => {
            pi.on("session_start", async (_: any, ctx: any) => {
              const run = async (what: string, ...args: unknown[]) => note(what, await pi.exec(...args));
              await run("output", "sh", ["-c", "echo out; echo err >&2; exit 3"]);
              await run("folder", "sh", ["-c", "basename $PWD"], { cwd: `${ctx.cwd}/inner` });
              const { code } = await pi.exec("no-such-program-at-all", []);
              note("missing", code);
              const limited = await pi.exec("sleep", ["5"], { timeout: 100 });
              note("limit", { killed: limited.killed, code: limited.code });
              const aborted = await pi.exec("sleep", ["5"], { signal: AbortSignal.timeout(100) });
              note("abort", { killed: aborted.killed, code: aborted.code });
              await run("crash", "sh", ["-c", "kill -9 $$"]);
            });
          },
        ],
        replies: reply,
      },
      ["endsOfPrograms"],
    );
  });

  test("models and thinking levels", async () => {
    await expectAlike(
      {
        prompts: ["hello"],
        models: [{ id: "m2", reasoning: true, contextWindow: 5000 }],
        extensions: [
          (pi: any) => {
            pi.on("model_select", ({ model, previousModel, source }: any) =>
              note("select", model.id, previousModel?.id, source),
            );
            pi.on("thinking_level_select", ({ level, previousLevel }: any) => note("level", level, previousLevel));
            pi.on("session_start", async (_: any, ctx: any) => {
              note(ctx.model.id, ctx.model.provider, pi.getThinkingLevel());
              pi.setThinkingLevel("high");
              note("not of this model", pi.getThinkingLevel());
              const other = ctx.modelRegistry.find("loop", "m2");
              note(await pi.setModel(ctx.model), await pi.setModel(other), ctx.model.id);
              pi.setThinkingLevel("high");
              note(pi.getThinkingLevel());
              note(ctx.modelRegistry.getAvailable().map(({ id }: any) => id));
              note(ctx.getContextUsage()?.contextWindow);
            });
          },
        ],
        replies: reply,
      },
      ["sameModel", "roleOfInstructions"],
    );
  });

  test("a provider that an extension brings answers in its own way", async () => {
    await expectAlike({
      prompts: ["hello"],
      extensions: [
        `import { createAssistantMessageEventStream } from "@earendil-works/pi-ai";
import { appendFileSync } from "node:fs";
export default (pi) => {
  pi.registerProvider("own", {
    baseUrl: "http://127.0.0.1:1",
    apiKey: "k",
    api: "own-api",
    models: [{ id: "o1", name: "O1", reasoning: false, input: ["text"], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 1000, maxTokens: 100 }],
    streamSimple(model, context, options) {
      const stream = createAssistantMessageEventStream();
      const roles = context.messages.map(({ role }) => role).filter((role) => role !== "system");
      appendFileSync(process.env.NOTES, JSON.stringify([model.id, roles, options.apiKey]) + "\\n");
      const message = { role: "assistant", content: [{ type: "text", text: "my own" }], api: "own-api", provider: "own", model: "o1", usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } }, stopReason: "stop", timestamp: 1 };
      queueMicrotask(() => {
        stream.push({ type: "start", partial: message });
        stream.push({ type: "text_start", contentIndex: 0, partial: message });
        stream.push({ type: "text_delta", contentIndex: 0, delta: "my own", partial: message });
        stream.push({ type: "text_end", contentIndex: 0, content: "my own", partial: message });
        stream.push({ type: "done", reason: "stop", message });
        stream.end();
      });
      return stream;
    },
  });
  pi.on("session_start", async (_, ctx) => pi.setModel(ctx.modelRegistry.find("own", "o1")));
};
`,
      ],
      replies: [],
    });
  });

  test("tools and commands are told with their names and descriptions", async () => {
    await expectAlike({
      prompts: ["hello"],
      extensions: [
        (pi: any) => {
          const parameters = { type: "object", properties: { a: { type: "string" } } };
          const execute = async () => ({ content: [], details: {} });
          pi.registerTool({ name: "mine", label: "Mine", description: "my tool", parameters, execute });
          pi.registerCommand("cmd", { description: "my command", handler: async () => {} });
          pi.on("agent_start", () => {
            const mine = pi.getAllTools().find(({ name }: any) => name === "mine");
            note(mine.name, mine.description, mine.parameters);
            const command = pi.getCommands().find(({ name }: any) => name === "cmd");
            note(command.name, command.description, command.source);
            note(pi.getActiveTools().includes("mine"));
          });
        },
      ],
      replies: reply,
    });
  });

  test("without a screen dialogs are dismissed and everything else does nothing", async () => {
    await expectAlike({
      prompts: ["hello"],
      extensions: [
        (pi: any) => {
          pi.on("session_start", async (_: any, ctx: any) => {
            const { ui } = ctx;
            note(ctx.hasUI, ctx.mode);
            note(
              (await ui.select("t", ["a"])) ?? "none",
              await ui.confirm("t", "m"),
              (await ui.input("t")) ?? "none",
              (await ui.editor("t")) ?? "none",
              (await ui.custom(() => note("never"))) ?? "none",
            );
            ui.notify("n", "info");
            ui.setStatus("k", "v");
            ui.setWidget("k", ["a"]);
            ui.setTitle("t");
            ui.setEditorText("x");
            note(ui.getEditorText(), ui.getAllThemes(), ui.getTheme("dark") ?? "none", ui.setTheme("dark"));
            note(ui.getToolsExpanded(), typeof ui.onTerminalInput(() => {}), typeof ui.theme.fg("accent", "x"));
            for (const member of [
              "setFooter",
              "setHeader",
              "setEditorComponent",
              "setWorkingMessage",
              "setToolsExpanded",
            ])
              note(member, ui[member](undefined) ?? "none");
          });
        },
      ],
      replies: reply,
    });
  });

  test("what the session can be asked in the middle of a run", async () => {
    await expectAlike({
      prompts: ["hello"],
      extensions: [
        (pi: any) => {
          pi.on("tool_call", (_: any, ctx: any) => {
            const session = ctx.sessionManager;
            note(session.getCwd() === ctx.cwd, session.getHeader().version, session.getSessionName() ?? "none");
            const branch = session.getBranch();
            note(session.getEntries().length === branch.length, session.getLeafId() === branch.at(-1).id);
            note(session.getEntry(branch[0].id) === undefined, session.getTree().length);
            note(session.getLeafEntry().message.role, session.getChildren(branch.at(-2).id).length);
            const { messages, thinkingLevel, model } = session.buildSessionContext();
            note(
              messages.map(({ role }: any) => role).filter((role: string) => role !== "system"),
              thinkingLevel,
              model,
            );
            note(ctx.isIdle(), ctx.hasPendingMessages(), ctx.signal.aborted);
          });
        },
      ],
      replies: [call, { text: "done" }],
    });
  });

  test("shutdown from a tool ends the program after the reply", async () => {
    const { hookline } = await expectAlike({
      prompts: ["hello"],
      extensions: [
        (pi: any) => {
          pi.on("tool_result", (_: any, ctx: any) => ctx.shutdown());
          pi.on("session_shutdown", ({ reason }: any) => note("shutdown", reason));
        },
      ],
      replies: [call, { text: "done" }],
    });
    expect(hookline.code).toBe(0);
  });

  test("two commands of one name: the first is used here, the real program gives both another", async () => {
    const given = {
      prompts: ["/twice x"],
      extensions: [
        (api: any) => api.registerCommand("twice", { handler: async () => note("first") }),
        (api: any) => api.registerCommand("twice", { handler: async () => note("second") }),
      ],
      replies: reply,
    };
    const { pi, hookline } = await runApart(given, "sameName");
    expect(pi.notes).toEqual([]);
    expect(hookline.notes).toEqual([["first"]]);
    expect(hookline.err).toContain("/twice");
  });
});
