import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { storeOutput } from "../../src/cache/store.ts";
import { contextPaths } from "../../src/context/home.ts";
import { lastSession } from "../../src/context/last-session.ts";
import { readState } from "../../src/context/state.ts";
import { CONTEXT_TOOLS, contextTools } from "../../src/context/tools.ts";
import { Inbox } from "../../src/mail/inbox.ts";
import { newLetter } from "../../src/mail/letter.ts";
import { acquireLock } from "../../src/session/lock.ts";
import type { Tool } from "../../src/tool/tool.ts";
import { MAX_REFLECTION } from "../../src/tool/update-reflection.ts";
import { lasting, scratch, stage } from "./scratch.ts";

const big = [{ type: "text", text: "x".repeat(5000) }] as const;
const output = (about: object = {}) =>
  ({ toolCallId: "1", tool: "bash", type: "builtin", args: {}, content: big, ...about }) as never;

test("the list of the tools' names has each tool, in its order", () => {
  expect([...contextTools({} as never).keys()]).toEqual(CONTEXT_TOOLS);
});

describe("without a context and without a plugin", () => {
  test("everything is off and nothing is written", async () => {
    const home = scratch();
    const { contexts, events } = stage(home);
    await contexts.begin();
    expect(contexts).toMatchObject({ active: false, name: "default", todos: "", goals: "", summary: "" });
    expect(contexts.tools().size).toBe(0);
    expect(contexts.sections()).toEqual([]);
    expect(contexts.opening()).toBeUndefined();
    expect(await contexts.receive("go")).toBe("go");
    expect(await contexts.keep(output())).toBeUndefined();
    expect(await contexts.settle(true)).toBeUndefined();
    contexts.close();
    expect(readdirSync(home)).toEqual([]);
    expect(events).toEqual([]);
  });

  test("a plugin that is loaded later switches it on", () => {
    const about = { plugins: false };
    const { contexts } = stage(scratch(), undefined, about);
    expect(contexts.active).toBe(false);
    about.plugins = true;
    expect(contexts.active).toBe(true);
    expect([...contexts.tools().keys()]).toEqual([
      ...["update_todos", "update_goals", "send_message", "update_reflection"],
      ...["file_head", "file_tail", "file_lines", "file_grep", "cache_list"],
    ]);
  });
});

describe("a context that is asked for", () => {
  test("is told of once the session has started, and is current from then on", async () => {
    const home = scratch();
    const { contexts, events } = stage(home, lasting("work"));
    expect(contexts.name).toBe("default");
    await contexts.begin();
    expect(contexts.name).toBe("work");
    expect(events).toEqual([["context.switch", { from: "default", to: "work", transient: false }]]);
    expect(readState(home)).toMatchObject({ current: "work", previous: "default" });
    expect(contexts.previous).toBe("default");
  });

  test("is not written down as current when it is transient", async () => {
    const home = scratch();
    await stage(home, lasting("work")).contexts.begin();
    const { contexts, events } = stage(home, { request: "aside", transient: true });
    await contexts.begin();
    contexts.close();
    expect(events).toEqual([["context.switch", { from: "work", to: "aside", transient: true }]]);
    expect(readState(home)).toMatchObject({ current: "work", contexts: [{ name: "work" }] });
    expect(existsSync(contextPaths(home, "aside").folder)).toBe(true);
    expect(contexts.previous).toBe("work");
  });

  test("becoming another one changes texts, tools and mail, and `-` leads back", async () => {
    const home = scratch();
    const { contexts, events } = stage(home, lasting("a"));
    await contexts.begin();
    const { update_todos } = Object.fromEntries([...contexts.tools()].map(([name, { tool }]) => [name, tool as Tool]));
    await update_todos?.execute("1", { content: "of a" }, undefined, undefined, undefined);
    await contexts.become("b")();
    expect(contexts.todos).toBe("");
    await update_todos?.execute("1", { content: "of b" }, undefined, undefined, undefined);
    expect(readFileSync(contextPaths(home, "a").todos, "utf8")).toBe("of a");
    expect(contexts.todos).toBe("of b");
    expect(contexts.previous).toBe("a");
    expect(events.at(-1)).toEqual(["context.switch", { from: "a", to: "b", transient: false }]);
  });

  test("a request that names none is refused", () => {
    expect(() => stage(scratch(), lasting("a/b"))).toThrow("cannot name a context");
    expect(() => stage(scratch(), lasting("-"))).toThrow("There is no previous context.");
  });

  test("goes on in its last session from any folder, else in a new one", async () => {
    const home = scratch();
    const paths = contextPaths(home, "work");
    expect(stage(home, lasting("work")).contexts.startRequest()).toEqual({ kind: "new" });
    expect(stage(home).contexts.startRequest()).toBeUndefined();
    mkdirSync(paths.folder, { recursive: true });
    writeFileSync(paths.lastSession, '{"session":"/sessions/x.jsonl"}');
    expect(stage(home, lasting("work")).contexts.startRequest()).toEqual({
      kind: "file",
      path: "/sessions/x.jsonl",
      cwd: home,
    });
    for (const text of ["", "{}", '{"session":"relative"}', '{"session":3}', "null", "["]) {
      writeFileSync(paths.lastSession, text);
      expect(lastSession(paths)).toBeUndefined();
    }
  });
});

test("the file tools' outputs, and only theirs, are never cached", async () => {
  const home = scratch();
  const { contexts, events } = stage(home, undefined, { plugins: true });
  expect(await contexts.keep(output({ type: "file", tool: "file_lines" }))).toBeUndefined();
  expect(events).toEqual([]);
  const image = { type: "image", data: "", mimeType: "image/png" };
  const shown = await contexts.keep(output({ content: [image, ...big] }));
  expect(shown).toEqual([{ type: "text", text: expect.stringContaining("[Output cached: bash_") }, image]);
  expect(events.map(([event]) => event)).toEqual(["tool.cache-before", "tool.cached"]);
});

test("an output that cannot be stored is shown whole, and this is reported once", async () => {
  const home = scratch();
  const { contexts, warnings } = stage(home, undefined, { plugins: true });
  mkdirSync(contextPaths(home, "default").folder, { recursive: true });
  writeFileSync(contextPaths(home, "default").toolCache, "no folder");
  for (let time = 0; time < 2; time++) expect(await contexts.keep(output())).toBeUndefined();
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain("The model sees them whole.");
});

test("an inbox that cannot be read leaves the prompt as it is", async () => {
  const home = scratch();
  const { contexts, warnings } = stage(home, undefined, { plugins: true });
  mkdirSync(contextPaths(home, "default").inbox, { recursive: true });
  expect(await contexts.receive("go")).toBe("go");
  expect(warnings[0]).toContain("It stays as it is.");
});

test("lines of the inbox that are not messages are reported", async () => {
  const home = scratch();
  const { contexts, warnings } = stage(home, undefined, { plugins: true });
  const { folder, inbox } = contextPaths(home, "default");
  await new Inbox(contextPaths(home, "default")).append(newLetter({ from: "a", to: "default", content: "hi" }));
  writeFileSync(inbox, `nonsense\n${readFileSync(inbox, "utf8")}`);
  expect(await contexts.receive("go")).toMatch(/\[From: a\] hi\n/);
  expect(warnings[0]).toContain(`1 lines are not messages. They were moved to ${join(folder, "inbox.jsonl.bad")}.`);
});

test("a summary is written where plugins look for it, with what it stands for in the transcript", async () => {
  const home = scratch();
  const { contexts, store } = stage(home, lasting("work"));
  await contexts.begin();
  store.appendMessage({ role: "user", content: "long ago", timestamp: 1 });
  const kept = store.appendMessage({ role: "user", content: "now", timestamp: 2 });
  await contexts.settle(true);
  expect(existsSync(contexts.paths.summary)).toBe(false);
  store.appendCompaction("What was said.", kept, 10);
  await contexts.settle(true);
  await contexts.settle(true);
  expect(contexts.summary).toBe("What was said.");
  expect(readFileSync(contexts.paths.summary, "utf8")).toBe("What was said.");
  expect(readFileSync(contexts.paths.transcript, "utf8")).toBe("[USER]: long ago\n\n");
  store.resetLeaf();
  contexts.cleared([]);
  expect(readFileSync(contexts.paths.summary, "utf8")).toBe("");
});

test("a reflection that is too long is refused and the old one stays", async () => {
  const home = scratch();
  const { contexts } = stage(home, lasting("work"));
  const tool = contexts.tools().get("update_reflection")?.tool as Tool;
  const save = (content: string) => tool.execute("1", { content }, undefined, undefined, undefined);
  expect(await save("I like rivers.")).toMatchObject({
    content: [{ text: "Reflection updated successfully (14 characters)." }],
  });
  expect(await save("x".repeat(MAX_REFLECTION + 1))).toMatchObject({
    content: [{ text: expect.stringMatching(/^Error: Content exceeds the 10000 character limit \(10001 characters/) }],
    isError: true,
  });
  expect(contexts.sections()).toEqual(["I like rivers."]);
});

test("the end removes outputs of all contexts that are older than eight days", async () => {
  const home = scratch();
  const day = 86_400_000;
  const old = storeOutput(contextPaths(home, "other").toolCache, { tool: "a", args: {}, text: "x" }, 0).id;
  const kept = storeOutput(contextPaths(home, "other").toolCache, { tool: "a", args: {}, text: "x" }, 2 * day).id;
  const { contexts } = stage(home, lasting("work"), { now: () => 9 * day });
  await contexts.begin();
  contexts.close();
  const left = readdirSync(contextPaths(home, "other").toolCache);
  expect(left).toContain(`${kept}.cache`);
  expect(left).not.toContain(`${old}.cache`);
});

test("contexts whose time is over are removed at the start, whoever set it; the current one and busy ones stay", async () => {
  const home = scratch();
  const entry = (name: string, about: object) => ({ name, created_at: 1, last_activity_at: 50, ...about });
  const entries = [
    entry("current", { destroy_at: 60 }),
    entry("over", { destroy_at: 60 }),
    entry("idle", { destroy_after_seconds_inactive: 49 }),
    entry("wanted", { destroy_at: 60 }),
    entry("not-yet", { destroy_at: 100, destroy_after_seconds_inactive: 50 }),
    entry("never", { destroy_at: 0, destroy_after_seconds_inactive: 0 }),
    entry("busy", { destroy_at: 60 }),
  ];
  for (const { name } of entries) mkdirSync(contextPaths(home, name).folder, { recursive: true });
  writeFileSync(join(home, "state.json"), JSON.stringify({ contexts: entries, current_context: "current" }));
  const session = join(home, "busy.jsonl");
  writeFileSync(contextPaths(home, "busy").lastSession, JSON.stringify({ session }));
  const taken = acquireLock(session);
  const { contexts, warnings } = stage(home, lasting("wanted"), { now: () => 100_000 });
  await contexts.begin();
  if (taken.state === "locked") taken.lock.release();
  expect(contexts.place.names()).toEqual(["busy", "current", "never", "not-yet", "wanted"]);
  expect(readState(home).contexts.map(({ name }) => name)).toEqual(["busy", "current", "never", "not-yet", "wanted"]);
  expect(warnings).toHaveLength(2);
  expect(warnings[0]).toContain('The context "over" has expired');
});

test("a session that is in memory only leaves no transcript behind", async () => {
  const home = scratch();
  const { contexts, store } = stage(home, lasting("work"));
  await contexts.begin();
  store.appendMessage({ role: "user", content: "secret", timestamp: 1 });
  contexts.recorded();
  await contexts.settle(true);
  expect(existsSync(contexts.paths.window)).toBe(false);
  expect(existsSync(contexts.paths.logFolder)).toBe(false);
});

test("texts that another program changes meanwhile are the ones that count", async () => {
  const home = scratch();
  const { contexts } = stage(home, lasting("work"));
  await contexts.begin();
  writeFileSync(contexts.paths.goals, "first");
  expect(contexts.goals).toBe("first");
  writeFileSync(contexts.paths.goals, "second");
  utimesSync(contexts.paths.goals, 0, 0);
  expect(contexts.goals).toBe("second");
});
