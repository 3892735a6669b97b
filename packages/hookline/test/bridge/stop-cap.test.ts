import { describe, expect, it } from "vitest";
import { HOSTS, type HostName } from "../../../integrations/src/hosts.ts";
import { opened } from "./support/opened.ts";

type Ask = (event: string, fields: object) => Promise<unknown>;

/** How a host tells of a prompt, of a round in which the agent calls a tool, and of an agent that would stop. */
interface Rounds {
  prompt(ask: Ask, text: string): Promise<unknown>;
  tool?(ask: Ask): Promise<unknown>;
  /** Tells of the end of a round. */
  stop(ask: Ask, round: number, replies: readonly string[]): Promise<unknown>;
  /** Sends the feedback back as a prompt, for a host that does so. */
  echo?(ask: Ask, feedback: string): Promise<unknown>;
  /** The text that the answer to a stop gives to the agent. */
  feedback(said: unknown): string | undefined;
}

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const fields = (value: unknown): Readonly<Record<string, unknown>> => (value ?? {}) as never;
const reason = (said: unknown): string | undefined => text(fields(said)["reason"]);
const last = (replies: readonly string[]): string => replies.at(-1) ?? "";

const claude: Rounds = {
  prompt: (ask, prompt) => ask("UserPromptSubmit", { session_id: "s", prompt }),
  stop: (ask, round, replies) =>
    ask("Stop", { session_id: "s", stop_hook_active: round > 0, last_assistant_message: last(replies) }),
  feedback: reason,
};

const message = (role: string, said: string): object => ({
  role,
  content: [{ type: "text", text: said }],
  timestamp: 1,
});

/** The rounds of each host, as recorded (spec/hosts); for Claude Code and Cursor, as their documents say. */
const ROUNDS: Readonly<Record<string, Rounds>> = {
  claude,
  codex: claude,
  qwen: {
    ...claude,
    prompt: (ask, prompt) => ask("UserPromptSubmit", { session_id: "s", prompt, submitted_prompt: prompt }),
    echo: (ask, prompt) => ask("UserPromptSubmit", { session_id: "s", prompt }),
  },
  copilot: {
    prompt: (ask, prompt) => ask("userPromptSubmitted", { sessionId: "s", timestamp: Date.now(), prompt }),
    echo: (ask, prompt) => ask("userPromptSubmitted", { sessionId: "s", timestamp: Date.now(), prompt }),
    stop: (ask, round) => ask("agentStop", { sessionId: "s", timestamp: round, stop_hook_active: round > 0 }),
    feedback: reason,
  },
  gemini: {
    prompt: (ask, prompt) => ask("BeforeAgent", { session_id: "s", prompt }),
    // With a hook of the person's own that wants the same.
    echo: (ask, feedback) => ask("BeforeAgent", { session_id: "s", prompt: `the person's own\n${feedback}` }),
    tool: (ask) => ask("BeforeTool", { session_id: "s", tool_name: "read_file", tool_input: { file_path: "a" } }),
    // After a round of tools it does not say that hooks have sent the agent on.
    stop: (ask, round, replies) =>
      ask("AfterAgent", {
        session_id: "s",
        prompt: "Do it",
        prompt_response: replies.join("\n"),
        stop_hook_active: round % 2 === 1,
      }),
    feedback: reason,
  },
  cursor: {
    prompt: (ask, prompt) => ask("beforeSubmitPrompt", { conversation_id: "s", prompt }),
    echo: (ask, prompt) => ask("beforeSubmitPrompt", { conversation_id: "s", prompt }),
    async stop(ask, round, replies) {
      await ask("afterAgentResponse", { conversation_id: "s", text: last(replies) });
      return ask("stop", { conversation_id: "s", status: "completed", loop_count: round });
    },
    feedback: (said) => text(fields(said)["followup_message"]),
  },
  pi: {
    prompt: (ask, prompt) => ask("input", { session: "s", event: { text: prompt, source: "interactive" } }),
    async stop(ask, _, replies) {
      await ask("agent_end", { session: "s", event: { messages: replies.map((one) => message("assistant", one)) } });
      return ask("agent_before_settle", { session: "s", event: { outcome: "completed" } });
    },
    feedback: (said) =>
      text(fields((fields(fields(said)["returns"])["entries"] as unknown[] | undefined)?.[0])["content"]),
  },
  omp: {
    prompt: (ask, prompt) => ask("before_agent_start", { session: "s", event: { prompt, systemPrompt: ["S"] } }),
    echo: (ask, prompt) => ask("before_agent_start", { session: "s", event: { prompt, systemPrompt: ["S"] } }),
    stop: (ask, round, replies) =>
      ask("session_stop", {
        session: "s",
        event: { messages: replies.map((one) => message("assistant", one)), stop_hook_active: round > 0 },
      }),
    feedback: (said) => text(fields(fields(said)["returns"])["additionalContext"]),
  },
} satisfies Readonly<Record<Exclude<HostName, "opencode">, Rounds>>;

const JCLI = `stop:
  - command: sed 's/.*"assistant_output":"\\([^"]*\\)".*/\\1/' >> replies.txt; echo >> replies.txt; echo '{"retry_feedback":"GO-ON"}'
pre_send_message:
  - command: echo >> prompts.txt
`;
const CLAUDE = JSON.stringify({
  hooks: {
    Stop: [{ hooks: [{ type: "command", command: `cat > /dev/null; echo '{"decision":"block","reason":"MORE"}'` }] }],
  },
});
const PI = `export default (pi) => pi.on("agent_before_settle", () => ({
  continue: true, entries: [{ type: "custom_message", customType: "t", content: "SETTLE", display: true }] }));`;

/** A prompt after which no hook ever agrees that the agent may stop; gives how often it was sent on. */
async function rounds(of: Rounds, ask: Ask, prompt: string): Promise<readonly string[]> {
  const feedbacks: string[] = [];
  const replies: string[] = [];
  await of.prompt(ask, prompt);
  for (let round = 0; round < 30; round++) {
    await of.tool?.(ask);
    replies.push(`reply ${round}`);
    const feedback = of.feedback(await of.stop(ask, round, replies));
    if (feedback === undefined) break;
    feedbacks.push(feedback);
    await of.echo?.(ask, feedback);
  }
  return feedbacks;
}

const WITH_STOP = Object.keys(ROUNDS);

describe("hooks that never agree that the agent may stop", () => {
  it("cannot send OpenCode on", async () => {
    const { absent } = (await (await HOSTS["opencode"]?.())?.table()) ?? {};
    expect(absent).toHaveProperty(["agent.stop"]);
  });

  it.each(WITH_STOP)(
    "send %s on five times after each prompt, and are not asked about their own words",
    async (name) => {
      const at = opened(await HOSTS[name]?.());
      at.write("~/.jdata/agent/hooks.yaml", JCLI);
      const of = ROUNDS[name] as Rounds;
      for (const prompt of ["Do it", "GO-ON"]) expect(await rounds(of, at.ask, prompt)).toEqual(Array(5).fill("GO-ON"));
      expect(at.read("prompts.txt")).toBe("\n\n");
      // Copilot CLI tells replies by its log alone.
      if (name !== "copilot")
        expect(
          at
            .read("replies.txt")
            .split(/\n+/)
            .filter((line) => line !== ""),
        ).toEqual([..."012345", ..."012345"].map((round) => `reply ${round}`));
    },
  );

  it.each(WITH_STOP.filter((name) => name !== "claude"))(
    "send %s on eight times from Claude Code's settings, with others or alone",
    async (name) => {
      const at = opened(await HOSTS[name]?.());
      at.write("~/.claude/settings.json", CLAUDE);
      const of = ROUNDS[name] as Rounds;
      expect(await rounds(of, at.ask, "Do it")).toEqual(Array(8).fill("MORE"));
      at.write("~/.jdata/agent/hooks.yaml", JCLI);
      await at.sessions.closeAll();
      const both = await rounds(of, at.ask, "Do it");
      expect(both.map((feedback) => feedback.includes("GO-ON"))).toEqual([
        ...Array(5).fill(true),
        ...Array(3).fill(false),
      ]);
      expect(both.every((feedback) => feedback.includes("MORE"))).toBe(true);
    },
  );

  it.each(WITH_STOP.filter((name) => name !== "pi" && name !== "omp"))(
    "send %s on five times in all from the seeds' dialects",
    async (name) => {
      const at = opened(await HOSTS[name]?.());
      at.write("~/.jdata/agent/hooks.yaml", JCLI);
      at.write("~/.pi/agent/extensions/never.ts", PI);
      const feedbacks = await rounds(ROUNDS[name] as Rounds, at.ask, "Do it");
      expect(feedbacks).toHaveLength(5);
    },
  );

  it.each(WITH_STOP)("send %s on no further when hookline is started in the middle of a prompt", async (name) => {
    const at = opened(await HOSTS[name]?.());
    at.write("~/.jdata/agent/hooks.yaml", JCLI);
    const of = ROUNDS[name] as Rounds;
    let stops = 0;
    const restarting: Rounds = {
      ...of,
      async stop(ask, round, replies) {
        if (++stops === 4) await at.sessions.closeAll();
        return of.stop(ask, round, replies);
      },
    };
    // pi does not say that hooks have sent the agent on.
    expect((await rounds(restarting, at.ask, "Do it")).length).toBe(name === "pi" ? 8 : 3);
  });

  it("are not tried anew in Codex because the model gives a sub-agent a prompt", async () => {
    const at = opened(await HOSTS["codex"]?.());
    at.write("~/.jdata/agent/hooks.yaml", JCLI);
    const spawns = (ask: Ask) => ask("UserPromptSubmit", { session_id: "s", prompt: "SUBTASK", agent_id: "a" });
    expect(await rounds({ ...claude, tool: spawns }, at.ask, "Do it")).toHaveLength(5);
  });

  it.each([
    ["is given work", { prompt: "SUBTASK", parentAgentId: "p" }],
    ["is done", { prompt: "<system_notification>\nAgent is now idle.\n</system_notification>" }],
  ])("are not tried anew in Copilot CLI because a sub-agent %s before their words arrive", async (_, told) => {
    const at = opened(await HOSTS["copilot"]?.());
    at.write("~/.jdata/agent/hooks.yaml", JCLI);
    const of = ROUNDS["copilot"] as Rounds;
    const echo = async (ask: Ask, feedback: string): Promise<unknown> => {
      await ask("userPromptSubmitted", { sessionId: "s", timestamp: Date.now(), ...told });
      return of.echo?.(ask, feedback);
    };
    expect(await rounds({ ...of, echo }, at.ask, "Do it")).toHaveLength(5);
  });

  it("are not tried anew in Copilot CLI because their words arrive late", async () => {
    const at = opened(await HOSTS["copilot"]?.());
    at.write("~/.jdata/agent/hooks.yaml", JCLI);
    at.write("~/.claude/settings.json", CLAUDE);
    const of = ROUNDS["copilot"] as Rounds;
    let late: string | undefined;
    let sent = 0;
    const echo = async (ask: Ask, feedback: string): Promise<unknown> => {
      if (++sent !== 5) return of.echo?.(ask, feedback);
      late = feedback;
      return undefined;
    };
    expect(await rounds({ ...of, echo }, at.ask, "Do it")).toHaveLength(8);
    await of.echo?.(at.ask, late ?? "");
    expect(of.feedback(await of.stop(at.ask, 9, ["reply"]))).toBeUndefined();
  });

  it("do not lift what has ended the run, which a person's prompt does", async () => {
    const at = opened(await HOSTS["gemini"]?.());
    at.write("~/.jdata/agent/hooks.yaml", JCLI);
    const halts = `cat > /dev/null; test -e halted || { touch halted; echo '{"continue":false,"stopReason":"over"}'; }`;
    const entry = { hooks: [{ type: "command", command: halts }] };
    at.write("~/.claude/settings.json", JSON.stringify({ hooks: { PreToolUse: [entry] } }));
    const of = ROUNDS["gemini"] as Rounds;
    const tool = async () => reason(await of.tool?.(at.ask));
    await of.prompt(at.ask, "Do it");
    expect(await tool()).toMatch(/over|ended the run/);
    const feedback = of.feedback(await of.stop(at.ask, 0, ["reply"]));
    await of.echo?.(at.ask, feedback ?? "");
    expect(await tool()).toMatch(/over|ended the run/);
    await of.prompt(at.ask, "Go on");
    expect(await tool()).toBeUndefined();
  });
});
