import { expect, test } from "vitest";
import { sentTo, startBench } from "../agent/bench.ts";

const down = { error: { status: 529, message: "overloaded" } };
const patient = { retry: { baseDelayMs: 60_000 } };

test("a failed attempt stays in the session and is not in the context of the next", async () => {
  const { agent, server } = await startBench({ replies: [down, { text: "up again" }] });
  expect(await agent.prompt("Try")).toMatchObject({ kind: "answered", text: "up again" });
  expect(sentTo(server, 1).slice(1)).toEqual(["user: Try"]);
  const { store } = agent.core;
  expect(store.getEntries().map(({ type }) => type)).toContain("context_edit");
  expect(store.buildSessionContext().messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
});

test("the wait can be given up; the error is then the result, and the pair is closed", async () => {
  const { agent, events } = await startBench({ replies: [down], settings: patient });
  agent.listen(({ type }) => {
    if (type === "auto_retry_start") setTimeout(() => agent.abortRetry());
  });
  expect(await agent.prompt("Try")).toMatchObject({ kind: "failed" });
  const pair = events.filter(({ type }) => type.startsWith("auto_retry"));
  expect(pair).toMatchObject([
    { type: "auto_retry_start", attempt: 1, maxAttempts: 3, delayMs: 60_000 },
    { type: "auto_retry_end", success: false, attempt: 1, finalError: "Retry cancelled" },
  ]);
});

test("an abort in the wait ends the prompt", async () => {
  const { agent } = await startBench({ replies: [down], settings: patient });
  agent.listen(({ type }) => {
    if (type === "auto_retry_start") setTimeout(() => agent.abort());
  });
  expect(await agent.prompt("Try")).toEqual({ kind: "aborted" });
});

test("retries can be turned off and on again", async () => {
  const { agent, server } = await startBench({ replies: [down, down, { text: "ok" }] });
  agent.allowRetries(false);
  expect(await agent.prompt("Try")).toMatchObject({ kind: "failed" });
  expect(server.requests).toHaveLength(1);
  agent.allowRetries(true);
  expect(await agent.prompt("Try")).toMatchObject({ text: "ok" });
});

test("the pair of a retry is closed as soon as a reply has arrived, before its tools run", async () => {
  const { agent, events } = await startBench({ replies: [down, { toolCalls: [{ name: "ls" }] }, { text: "ok" }] });
  await agent.prompt("Try");
  const types = events.map(({ type }) => type);
  expect(types.indexOf("auto_retry_end")).toBeLessThan(types.indexOf("tool_execution_start"));
  expect(events.filter(({ type }) => type === "agent_end")).toMatchObject([{ willRetry: true }, { willRetry: false }]);
});

test("agent.end says why the last request failed for good, and nothing about one that is retried", async () => {
  const { agent, hooks } = await startBench({
    replies: [
      { error: { status: 529, message: "overloaded" } },
      { error: { status: 401, message: "invalid x-api-key" } },
      { text: "fine" },
    ],
  });
  const ends: unknown[] = [];
  hooks.on("agent.end", ({ error }) => {
    ends.push(error);
    return undefined;
  });
  await agent.prompt("Hello");
  await agent.prompt("Again");
  expect(ends).toEqual([
    undefined,
    { kind: "authentication_failed", message: expect.stringContaining("invalid x-api-key") },
    undefined,
  ]);
});
