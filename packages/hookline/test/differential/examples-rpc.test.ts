import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { expectAlike } from "./compare.ts";
import { answer, ask, prompt } from "./drive.ts";
import { example } from "./examples.ts";
import { type Case, type Observed, observe, type Talk } from "./observe.ts";
import { describeWithPeer } from "./peer.ts";
import { hookline } from "./programs.ts";

const done = { text: "done" };
const bash = (command: string) => ({ toolCalls: [{ name: "bash", id: "t1", arguments: { command } }] });

/** Runs an example in the RPC mode of both programs. */
async function drive(
  name: string,
  talks: (talk: Talk) => Promise<unknown>,
  more: Partial<Case> = {},
  named: readonly string[] = [],
): Promise<Observed> {
  const given: Case = {
    mode: "rpc",
    extensions: [example(name)],
    replies: [done, done, done],
    record: false,
    drive: async (talk) => void (await talks(talk)),
    ...more,
  };
  return (await expectAlike(given, named)).hookline;
}

/** Sends a command of an extension and waits until it is done. */
async function command(talk: Talk, message: string): Promise<void> {
  await ask(talk, { type: "prompt", message });
  await ask(talk, { type: "get_state" });
}

/** Returns the texts that the person is shown, without colours. */
function shown({ out }: Observed, method: string, field: string): string[] {
  return out
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))
    .filter((line) => line.type === "extension_ui_request" && line.method === method)
    .map((line) => String(line[field]).replace(/\u001b\[[\d;]*m/g, ""));
}

describeWithPeer("pi's examples over RPC", () => {
  test("bookmark labels the last reply", async () => {
    const ran = await drive("bookmark", async (talk) => {
      await prompt(talk, "go");
      await command(talk, "/bookmark lbl");
    });
    expect(ran.entries.filter(({ type }) => type === "label").map(({ label }) => label)).toEqual(["lbl"]);
  });

  test("commands lists what there is and shows where one is from", async () => {
    const ran = await observe(hookline, {
      mode: "rpc",
      extensions: [example("commands")],
      replies: [],
      record: false,
      async drive(talk) {
        talk.send({ type: "prompt", message: "/commands extension" });
        const { options } = await answer(talk, { value: "/commands - List available slash commands" });
        expect(options).toEqual(["--- Extensions ---", "/commands - List available slash commands"]);
        await answer(talk, { confirmed: true });
        await talk.next((line) => line.method === "notify");
      },
    });
    expect(shown(ran, "notify", "message")[0]).toMatch(/commands\.ts$/);
  });

  test("confirm-destructive asks before a new session and before a fork", async () => {
    await drive("confirm-destructive", async (talk) => {
      await prompt(talk, "go");
      for (const type of ["new_session", "fork"]) {
        const { data } = await ask(talk, { type: "get_fork_messages" });
        talk.send({ id: type, type, entryId: data.messages[0].entryId });
        await answer(talk, type === "fork" ? { cancelled: true } : { confirmed: false });
        expect((await talk.next((line) => line.id === type)).data.cancelled).toBe(true);
      }
    });
  });

  test("custom-compaction without its model leaves the summary to the agent", async () => {
    const long = "word ".repeat(200);
    await drive(
      "custom-compaction",
      async (talk) => {
        await prompt(talk, long);
        await prompt(talk, long);
        expect((await ask(talk, { type: "compact" })).success).toBe(true);
      },
      {
        settings: { compaction: { enabled: true, reserveTokens: 1000, keepRecentTokens: 100 } },
        replies: [{ text: long }, { text: long }, { text: "SUMMARY" }, { text: "TURN" }],
      },
      ["wordsOfSummaries"],
    );
  });

  test("dirty-repo-guard asks before leaving changes behind", async () => {
    await drive(
      "dirty-repo-guard",
      async (talk) => {
        talk.send({ id: "new", type: "new_session" });
        const { title } = await answer(talk, { cancelled: true });
        expect(title).toBe("You have 1 uncommitted file(s). new session anyway?");
        expect((await talk.next((line) => line.id === "new")).data).toEqual({ cancelled: true });
      },
      {
        files: { "a.txt": "a" },
        prepare: (project) => void execFileSync("git", ["init", "-q"], { cwd: project, stdio: "ignore" }),
      },
    );
  });

  test("entry-renderer keeps its card in the session and from the model", async () => {
    const ran = await drive("entry-renderer", async (talk) => {
      await prompt(talk, "go");
      await command(talk, "/status-card mine");
    });
    expect(ran.entries.find(({ customType }) => customType === "status-card").data.message).toBe("mine");
  });

  test("event-bus hears its own events", async () => {
    const ran = await drive("event-bus", (talk) => command(talk, "/emit hey"));
    expect(shown(ran, "notify", "message")).toEqual([
      "Event from event-bus-example: Session started",
      "Event from /emit command: hey",
    ]);
  });

  test("handoff, qna and tools say that they need a terminal", async () => {
    for (const [name, text] of [
      ["handoff", "handoff requires interactive mode"],
      ["qna", "qna requires interactive mode"],
      ["tools", "/tools requires TUI mode"],
    ] as const) {
      const ran = await drive(name, (talk) => command(talk, `/${name} x`));
      expect(shown(ran, "notify", "message")).toEqual([text]);
    }
  });

  test("input-transform-streaming adds what has changed, but not to what steers", async () => {
    const ran = await drive("input-transform-streaming", (talk) => prompt(talk, "what changes are there?"), {
      files: { "a.txt": "a\n" },
      prepare(project) {
        const git = (...args: string[]) => execFileSync("git", args, { cwd: project, stdio: "ignore" });
        git("init", "-q");
        git("add", "-A");
        git("-c", "user.name=n", "-c", "user.email=e@x", "commit", "-qm", "first");
        execFileSync("sh", ["-c", "echo b >> a.txt"], { cwd: project });
      },
    });
    expect(JSON.stringify(ran.requests[0].messages)).toContain("1 insertion(+)");
  });

  test("message-renderer shows a message that starts no run", async () => {
    const ran = await drive("message-renderer", (talk) => command(talk, "/status warn hi"));
    expect(ran.out).toContain('"customType":"status-update"');
    expect(ran.requests).toEqual([]);
  });

  test("model-status tells of the model that was chosen", async () => {
    const ran = await drive(
      "model-status",
      (talk) => ask(talk, { type: "set_model", provider: "loop", modelId: "m2" }),
      { models: [{ id: "m2" }] },
    );
    expect(shown(ran, "setStatus", "statusText")).toEqual(["🤖 m2"]);
    expect(ran.err).toContain("[model_select] loop/m1 → loop/m2 (set)");
  });

  test("permission-gate runs what the person allows", async () => {
    const ran = await drive(
      "permission-gate",
      async (talk) => {
        talk.send({ type: "prompt", message: "go" });
        await answer(talk, { value: "Yes" });
        await talk.next((line) => line.type === "agent_settled");
      },
      { replies: [bash("rm -rf zzz; echo gone"), done] },
    );
    expect(JSON.stringify(ran.requests[1].messages)).toContain("gone");
  });

  test("rpc-demo uses every dialog there is", async () => {
    const ran = await drive(
      "rpc-demo",
      async (talk) => {
        talk.send({ type: "prompt", message: "go" });
        await answer(talk, { value: "Block" });
        await talk.next((line) => line.type === "agent_settled");
        talk.send({ type: "prompt", message: "/rpc-input" });
        await answer(talk, { value: "typed" });
        await talk.next((line) => line.method === "notify");
        talk.send({ type: "prompt", message: "/rpc-editor" });
        await answer(talk, { value: "1\n2" });
        await talk.next((line) => line.method === "notify");
        await command(talk, "/rpc-prefill");
        talk.send({ id: "new", type: "new_session" });
        await answer(talk, { confirmed: false });
        expect((await talk.next((line) => line.id === "new")).data).toEqual({ cancelled: true });
      },
      { replies: [bash("sudo rm -rf zzz"), done] },
    );
    expect(shown(ran, "notify", "message")).toEqual([
      "Command blocked by user",
      "You entered: typed",
      "Editor submitted (2 lines)",
      "Editor prefilled",
      "Clear cancelled",
    ]);
  });

  test("send-user-message begins a run with its text", async () => {
    const ran = await drive("send-user-message", async (talk) => {
      talk.send({ type: "prompt", message: "/ask what" });
      await talk.next((line) => line.type === "agent_settled");
      talk.send({ type: "prompt", message: "/askwith more" });
      await talk.next((line) => line.type === "agent_settled");
    });
    expect(JSON.stringify(ran.requests[0].messages)).toContain("what");
    expect(JSON.stringify(ran.requests[1].messages)).toContain("User request: more");
  });

  test("session-name names the session", async () => {
    await drive("session-name", async (talk) => {
      await command(talk, "/session-name my n");
      expect((await ask(talk, { type: "get_state" })).data.sessionName).toBe("my n");
    });
  });

  test("shutdown-command ends the program when it is idle", async () => {
    const ran = await drive("shutdown-command", async (talk) => {
      talk.send({ type: "prompt", message: "/quit" });
      await new Promise((ended) => talk.child.once("exit", ended));
    });
    expect(ran.code).toBe(0);
  });

  test("status-line counts the turns", async () => {
    const ran = await drive("status-line", (talk) => prompt(talk, "go"));
    expect(shown(ran, "setStatus", "statusText")).toEqual(["Ready", "● Turn 1...", "✓ Turn 1 complete"]);
  });

  test("summarize says nothing about an empty session", async () => {
    await drive("summarize", (talk) => command(talk, "/summarize"));
  });

  test("system-prompt-header shows how long the prompt is, and takes it away at the end", async () => {
    const ran = await drive("system-prompt-header", (talk) => prompt(talk, "go"));
    expect(shown(ran, "setStatus", "statusText")[0]).toMatch(/^System: \d+ chars$/);
  });

  test("timed-confirm tells the client how long it waits, and takes its answer", async () => {
    const ran = await drive("timed-confirm", async (talk) => {
      talk.send({ type: "prompt", message: "/timed" });
      expect((await answer(talk, { confirmed: true })).timeout).toBe(5000);
      await talk.next((line) => line.method === "notify");
    });
    expect(shown(ran, "notify", "message")).toEqual(["Confirmed by user!"]);
  });

  test("titlebar-spinner leaves the title as it was", async () => {
    const ran = await observe(hookline, {
      mode: "rpc",
      extensions: [example("titlebar-spinner")],
      replies: [done],
      record: false,
      drive: (talk) => prompt(talk, "go"),
    });
    const titles = shown(ran, "setTitle", "title");
    expect([titles[0], titles.at(-1)]).toEqual(["π - project", "π - project"]);
  });

  test("trigger-compact reports the result", async () => {
    const ran = await drive("trigger-compact", async (talk) => {
      await prompt(talk, "go");
      talk.send({ type: "prompt", message: "/trigger-compact" });
      await talk.next((line) => line.method === "notify");
      await talk.next((line) => line.method === "notify");
    });
    expect(shown(ran, "notify", "message")[0]).toBe("Compaction started");
  });

  test("widget-placement puts lines above and below the editor", async () => {
    const ran = await drive("widget-placement", (talk) => ask(talk, { type: "get_state" }));
    expect(shown(ran, "setWidget", "widgetPlacement")).toEqual(["undefined", "belowEditor"]);
  });
});
