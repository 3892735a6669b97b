import { describe, expect, test } from "vitest";
import { sentTo, startBench } from "./bench.ts";
import { startProgram } from "./program.ts";

const PROMPT = "May this command run? Read rules.txt first.";

/** Settings with an agent that judges commands, and more beside it. */
const settings = (handler: object = {}, more: object = {}): string => {
  const agent = { type: "agent", prompt: PROMPT, ...handler };
  return JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [agent] }] }, ...more });
};

const bash = { toolCalls: [{ name: "bash", arguments: { command: "deploy" } }] };
const read = (path = "rules.txt") => ({ toolCalls: [{ name: "read", arguments: { path } }] });
const says = (verdict: object) => ({ text: JSON.stringify(verdict), usage: { input: 30, output: 4 } });
const files = { "rules.txt": "Nobody deploys on Friday.\n" };

describe("an agent that judges", () => {
  test("reads a file and refuses a call, in a print run [claude.case.105]", async () => {
    const bodies: any[] = [];
    const replies = [bash, read(), says({ ok: false, reason: "not on Friday" }), { text: "then not" }];
    const program = await startProgram({
      args: ["--trust-project", "-p", "Deploy"],
      files: { ".claude/settings.json": settings(), ...files },
      replies: ({ body }, index) => {
        bodies.push(body);
        return replies[index] ?? { text: "more requests than expected" };
      },
    });
    expect(await program.finished).toMatchObject({ code: 0, out: "then not\n" });
    expect(bodies).toHaveLength(4);
    expect(JSON.stringify(bodies[1].messages)).toContain(PROMPT);
    expect(bodies[1].tools.map((tool: any) => tool.function.name)).toEqual(["read", "grep", "find", "ls"]);
    expect(bodies[2].messages.at(-1).content).toContain("Nobody deploys on Friday.");
    expect(bodies[3].messages.at(-1)).toMatchObject({
      role: "tool",
      content: expect.stringContaining("not on Friday"),
    });
    expect(JSON.stringify(bodies[3].messages)).not.toContain("Nobody deploys");
  });

  test("leaves nothing in the session but the tokens of each request", async () => {
    const { agent, server } = await startBench({
      files: { ".claude/settings.json": settings({ model: "other" }), ...files },
      replies: [
        bash,
        { ...read(), usage: { input: 20, output: 3 } },
        says({ ok: false, reason: "no" }),
        { text: "ok" },
      ],
    });
    await agent.prompt("Deploy");
    expect(server.requests.slice(0, 4).map(({ body }) => body.model)).toEqual(["model", "other", "other", "model"]);
    const entries = agent.core.store.getEntries();
    expect(entries.filter(({ type }) => type === "usage")).toMatchObject([
      { kind: "judge", model: "other", usage: { input: 20, output: 3 } },
      { kind: "judge", model: "other", usage: { input: 30, output: 4 } },
    ]);
    expect(JSON.stringify(entries)).not.toContain("Nobody deploys");
  });

  test("may neither read what a rule of the settings denies nor use other tools", async () => {
    const permissions = { deny: ["Read(rules.txt)"] };
    const { agent, server } = await startBench({
      files: { ".claude/settings.json": settings({}, { permissions }), ...files },
      replies: [
        bash,
        read(),
        { toolCalls: [{ name: "bash", arguments: { command: "cat rules.txt" } }] },
        says({ ok: false, reason: "cannot tell" }),
        { text: "ok" },
      ],
    });
    await agent.prompt("Deploy");
    expect(sentTo(server, 2).at(-1)).toContain('denied by the rule "Read(rules.txt)"');
    expect(sentTo(server, 3).at(-1)).toContain('There is no tool "bash"; use read, grep, find, ls.');
    expect(JSON.stringify(server.requests.map(({ body }) => body))).not.toContain("Nobody deploys");
  });

  test("has its calls judged by hooks of other lanes, whose edits count, and results redacted", async () => {
    const guard = `export default (pi) => {
  pi.on("tool_call", ({ toolName, input }) => { if (toolName === "read") input.path = "other.txt"; });
  pi.on("tool_result", ({ content }) => ({ content: [{ type: "text", text: content[0].text.replace("secret", "***") }] }));
};`;
    const { agent, server } = await startBench({
      files: {
        ".claude/settings.json": settings(),
        ...files,
        "other.txt": "a secret\n",
        "~/.hookline/extensions/guard.ts": guard,
      },
      replies: [bash, read(), says({ ok: false }), { text: "ok" }],
    });
    await agent.prompt("Deploy");
    expect(sentTo(server, 2).at(-1)).toContain("a ***");
  });

  test("gets hooks' remarks with a result, and a call that ends the run is refused", async () => {
    const bodies: any[] = [];
    const replies = [bash, read(), read("other.txt"), says({ ok: false, reason: "no" }), { text: "ok" }];
    const program = await startProgram({
      args: ["--trust-project", "-p", "Deploy"],
      files: {
        ".claude/settings.json": settings(),
        ...files,
        "~/library-handlers.mjs": `export default (hooks) => {
          hooks.on("tool.before", ({ args }) =>
            args.path === "other.txt" ? { halt: { reason: "for the person" } } : { remark: "before" });
          hooks.on("tool.after", () => ({ remark: "after" }));
        };`,
      },
      replies: ({ body }, index) => {
        bodies.push(body);
        return replies[index] ?? { text: "more requests than expected" };
      },
    });
    await program.finished;
    expect(JSON.stringify(bodies[2].messages.at(-1))).toMatch(/Nobody deploys.*before.*after/);
    expect(bodies[3].messages.at(-1).content).toContain("A hook ended the run, so this call was not run.");
    expect(JSON.stringify(bodies)).not.toContain("for the person");
  });

  test("has only those of its tools that the session is limited to", async () => {
    const { agent, server } = await startBench({
      args: ["--tools", "bash,grep"],
      files: { ".claude/settings.json": settings() },
      replies: [bash, says({ ok: false }), { text: "ok" }],
    });
    await agent.prompt("Deploy");
    expect(server.requests[1]?.body.tools.map((tool: any) => tool.function.name)).toEqual(["grep"]);
  });

  test("that listens to every tool is not asked about its own calls", async () => {
    const agent = { type: "agent", prompt: PROMPT, onFailure: "block" };
    const bench = await startBench({
      files: { ".claude/settings.json": JSON.stringify({ hooks: { PreToolUse: [{ hooks: [agent] }] } }), ...files },
      replies: [bash, read(), says({ ok: false, reason: "no" }), { text: "ok" }],
    });
    expect(await bench.agent.prompt("Deploy")).toMatchObject({ kind: "answered", text: "ok" });
    expect(bench.server.requests).toHaveLength(4);
    expect(sentTo(bench.server, 2).at(-1)).toContain("Nobody deploys on Friday.");
    expect(bench.notices()).toEqual([]);
  });

  test("is ended after its requests are used up, and its failure counts as the settings say", async () => {
    const { agent, server } = await startBench({
      files: { ".claude/settings.json": settings({ onFailure: "block" }), ...files },
      replies: ({ body }, index) =>
        index === 0
          ? bash
          : JSON.stringify(body.messages[0]).includes("You are a hook")
            ? read()
            : { text: "then not" },
    });
    expect(await agent.prompt("Deploy")).toMatchObject({ kind: "answered", text: "then not" });
    expect(server.requests).toHaveLength(52);
  });

  test("is ended at its deadline while a request is open", async () => {
    const { agent, server } = await startBench({
      files: { ".claude/settings.json": settings({ onFailure: "block", timeout: 0.3 }), ...files },
      replies: ({ body }, index) =>
        index === 0
          ? bash
          : JSON.stringify(body.messages[0]).includes("You are a hook")
            ? { fault: "hang" }
            : { text: "then not" },
    });
    expect(await agent.prompt("Deploy")).toMatchObject({ kind: "answered", text: "then not" });
    await server.requests[1]?.closed;
    expect(server.requests).toHaveLength(3);
  });
});
