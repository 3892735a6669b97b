import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transcripts } from "@hookline/integrations/transcripts";
import fc from "fast-check";
import { safeParse } from "valibot";
import { describe, expect, test } from "vitest";
import { replaySchema } from "../../../../scripts/replay-schema.ts";
import type { Judgement, RecognisedSource } from "../../src/past.ts";
import { RecordingWriter } from "../../src/record/write.ts";
import { type OpenSide, recogniseSource } from "../../src/replay/index.ts";
import { again, call, lawsOf, place, recorded, type Told } from "./live.ts";

const guard = (body: string): string =>
  `export default (pi) => { let n = 0; pi.on("tool_call", async (event, ctx) => { n += 1; ${body} }); };\n`;
const CALLS: readonly Told[] = [
  call("bash", { command: "ls" }, "1"),
  call("bash", { command: "git push --force" }, "2"),
  call("read", { path: "src/a.ts" }, "3"),
];
const DENIES = guard(`if (String(event.input.command).includes("push")) return { block: true, reason: "no pushing" };`);

describe("one planted change of each class is found and named", () => {
  const before = guard(`if (String(event.input.command).includes("push")) return { block: true, reason: "no" };`);
  test.each([
    [
      "newlyDenied",
      before,
      guard(`if (event.toolName === "read" || event.input.command?.includes("push")) return { block: true };`),
      "read src/",
      "s1:5",
    ],
    ["newlyAllowed", before, guard(""), "bash git", "s1:4"],
    [
      "rewritten",
      before,
      before.replace("n += 1;", `n += 1; if (event.input.command === "ls") event.input.command = "ls -l";`),
      "bash ls",
      "s1:2",
    ],
    [
      "failing",
      before,
      before.replace("n += 1;", `n += 1; if (event.toolName === "read") throw new Error("broken");`),
      "read src/",
      "s1:5",
    ],
  ] as const)("%s", async (name, was, is, shape, moment) => {
    const at = place();
    const source = await recorded(at, [at.write("guard.ts", was)], CALLS);
    const path = at.write("guard.ts", is);
    const result = await again(at, source, [path]);
    expect(result).toMatchObject({ baseline: "recorded", moments: 3, asked: 3, same: 2, [name]: 1 });
    expect(result.groups).toMatchObject([
      { class: name, shape, count: 1, hook: `pi:${path}#tool_call[0]`, examples: [{ moment }] },
    ]);
    expect(lawsOf(result)).toEqual({ moments: result.moments, asked: result.asked });
    expect(safeParse(replaySchema(), JSON.parse(JSON.stringify(result))).issues).toBeUndefined();
  });

  test("newlyAsked, by a hook that is a program", async () => {
    const at = place();
    const source = await recorded(at, [], CALLS);
    const script = `case "$(cat)" in *push*) echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"sure?"}}';; esac`;
    const settings = { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: script }] }] } };
    at.write(".claude/settings.json", JSON.stringify(settings));
    const result = await again(at, source, []);
    expect(result).toMatchObject({ newlyAsked: 1, same: 2 });
    expect(result.groups).toMatchObject([
      { class: "newlyAsked", shape: "bash git", examples: [{ after: { decision: "ask", reason: "sure?" } }] },
    ]);
  });

  test("a time limit that is passed is a failure", async () => {
    const at = place();
    const source = await recorded(at, [], [call("bash", { command: "ls" })]);
    const path = at.write("slow.ts", guard("await new Promise((resolve) => setTimeout(resolve, 60_000).unref());"));
    const result = await again(at, source, [path], {
      candidate: (parts) => at.runtime.open({ ...parts, explicit: [path], settings: { toolCallTimeoutMs: 20 } }),
    });
    expect(result).toMatchObject({ failing: 1 });
    expect(result.groups[0]?.examples[0]?.after.decision).toBe("deny");
  });

  test("slower, where somebody asks for it", async () => {
    const at = place();
    const source = await recorded(at, [], [call("bash", { command: "ls" })], () => ({ ms: 1 }));
    const path = at.write("slow.ts", guard("await new Promise((resolve) => setTimeout(resolve, 200));"));
    expect(await again(at, source, [path])).toMatchObject({ slower: 0, same: 1 });
    const result = await again(at, source, [path], { slower: 2 });
    expect(result).toMatchObject({ slower: 1, same: 0 });
    expect(result.groups).toMatchObject([{ class: "slower", shape: "bash ls" }]);
  });
});

describe("state", () => {
  test("a counter says the same as it did live, and starts again with each source", async () => {
    const at = place();
    const path = at.write("count.ts", guard(`if (n > 2) return { block: true, reason: "call " + n };`));
    const told = Array.from({ length: 6 }, (_, n) => call("bash", { command: `echo ${n}` }, `${n}`));
    const source = await recorded(at, [path], told);
    const result = await again(at, source, [path], { sources: [source, source] });
    expect(result).toMatchObject({ moments: 12, same: 12, groups: [] });
  });

  test("a plan mode that prompts switch says the same, and another rule is found", async () => {
    const at = place();
    const mode = (word: string): string => `export default (pi) => {
      let isPlanning = false;
      pi.on("input", ({ text }) => { isPlanning = text.startsWith("${word}"); });
      pi.on("tool_call", ({ toolName }) => isPlanning && toolName !== "read" ? { block: true, reason: "planning" } : undefined);
    };\n`;
    const path = at.write("plan.ts", mode("plan"));
    const typed = (text: string): Told => ["input", { text, source: "interactive" }];
    const told = [
      typed("plan it"),
      call("bash", { command: "ls" }),
      call("read", { path: "a" }),
      typed("do it"),
      call("bash", { command: "ls" }),
    ];
    const source = await recorded(at, [path], told);
    expect(await again(at, source, [path])).toMatchObject({ same: 5, groups: [] });
    at.write("plan.ts", mode("do"));
    expect(await again(at, source, [path])).toMatchObject({ same: 3, newlyAllowed: 1, newlyDenied: 1 });
  });

  test("hooks see a beginning and an end even if the source has none, and the result says so", async () => {
    const at = place();
    const log = join(at.folder, "log");
    const path = at.write(
      "life.ts",
      `import { appendFileSync } from "node:fs";
       export default (pi) => { for (const name of ["session_start", "tool_call", "session_shutdown"]) pi.on(name, () => { appendFileSync(${JSON.stringify(log)}, name + " " + process.env.NONE + "\\n"); }); };`,
    );
    const source = await recorded(at, [], CALLS);
    const result = await again(at, source, [path]);
    expect(result.sources[0]).toMatchObject({
      madeUp: ["session.start", "session.end"],
      moments: { "tool.before": 3 },
    });
    const names = readFileSync(log, "utf8")
      .trim()
      .split("\n")
      .map((line) => line.split(" ")[0]);
    expect(names).toEqual(["session_start", "tool_call", "tool_call", "tool_call", "session_shutdown"]);
  });

  test("nobody is asked about a log, which has no more of a call than its tool", async () => {
    const at = place();
    const path = at.write("deny.ts", guard(`return { block: true, reason: "no" };`));
    const header = { session: "s", cwd: at.folder, hookline: "0", level: "log", t: 1 } as const;
    const lines: string[] = [];
    const writer = new RecordingWriter({ write: (line) => lines.push(line) }, header);
    const moment = { event: "tool.before", scene: { cwd: at.folder }, hooks: [], edits: [], outcome: {}, ms: 0 };
    writer.moment({ ...moment, t: 1, payload: { tool: "bash" } });
    writer.end();
    const source = recogniseSource(at.write("log.jsonl", lines.join("")), transcripts) as RecognisedSource;
    const result = await again(at, source, [path]);
    expect(result).toMatchObject({ moments: 1, newlyDenied: 0, notJudged: { "no-payload": 1 } });
    expect(result.sources).toMatchObject([{ payloads: 0 }]);
  });

  test("hooks read the branch as it was at the moment", async () => {
    const at = place();
    const path = at.write(
      "branch.ts",
      guard(`return { block: true, reason: ctx.sessionManager.getBranch().length + " entries" };`),
    );
    const source = recogniseSource(join(import.meta.dirname, "fixtures/pi.jsonl"), transcripts) as RecognisedSource;
    const reasons: (string | undefined)[] = [];
    await again(at, source, [path], {
      storeOf: (branch) => ({ getBranch: () => branch.entries() }),
      onJudged: ({ judged }: Judgement) => judged.event === "tool.before" && reasons.push(judged.after.reason),
    });
    expect(reasons).toEqual(["5 entries", "5 entries", "10 entries"]);
  });
});

describe("what hooks may do", () => {
  test("what acts does nothing and is counted", async () => {
    const at = place();
    const acts = guard(`
      pi.sendMessage({ customType: "x", content: "y", display: true });
      pi.appendEntry("x", {}); pi.setActiveTools([]); pi.setSessionName("x"); ctx.abort();
      if ((await ctx.ui.confirm("Sure?", "really")) || (await ctx.ui.select("Which?", ["a"])) !== undefined) return;
      return { block: true, reason: "nobody agreed" };`);
    const result = await again(at, await recorded(at, [], [call("bash", { command: "ls" })]), [
      at.write("acts.ts", acts),
    ]);
    expect(result.newlyDenied).toBe(1);
    expect(result.effects).toEqual({
      sendMessage: 1,
      appendEntry: 1,
      setActiveTools: 1,
      setSessionName: 1,
      abort: 1,
      confirm: 1,
      select: 1,
    });
  });

  test("programs are started where they can refuse, and for what they observe only when they are named", async () => {
    const at = place();
    const log = join(at.folder, "started");
    const hook = (name: string) => [
      { hooks: [{ type: "command", command: `echo ${name} $HOOKLINE_REPLAY >> ${log}` }] },
    ];
    at.write(
      ".claude/settings.json",
      JSON.stringify({ hooks: { PreToolUse: hook("before"), PostToolUse: hook("after") } }),
    );
    const done: Told = [
      "tool.after",
      {
        toolCallId: "1",
        tool: "bash",
        args: { command: "ls" },
        content: [],
        details: {},
        isError: false,
        blocked: false,
      },
    ];
    const source = await recorded(at, [], [call("bash", { command: "ls" }), done]);
    const started = async (options: object): Promise<string[]> => {
      writeFileSync(log, "");
      await again(at, source, [], options);
      return existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
    };
    // The recording was made with these hooks, too.
    expect(await started({})).toEqual(["before 1"]);
    expect(await started({ startedFor: ["tool.after"] })).toEqual(["before 1", "after 1"]);
    expect(await started({ isObserver: ({ event }: { event: string }) => event === "PostToolUse" })).toEqual([
      "before 1",
      "after 1",
    ]);
  });

  test.each([
    [
      ".claude/settings.json",
      `{ "hooks": { "UserPromptSubmit": [{ "hooks": [{ "type": "command", "command": "exit 2" }] }] } }`,
    ],
    [".jcli/hooks.yaml", `pre_send_message:\n  - command: echo '{"action":"stop"}'\n`],
  ])("a program that refuses prompts is asked about them: %s", async (name, text) => {
    const at = place();
    const source = await recorded(at, [], [["prompt.before", { text: "push it" }]]);
    at.write(name, text);
    expect(await again(at, source, [])).toMatchObject({ asked: 1, newlyDenied: 1 });
  });
});

describe("hooks that keep state", () => {
  const start = (reason: string): Told => ["session.start", { reason }];
  test.each([
    ["a resumed session", [], "startup"],
    ["a reload", [["session.end", { reason: "reload" }]], "reload"],
  ] as [string, Told[], string][])("begin anew with %s, as they did then", async (_, end, reason) => {
    const at = place();
    const counts = at.write("counts.ts", guard(`if (n === 2) return { block: true, reason: "the second" };`));
    const text = async (...told: Told[]): Promise<string> =>
      readFileSync((await recorded(at, [counts], told)).path, "utf8");
    const [call1] = CALLS as [Told];
    const twice = [await text(start("startup"), call1, ...end), await text(start(reason), call1)];
    const source = recogniseSource(at.write("twice.jsonl", twice.join("")), transcripts) as RecognisedSource;
    const result = await again(at, source, [counts]);
    expect(result).toMatchObject({ moments: 4 + end.length, same: 4 + end.length });
  });
});

describe("what a source is compared with", () => {
  test("without a change, today's hooks decide the same as themselves", async () => {
    const at = place();
    const deny = at.write("deny.ts", DENIES);
    const source = await recorded(at, [], CALLS);
    expect(await again(at, source, [deny], { baseline: "current" })).toMatchObject({ baseline: "current", same: 3 });
  });

  test("a source without decisions is not compared with what was recorded", async () => {
    const at = place();
    const source = recogniseSource(join(import.meta.dirname, "fixtures/claude.jsonl"), transcripts) as RecognisedSource;
    const none = await again(at, source, [], { baseline: "recorded" });
    expect(none).toMatchObject({ baseline: "none", sources: [{ baseline: "none" }] });
    const current: OpenSide = (parts) => at.runtime.open(parts);
    expect(await again(at, source, [], { baseline: "recorded", current })).toMatchObject({ baseline: "current" });
  });
});

describe("moments that cannot be asked or judged", () => {
  test("each is counted by its reason", async () => {
    const at = place();
    const source = await recorded(at, [], [...CALLS], (n) => (n === 2 ? { redacted: ["payload.args.command"] } : {}));
    const lines = readFileSync(source.path, "utf8").trimEnd().split("\n");
    const strange = (lines[1] as string).replace('"tool.before"', '"tool.dreamt"');
    const bare = JSON.stringify({ ...JSON.parse(lines[1] as string), payload: undefined });
    const path = at.write("more.jsonl", [...lines.slice(0, 4), "{torn", strange, bare, lines[4], ""].join("\n"));
    const deny = at.write("deny.ts", DENIES);
    const result = await again(at, recogniseSource(path, transcripts) as RecognisedSource, [deny]);
    expect(result).toMatchObject({
      moments: 6,
      asked: 4,
      same: 2,
      notAsked: { "unreadable-line": 1, "no-such-event": 1 },
      // The guard did not see then what a redactor has changed since.
      notJudged: { redacted: 1, "no-payload": 1 },
    });
    expect(lawsOf(result)).toEqual({ moments: 6, asked: 4 });
  });

  test("after a damaged line, hooks get the session's end only once", async () => {
    const at = place();
    const source = await recorded(at, [], [...CALLS, ["session.end", { reason: "quit" }]]);
    const path = at.write("damaged.jsonl", `{torn\n${readFileSync(source.path, "utf8")}`);
    const result = await again(at, recogniseSource(path, transcripts) as RecognisedSource, []);
    expect(result).toMatchObject({ notAsked: { "unreadable-line": 1 }, sources: [{ madeUp: ["session.start"] }] });
  });

  test("a difference where something of the payload is in no file is not judged, but for a signal", async () => {
    const at = place();
    const before: Told = [
      "compact.before",
      {
        kind: "full",
        trigger: "manual",
        messages: [],
        systemPrompt: "",
        messageCount: 0,
        nonSystemCount: 0,
        summary: "",
      },
    ];
    const named = ["payload.preparation", "payload.signal"];
    const source = await recorded(at, [], [before, before, before], (n) =>
      n === 1 ? {} : { partial: [named[n - 2]] },
    );
    const path = at.write(
      "cancel.ts",
      `export default (pi) => pi.on("session_before_compact", () => ({ cancel: true }));\n`,
    );
    expect(await again(at, source, [path])).toMatchObject({ newlyDenied: 2, notJudged: { "no-payload": 1 } });
  });

  test("hooks that cannot be loaded are told of for every moment", async () => {
    const at = place();
    const source = await recorded(at, [], CALLS);
    const result = await again(at, source, [], { candidate: () => Promise.reject(new Error("no hooks")) });
    expect(result).toMatchObject({ moments: 3, asked: 0, notAsked: { "not-loadable": 3 } });
  });

  test("a hook that asks a model is not judged without an answer", async () => {
    const at = place();
    const prompt = { type: "prompt", prompt: "May it run? $ARGUMENTS" };
    at.write(
      ".claude/settings.json",
      JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [prompt] }] } }),
    );
    const source = await recorded(at, [], [call("read", { path: "a" })]);
    const live = recogniseSource(join(import.meta.dirname, "fixtures/claude.jsonl"), transcripts) as RecognisedSource;
    const none = await again(at, live, []);
    expect(none.notJudged).toEqual({ "no-model": 3 });
    const llm = { complete: async () => ({ ok: true as const, text: '{"ok": false, "reason": "the judge says no"}' }) };
    const judged = await again(at, live, [], { llm });
    expect(judged).toMatchObject({ notJudged: {}, newlyDenied: 3 });
    expect(source.kind).toBe("recording");
  });

  test("a replay that is broken off tells what it has come to", async () => {
    const at = place();
    const stop = new AbortController();
    const told = Array.from({ length: 50 }, (_, n) => call("bash", { command: `echo ${n}` }, `${n}`));
    const source = await recorded(at, [], told);
    let seen = 0;
    const onJudged = (): void => void (++seen === 20 && stop.abort());
    const result = await again(at, source, [], { onJudged, signal: stop.signal });
    expect(result).toMatchObject({ partial: true, moments: 20, asked: 20, same: 20 });
  });
});

test("whatever guards say, the counts add up", async () => {
  const at = place();
  const path = at.write(
    "any.ts",
    guard(
      `const { say } = event.input; if (say === "deny") return { block: true }; if (say === "throw") throw new Error("x"); if (say === "edit") event.input.more = 1;`,
    ),
  );
  const words = fc.constantFrom("deny", "throw", "edit", "nothing");
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(words, fc.boolean()), { maxLength: 12 }), async (all) => {
      const source = await recorded(
        at,
        [],
        all.map(([say], n) => call("bash", { command: "x", say }, `${n}`)),
        (n) => (all[n - 1]?.[1] ? { redacted: ["payload.args"] } : {}),
      );
      const result = await again(at, source, [path]);
      expect(lawsOf(result)).toEqual({ moments: result.moments, asked: result.asked });
      const clear = all.filter(([, isRedacted]) => !isRedacted).map(([say]) => say);
      const times = (word: string): number => clear.filter((say) => say === word).length;
      expect(result).toMatchObject({
        moments: all.length,
        newlyDenied: times("deny"),
        failing: times("throw"),
        rewritten: times("edit"),
      });
    }),
    { numRuns: 15 },
  );
});
