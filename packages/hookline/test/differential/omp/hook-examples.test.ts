import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { startProgram } from "../../agent/program.ts";
import { bash, done, example, git, person } from "./client.ts";
import { peer } from "./peer.ts";

/** One print-mode run with an example hook: what the model was told of each tool call. */
async function printed(hook: string, replies: readonly any[]): Promise<{ code: number | null; results: string[] }> {
  const bodies: any[] = [];
  const program = await startProgram({
    replies: (request, index) => {
      bodies.push(request.body);
      return replies[index] ?? done;
    },
    args: ["-p", "go"],
    files: { [`~/.omp/agent/hooks/pre/${hook}.ts`]: example(`hooks/${hook}.ts`) },
  });
  const { code } = await program.finished;
  const last = bodies.at(-1).messages.filter(({ role }: any) => role === "tool");
  return { code, results: last.map(({ content }: any) => (typeof content === "string" ? content : content[0].text)) };
}

describe.skipIf("absent" in peer)("the hooks that oh-my-pi ships act, unmodified", () => {
  test("permission-gate blocks what is dangerous without a screen", async () => {
    const commands = ["rm -rf x", "sudo ls", "chmod 777 f", "echo fine"];
    const { code, results } = await printed("permission-gate", commands.map(bash));
    expect(code).toBe(0);
    expect(results).toEqual([
      ...Array.from({ length: 3 }, () => "Dangerous command blocked (no UI for confirmation)"),
      expect.stringContaining("fine"),
    ]);
  });

  test("permission-gate asks where there is somebody to ask", async () => {
    const replies = [bash("rm -rf x1"), bash("rm -rf x2"), bash("rm -rf x3"), done];
    const someone = await person({
      examples: ["hooks/permission-gate.ts"],
      replies,
      answers: [{ value: "Yes" }, { value: "No" }],
    });
    await someone.prompt("go");
    expect(someone.results[0]).not.toContain("Blocked");
    expect(someone.results.slice(1)).toEqual(["Blocked by user", "Blocked by user"]);
  });

  test("protected-paths keeps the tools out of .env, .git and node_modules", async () => {
    const write = (path: string) => ({ toolCalls: [{ name: "write", arguments: { path, content: "x" } }] });
    const edit = {
      toolCalls: [{ name: "edit", arguments: { path: ".env", edits: [{ oldText: "a", newText: "b" }] } }],
    };
    const someone = await person({
      examples: ["hooks/protected-paths.ts"],
      replies: [write(".env"), write(".git/config"), write("node_modules/a.js"), edit, write("fine.txt"), done],
    });
    await someone.prompt("go");
    expect(someone.results).toEqual([
      'Path ".env" is protected',
      'Path ".git/config" is protected',
      'Path "node_modules/a.js" is protected',
      'Path ".env" is protected',
      expect.stringContaining("fine.txt"),
    ]);
    expect([existsSync(join(someone.project, ".env")), existsSync(join(someone.project, "fine.txt"))]).toEqual([
      false,
      true,
    ]);
  });

  test("auto-commit-on-exit commits what is dirty under the reply's first line", async () => {
    const someone = await person({ examples: ["hooks/auto-commit-on-exit.ts"], git: true });
    await someone.prompt("go");
    writeFileSync(join(someone.project, "code.txt"), "two\n");
    await someone.leave();
    expect(git(someone.project, "log", "-1", "--format=%s")).toBe("[omp] Fix bug\n");
    expect(git(someone.project, "status", "--porcelain")).toBe("");
  });

  test("auto-commit-on-exit cuts a long line, and does nothing where there is nothing to do", async () => {
    const long = "a".repeat(60);
    const someone = await person({ examples: ["hooks/auto-commit-on-exit.ts"], git: true, replies: [{ text: long }] });
    await someone.prompt("go");
    writeFileSync(join(someone.project, "new.txt"), "x");
    await someone.leave();
    expect(git(someone.project, "log", "-1", "--format=%s")).toBe(`[omp] ${"a".repeat(50)}...\n`);
    const clean = await person({ examples: ["hooks/auto-commit-on-exit.ts"], git: true });
    await clean.prompt("go");
    await clean.leave();
    expect(git(clean.project, "log", "--format=%s")).toBe("first\n");
  });

  test("confirm-destructive lets nobody clear, switch or branch without a yes", async () => {
    const someone = await person({
      examples: ["hooks/confirm-destructive.ts"],
      replies: [{ text: "one", repeat: true }],
      answers: [{ confirmed: false }, { value: "No, stay in current session" }, { confirmed: true }],
    });
    await someone.prompt("hello");
    const before = (await someone.ask("get_state")).data.sessionId;
    expect((await someone.ask("new_session")).data).toEqual({ cancelled: true });
    const { messages } = (await someone.ask("get_fork_messages")).data;
    expect((await someone.ask("fork", { entryId: messages[0].entryId })).data).toMatchObject({ cancelled: true });
    expect((await someone.ask("get_state")).data.sessionId).toBe(before);
    expect((await someone.ask("new_session")).data).toEqual({ cancelled: false });
    expect(someone.told).toEqual(expect.arrayContaining(["notify: Clear cancelled", "notify: Branch cancelled"]));
  });

  test("dirty-repo-guard keeps the session while there are changes, unless the person goes on", async () => {
    const someone = await person({
      examples: ["hooks/dirty-repo-guard.ts"],
      git: true,
      answers: [{ value: "No, let me commit first" }, { value: "Yes, proceed anyway" }],
    });
    await someone.prompt("go");
    writeFileSync(join(someone.project, "code.txt"), "two\n");
    expect((await someone.ask("new_session")).data).toEqual({ cancelled: true });
    expect(someone.told).toContain("notify: Commit your changes first");
    expect((await someone.ask("new_session")).data).toEqual({ cancelled: false });
    git(someone.project, "checkout", "-q", "code.txt");
    expect((await someone.ask("new_session")).data).toEqual({ cancelled: false });
  });

  test("git-checkpoint brings the code back to where the branch begins", async () => {
    const someone = await person({
      examples: ["hooks/git-checkpoint.ts"],
      git: true,
      replies: [bash("echo two > code.txt"), bash("echo three > code.txt"), done],
    });
    await someone.prompt("go");
    // After the run the hook has forgotten its checkpoints, as it says; so nobody is asked.
    const { messages } = (await someone.ask("get_fork_messages")).data;
    expect((await someone.ask("fork", { entryId: messages[0].entryId })).data).toMatchObject({ cancelled: false });
    expect(readFileSync(join(someone.project, "code.txt"), "utf8")).toBe("three\n");
    expect(someone.told.filter((line) => line.startsWith("select"))).toEqual([]);
    expect(someone.results).toHaveLength(2);
  });

  test("status-line tells of each turn", async () => {
    const someone = await person({ examples: ["hooks/status-line.ts"], replies: [bash("true"), done] });
    await someone.prompt("go");
    await someone.ask("new_session");
    expect(someone.told.filter((line) => line.startsWith("setStatus"))).toEqual([
      "setStatus: Ready",
      "setStatus: ● Turn 1…",
      "setStatus: ✓ Turn 1 complete",
      "setStatus: ● Turn 2…",
      "setStatus: ✓ Turn 2 complete",
      "setStatus: Ready",
    ]);
  });

  test("file-trigger makes a turn of what is written into its file", async () => {
    const trigger = "/tmp/agent-trigger.txt";
    writeFileSync(trigger, "");
    try {
      const someone = await person({ examples: ["hooks/file-trigger.ts"] });
      await someone.ask("get_state");
      writeFileSync(trigger, "Run the tests\n");
      const { message } = await someone.program.line(
        ({ type, message }) => type === "message_end" && message.customType === "file-trigger",
      );
      expect(message).toMatchObject({ content: "External trigger: Run the tests", display: true });
      await someone.program.line(({ type }) => type === "agent_settled");
      // The hook empties its file after it has sent the message, and does not wait for the turn.
      await vi.waitFor(() => expect(readFileSync(trigger, "utf8")).toBe(""), { timeout: 10_000 });
    } finally {
      rmSync(trigger, { force: true });
    }
  });

  test("file-trigger without its file is a reported error, and the agent continues", async () => {
    rmSync("/tmp/agent-trigger.txt", { force: true });
    const someone = await person({ examples: ["hooks/file-trigger.ts", "hooks/status-line.ts"] });
    await someone.prompt("go");
    const error = await someone.program.line(({ type }) => type === "extension_error");
    expect(error).toMatchObject({ event: "session_start", error: expect.stringContaining("ENOENT") });
    expect(someone.told).toContain("setStatus: Ready");
  });

  test("custom-compaction leaves it to the agent where its model has no key, and says so", async () => {
    const someone = await person({
      examples: ["hooks/custom-compaction.ts"],
      replies: [{ text: "a".repeat(200) }, { text: "b".repeat(200) }, { text: "a summary", repeat: true }],
      files: { "~/.hookline/settings.json": JSON.stringify({ compaction: { keepRecentTokens: 20 } }) },
    });
    await someone.prompt("one");
    await someone.prompt("two");
    expect(await someone.ask("compact")).toMatchObject({
      success: true,
      data: { summary: expect.stringContaining("a summary") },
    });
    expect(someone.told).toEqual(
      expect.arrayContaining([
        "notify: Custom compaction hook triggered",
        "notify: No API key for google, using default compaction",
      ]),
    );
  });

  test("handoff and qna want a screen to draw on; without one nothing happens", async () => {
    const someone = await person({ examples: ["hooks/handoff.ts", "hooks/qna.ts"] });
    await someone.prompt("go");
    const names = (await someone.ask("get_commands")).data.commands.map(({ name }: any) => name);
    expect(names).toEqual(expect.arrayContaining(["handoff", "qna"]));
    await someone.prompt("/handoff");
    expect(someone.told).toContain("notify: Usage: /handoff <goal for new thread>");
  });
});
