import { expect, test } from "vitest";
import { expectAlike } from "./compare.ts";
import { describeWithPeer } from "./peer.ts";

declare const note: (...values: unknown[]) => void;

const bash = (command: string, id = "t1") => ({ name: "bash", id, arguments: { command } });
/** A command that ends once the first call has: `first` tells it. */
const afterFirst = (command: string, id: string) => bash(`while [ ! -e first ]; do sleep .05; done; ${command}`, id);
const first = (pi: any) =>
  pi.on("tool_execution_end", ({ toolCallId }: any) => {
    if (toolCallId === "t1") process.getBuiltinModule("fs").writeFileSync("first", "");
  });
const oneCall = { prompts: ["hello"], replies: [{ toolCalls: [bash("echo hi")] }, { text: "done" }] };

describeWithPeer("tool calls", () => {
  test("a block ends the question and the model gets the reason; no tool_result", async () => {
    const { hookline } = await expectAlike({
      ...oneCall,
      extensions: [
        (pi: any) => pi.on("tool_call", () => ({ block: true, reason: "R1" })),
        (pi: any) => pi.on("tool_call", () => note("not reached")),
      ],
    });
    expect(hookline.requests[1].messages.at(-1)).toMatchObject({ role: "tool", content: "R1" });
  });

  test.each([
    ["nothing said", { block: true }],
    ["an empty reason", { block: true, reason: "" }],
    ["a truthy block", { block: "yes", reason: "because" }],
    ["a falsy block", { block: 0, reason: "because" }],
    ["no block", { reason: "because" }],
    ["null", null],
  ])("an answer with %s", async (_, answer) => {
    await expectAlike({
      ...oneCall,
      extensions: [`export default (pi) => {\n  pi.on("tool_call", () => (${JSON.stringify(answer)}));\n};\n`],
    });
  });

  test.each([
    ["an error", 'new Error("boom")'],
    ["a text", '"strboom"'],
  ])("a handler that throws %s refuses the call", async (_, thrown) => {
    await expectAlike({
      ...oneCall,
      extensions: [
        `export default (pi) => {\n  pi.on("tool_call", () => { throw ${thrown}; });\n};\n`,
        (pi: any) => pi.on("tool_call", () => note("not reached")),
      ],
    });
  });

  test("an edit in place runs; the reply and tool_execution_start keep what the model said", async () => {
    const { hookline } = await expectAlike({
      ...oneCall,
      extensions: [
        (pi: any) => pi.on("tool_call", ({ input }: any) => void (input.command = "echo MUT")),
        (pi: any) => {
          pi.on("tool_call", ({ input }: any) => note("call", input));
          pi.on("tool_result", ({ input }: any) => note("result", input));
        },
      ],
    });
    expect(JSON.stringify(hookline.requests[1])).toContain("MUT\\n");
  });

  test("assigning to event.input changes nothing", async () => {
    await expectAlike(
      {
        ...oneCall,
        extensions: [
          (pi: any) => {
            pi.on("tool_call", (event: any) => {
              event.input = { command: "echo OTHER" };
            });
          },
        ],
      },
      ["privateEvents"],
    );
  });

  test("a tool that is not there and arguments that do not fit: an error result, no tool_call", async () => {
    await expectAlike(
      {
        prompts: ["hello"],
        replies: [
          { toolCalls: [{ name: "nothing", id: "t1", arguments: {} }] },
          { toolCalls: [{ name: "read", id: "t2", arguments: { offset: "x" } }] },
          { text: "done" },
        ],
        extensions: [(pi: any) => pi.on("tool_call", ({ toolName }: any) => note(toolName))],
      },
      ["wordsAboutArguments"],
    );
  });

  test("arguments are fitted to the schema before the hooks see them", async () => {
    await expectAlike({
      prompts: ["hello"],
      files: { "a.txt": "1\n2\n3\n" },
      replies: [
        { toolCalls: [{ name: "read", id: "t1", arguments: { path: "a.txt", limit: "1" } }] },
        { text: "done" },
      ],
      extensions: [(pi: any) => pi.on("tool_call", ({ input }: any) => note(input))],
    });
  });

  test("calls are judged one after the other in the model's order, even when the first takes its time", async () => {
    await expectAlike({
      prompts: ["hello"],
      replies: [{ toolCalls: [bash("echo 1", "t1"), afterFirst("echo 2", "t2")] }, { text: "done" }],
      extensions: [
        (pi: any) => {
          pi.on("tool_call", async ({ toolCallId }: any) => {
            note("begin", toolCallId);
            if (toolCallId === "t1") await new Promise((done) => setTimeout(done, 100));
            note("end", toolCallId);
          });
        },
        first,
      ],
    });
  });

  test("one of three calls is blocked; the results are in the model's order", async () => {
    await expectAlike({
      prompts: ["hello"],
      replies: [
        { toolCalls: [bash("echo A", "t1"), bash("echo B", "t2"), afterFirst("echo C", "t3")] },
        { text: "done" },
      ],
      extensions: [
        (pi: any) =>
          pi.on("tool_call", ({ toolCallId }: any) =>
            toolCallId === "t2" ? { block: true, reason: "no" } : undefined,
          ),
        first,
      ],
    });
  });

  test("tool_result: patches are joined field by field, each handler sees those before it", async () => {
    const { hookline } = await expectAlike({
      ...oneCall,
      extensions: [
        (pi: any) => {
          pi.on("tool_result", ({ content }: any) => ({
            content: [...content, { type: "text", text: "|A" }],
            details: { a: 1 },
          }));
        },
        (pi: any) => {
          pi.on("tool_result", ({ content, details }: any) => {
            note(content, details);
            return { content: [...content, { type: "text", text: "|B" }] };
          });
        },
      ],
    });
    expect(JSON.stringify(hookline.requests[1])).toContain("|A");
  });

  test.each([
    ["a success becomes an error", "echo hi", { isError: true }],
    ["an error becomes a success", "exit 3", { content: [{ type: "text", text: "FIXED" }], isError: false }],
    ["nothing changes", "echo hi", {}],
    ["null is no answer", "exit 3", null],
  ])("tool_result: %s", async (_, command, answer) => {
    const given = {
      prompts: ["hello"],
      replies: [{ toolCalls: [bash(command)] }, { text: "done" }],
      extensions: [`export default (pi) => {\n  pi.on("tool_result", () => (${JSON.stringify(answer)}));\n};\n`],
    };
    await expectAlike(given, command === "exit 3" ? ["errorInResult", "detailsOfFailedCommands"] : []);
  });

  test("tool_result: an edit of the content in place counts, a handler that fails does not", async () => {
    await expectAlike({
      ...oneCall,
      extensions: [
        (pi: any) => {
          pi.on("tool_result", ({ content }: any) => void content.push({ type: "text", text: "PUSHED" }));
          pi.on("tool_result", () => {
            throw new Error("broken");
          });
          pi.on("tool_result", ({ content }: any) => note(content.length));
        },
      ],
    });
  });

  test("a blocked call that terminates ends the run when it is the only one", async () => {
    const { hookline } = await expectAlike({
      prompts: ["hello"],
      replies: [{ toolCalls: [bash("echo hi")] }],
      extensions: [(pi: any) => pi.on("tool_call", () => ({ block: true, reason: "stop here", terminate: true }))],
    });
    expect(hookline.requests).toHaveLength(1);
  });
});

describeWithPeer("tools of extensions", () => {
  const greet = (pi: any) => {
    pi.registerTool({
      name: "greet",
      label: "Greet",
      description: "Says hello",
      promptSnippet: "Greet somebody",
      parameters: {
        type: "object",
        properties: { name: { type: "string" }, times: { type: "number" } },
        required: ["name"],
      },
      async execute(id: string, params: any, signal: any, onUpdate: any, ctx: any) {
        note(id, params, typeof signal, typeof ctx.cwd, ctx.hasUI);
        onUpdate({ content: [{ type: "text", text: "working" }], details: { part: 1 } });
        if (params.name === "nobody") throw new Error("there is nobody");
        return { content: [{ type: "text", text: `Hello, ${params.name}!` }], details: { said: params.times ?? 1 } };
      },
    });
  };

  test("a tool is offered, called with fitted arguments and tells its progress", async () => {
    const { hookline } = await expectAlike({
      prompts: ["hello"],
      extensions: [greet],
      replies: [{ toolCalls: [{ name: "greet", id: "t1", arguments: { name: "Bob", times: "2" } }] }, { text: "done" }],
    });
    expect(hookline.requests[1].messages.at(-1).content).toBe("Hello, Bob!");
  });

  test("a tool that throws gives an error result", async () => {
    await expectAlike({
      prompts: ["hello"],
      extensions: [greet],
      replies: [{ toolCalls: [{ name: "greet", id: "t1", arguments: { name: "nobody" } }] }, { text: "done" }],
    });
  });

  test("a tool of a built-in's name takes its place", async () => {
    await expectAlike({
      prompts: ["hello"],
      extensions: [
        (pi: any) => {
          pi.registerTool({
            name: "bash",
            label: "bash",
            description: "mine",
            parameters: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
            execute: async (_: string, { command }: any) => ({
              content: [{ type: "text", text: `not run: ${command}` }],
            }),
          });
        },
      ],
      replies: [{ toolCalls: [bash("echo hi")] }, { text: "done" }],
    });
  });

  test("a result that terminates ends the run", async () => {
    await expectAlike(
      {
        prompts: ["hello"],
        extensions: [
          (pi: any) => {
            const parameters = { type: "object", properties: {} };
            const content = [{ type: "text", text: "out" }];
            pi.registerTool({
              name: "last",
              label: "l",
              description: "d",
              parameters,
              execute: async () => ({ content, details: {}, terminate: true }),
            });
            pi.registerTool({
              name: "odd",
              label: "o",
              description: "d",
              parameters,
              execute: async () => ({ content, details: {}, isError: true }),
            });
          },
        ],
        replies: [
          { toolCalls: [{ name: "odd", id: "t1", arguments: {} }] },
          { toolCalls: [{ name: "last", id: "t2", arguments: {} }] },
        ],
      },
      ["errorOfResults", "errorInResult"],
    );
  });

  test("a tool that wants to run alone makes its whole batch run one by one", async () => {
    await expectAlike({
      prompts: ["hello"],
      extensions: [
        (pi: any) => {
          const tool = (name: string, ms: number) => ({
            name,
            label: name,
            description: name,
            ...(name === "alone" && { executionMode: "sequential" }),
            parameters: { type: "object", properties: {} },
            async execute() {
              note("begin", name);
              await new Promise((done) => setTimeout(done, ms));
              note("end", name);
              return { content: [{ type: "text", text: name }], details: {} };
            },
          });
          pi.registerTool(tool("slow", 80));
          pi.registerTool(tool("alone", 10));
        },
      ],
      replies: [
        {
          toolCalls: [
            { name: "slow", id: "t1", arguments: {} },
            { name: "alone", id: "t2", arguments: {} },
          ],
        },
        { text: "done" },
      ],
    });
  });

  test("prepareArguments runs before the schema is asked", async () => {
    await expectAlike({
      prompts: ["hello"],
      extensions: [
        (pi: any) => {
          pi.registerTool({
            name: "old",
            label: "old",
            description: "d",
            parameters: {
              type: "object",
              properties: { items: { type: "array", items: { type: "string" } } },
              required: ["items"],
            },
            prepareArguments: (raw: any) => ({ items: raw.item === undefined ? raw.items : [raw.item] }),
            execute: async (_: string, params: any) => ({
              content: [{ type: "text", text: JSON.stringify(params) }],
              details: {},
            }),
          });
          pi.on("tool_call", ({ input }: any) => note(input));
        },
      ],
      replies: [{ toolCalls: [{ name: "old", id: "t1", arguments: { item: "x" } }] }, { text: "done" }],
    });
  });

  test("tools are added and switched while the agent runs", async () => {
    await expectAlike(
      {
        prompts: ["one", "two"],
        extensions: [
          (pi: any) => {
            const tool = (name: string) => ({
              name,
              label: name,
              description: `tool ${name}`,
              parameters: { type: "object", properties: {} },
              execute: async () => ({ content: [{ type: "text", text: name }], details: {} }),
            });
            pi.on("session_start", () => pi.registerTool(tool("added")));
            pi.on("agent_end", () => {
              note(pi.getActiveTools().includes("added"));
              pi.setActiveTools(["read", "added", "unknown"]);
              note(pi.getActiveTools());
            });
          },
        ],
        replies: [{ text: "1" }, { text: "2" }],
      },
      ["toolsOfBranch"],
    );
  });
});
