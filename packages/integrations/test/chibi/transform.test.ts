import { describe, expect, test } from "vitest";
import { HookFailure } from "../../../runtime/src/run/failure.ts";
import { type Handler, openLane, recorder } from "./lane.ts";

const scene = { context: "c", summary: "s", todos: "t", goals: "g", recursionDepth: 2 };

describe("pre_message", () => {
  test("sees the prompt, the context and its summary [chibi.point.3, chibi.message.1, chibi.message.2, chibi.message.3, chibi.use.4]", async () => {
    const hook = recorder();
    const { session } = await openLane([["pre_message", hook.run]], { scene });
    await session.emit("prompt.before", { text: "hello" });
    expect(hook.seen).toEqual([{ prompt: "hello", context_name: "c", summary: "s" }]);
  });

  test("every plugin gets the typed prompt, and the last answer wins [chibi.message.4, chibi.edge.1, chibi.edge.2, chibi.hooks.1]", async () => {
    const second = recorder({ prompt: "b" });
    const third = recorder({});
    const { session } = await openLane([
      ["pre_message", () => ({ prompt: "a" })],
      ["pre_message", second.run],
      ["pre_message", third.run],
    ]);
    const { answer } = await session.emit("prompt.before", { text: "typed" });
    expect(answer).toEqual({ text: "b" });
    expect([second.seen[0].prompt, third.seen[0].prompt]).toEqual(["typed", "typed"]);
  });

  test.each([[{}], [undefined], [{ prompt: 7 }], [{ prompt: null }], [[]], ["text"], [{ other: "x" }]])(
    "%j changes nothing",
    async (answer) => {
      const { session } = await openLane([["pre_message", () => answer]]);
      expect((await session.emit("prompt.before", { text: "typed" })).answer).toEqual({});
    },
  );

  test("an echoed prompt is not an edit", async () => {
    const { session } = await openLane([["pre_message", (event) => ({ prompt: event.prompt })]]);
    expect(await session.emit("prompt.before", { text: "typed" })).toMatchObject({ answer: {}, edits: [] });
  });

  test("a field of the wrong type is reported [chibi.edge.7]", async () => {
    const { session, diagnostics } = await openLane([["pre_message", () => ({ prompt: 7 })]]);
    await session.emit("prompt.before", { text: "typed" });
    expect(diagnostics).toMatchObject([{ code: "HOOK_ODD_ANSWER" }]);
  });

  test("a plugin that fails leaves the prompt as it is, and the failure is shown", async () => {
    const failing: Handler = () => {
      throw new HookFailure("exited", "exit code 3");
    };
    const { session, diagnostics } = await openLane([
      ["pre_message", failing],
      ["pre_message", () => ({ prompt: "b" })],
    ]);
    expect((await session.emit("prompt.before", { text: "typed" })).answer).toEqual({ text: "b" });
    expect(diagnostics.map(({ code }) => code)).toEqual(["HOOK_EXITED", "FAILED_OPEN"]);
  });
});

describe("pre_system_prompt and post_system_prompt", () => {
  test("both see the context's texts, not the prompt [chibi.point.5, chibi.point.6, chibi.system.1, chibi.system.2, chibi.system.3, chibi.system.4]", async () => {
    const hook = recorder();
    const { session } = await openLane(
      [
        ["pre_system_prompt", hook.run],
        ["post_system_prompt", hook.run],
      ],
      { scene },
    );
    await session.emit("prompt.build", { base: "BASE" });
    const seen = { context_name: "c", summary: "s", todos: "t", goals: "g" };
    expect(hook.seen).toEqual([seen, seen]);
  });

  test("texts before the prompt are in reverse order, later ones in order, empty ones are left out [chibi.system.5, chibi.edge.5, chibi.edge.6, chibi.use.7]", async () => {
    const { session } = await openLane([
      ["post_system_prompt", () => ({ inject: "A" })],
      ["pre_system_prompt", () => ({ inject: "A" })],
      ["pre_system_prompt", () => ({ inject: "" })],
      ["pre_system_prompt", () => ({ inject: "B" })],
      ["post_system_prompt", () => ({ inject: "B" })],
      ["post_system_prompt", () => ({ inject: 1 })],
    ]);
    const { answer } = await session.emit("prompt.build", { base: "BASE" });
    expect(answer).toEqual({ before: ["B", "A"], after: ["A", "B"] });
  });

  test("nothing but empty texts is not an answer", async () => {
    const { session } = await openLane([["pre_system_prompt", () => ({ inject: "" })]]);
    expect((await session.emit("prompt.build", { base: "BASE" })).answer).toEqual({});
  });
});

const tool = (name: string, type: string) => ({ name, description: "", parameters: {}, type }) as any;
const tools = [tool("bash", "builtin"), tool("read", "builtin"), tool("file_grep", "file"), tool("mine", "plugin")];

describe("pre_api_tools", () => {
  const ask = async (...answers: readonly unknown[]) => {
    const { session } = await openLane(answers.map((answer) => ["pre_api_tools", () => answer]));
    return (await session.emit("tools.select", { tools })).answer;
  };

  test("lists each tool by name and type, with the recursion depth [chibi.point.11, chibi.tools.2, chibi.tools.3, chibi.tools.4]", async () => {
    const hook = recorder();
    const { session } = await openLane([["pre_api_tools", hook.run]], { scene });
    await session.emit("tools.select", { tools });
    expect(hook.seen).toEqual([
      {
        context_name: "c",
        tools: [
          { name: "run_command", type: "builtin" },
          { name: "read_file", type: "builtin" },
          { name: "file_grep", type: "file" },
          { name: "mine", type: "plugin" },
        ],
        recursion_depth: 2,
      },
    ]);
  });

  test("includes are intersected, excludes are united [chibi.tools.8, chibi.tools.9, chibi.tools.10, chibi.tools.11, chibi.tools.1]", async () => {
    expect(await ask({ include: ["mine", "file_grep"] }, {}, { include: ["file_grep", "x"] })).toEqual({
      include: [["file_grep"]].flat(),
    });
    expect(await ask({ exclude: ["mine"] }, { exclude: ["file_grep", "mine"] })).toEqual({
      exclude: ["mine", "file_grep"],
    });
  });

  test("one plugin may say both", async () => {
    expect(await ask({ include: ["mine", "file_grep"], exclude: ["mine"] })).toEqual({
      include: ["mine", "file_grep"],
      exclude: ["mine"],
    });
  });

  test("an empty list of includes leaves no tool [chibi.edge.8]", async () => {
    expect(await ask({ include: [] })).toEqual({ include: [] });
  });

  test("names are chibi's, and hookline's own are understood", async () => {
    expect(await ask({ include: ["run_command", "read"], exclude: ["read_file"] })).toEqual({
      include: ["bash", "read"],
      exclude: ["read"],
    });
  });

  test("a plugin of the name keeps it, and hookline's tool then goes by its own", async () => {
    const hook = recorder({ exclude: ["run_command"] });
    const { session } = await openLane([["pre_api_tools", hook.run]]);
    const { answer } = await session.emit("tools.select", { tools: [...tools, tool("run_command", "plugin")] });
    expect(hook.seen[0].tools.map(({ name }: any) => name)).toEqual([
      "bash",
      "read_file",
      "file_grep",
      "mine",
      "run_command",
    ]);
    expect(answer).toEqual({ exclude: ["run_command"] });
  });

  test("items that are no text are left out and reported", async () => {
    const { session, diagnostics } = await openLane([["pre_api_tools", () => ({ exclude: [1, "mine", null] })]]);
    expect((await session.emit("tools.select", { tools })).answer).toEqual({ exclude: ["mine"] });
    expect(diagnostics).toMatchObject([{ code: "HOOK_ODD_ANSWER" }]);
  });

  test.each([[{ include: "mine" }], [{ exclude: { mine: true } }], [{}], [undefined]])(
    "%j filters nothing",
    async (answer) => {
      expect(await ask(answer)).toEqual({});
    },
  );
});

const request: any = {
  model: { id: "anthropic/claude-sonnet-4", provider: "openrouter" },
  systemPrompt: "sys",
  messages: [{ role: "user", content: "hi", timestamp: 1 }],
  tools: [],
  temperature: 0.7,
};

describe("pre_api_request", () => {
  test("sees the request as chat completions have it [chibi.point.12, chibi.request.1, chibi.request.2, chibi.request.3, chibi.request.4, chibi.request.5, chibi.request.6, chibi.request.7, chibi.request.9]", async () => {
    const hook = recorder();
    const { session } = await openLane([["pre_api_request", hook.run]], { scene });
    await session.emit("model.request", { request });
    expect(hook.seen).toEqual([
      {
        context_name: "c",
        request_body: {
          model: "anthropic/claude-sonnet-4",
          messages: [
            { role: "system", content: "sys" },
            { role: "user", content: "hi" },
          ],
          tools: [],
          temperature: 0.7,
        },
        recursion_depth: 2,
      },
    ]);
  });

  test("answers are merged key by key, the last plugin's value counting, and the rest stays [chibi.request.8, chibi.request.10, chibi.request.11, chibi.edge.9]", async () => {
    const { session } = await openLane([
      ["pre_api_request", () => ({ request_body: { temperature: 0.1, reasoning: { effort: "low" } } })],
      ["pre_api_request", () => ({ request_body: { temperature: 0.2, max_tokens: 5, reasoning: { budget: 1 } } })],
    ]);
    const { answer } = await session.emit("model.request", { request });
    expect(answer.request).toEqual({ ...request, temperature: 0.2, maxTokens: 5, extra: { reasoning: { budget: 1 } } });
    expect(answer.request?.messages).toBe(request.messages);
  });

  test("the whole body echoed is not an edit", async () => {
    const { session } = await openLane([
      ["pre_api_request", (event) => ({ request_body: structuredClone(event.request_body) })],
    ]);
    expect((await session.emit("model.request", { request })).answer).toEqual({});
  });

  test.each([[{ request_body: [1] }], [{ request_body: "x" }], [{ request_body: null }], [{}]])(
    "%j changes nothing",
    async (answer) => {
      const { session } = await openLane([["pre_api_request", () => answer]]);
      expect((await session.emit("model.request", { request })).answer).toEqual({});
    },
  );
});

describe("pre_cache_output", () => {
  const payload: any = {
    toolCallId: "1",
    tool: "fetch_url",
    args: { url: "https://example.com" },
    content: "full",
    charCount: 50000,
    lineCount: 1200,
  };

  test("sees the whole output and its size [chibi.point.13, chibi.cache.1, chibi.cache.2, chibi.cache.3, chibi.cache.4, chibi.cache.5, chibi.cache.6]", async () => {
    const hook = recorder();
    const { session } = await openLane([["pre_cache_output", hook.run]]);
    await session.emit("tool.cache-before", payload);
    expect(hook.seen).toEqual([
      {
        tool_name: "fetch_url",
        arguments: { url: "https://example.com" },
        content: "full",
        char_count: 50000,
        line_count: 1200,
        output_size: 50000,
      },
    ]);
  });

  test("the last summary that is not empty counts [chibi.cache.7, chibi.edge.26]", async () => {
    const { session } = await openLane([
      ["pre_cache_output", () => ({ summary: "first" })],
      ["pre_cache_output", () => ({ summary: "second" })],
      ["pre_cache_output", () => ({ summary: "" })],
      ["pre_cache_output", () => ({ summary: 3 })],
    ]);
    expect((await session.emit("tool.cache-before", payload)).answer).toEqual({ summary: "second" });
  });

  test("a block of the newer form keeps the output out of the cache", async () => {
    const { session } = await openLane([["pre_cache_output", () => ({ block: true })]]);
    expect((await session.emit("tool.cache-before", payload)).answer).toEqual({ keep: false });
  });
});

describe("pre_send_message", () => {
  const letter = { from: "default", to: "research", content: "hi" };

  test("sees the letter and the current context [chibi.point.15, chibi.mail.1, chibi.mail.2, chibi.mail.3]", async () => {
    const hook = recorder();
    const { session } = await openLane([["pre_send_message", hook.run]], { scene });
    await session.emit("mail.before", letter);
    expect(hook.seen).toEqual([{ ...letter, context_name: "c" }]);
  });

  test("the first claim wins, and every plugin is asked [chibi.mail.4, chibi.mail.5, chibi.edge.3, chibi.use.3]", async () => {
    const last = recorder({ delivered: true, via: "late" });
    const { session } = await openLane([
      ["pre_send_message", () => ({ delivered: false, via: "none" })],
      ["pre_send_message", () => ({ delivered: true, via: "xmpp" })],
      ["pre_send_message", last.run],
    ]);
    expect((await session.emit("mail.before", letter)).answer).toEqual({ delivered: true, via: "xmpp" });
    expect(last.seen).toHaveLength(1);
  });

  test.each([[{ delivered: "true" }], [{ via: "x" }], [{ delivered: 1 }], [{}]])(
    "%j claims nothing",
    async (answer) => {
      const { session } = await openLane([["pre_send_message", () => answer]]);
      expect((await session.emit("mail.before", letter)).answer).toEqual({});
    },
  );
});
