import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Agent } from "../../src/agent/agent.ts";
import { forkSession } from "../../src/agent/branch.ts";
import { navigateTree } from "../../src/agent/navigate.ts";
import { SessionManager } from "../../src/session/session.ts";
import { sentTo, startBench } from "./bench.ts";

const repeated = [{ text: "one" }, { text: "two" }, { text: "three" }, { text: "four" }];
const rolesOf = ({ core }: Agent): string[] => core.store.buildSessionContext().messages.map(({ role }) => role);
const ownIds = ({ core }: Agent): string[] =>
  core.store
    .getBranch()
    .flatMap((entry) => (entry.type === "message" && entry.message.role === "user" ? [entry.id] : []));

test("a new session starts with the model and the level, like pi's", async () => {
  const { agent } = await startBench({ replies: repeated });
  expect(agent.core.store.getEntries()).toMatchObject([
    { type: "model_change", provider: "loop", modelId: "model" },
    { type: "thinking_level_change", thinkingLevel: "off" },
  ]);
});

test("a fork before a message contains what was before it, names its parent and returns the text", async () => {
  const { agent } = await startBench({ replies: repeated });
  await agent.prompt("First");
  await agent.prompt("Second");
  const parent = agent.core.store.getSessionFile();
  const forked = await forkSession(agent, ownIds(agent)[1] ?? "");
  expect(forked).toEqual({ cancelled: false, text: "Second" });
  expect(rolesOf(agent)).toEqual(["user", "assistant"]);
  expect(agent.core.store.getHeader().parentSession).toBe(parent);
  expect(SessionManager.open(parent ?? "").buildSessionContext().messages).toHaveLength(4);
});

test("a fork that keeps the conversation copies all of it", async () => {
  const { agent, hooks } = await startBench({ replies: repeated });
  hooks.on("session.before-branch", () => ({ skipConversationRestore: true }));
  await agent.prompt("First");
  await agent.prompt("Second");
  expect(await forkSession(agent, ownIds(agent)[0] ?? "")).toEqual({ cancelled: false });
  expect(rolesOf(agent)).toEqual(["user", "assistant", "user", "assistant"]);
});

test("a fork of an unknown entry, or before a reply, changes nothing", async () => {
  const { agent } = await startBench({ replies: repeated });
  await agent.prompt("First");
  const file = agent.core.store.getSessionFile();
  await expect(forkSession(agent, "nowhere")).rejects.toThrow("Invalid entry ID for forking");
  await expect(forkSession(agent, agent.core.store.getLeafId() ?? "")).rejects.toThrow("Invalid entry ID for forking");
  expect(agent.core.store.getSessionFile()).toBe(file);
});

test("the session that is open is not opened again", async () => {
  const { agent, hooks } = await startBench({ replies: repeated });
  await agent.prompt("First");
  let asked = false;
  hooks.on("session.before-switch", () => {
    asked = true;
    return undefined;
  });
  const { store } = agent.core;
  await agent.prompt(`/resume ${store.getSessionId()}`);
  await agent.prompt(`/resume ${store.getSessionFile()}`);
  await agent.services.control?.switchSession(store.getSessionFile() ?? "");
  expect(agent.core.store).toBe(store);
  expect(asked).toBe(false);
});

test("the beginning of an id that several sessions have opens none of them", async () => {
  const { agent } = await startBench({ replies: repeated });
  await agent.prompt("First");
  const common = agent.core.store.getSessionId().slice(0, 2);
  expect(await agent.prompt(`/resume ${common}`)).toEqual({ kind: "command" });
  await agent.prompt("/new");
  await agent.prompt("Second");
  const result = await agent.prompt(`/resume ${common}`);
  expect(result).toMatchObject({ kind: "failed", error: expect.stringContaining(common) });
});

test("a session in memory is forked in memory", async () => {
  const { agent } = await startBench({ replies: repeated, args: ["--no-session"] });
  await agent.prompt("First");
  await agent.prompt("Second");
  await forkSession(agent, ownIds(agent)[1] ?? "");
  expect(rolesOf(agent)).toEqual(["user", "assistant"]);
  await agent.prompt("/new");
  expect(agent.core.store.isPersisted()).toBe(false);
  expect(rolesOf(agent)).toEqual([]);
});

test("a move in the tree leads the next request down another branch", async () => {
  const { agent, server } = await startBench({ replies: repeated });
  await agent.prompt("First");
  await agent.prompt("Second");
  expect(await navigateTree(agent, ownIds(agent)[1] ?? "")).toMatchObject({ cancelled: false, text: "Second" });
  await agent.prompt("Instead");
  expect(sentTo(server, 2).slice(1)).toEqual(["user: First", "assistant: one", "user: Instead"]);
  await expect(navigateTree(agent, "nowhere")).rejects.toThrow("Entry nowhere not found");
});

test("a summary of the branch that is left is added, with the files that it touched", async () => {
  const { agent, server } = await startBench({
    replies: [
      { text: "one" },
      { toolCalls: [{ name: "write", arguments: { path: "made.txt", content: "x" } }] },
      { text: "two" },
      { text: "what was tried" },
      { text: "three" },
    ],
  });
  await agent.prompt("First");
  const first = agent.core.store.getLeafId() ?? "";
  await agent.prompt("Second");
  const { summaryEntry } = await navigateTree(agent, first, { summarize: true, customInstructions: "only the files" });
  expect(summaryEntry).toMatchObject({
    type: "branch_summary",
    details: { modifiedFiles: ["made.txt"], readFiles: [] },
  });
  expect(sentTo(server, 3).at(-1)).toContain("Above all: only the files");
  await agent.prompt("Third");
  expect(sentTo(server, 4).at(-2)).toMatch(/what was tried[\s\S]*made\.txt/);
});

test("a session that was interrupted in a call continues with a result for it", async () => {
  const bench = await startBench({ replies: [{ text: "one" }, { text: "went on" }] });
  await bench.agent.prompt("First");
  const file = bench.agent.core.store.getSessionFile() ?? "";
  const parentId = bench.agent.core.store.getLeafId();
  await bench.close();
  const call = { type: "toolCall", id: "call_9", name: "bash", arguments: { command: "make" } };
  const { message } = JSON.parse(readFileSync(file, "utf8").trim().split("\n").at(-1) ?? "{}");
  const entry = {
    type: "message",
    id: "deadbeef",
    parentId,
    timestamp: new Date().toISOString(),
    message: { ...message, content: [call], stopReason: "toolUse" },
  };
  appendFileSync(file, `${JSON.stringify(entry)}\n`);
  const { agent } = await bench.again(["--session", file]);
  await agent.prompt("Go on");
  expect(sentTo(bench.server, 1).slice(-2)).toEqual([
    "tool: The run was interrupted before this tool call gave a result. Its effects are unknown.",
    "user: Go on",
  ]);
});

test("a continued session has the same context, and restores its model", async () => {
  const bench = await startBench({ replies: repeated, args: [] });
  await bench.agent.prompt("/model loop/other");
  await bench.agent.prompt("First");
  await bench.agent.prompt("/name tried");
  const before = bench.agent.core.store.buildSessionContext();
  await bench.close();
  const { agent } = await bench.again(["-c"]);
  expect(agent.core.store.buildSessionContext()).toEqual(before);
  expect(agent.core.store.getSessionName()).toBe("tried");
});

test("an emptied context stays empty when the session is opened again, and its history stays in the file", async () => {
  const bench = await startBench({ replies: repeated });
  await bench.agent.prompt("First");
  await bench.agent.prompt("/clear");
  await bench.close();
  const { agent } = await bench.again(["-c"]);
  expect(rolesOf(agent)).toEqual([]);
  expect(agent.core.store.getEntries().filter(({ type }) => type === "message")).toHaveLength(2);
  await agent.prompt("Anew");
  expect(sentTo(bench.server, 1).slice(1)).toEqual(["user: Anew"]);
});

test("commands of extensions get a context of the session that they opened", async () => {
  const { agent } = await startBench({
    replies: [{ text: "answered in the new one" }],
    files: {
      ".pi/extensions/e.ts": `
export default function (pi) {
  pi.registerCommand("hand-over", {
    handler: async (args, ctx) => {
      const old = ctx.sessionManager.getSessionId();
      await ctx.newSession({
        setup: async (sm) => { sm.appendSessionInfo("handed over"); },
        withSession: async (next) => {
          if (next.sessionManager.getSessionId() === old) throw new Error("the old one");
          await next.sendUserMessage(args);
        },
      });
    },
  });
}
`,
    },
  });
  await agent.prompt("/hand-over the rest");
  await agent.waitForIdle();
  await expect.poll(() => rolesOf(agent)).toEqual(["user", "assistant"]);
  expect(agent.core.store.getSessionName()).toBe("handed over");
});

test("an exported session is a page without markup from the conversation, or the file itself", async () => {
  const { agent, project } = await startBench({ replies: [{ text: "<script>alert(1)</script>" }] });
  await agent.prompt("Say it");
  await agent.prompt("/export out.html");
  const page = readFileSync(`${project}/out.html`, "utf8");
  expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  expect(page).not.toContain("<script>");
  await agent.prompt("/export out.jsonl");
  expect(SessionManager.open(`${project}/out.jsonl`).buildSessionContext().messages).toHaveLength(2);
  expect(existsSync(`${project}/out.jsonl`)).toBe(true);
});
