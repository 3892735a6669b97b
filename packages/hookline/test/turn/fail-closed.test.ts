import { describe, expect, test } from "vitest";
import { sentTo, startBench } from "../agent/bench.ts";

const breaks = (event: string) => ({
  "redact.ts": `export default (pi) => { pi.on("${event}", () => { throw new Error("sk-secret"); }); };`,
});
const NAMED = { settings: { failClosed: ["redact.ts"] }, args: ["-e", "redact.ts"] };

describe("a redactor that is named under failClosed and fails", () => {
  test.each(["input", "context"])("at %s stops the prompt before anything is sent", async (event) => {
    const bench = await startBench({ ...NAMED, files: breaks(event), replies: [{ text: "never" }] });
    expect((await bench.agent.prompt("My key is sk-secret")).kind).toBe("stopped");
    expect(bench.server.requests).toEqual([]);
  });

  test("at the request's body ends the prompt with an error, and nothing is sent", async () => {
    const bench = await startBench({
      ...NAMED,
      files: breaks("before_provider_request"),
      replies: [{ text: "never" }],
    });
    expect(await bench.agent.prompt("My key is sk-secret")).toEqual({
      kind: "failed",
      error: "A hook stopped the request.",
    });
    expect(bench.server.requests).toEqual([]);
  });

  test("at a tool's result replaces it with a line for the model and the session", async () => {
    const call = { name: "bash", arguments: { command: "echo sk-''secret" } };
    const bench = await startBench({
      ...NAMED,
      files: breaks("tool_result"),
      replies: [{ toolCalls: [call] }, { text: "done" }],
    });
    expect((await bench.agent.prompt("Run it")).kind).toBe("answered");
    const result = sentTo(bench.server, 1).at(-1);
    expect(result).toContain("was withheld: the hook failed");
    expect(JSON.stringify(bench.server.requests[1]?.body)).not.toContain("sk-secret");
    expect(JSON.stringify(bench.agent.core.store.getEntries())).not.toContain("sk-secret");
  });

  test("changes nothing if it is not named", async () => {
    const bench = await startBench({ args: NAMED.args, files: breaks("input"), replies: [{ text: "hello" }] });
    expect((await bench.agent.prompt("Hi")).kind).toBe("answered");
    expect(bench.diagnostics.map(({ code }) => code)).toContain("FAILED_OPEN");
  });
});

test("a request that a hook of the host stops is not sent", async () => {
  const bench = await startBench({ replies: [{ text: "never" }] });
  bench.agent.core.hooks.on("model.request", () => ({ stop: true as const }));
  expect((await bench.agent.prompt("Hi")).kind).toBe("stopped");
  expect(bench.server.requests).toEqual([]);
});
