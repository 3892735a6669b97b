import { expect, test } from "vitest";
import { startBench } from "./bench.ts";

/** A hook without a limit that hangs the first time. */
const hangs = (event: string) => ({
  ".omp/hooks/pre/hang.ts": `let times = 0;
export default (omp) => {
  omp.on("${event}", () => {
    if (times++ > 0) return;
    globalThis.hangingNow();
    return new Promise(() => {});
  });
};
`,
});

test.each(["agent_start", "turn_start", "context", "turn_end", "agent_end"])(
  "an abort ends the wait for a hook without a limit that hangs at %s, and the next prompt is answered",
  async (event) => {
    const reached = new Promise<void>((resolve) => Object.assign(globalThis, { hangingNow: resolve }));
    const bench = await startBench({
      files: hangs(event),
      replies: [{ text: "first" }, { text: "second", repeat: true }],
    });
    const prompted = bench.agent.prompt("One");
    await reached;
    bench.agent.abort();
    expect((await prompted).kind).toBe("aborted");
    expect((await bench.agent.prompt("Two")).kind).toBe("answered");
  },
);

test("a handler that is told of an abort and hangs is waited for again, until the next abort", async () => {
  let told = 0;
  const reached = new Promise<void>((resolve) =>
    Object.assign(globalThis, { hangingNow: () => ++told === 2 && resolve(), heard: 0 }),
  );
  const body = "globalThis.hangingNow(); return new Promise(() => {});";
  const bench = await startBench({
    files: {
      ".omp/hooks/pre/hang.ts": `export default (omp) => { omp.on("turn_start", () => { ${body} }); omp.on("agent_end", () => { ${body} }); };`,
    },
    replies: [{ text: "never" }],
  });
  const prompted = bench.agent.prompt("One");
  bench.agent.listen(({ type }) => type === "turn_start" && setImmediate(() => bench.agent.abort()));
  await reached;
  expect(bench.agent.isIdle).toBe(false);
  bench.agent.abort();
  expect((await prompted).kind).toBe("aborted");
});

test("a configured limit applies to hooks that otherwise have none, also at the end of a session", async () => {
  const bench = await startBench({
    settings: { handlerTimeoutMs: 50 },
    files: {
      ".omp/hooks/pre/hang.ts":
        'export default (omp) => { omp.on("session_shutdown", () => new Promise(() => setInterval(() => {}, 1000).unref())); };',
    },
    replies: [{ text: "answered" }],
  });
  await bench.agent.prompt("One");
  await bench.close();
  expect(bench.diagnostics.map(({ code }) => code)).toEqual(["HOOK_TIMED_OUT"]);
});
