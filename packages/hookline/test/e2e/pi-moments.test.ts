import { describe, expect, test } from "vitest";
import { ask, prompt } from "../differential/drive.ts";
import { type Case, type Observed, observe } from "../differential/observe.ts";
import { hookline } from "../differential/programs.ts";

declare const note: (...values: unknown[]) => void;

const run = (given: Case): Promise<Observed> => observe(hookline, given);
const call = (id: string) => ({ toolCalls: [{ name: "bash", id, arguments: { command: "echo hi" } }] });

/** The events of some types, in order, by their types alone. */
function order({ events }: Observed, ...types: readonly string[]): string[] {
  return events.map(({ event }) => event.type).filter((type) => types.includes(type));
}

function told({ events }: Observed, type: string): any[] {
  return events.map(({ event }) => event).filter((event) => event.type === type);
}

function at({ events }: Observed, type: string, role?: string): number {
  return events.findIndex(({ event }) => event.type === type && (role === undefined || event.message.role === role));
}

describe("a text on its way to the model", () => {
  test("[pi.input.1] input hears what a person, a client and an extension submit, and from whom", async () => {
    const extension = (pi: any) => {
      pi.on("input", ({ text, source }: any) => note(text, source));
      pi.on("session_start", () => pi.sendUserMessage("sent"));
    };
    const replies = [{ text: "1" }, { text: "2" }];
    const typed = await run({ extensions: [extension], prompts: ["typed"], replies, record: false });
    expect(typed.notes).toContainEqual(["typed", "interactive"]);
    expect(typed.notes).toContainEqual(["sent", "extension"]);
    const asked = await run({
      mode: "rpc",
      extensions: [(pi: any) => pi.on("input", ({ text, source }: any) => note(text, source))],
      replies,
      drive: (talk) => prompt(talk, "asked"),
    });
    expect(asked.notes).toEqual([["asked", "rpc"]]);
  });

  test("[pi.input.2] [pi.before-agent-start.1] input sees skills and templates unexpanded, before_agent_start expanded", async () => {
    const ran = await run({
      prompts: ["/tmpl x", "/skill:sk do"],
      files: {
        "@/prompts/tmpl.md": "TEMPLATE $1\n",
        "@/skills/sk/SKILL.md": "---\nname: sk\ndescription: a skill\n---\nBODY\n",
      },
      replies: [{ text: "1" }, { text: "2" }],
    });
    expect(told(ran, "input").map(({ text }) => text)).toEqual(["/tmpl x", "/skill:sk do"]);
    const [template, skill] = told(ran, "before_agent_start").map(({ prompt: text }) => text);
    expect(template.trim()).toBe("TEMPLATE x");
    expect(skill).toContain("BODY");
    expect(order(ran, "input", "before_agent_start", "agent_start").slice(0, 3)).toEqual([
      "input",
      "before_agent_start",
      "agent_start",
    ]);
  });

  test("[pi.input.8] an extension's command runs and input does not fire", async () => {
    const ran = await run({
      prompts: ["/mine a  b"],
      extensions: [(pi: any) => pi.registerCommand("mine", { handler: async (args: string) => note(args) })],
      replies: [],
    });
    expect(ran.notes).toEqual([["a  b"]]);
    expect(told(ran, "input")).toEqual([]);
  });

  test("[pi.input.9] a built-in command is what the transforms have made: produced by one, and defused by one", async () => {
    const ran = await run({
      prompts: ["make it so", "/name never"],
      extensions: [
        (pi: any) => {
          pi.on("input", ({ text }: any) => ({
            action: "transform",
            text: text === "make it so" ? "/name by a hook" : `please ${text}`,
          }));
          pi.on("session_info_changed", ({ name }: any) => note(name));
        },
      ],
      replies: [{ text: "1" }],
    });
    expect(ran.notes).toEqual([["by a hook"]]);
    expect(JSON.stringify(ran.requests)).toContain("please /name never");
    expect(ran.requests).toHaveLength(1);
  });
});

describe("a run", () => {
  test("[pi.before-agent-start.2] [pi.agent.1] [pi.agent.4] [pi.turn.1] [pi.turn.3] [pi.context.1] [pi.context.2] three tool rounds: one run, four turns, four requests, each moment in its place", async () => {
    const ran = await run({ prompts: ["go"], replies: [call("t1"), call("t2"), call("t3"), { text: "done" }] });
    const moments = order(
      ran,
      "before_agent_start",
      "agent_start",
      "turn_start",
      "context",
      "tool_result",
      "turn_end",
      "agent_end",
    );
    const round = ["turn_start", "context", "tool_result", "turn_end"];
    expect(moments).toEqual([
      "before_agent_start",
      "agent_start",
      ...round,
      ...round,
      ...round,
      "turn_start",
      "context",
      "turn_end",
      "agent_end",
    ]);
    expect(told(ran, "turn_end").map(({ turnIndex }) => turnIndex)).toEqual([0, 1, 2, 3]);
    expect(told(ran, "turn_end").map(({ toolResults }) => toolResults.length)).toEqual([1, 1, 1, 0]);
    expect(ran.requests).toHaveLength(4);
  });

  test("[pi.before-agent-start.6] [pi.before-agent-start.10] a hook's message comes after the prompt, and the model gets it as the user's", async () => {
    const ran = await run({
      prompts: ["go"],
      extensions: [
        (pi: any) =>
          pi.on("before_agent_start", () => ({ message: { customType: "c", content: "injected", display: false } })),
      ],
      replies: [{ text: "done" }],
    });
    const said = ran.requests[0].messages.filter(({ role }: any) => role !== "system");
    expect(said.map(({ role }: any) => role)).toEqual(["user", "user"]);
    expect(JSON.stringify(said[0])).toContain("go");
    expect(JSON.stringify(said[1])).toContain("injected");
    expect(ran.entries.filter(({ type }) => type === "custom_message")).toHaveLength(1);
  });

  test("[pi.agent.6] agent_end has the messages of its own run alone", async () => {
    const ran = await run({ prompts: ["one", "two"], replies: [{ text: "1" }, call("t1"), { text: "2" }] });
    expect(told(ran, "agent_end").map(({ messages }) => messages.map(({ role }: any) => role))).toEqual([
      ["user", "assistant"],
      ["user", "assistant", "toolResult", "assistant"],
    ]);
  });

  test("[pi.context.9] the list has the history, the prompt, injected messages, results of the run and what steers it", async () => {
    const ran = await run({
      prompts: ["one", "two"],
      extensions: [
        (pi: any) => {
          let prompts = 0;
          pi.on("before_agent_start", () => {
            prompts += 1;
            return prompts === 2 ? { message: { customType: "c", content: "injected", display: true } } : undefined;
          });
          pi.on("tool_call", () => void pi.sendUserMessage("steering", { deliverAs: "steer" }));
        },
      ],
      replies: [{ text: "1" }, call("t1"), { text: "2" }],
    });
    const last = told(ran, "context").at(-1);
    expect(last.messages.map(({ role }: any) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "custom",
      "assistant",
      "toolResult",
      "user",
    ]);
    expect(JSON.stringify(last.messages.at(-1))).toContain("steering");
  });

  test("[pi.context.9] a summary is in the list for what it has taken the place of", async () => {
    const ran = await run({
      prompts: ["first", "second", "/compact", "third"],
      settings: { compaction: { keepRecentTokens: 1 } },
      extensions: [
        (pi: any) =>
          pi.on("session_before_compact", ({ preparation: { firstKeptEntryId, tokensBefore } }: any) => ({
            compaction: { summary: "SUMMED UP", firstKeptEntryId, tokensBefore },
          })),
      ],
      replies: [{ text: "1" }, { text: "2" }, { text: "3" }],
    });
    const { messages } = told(ran, "context").at(-1);
    expect(messages[0]).toMatchObject({ role: "compactionSummary", summary: "SUMMED UP" });
  });

  test("[pi.message.1] message_update comes for the model's messages alone", async () => {
    const ran = await run({ prompts: ["go"], replies: [call("t1"), { text: "done" }] });
    const updates = told(ran, "message_update");
    expect(updates.length).toBeGreaterThan(0);
    expect(new Set(updates.map(({ message }) => message.role))).toEqual(new Set(["assistant"]));
    expect(new Set(told(ran, "message_start").map(({ message }) => message.role))).toEqual(
      new Set(["user", "assistant", "toolResult"]),
    );
  });

  test("[pi.message.5] messages are stored with message_end, as its handlers leave them", async () => {
    const ran = await run({
      prompts: ["go"],
      extensions: [
        (pi: any) =>
          pi.on("message_end", ({ message }: any, ctx: any) => {
            const stored = ctx.sessionManager.getBranch().filter((entry: any) => entry.type === "message").length;
            note(message.role, stored);
            if (message.role !== "assistant") return undefined;
            return { message: { ...message, content: [{ type: "text", text: "as the hook has it" }] } };
          }),
      ],
      replies: [{ text: "as the model had it" }],
    });
    expect(ran.notes).toEqual([
      ["user", 0],
      ["assistant", 1],
    ]);
    const messages = ran.entries.filter(({ type }) => type === "message").map(({ message }) => message);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(messages[1].content[0].text).toBe("as the hook has it");
    expect(at(ran, "message_end", "user")).toBeLessThan(at(ran, "message_start", "assistant"));
  });
});

describe("around the runs", () => {
  const ending = (pi: any) => pi.on("session_shutdown", ({ reason }: any) => note("shutdown", reason));

  test("[pi.shutdown.1] session_shutdown comes at the end of a run, when a hook asks for the end, and on signals", async () => {
    const shutdown = [["shutdown", "quit"]];
    const plain = await run({ prompts: ["go"], extensions: [ending], replies: [{ text: "done" }] });
    expect(plain.notes).toEqual(shutdown);
    const asked = await run({
      mode: "rpc",
      extensions: [ending, (pi: any) => pi.on("agent_settled", (_: any, ctx: any) => ctx.shutdown())],
      replies: [{ text: "done" }],
      async drive(talk) {
        talk.send({ type: "prompt", message: "go" });
        await new Promise((done) => talk.child.once("exit", done));
      },
    });
    expect(asked.notes).toEqual(shutdown);
    for (const [signal, code] of [
      ["SIGTERM", 143],
      ["SIGINT", 130],
    ] as const) {
      const ended = await run({
        mode: "rpc",
        extensions: [ending],
        replies: [],
        async drive(talk) {
          await ask(talk, { type: "get_state" });
          talk.child.kill(signal);
          await new Promise((done) => talk.child.once("exit", done));
        },
      });
      expect([ended.code, ended.notes]).toEqual([code, shutdown]);
    }
  });

  test("[pi.model.1] model_select tells of /model, of cycling and of a session that is taken up again", async () => {
    const ran = await run({
      mode: "rpc",
      models: [{ id: "m2" }],
      extensions: [
        (pi: any) =>
          pi.on("model_select", ({ model, previousModel, source }: any) => note(model.id, previousModel.id, source)),
      ],
      replies: [{ text: "1" }],
      async drive(talk) {
        await prompt(talk, "go");
        const { sessionFile } = (await ask(talk, { type: "get_state" })).data;
        talk.send({ id: "slash", type: "prompt", message: "/model loop/m2" });
        await talk.next((line) => line.type === "model_changed");
        await ask(talk, { type: "cycle_model" });
        await ask(talk, { type: "new_session" });
        await ask(talk, { type: "set_model", provider: "loop", modelId: "m2" });
        await ask(talk, { type: "switch_session", sessionPath: sessionFile });
      },
    });
    expect(ran.notes).toEqual([
      ["m2", "m1", "set"],
      ["m1", "m2", "cycle"],
      ["m2", "m1", "set"],
      ["m1", "m2", "restore"],
    ]);
  });

  test("[pi.resources.1] [pi.resources.5] resources_discover comes at the start and after a reload; what it names is used", async () => {
    const ran = await run({
      prompts: ["/found x", "/reload", "again"],
      files: {
        "more/found.md": "FOUND $1\n",
        "more/sk/SKILL.md": "---\nname: sk\ndescription: told by a hook\n---\nBODY\n",
        "more/mine.json": JSON.stringify({ name: "mine", vars: {}, colors: {} }),
      },
      extensions: [
        (pi: any) =>
          pi.on("resources_discover", ({ cwd, reason }: any) => {
            note(reason);
            return {
              promptPaths: [`${cwd}/more/found.md`],
              skillPaths: [`${cwd}/more/sk/SKILL.md`],
              themePaths: [`${cwd}/more/mine.json`],
            };
          }),
      ],
      replies: [{ text: "1" }, { text: "2" }],
    });
    expect(ran.notes).toEqual([["startup"], ["reload"]]);
    expect(JSON.stringify(ran.requests[0].messages)).toContain("FOUND x");
    for (const { messages } of ran.requests) expect(messages[0].content).toContain("told by a hook");
    expect(order(ran, "session_start", "resources_discover", "before_agent_start").slice(0, 3)).toEqual([
      "session_start",
      "resources_discover",
      "before_agent_start",
    ]);
  });

  test("[pi.user-bash.1] user_bash is told about commands behind ! and !!, the second kept from the model", async () => {
    const ran = await run({
      prompts: ["!echo seen", "!!echo unseen", "go"],
      extensions: [
        (pi: any) =>
          pi.on("user_bash", ({ command, excludeFromContext }: any) => note(command, Boolean(excludeFromContext))),
      ],
      replies: [{ text: "done" }],
    });
    expect(ran.notes).toEqual([
      ["echo seen", false],
      ["echo unseen", true],
    ]);
    const sent = JSON.stringify(ran.requests[0].messages);
    expect(sent).toContain("echo seen");
    expect(sent).not.toContain("unseen");
  });
});
