import { describe, expect, test } from "vitest";
import { openWith, type TestFactory } from "./kit.ts";

const on =
  (event: string, handler: (event: any, ctx: any) => unknown): TestFactory =>
  (pi) =>
    pi.on(event, handler);
/** An extension that records every event of these names. */
const recording =
  (seen: unknown[], ...names: string[]): TestFactory =>
  (pi) => {
    for (const name of names) pi.on(name, (event: unknown) => void seen.push(event));
  };

describe("session_start and its like", () => {
  test.each(["startup", "reload", "new", "resume", "fork"] as const)(
    "session_start fires for %s [pi.session.1]",
    async (reason) => {
      const seen: unknown[] = [];
      await using opened = await openWith([recording(seen, "session_start")]);
      await opened.session.emit("session.start", { reason, previousSessionFile: "/old.jsonl" });
      expect(seen).toEqual([{ type: "session_start", reason, previousSessionFile: "/old.jsonl" }]);
    },
  );

  test("state is restored from the session's entries [pi.session.2]", async () => {
    let state: unknown;
    const branch = [
      { type: "message" },
      { type: "custom", customType: "other", data: 0 },
      { type: "custom", customType: "my-state", data: { n: 1 } },
    ];
    await using opened = await openWith(
      [
        on("session_start", (_, ctx) => {
          for (const entry of ctx.sessionManager.getBranch())
            if (entry.type === "custom" && entry.customType === "my-state") state = entry.data;
        }),
      ],
      { services: { sessionManager: { getBranch: () => branch } } },
    );
    await opened.session.emit("session.start", { reason: "startup" });
    expect(state).toEqual({ n: 1 });
  });

  test("without a host's session the conversation is there as entries", async () => {
    let branch: any[] = [];
    const messages = () => [{ role: "user" as const, content: "hi", timestamp: 5 }];
    await using opened = await openWith(
      [on("session_start", (_, ctx) => void (branch = ctx.sessionManager.getBranch()))],
      { scene: { messages } },
    );
    await opened.session.emit("session.start", { reason: "startup" });
    expect(branch).toMatchObject([{ type: "message", id: "m0", parentId: null, message: messages()[0] }]);
  });

  test("session_shutdown tells the reason, and every handler is awaited [pi.shutdown.2]", async () => {
    const done: string[] = [];
    const slow = (name: string) =>
      on("session_shutdown", async (event) => {
        await new Promise((resolve) => setImmediate(resolve));
        done.push(`${name} ${event.reason} ${event.targetSessionFile}`);
      });
    await using opened = await openWith([slow("A"), slow("B")]);
    await opened.session.emit("session.end", { reason: "resume", targetSessionFile: "/t.jsonl" });
    expect(done).toEqual(["A resume /t.jsonl", "B resume /t.jsonl"]);
  });

  test("session_info_changed tells the name", async () => {
    const seen: unknown[] = [];
    await using opened = await openWith([recording(seen, "session_info_changed")]);
    await opened.session.emit("session.info", { name: "n" });
    expect(seen).toEqual([{ type: "session_info_changed", name: "n" }]);
  });
});

describe("switch", () => {
  test("both events fire for /new and /resume and have the reason and the files [pi.switch.1, pi.switch.2]", async () => {
    const seen: unknown[] = [];
    await using opened = await openWith([recording(seen, "session_before_switch", "session_switch")]);
    await opened.session.emit("session.before-switch", { reason: "new" });
    await opened.session.emit("session.before-switch", { reason: "resume", targetSessionFile: "/t.jsonl" });
    await opened.session.emit("session.switch", { reason: "resume", previousSessionFile: "/p.jsonl" });
    expect(seen).toEqual([
      { type: "session_before_switch", reason: "new" },
      { type: "session_before_switch", reason: "resume", targetSessionFile: "/t.jsonl" },
      { type: "session_switch", reason: "resume", previousSessionFile: "/p.jsonl" },
    ]);
  });

  test("a fork is no switch", async () => {
    const seen: unknown[] = [];
    await using opened = await openWith([recording(seen, "session_before_switch", "session_switch")]);
    await opened.session.emit("session.before-switch", { reason: "fork" });
    await opened.session.emit("session.switch", { reason: "fork" });
    expect(seen).toEqual([]);
  });

  test("the first `cancel` prevents the switch, and no other hook is asked [pi.switch.3, pi.order.4]", async () => {
    const asked: string[] = [];
    await using opened = await openWith([
      on("session_before_switch", () => void asked.push("A")),
      on("session_before_switch", () => ({ cancel: true })),
      on("session_before_switch", () => void asked.push("C")),
    ]);
    expect((await opened.session.emit("session.before-switch", { reason: "new" })).answer).toEqual({ cancel: true });
    expect(asked).toEqual(["A"]);
  });

  test("a handler that throws is reported, and the switch goes on", async () => {
    await using opened = await openWith([
      on("session_before_switch", () => {
        throw new Error("boom");
      }),
    ]);
    expect((await opened.session.emit("session.before-switch", { reason: "new" })).answer).toEqual({});
    expect(opened.codes()).toEqual(["HOOK_THREW", "FAILED_OPEN"]);
  });
});

describe("fork", () => {
  test("both events fire, with the entry and the old file [pi.fork.1, pi.fork.2]", async () => {
    const seen: unknown[] = [];
    await using opened = await openWith([recording(seen, "session_before_fork", "session_fork")]);
    await opened.session.emit("session.before-branch", { entryId: "e1" });
    await opened.session.emit("session.before-branch", { entryId: "e2", position: "at" });
    await opened.session.emit("session.branch", { previousSessionFile: "/p.jsonl" });
    expect(seen).toEqual([
      { type: "session_before_fork", entryId: "e1", position: "before" },
      { type: "session_before_fork", entryId: "e2", position: "at" },
      { type: "session_fork", previousSessionFile: "/p.jsonl" },
    ]);
  });

  test.each([
    [{ cancel: true }, { cancel: true }],
    [{ skipConversationRestore: true }, { skipConversationRestore: true }],
    [{ cancel: true, skipConversationRestore: true }, { cancel: true }],
    [{ cancel: false }, {}],
    [undefined, {}],
  ])("%j is %j to the host [pi.fork.3, pi.fork.4]", async (raw, answer) => {
    await using opened = await openWith([on("session_before_fork", () => raw)]);
    expect((await opened.session.emit("session.before-branch", { entryId: "e" })).answer).toEqual(answer);
  });

  test("the last object counts whole, an empty one too", async () => {
    await using opened = await openWith([
      on("session_before_fork", () => ({ skipConversationRestore: true })),
      on("session_before_fork", () => ({})),
    ]);
    expect((await opened.session.emit("session.before-branch", { entryId: "e" })).answer).toEqual({});
  });
});

describe("compaction", () => {
  const signal = new AbortController().signal;
  const preparation = { firstKeptEntryId: "e3", tokensBefore: 900 };
  const compact = {
    kind: "full" as const,
    trigger: "manual" as const,
    messages: [],
    systemPrompt: "base",
    preparation,
    branchEntries: [{ type: "message", id: "e1", parentId: null, timestamp: "t" }],
    customInstructions: "short",
    willRetry: false,
    signal,
    messageCount: 3,
    nonSystemCount: 3,
    summary: "",
  };
  const done = {
    kind: "full" as const,
    trigger: "threshold" as const,
    messages: [],
    fromExtension: true,
    messageCount: 1,
    messagesArchived: 2,
    summary: "s",
  };

  test("the event has what was prepared, the branch, the instructions and a signal [pi.compact.2]", async () => {
    const seen: any[] = [];
    await using opened = await openWith([recording(seen, "session_before_compact")]);
    await opened.session.emit("compact.before", compact);
    expect(seen).toEqual([
      {
        type: "session_before_compact",
        preparation,
        branchEntries: compact.branchEntries,
        customInstructions: "short",
        reason: "manual",
        willRetry: false,
        signal,
      },
    ]);
    expect(seen[0].signal).toBe(signal);
  });

  test("it fires for manual and automatic compactions and not for old tool results alone [pi.compact.1]", async () => {
    const seen: any[] = [];
    await using opened = await openWith([recording(seen, "session_before_compact", "session_compact")]);
    const entry = { type: "compaction", id: "e9", parentId: null, timestamp: "t" };
    for (const trigger of ["manual", "threshold", "overflow"] as const) {
      await opened.session.emit("compact.before", { ...compact, trigger });
      await opened.session.emit("compact.after", { ...done, trigger, compactionEntry: entry });
    }
    await opened.session.emit("compact.before", { ...compact, kind: "micro" });
    await opened.session.emit("compact.after", { ...done, kind: "micro" });
    expect(seen.map(({ type, reason }) => `${type} ${reason}`)).toEqual([
      "session_before_compact manual",
      "session_compact manual",
      "session_before_compact threshold",
      "session_compact threshold",
      "session_before_compact overflow",
      "session_compact overflow",
    ]);
    expect(seen[1]).toMatchObject({ compactionEntry: entry, fromExtension: true });
  });

  test("a rolling compaction, which has nothing prepared, is shown in the same shape", async () => {
    const seen: any[] = [];
    await using opened = await openWith([recording(seen, "session_before_compact")]);
    const { preparation: _p, branchEntries: _b, customInstructions: _c, signal: _s, ...rolling } = compact;
    await opened.session.emit("compact.before", { ...rolling, kind: "rolling", summary: "so far" });
    expect(seen[0]).toMatchObject({
      branchEntries: [],
      preparation: { messagesToSummarize: [], previousSummary: "so far" },
    });
    expect(seen[0].signal).toBeInstanceOf(AbortSignal);
  });

  test("`cancel` prevents it [pi.compact.3]", async () => {
    await using opened = await openWith([on("session_before_compact", () => ({ cancel: true }))]);
    expect((await opened.session.emit("compact.before", compact)).answer).toEqual({ cancel: true });
  });

  test("a compaction of the extension's own is used [pi.compact.4]", async () => {
    await using opened = await openWith([
      on("session_before_compact", (event) => ({
        compaction: {
          summary: "My custom summary",
          firstKeptEntryId: event.preparation.firstKeptEntryId,
          tokensBefore: event.preparation.tokensBefore,
        },
      })),
    ]);
    expect((await opened.session.emit("compact.before", compact)).answer).toEqual({
      compaction: { summary: "My custom summary", firstKeptEntryId: "e3", tokensBefore: 900 },
    });
  });

  test("a compaction without a summary is reported and left out", async () => {
    await using opened = await openWith([
      on("session_before_compact", () => ({ compaction: { firstKeptEntryId: "e" } })),
    ]);
    expect((await opened.session.emit("compact.before", compact)).answer).toEqual({});
    expect(opened.codes()).toEqual(["HOOK_ODD_ANSWER"]);
  });

  test("a later object replaces an earlier compaction", async () => {
    await using opened = await openWith([
      on("session_before_compact", () => ({ compaction: { summary: "first" } })),
      on("session_before_compact", () => ({ compaction: { summary: "second" } })),
    ]);
    expect((await opened.session.emit("compact.before", compact)).answer).toEqual({
      compaction: { summary: "second" },
    });
  });

  test("session_compact_failed tells why", async () => {
    const seen: unknown[] = [];
    await using opened = await openWith([recording(seen, "session_compact_failed")]);
    await opened.session.emit("compact.failed", {
      trigger: "overflow",
      aborted: true,
      willRetry: true,
      fromExtension: false,
    });
    expect(seen).toEqual([
      { type: "session_compact_failed", reason: "overflow", aborted: true, willRetry: true, fromExtension: false },
    ]);
  });
});

describe("tree", () => {
  const signal = new AbortController().signal;
  const payload = { preparation: { targetId: "e1", oldLeafId: "e9" }, signal };

  test("both events fire and have what they know [pi.tree.1, pi.tree.2]", async () => {
    const seen: unknown[] = [];
    await using opened = await openWith([recording(seen, "session_before_tree", "session_tree")]);
    await opened.session.emit("session.before-tree", payload);
    await opened.session.emit("session.tree", { newLeafId: "e1", oldLeafId: null, fromExtension: true });
    expect(seen).toEqual([
      { type: "session_before_tree", ...payload },
      { type: "session_tree", newLeafId: "e1", oldLeafId: null, fromExtension: true },
    ]);
  });

  test.each([
    [{ cancel: true }, { cancel: true }],
    [
      { summary: { summary: "Custom branch summary" }, label: "my-label" },
      { summary: { summary: "Custom branch summary" }, label: "my-label" },
    ],
    [
      { customInstructions: "c", replaceInstructions: true },
      { customInstructions: "c", replaceInstructions: true },
    ],
    [{}, {}],
  ])("%j is %j to the host [pi.tree.3, pi.tree.4]", async (raw, answer) => {
    await using opened = await openWith([on("session_before_tree", () => raw)]);
    expect((await opened.session.emit("session.before-tree", payload)).answer).toEqual(answer);
  });

  test("answers are not merged: the last object is all that counts", async () => {
    await using opened = await openWith([
      on("session_before_tree", () => ({ label: "lost" })),
      on("session_before_tree", () => ({ summary: { summary: "kept" } })),
    ]);
    expect((await opened.session.emit("session.before-tree", payload)).answer).toEqual({
      summary: { summary: "kept" },
    });
  });
});

describe("resources_discover", () => {
  test("the paths of all extensions are kept, in order [pi.resources.2, pi.resources.4]", async () => {
    await using opened = await openWith([
      on("resources_discover", () => ({
        skillPaths: ["/a/SKILL.md"],
        promptPaths: ["/a.md"],
        themePaths: ["/a.json"],
      })),
      on("resources_discover", () => ({ skillPaths: ["/b/SKILL.md"] })),
    ]);
    const { answer } = await opened.session.emit("resources.discover", { cwd: "/p", reason: "startup" });
    expect(answer.skillPaths?.flat()).toEqual(["/a/SKILL.md", "/b/SKILL.md"]);
    expect(answer.promptPaths?.flat()).toEqual(["/a.md"]);
    expect(answer.themePaths?.flat()).toEqual(["/a.json"]);
  });

  test.each(["startup", "reload"] as const)("the event has cwd and reason: %s [pi.resources.3]", async (reason) => {
    const seen: unknown[] = [];
    await using opened = await openWith([recording(seen, "resources_discover")]);
    await opened.session.emit("resources.discover", { cwd: "/p", reason });
    expect(seen).toEqual([{ type: "resources_discover", cwd: "/p", reason }]);
  });

  test("a value that is not a list is left out and reported", async () => {
    await using opened = await openWith([on("resources_discover", () => ({ skillPaths: "/a", themePaths: ["/t"] }))]);
    const { answer } = await opened.session.emit("resources.discover", { cwd: "/p", reason: "startup" });
    expect(answer).toEqual({ themePaths: ["/t"] });
    expect(opened.codes()).toEqual(["HOOK_ODD_ANSWER"]);
  });
});

describe("project_trust", () => {
  test("the first yes or no counts, `undecided` asks the next", async () => {
    const asked: string[] = [];
    await using opened = await openWith([
      on("project_trust", () => ({ trusted: "undecided" })),
      on("project_trust", () => ({ trusted: "no", remember: true })),
      on("project_trust", () => void asked.push("C")),
    ]);
    const { answer } = await opened.session.emit("project.trust", { cwd: "/p" });
    expect(answer).toEqual({ trusted: "no", remember: true });
    expect(asked).toEqual([]);
  });

  test.each([undefined, {}, { trusted: true }])("%j decides nothing and is reported", async (raw) => {
    await using opened = await openWith([on("project_trust", () => raw)]);
    expect((await opened.session.emit("project.trust", { cwd: "/p" })).answer).toEqual({});
    expect(opened.codes()).toEqual(["HOOK_BAD_ANSWER", "FAILED_OPEN"]);
  });
});

test("ui_prompt_start and ui_prompt_end tell the kind and title", async () => {
  const seen: unknown[] = [];
  await using opened = await openWith([recording(seen, "ui_prompt_start", "ui_prompt_end")]);
  await opened.session.emit("ui.prompt-start", { kind: "select", title: "T" });
  await opened.session.emit("ui.prompt-end", { kind: "custom" });
  expect(seen).toEqual([
    { type: "ui_prompt_start", reason: "ui_prompt", kind: "select", title: "T" },
    { type: "ui_prompt_end", reason: "ui_prompt", kind: "custom" },
  ]);
});
