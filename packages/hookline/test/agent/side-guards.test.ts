import { expect, test } from "vitest";
import { startProgram } from "./program.ts";

/** An extension that asks on the side, with tools, when `/aside` is typed. */
const ASIDE = `import { createAgentSession, createExtensionRuntime, SessionManager } from "@earendil-works/pi-coding-agent";
const loader = {
  getExtensions: () => ({ extensions: [], errors: [], runtime: createExtensionRuntime() }),
  getSkills: () => ({ skills: [], diagnostics: [] }),
  getPrompts: () => ({ prompts: [], diagnostics: [] }),
  getThemes: () => ({ themes: [], diagnostics: [] }),
  getAgentsFiles: () => ({ agentsFiles: [] }),
  getSystemPrompt: () => "You answer asides.",
  getAppendSystemPrompt: () => [],
};
export default (pi) => {
  pi.registerCommand("aside", {
    async handler(text, ctx) {
      const { session } = await createAgentSession({
        sessionManager: SessionManager.inMemory(),
        model: ctx.model,
        modelRegistry: ctx.modelRegistry,
        tools: ["bash"],
        resourceLoader: loader,
      });
      await session.prompt(text);
      ctx.ui.notify(session.getLastAssistantText(), "info");
      const results = session.messages.filter(({ role }) => role === "toolResult");
      for (const { isError, content } of results) ctx.ui.notify(isError + ": " + content[0].text.trim(), "info");
      session.dispose();
    },
  });
};
`;

const GUARD = `export default (pi) => {
  pi.on("tool_call", ({ input }) => (input.command.includes("rm") ? { block: true, reason: "no removing" } : undefined));
  pi.on("tool_result", ({ content }) => ({ content: [{ type: "text", text: content[0].text.replace("secret", "***") }] }));
};
`;

test("a side session of an extension goes to the session's model, and its calls are judged by the session's hooks", async () => {
  const prompts: string[] = [];
  const program = await startProgram({
    args: ["--mode", "rpc"],
    files: { "~/.hookline/extensions/aside.ts": ASIDE, "~/.hookline/extensions/guard.ts": GUARD },
    stdin: "open",
    replies: ({ body }) => {
      prompts.push(body.messages[0].content);
      const results = body.messages.filter(({ role }: any) => role === "tool").length;
      const commands = ["rm -rf everything", "echo a secret"];
      return commands[results] === undefined
        ? { text: "the answer" }
        : { toolCalls: [{ name: "bash", arguments: { command: commands[results] } }] };
    },
  });
  program.send({ id: "1", type: "prompt", message: "/aside what is it?" });
  await program.line(({ type, id }) => type === "response" && id === "1");
  const told = program.lines.filter(({ method }) => method === "notify").map(({ message }) => message);
  expect(told).toEqual(["the answer", "true: no removing", "false: a ***"]);
  expect(prompts[0]).toContain("You answer asides.");
  program.child.stdin.end();
  expect((await program.finished).code).toBe(0);
});

test("hooks' remarks on a side call are added to its result, and a halt refuses it", async () => {
  const seen: string[] = [];
  const program = await startProgram({
    args: ["--mode", "rpc"],
    files: {
      "~/.hookline/extensions/aside.ts": ASIDE,
      "~/library-handlers.mjs": `export default (hooks) => {
        hooks.on("tool.before", ({ args }) =>
          args.command.includes("rm") ? { halt: { reason: "S-for-the-person" } } : { remark: "before" });
        hooks.on("tool.after", () => ({ remark: "after" }));
      };`,
    },
    stdin: "open",
    replies: ({ body }) => {
      const results = body.messages.filter(({ role }: any) => role === "tool");
      seen.push(...results.map(({ content }: any) => JSON.stringify(content)));
      const command = ["echo out", "rm -rf everything"][results.length];
      return command === undefined ? { text: "the answer" } : { toolCalls: [{ name: "bash", arguments: { command } }] };
    },
  });
  program.send({ id: "1", type: "prompt", message: "/aside what is it?" });
  await program.line(({ type, id }) => type === "response" && id === "1");
  const told = program.lines.filter(({ method }) => method === "notify").map(({ message }) => message);
  expect(told.at(-1)).toBe("true: A hook ended the run, so this call was not run.");
  expect(seen[0]).toMatch(/out.*before.*after/);
  expect(seen.join()).not.toContain("S-for-the-person");
});
