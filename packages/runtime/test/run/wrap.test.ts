import { describe, expect, test } from "vitest";
import { NO_HOME } from "../../../../scripts/no-home.ts";
import { createRuntime, type HostUi, type Session } from "../../src/index.ts";

async function opened(ui: HostUi = {}): Promise<Session & AsyncDisposable> {
  const runtime = createRuntime({ home: NO_HOME });
  const session = await runtime.open({ scene: { sessionId: "wrap", cwd: "/" }, services: { ui } });
  return Object.assign(session, { [Symbol.asyncDispose]: () => runtime.close() });
}

const call = { tool: "bash", toolCallId: "1", args: { command: "ls" } };

test("a call whose run a hook ends does not run; the reason goes to the host and not into the result", async () => {
  await using session = await opened();
  session.on("tool.before", () => ({ halt: { reason: "for the person" } }));
  let ran = false;
  const result = await session.wrap(call, () => {
    ran = true;
    return "output";
  });
  expect(ran).toBe(false);
  expect(result).toMatchObject({ blocked: true, isError: true, halt: { reason: "for the person" } });
  expect(JSON.stringify(result.content)).not.toContain("for the person");
});

test("a halt of tool.after leaves the result as it is", async () => {
  await using session = await opened();
  session.on("tool.after", () => ({ halt: { reason: "enough" } }));
  const result = await session.wrap(call, () => "output");
  expect(result).toMatchObject({ blocked: false, content: [{ text: "output" }], halt: { reason: "enough" } });
});

test("remarks and context of all hooks are lists of texts, a denial's included", async () => {
  await using session = await opened();
  session.on("tool.before", () => ({ remark: "one", additionalContext: "a" }));
  session.on("tool.before", () => ({ remark: "two", decision: "deny", reason: "no", additionalContext: "b" }));
  session.on("tool.after", () => ({ remark: "three" }));
  const result = await session.wrap(call, () => "output");
  expect(result).toMatchObject({ remarks: ["one", "two", "three"], additionalContext: ["a", "b"] });
  expect(result.content).toEqual([{ type: "text", text: "no" }]);
});

test.each(["tool.before", "tool.after"] as const)(
  "a closed session whose %s had a handler refuses a call, and does not pass it unseen",
  async (event) => {
    await using session = await opened();
    session.on(event, () => undefined);
    session.on("tool.start", () => undefined);
    const within = session.within({ sessionId: "wrap", cwd: "/", agentId: "1", agentType: "helper", depth: 1 });
    await session.close();
    for (const hooks of [session, within])
      await expect(hooks.wrap(call, () => "output")).rejects.toMatchObject({ code: "SESSION_CLOSED" });
  },
);

test("the result of a tool during which the session is closed is lost, because its redactor cannot see it", async () => {
  await using session = await opened();
  session.on("tool.after", () => ({ content: [] }), { redact: true });
  const result = session.wrap(call, async () => {
    await session.close();
    return "secret";
  });
  await expect(result).rejects.toMatchObject({ code: "SESSION_CLOSED" });
});

test("an event that hooks only observe, or that has no hooks, may come after the session is closed", async () => {
  await using session = await opened();
  session.on("session.end", () => undefined);
  session.on("tool.end", () => undefined);
  await session.close();
  expect((await session.emit("session.end", { reason: "quit" })).hooks).toEqual([]);
  expect(await session.wrap(call, () => "output")).toMatchObject({ content: [{ text: "output" }] });
});

describe("a hook's question", () => {
  const asking = async (confirm: unknown, signal?: AbortSignal) => {
    await using session = await opened({ confirm: confirm as HostUi["confirm"] & object });
    session.on("tool.before", () => ({ decision: "ask", reason: "sure?" }));
    return session.wrap({ ...call, signal }, () => "output");
  };

  test.each<[string, unknown]>([
    ["throws", () => fail()],
    ["rejects", async () => fail()],
    ["answers with a text", async () => "no"],
    ["answers nothing", async () => undefined],
  ])("is a refusal if the dialog %s", async (_, confirm) => {
    expect(await asking(confirm)).toMatchObject({ blocked: true, content: [{ text: "sure?" }] });
  });

  test("is a refusal if the call is aborted while the dialog is open, and the dialog gets the abort", async () => {
    const abort = new AbortController();
    const heard: unknown[] = [];
    const result = await asking((...dialog: unknown[]) => {
      heard.push(...dialog);
      abort.abort();
      return new Promise(() => {});
    }, abort.signal);
    expect(result).toMatchObject({ blocked: true, isError: true });
    expect(heard).toEqual(["Run bash?", "sure?", { signal: abort.signal }]);
  });
});

function fail(): never {
  throw new Error("the dialog is gone");
}

test.each<[unknown, string]>([
  [undefined, "nothing"],
  [null, "null"],
  [5, "5"],
  [{ content: null }, '{"content":null}'],
  [{ content: [null] }, '{"content":[null]}'],
  [{}, "{}"],
  [() => "output", "a function"],
])("a tool that returns %j has failed, and the model is told", async (output, shown) => {
  await using session = await opened();
  session.on("tool.after", () => undefined);
  const result = await session.wrap(call, () => output as string);
  const content = [{ type: "text", text: `The tool returned ${shown}, which is neither a text nor content blocks.` }];
  expect(result).toMatchObject({ isError: true, blocked: false, content });
});
