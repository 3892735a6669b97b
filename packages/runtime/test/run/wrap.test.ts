import { expect, test } from "vitest";
import { NO_HOME } from "../../../../scripts/no-home.ts";
import { createRuntime, type Session } from "../../src/index.ts";

async function opened(): Promise<Session & AsyncDisposable> {
  const runtime = createRuntime({ home: NO_HOME });
  const session = await runtime.open({ scene: { sessionId: "wrap", cwd: "/" } });
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
