import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SideCall, SideGuards } from "../../src/compat/side/parts.ts";
import { lentPlace } from "./lent.ts";

const said = (message: any): string => message.content.map(({ text = "" }: any) => text).join("");

/** A loader of an extension's own, as those that ask something on the side write it. */
function ownLoader(createExtensionRuntime: () => object, system: string) {
  const extensions = { extensions: [], errors: [], runtime: createExtensionRuntime() };
  return {
    getExtensions: () => extensions,
    getSkills: () => ({ skills: [], diagnostics: [] }),
    getPrompts: () => ({ prompts: [], diagnostics: [] }),
    getThemes: () => ({ themes: [], diagnostics: [] }),
    getAgentsFiles: () => ({ agentsFiles: [] }),
    getSystemPrompt: () => system,
    getAppendSystemPrompt: () => ["Be brief."],
    extendResources: () => {},
    reload: async () => {},
  };
}

test("an extension opens a side session with its own loader, and gets the answer as it arrives", async () => {
  await using place = lentPlace([{ text: "forty-two" }]);
  const pi = await place.use("pi-coding-agent", "createAgentSession", "createExtensionRuntime", "SessionManager");
  const { session } = await pi.createAgentSession({
    sessionManager: pi.SessionManager.inMemory(),
    model: place.model,
    modelRegistry: place.lent.registry,
    thinkingLevel: "off",
    tools: [],
    resourceLoader: ownLoader(pi.createExtensionRuntime, "You answer asides."),
  });
  session.agent.state.messages = [{ role: "user", content: [{ type: "text", text: "earlier" }], timestamp: 1 }];
  const events: string[] = [];
  session.subscribe((event: any) => events.push(event.type));
  await session.prompt("What is it?", { source: "extension" });
  expect(session.state.messages.map(({ role }: any) => role)).toEqual(["user", "user", "assistant"]);
  expect(session.getLastAssistantText()).toBe("forty-two");
  expect(events[0]).toBe("agent_start");
  expect(events).toContain("message_update");
  expect(events.slice(-2)).toEqual(["agent_end", "agent_settled"]);
  expect(session.systemPrompt).toContain("You answer asides.\n\nBe brief.");
  expect(session.getSessionStats()).toMatchObject({ userMessages: 2, assistantMessages: 1, toolCalls: 0 });
  session.dispose();
});

test("its model calls built-in tools and the extension's, and no inactive ones", async () => {
  await using place = lentPlace([
    { toolCalls: [{ name: "note", arguments: { text: "a" } }] },
    { toolCalls: [{ name: "read", arguments: { path: "f.txt" } }] },
    { toolCalls: [{ name: "bash", arguments: { command: "touch made" } }] },
    { text: "done" },
  ]);
  writeFileSync(join(place.folder, "f.txt"), "content\n");
  const noted: unknown[] = [];
  const note = {
    name: "note",
    label: "Note",
    description: "Notes.",
    parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    async execute(_id: string, args: unknown, _signal: unknown, _update: unknown, ctx: any) {
      noted.push(args, ctx.cwd, ctx.hasUI);
      return { content: [{ type: "text", text: "noted" }], details: {} };
    },
  };
  const { createAgentSession, SessionManager } = await place.use("pi-coding-agent");
  const { session } = await createAgentSession({
    cwd: place.folder,
    model: place.model,
    tools: ["read", "note"],
    customTools: [note],
    sessionManager: SessionManager.inMemory(place.folder),
  });
  expect(session.getActiveToolNames()).toEqual(["read", "note"]);
  await session.prompt("go");
  const results = session.messages.filter(({ role }: any) => role === "toolResult");
  expect(results.map(said)).toEqual(["noted", expect.stringContaining("content"), expect.stringContaining("bash")]);
  expect(results.map(({ isError }: any) => isError)).toEqual([false, false, true]);
  expect(noted).toEqual([{ text: "a" }, place.folder, false]);
  expect(session.sessionManager.getEntries().filter(({ type }: any) => type === "message")).toHaveLength(8);
});

test("the session's guards judge its calls, see the final arguments and edit its results", async () => {
  await using place = lentPlace([
    { toolCalls: [{ name: "bash", arguments: { command: "rm -rf x" } }] },
    { toolCalls: [{ name: "bash", arguments: { command: "echo secret" } }] },
    { text: "done" },
  ]);
  const asked: SideCall[] = [];
  const guards: SideGuards = {
    async before(call) {
      asked.push(call);
      const { command } = call.args as { command: string };
      return command.startsWith("rm") ? { refused: "not that" } : { args: { command: `${command} twice` } };
    },
    async after(call, result) {
      asked.push(call);
      return { ...result, content: [{ type: "text", text: said(result).replace("secret", "***").trim() }] };
    },
  };
  const { createAgentSession, SessionManager } = await place.use("pi-coding-agent");
  Object.assign(place.lent, { guards });
  const { session } = await createAgentSession({
    cwd: place.folder,
    model: place.model,
    sessionManager: SessionManager.inMemory(),
  });
  await session.prompt("go");
  const results = session.messages.filter(({ role }: any) => role === "toolResult").map(said);
  expect(results).toEqual(["not that", "*** twice"]);
  expect(asked.map(({ args }) => args["command"])).toEqual(["rm -rf x", "echo secret", "echo secret twice"]);
});

test("an edit that does not fit the tool refuses the call", async () => {
  await using place = lentPlace([{ toolCalls: [{ name: "bash", arguments: { command: "ls" } }] }, { text: "done" }]);
  const { createAgentSession, SessionManager } = await place.use("pi-coding-agent");
  Object.assign(place.lent, {
    guards: { before: async () => ({ args: {} }), after: async (_: unknown, r: unknown) => r },
  });
  const { session } = await createAgentSession({ model: place.model, sessionManager: SessionManager.inMemory() });
  await session.prompt("go");
  const [result] = session.messages.filter(({ role }: any) => role === "toolResult");
  expect(result.isError).toBe(true);
  expect(said(result)).toContain("command");
});

test("without a model it says what is missing, and an abort ends it", async () => {
  await using place = lentPlace([{ text: "never", delayMs: 60_000 } as never]);
  const { createAgentSession, SessionManager } = await place.use("pi-coding-agent");
  const without = await createAgentSession({ sessionManager: SessionManager.inMemory(), tools: [] });
  await expect(without.session.prompt("x")).rejects.toThrow("No model");
  const { session } = await createAgentSession({
    model: place.model,
    sessionManager: SessionManager.inMemory(),
    tools: [],
  });
  const running = session.prompt("x");
  expect(session.isStreaming).toBe(true);
  await expect(session.prompt("y")).rejects.toThrow("streamingBehavior");
  await session.abort();
  await running;
  expect(session.isIdle).toBe(true);
  expect(session.messages.at(-1).stopReason).toBe("aborted");
});

test("the default loader reads what pi reads, and says that it loads no extensions", async () => {
  await using place = lentPlace();
  const { DefaultResourceLoader, SettingsManager } = await place.use("pi-coding-agent");
  const agentDir = join(place.folder, "agent");
  mkdirSync(join(agentDir, "skills/greet"), { recursive: true });
  mkdirSync(join(place.folder, ".pi/prompts"), { recursive: true });
  writeFileSync(join(agentDir, "skills/greet/SKILL.md"), "---\nname: greet\ndescription: Greets.\n---\nSay hello.\n");
  writeFileSync(join(place.folder, ".pi/prompts/hi.md"), "Hello $1");
  writeFileSync(join(place.folder, ".pi/SYSTEM.md"), "You greet.");
  writeFileSync(join(place.folder, "AGENTS.md"), "Be kind.");
  const loader = new DefaultResourceLoader({
    cwd: place.folder,
    agentDir,
    settingsManager: SettingsManager.inMemory(),
    appendSystemPrompt: ["And brief."],
    additionalExtensionPaths: ["/x.ts"],
  });
  await loader.reload();
  expect(loader.getSkills().skills).toMatchObject([{ name: "greet", description: "Greets." }]);
  expect(loader.getPrompts().prompts).toMatchObject([{ name: "hi", content: "Hello $1" }]);
  expect(loader.getSystemPrompt()).toBe("You greet.");
  expect(loader.getSystemPromptSource()).toEqual({ path: join(place.folder, ".pi/SYSTEM.md") });
  expect(loader.getAppendSystemPrompt()).toEqual(["And brief."]);
  expect(loader.getAgentsFiles().agentsFiles.at(-1)).toMatchObject({ content: "Be kind." });
  expect(loader.getExtensions().errors).toMatchObject([{ path: "/x.ts" }]);
});
