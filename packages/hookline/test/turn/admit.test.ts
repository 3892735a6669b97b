import { expect, test } from "vitest";
import { sentTo, startBench } from "../agent/bench.ts";

type Bench = Awaited<ReturnType<typeof startBench>>;

/** Everything that hooks are told was sent, with the last message of the conversation at that moment. */
function sent({ agent, hooks }: Bench): string[] {
  const told: string[] = [];
  hooks.on("input.sent", ({ text }) => {
    const last = agent.messages().at(-1);
    const there = JSON.stringify(last ?? "").includes(text);
    told.push(`${text}${there ? "" : " (not there yet)"}`);
    return undefined;
  });
  return told;
}

/** Queues texts when the first request has been made. */
function typeAhead({ agent, hooks }: Bench, streaming: "steer" | "followUp", ...texts: readonly string[]): void {
  let isTyped = false;
  hooks.on("model.responded", async () => {
    if (isTyped) return undefined;
    isTyped = true;
    for (const text of texts) await agent.prompt(text, { streaming });
    return undefined;
  });
}

const wishes = [
  ["model.context", () => ({ stop: true as const, feedback: "FB" })],
  ["model.response", () => ({ stop: true as const, feedback: "FB" })],
  ["agent.stop", () => ({ feedback: "FB" })],
] as const;

test.each(wishes)("feedback of %s is announced like any text that was sent [jcli.feedback.1]", async (event, wish) => {
  const bench = await startBench({ replies: [{ text: "one" }, { text: "two" }] });
  const told = sent(bench);
  let asked = 0;
  bench.hooks.on(event, (() => (asked++ === 0 ? wish() : undefined)) as never);
  await bench.agent.prompt("hello");
  expect(told).toEqual(["hello", "FB"]);
  expect(sentTo(bench.server, -1).at(-1)).toBe("user: FB");
});

test("feedback of prompt.before replaces the prompt, and is announced once", async () => {
  const bench = await startBench({ replies: [{ text: "one" }] });
  const told = sent(bench);
  bench.hooks.on("prompt.before", () => ({ stop: true, feedback: "FB" }));
  await bench.agent.prompt("hello");
  expect(told).toEqual(["FB"]);
});

test.each(["steer", "followUp"] as const)(
  "a text that waits (%s) passes the hooks that see every prompt",
  async (way) => {
    const bench = await startBench({ replies: [{ text: "one" }, { text: "two" }] });
    const told = sent(bench);
    bench.hooks.on("prompt.before", ({ text }) => ({ text: text.replace("secret", "[removed]") }));
    typeAhead(bench, way, "my secret");
    await bench.agent.prompt("hello");
    expect(told).toEqual(["hello", "my [removed]"]);
    expect(sentTo(bench.server, 1).at(-1)).toBe("user: my [removed]");
    expect(bench.agent.core.queues.texts).toEqual({ steering: [], followUp: [] });
    expect(JSON.stringify(bench.agent.core.store.getEntries())).not.toContain("secret");
  },
);

test.each(["steer", "followUp"] as const)(
  "one that is stopped (%s) is left out, and the next one goes on",
  async (way) => {
    const bench = await startBench({ replies: [{ text: "one" }, { text: "two" }] });
    const told = sent(bench);
    bench.hooks.on("prompt.before", ({ text }) => (text === "bad" ? { stop: true } : undefined));
    typeAhead(bench, way, "bad", "good");
    const result = await bench.agent.prompt("hello");
    expect(told).toEqual(["hello", "good"]);
    expect(result).toMatchObject({ kind: "answered", text: "two" });
    expect(bench.server.requests).toHaveLength(2);
    expect(bench.notices().join()).toContain("A hook stopped the message that was waiting.");
  },
);

test.each(["steer", "followUp"] as const)(
  "where all that wait (%s) are stopped, the run ends as answered",
  async (way) => {
    const bench = await startBench({ replies: [{ text: "one" }] });
    bench.hooks.on("prompt.before", ({ text }) => (text === "hello" ? undefined : { stop: true }));
    typeAhead(bench, way, "bad", "worse");
    expect(await bench.agent.prompt("hello")).toMatchObject({ kind: "answered", text: "one" });
    expect(bench.server.requests).toHaveLength(1);
    expect(bench.agent.core.queues.pending).toBe(false);
  },
);

test("feedback on a queued text replaces it, within the cap", async () => {
  const bench = await startBench({ replies: [{ text: "one" }, { text: "two" }], settings: { feedbackCap: 1 } });
  const told = sent(bench);
  bench.hooks.on("prompt.before", ({ text }) =>
    text === "hello" ? undefined : { stop: true, feedback: `no ${text}` },
  );
  typeAhead(bench, "steer", "a", "b");
  await bench.agent.prompt("hello");
  expect(told).toEqual(["hello", "no a"]);
  expect(bench.server.requests).toHaveLength(2);
});
