import { describe, expect, test } from "vitest";
import type { HookAsked, Hooks, Sources, Story } from "../../src/inspect/api.ts";
import { folderForTest, GUARD, moment, session, writeRecording } from "./recorded.ts";
import { served } from "./served.ts";

const EDITOR = "pi:/work/rules.ts#context[0]";
const hook = { id: EDITOR, lane: "pi", source: "/work/rules.ts:7", pass: 1 as const, status: "answered" as const };

async function storyOf(path: string, query = ""): Promise<Story> {
  return (await (await (await served([path])).indexed()).get(`/api/sources/ID/story${query}`)).json;
}

test("the story has prompts and calls in order, each call with its result and what hooks did to it", async () => {
  const path = writeRecording(folderForTest(), session(600));
  const { total, items } = await storyOf(path);
  // Each turn has a prompt and a call; its reply says nothing but the call.
  expect(total).toBe(200);
  expect(items).toHaveLength(50);
  expect(items.slice(0, 4).map(({ n, kind }) => [n, kind])).toEqual([
    [1, "prompt"],
    [5, "call"],
    [7, "prompt"],
    [11, "call"],
  ]);
  expect(items[1]).toMatchObject({
    tool: "read",
    text: "echo 0",
    result: { text: "result 0", isError: false },
    acts: [],
  });
  const refused = items.find(({ isRefused }) => isRefused === true);
  expect(refused).toMatchObject({
    text: "echo 4",
    acts: [{ hook: GUARD, source: "/work/guard.ts:3", did: "refused", says: "refused it", why: "not here" }],
  });
  expect(refused?.result).toBeUndefined();
  const rewritten = items.find(({ acts }) => acts[0]?.did === "rewrote");
  expect(rewritten).toMatchObject({
    result: { text: "short" },
    acts: [{ says: "changed the result", edits: [{ at: 0 }] }],
  });
});

test("a step fits a filter if one of its moments does, and a window may be around a moment", async () => {
  const path = writeRecording(folderForTest(), session(600));
  const refused = await storyOf(path, "?decision=refused");
  expect(refused.total).toBe(20);
  expect(refused.items.every(({ isRefused }) => isRefused === true)).toBe(true);
  expect((await storyOf(path, "?decision=rewrote&count=1")).items[0]?.kind).toBe("call");
  expect((await storyOf(path, "?q=result%2033")).items.map(({ text }) => text)).toEqual(["echo 33"]);
  // The result of a call belongs to its step.
  for (const n of [203, 204]) {
    const around = await storyOf(path, `?around=${n}&count=1`);
    expect([around.from, around.items.map((step) => step.n)]).toEqual([67, [203]]);
  }
});

test("a reply has its request with what hooks did to it, and says a second time only that it is as before", async () => {
  const edit = { hook: EDITOR, lane: "pi", field: "messages", from: ["a"], to: ["b"], pass: 1 as const };
  const request = moment("model.context", { payload: {}, hooks: [hook], edits: [edit], outcome: { messages: ["b"] } });
  const path = writeRecording(folderForTest(), [
    request,
    moment("model.request"),
    moment("model.response", { payload: { text: "First." } }),
    request,
    moment("model.response", { payload: { text: "Second." } }),
    moment("model.context"),
    moment("model.response", { payload: { text: "  " } }),
  ]);
  const { items } = await storyOf(path);
  expect(items.map(({ text, request: at }) => [text, at])).toEqual([
    ["First.", 1],
    ["Second.", 4],
  ]);
  expect(items[0]?.acts).toMatchObject([{ hook: EDITOR, edits: [{ from: ["a"], to: ["b"] }] }]);
  expect(items[1]?.acts).toMatchObject([{ hook: EDITOR, edits: [], again: true }]);
});

test("a reply that hooks have judged is shown as they left it, with what they did", async () => {
  const edit = { hook: EDITOR, lane: "pi", field: "text", pass: 1 as const };
  const path = writeRecording(folderForTest(), [
    moment("model.context"),
    moment("model.response", { payload: {}, redacted: ["payload.text"] }),
    moment("reply.before", { payload: { text: "[key]" }, hooks: [hook], edits: [edit], outcome: { text: "[key]" } }),
  ]);
  const { items } = await storyOf(path);
  expect(items.map(({ kind, text }) => [kind, text])).toEqual([["reply", "[key]"]]);
  expect(items[0]?.acts).toMatchObject([{ hook: EDITOR }]);
});

test("a large difference is left out, and can be had from the moment", async () => {
  const edit = { hook: EDITOR, lane: "pi", field: "systemPrompt", from: "a".repeat(60_000), to: "b", pass: 1 as const };
  const path = writeRecording(folderForTest(), [moment("agent.before-start", { hooks: [hook], edits: [edit] })]);
  const server = await (await served([path])).indexed();
  const { items }: Story = (await server.get("/api/sources/ID/story")).json;
  expect(items[0]).toMatchObject({ kind: "moment", acts: [{ edits: [{ at: 0, field: "systemPrompt" }] }] });
  expect(items[0]?.acts[0]?.edits[0]).not.toHaveProperty("from");
  expect(items[0]?.acts[0]?.edits[0]?.bytes).toBeGreaterThan(60_000);
  expect((await server.get("/api/sources/ID/moments/1?full=/edits/0/from")).json.text).toBe(edit.from);
});

test("a change in place that names only its lane is that of the one hook of it that was asked", async () => {
  const edits = [{ hook: "pi", lane: "pi", field: "messages", pass: 1 as const }];
  const asked = { ...hook, status: "no-answer" as const };
  const other = { ...asked, id: "pi:/work/other.ts#context[0]", source: "/work/other.ts:1" };
  const path = writeRecording(folderForTest(), [
    moment("model.context", { hooks: [asked, { ...other, status: "skipped" }], edits }),
    moment("model.context", { hooks: [asked, other], edits }),
  ]);
  const { items } = await storyOf(path);
  expect(items.map(({ acts }) => acts.map(({ hook: id }) => id))).toEqual([[EDITOR], ["pi"]]);
});

test("the list counts what hooks did, and calls a recording by its name and first prompt", async () => {
  const folder = folderForTest();
  const first = writeRecording(folder, session(60), "mine.jsonl");
  const server = await served([first]);
  const list = async (): Promise<Sources["sources"]> => (await server.get("/api/sources")).json.sources;
  await expect
    .poll(async () => (await list())[0]?.did)
    .toEqual({ hooks: 1, marks: { answered: 3, refused: 2, rewrote: 1 } });
  expect((await list())[0]?.title).toMatch(/^mine\.jsonl · prompt 0 x+$/);
  const { did } = (await (await server.indexed()).get("/api/sources/ID/summary")).json;
  expect(did).toEqual((await list())[0]?.did);
  const named = await served([writeRecording(folder, session(60), "s-1.jsonl")]);
  expect((await named.get("/api/sources")).json.sources[0].title).toMatch(/^prompt 0/);
});

test("a row has what its moment is about, and which hook did what and why", async () => {
  const server = await (await served([writeRecording(folderForTest(), session(60))])).indexed();
  const { items } = (await server.get("/api/sources/ID/moments?decision=refused")).json;
  expect(items[0]).toMatchObject({
    label: "echo 4",
    hook: GUARD,
    source: "/work/guard.ts:3",
    says: "refused it: not here",
  });
});

describe("a refusal", () => {
  const asked = (place: number, more: Partial<HookAsked>): HookAsked => {
    const [id, source] = [`claude:/work/settings.json#PreToolUse[${place}]`, `/work/settings.json:${place}`];
    return { id, lane: "claude", source, pass: 1, status: "answered", ms: 1, ...more } as HookAsked;
  };
  const allows = asked(9, { answer: { ruling: { decision: "allow", reason: "fine" } } });
  const long = "no ".repeat(2000);

  test.each<[string, HookAsked, object, object]>([
    [
      "is that of the hook whose reason it has, also if another has allowed the call after it",
      asked(1, { answer: { ruling: { decision: "deny", reason: long } } }),
      { outcome: { decision: "deny", reason: long } },
      { did: "refused", says: "refused it", of: 6000 },
    ],
    [
      "because a guard has failed is the guard's",
      asked(1, { status: "failed", problem: "exit code 1" }),
      { outcome: { decision: "deny", reason: 'refused: hook "g" (/work/settings.json:1) could not judge it' } },
      { did: "refused", says: "failed, which refused it", why: "exit code 1" },
    ],
    [
      "of a person is shown, and is not the hook's",
      asked(1, { answer: { ruling: { decision: "ask", reason: "may I?" } } }),
      { outcome: { decision: "ask", reason: "may I?" }, asked: { answer: "deny", by: "person" } },
      { did: "answered", says: "asked, and a person refused it", why: "may I?" },
    ],
  ])("%s", async (_, decider, more, act) => {
    const call = { toolCallId: "c", tool: "bash", args: { command: "ls" } };
    const path = writeRecording(folderForTest(), [
      moment("tool.before", { payload: call, hooks: [decider, allows], ...more }),
    ]);
    const server = await (await served([path])).indexed();
    const { items }: Story = (await server.get("/api/sources/ID/story")).json;
    expect(items).toMatchObject([{ isRefused: true, acts: [{ hook: decider.id, ...act }] }]);
    const { hooks }: Hooks = (await server.get("/api/sources/ID/hooks")).json;
    const refused = act["did" as never] === "refused" ? 1 : 0;
    expect(hooks.map(({ id, refused: count }) => [id, count]).sort()).toEqual([
      [decider.id, refused],
      [allows.id, 0],
    ]);
  });
});

test("a row has the call as hooks left it, and what they added", async () => {
  const edit = { hook: EDITOR, lane: "pi", field: "args", from: "npm i", to: "npm ci", pass: 1 as const };
  const added = { ...hook, answer: { additionalContext: "main" } };
  const path = writeRecording(folderForTest(), [
    moment("session.start", { hooks: [added], outcome: { additionalContext: ["main"] } }),
    moment("tool.before", {
      payload: { tool: "bash", toolCallId: "c", args: { command: "npm i" } },
      ...{ hooks: [hook], edits: [edit], outcome: { args: { command: "npm ci 👩‍🚀" } } },
    }),
  ]);
  const { items } = (await (await (await served([path])).indexed()).get("/api/sources/ID/moments")).json;
  expect(items).toMatchObject([{ hook: EDITOR, says: "added context: main" }, { label: "npm ci 👩‍🚀" }]);
});
