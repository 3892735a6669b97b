import { readFileSync } from "node:fs";
import { join } from "node:path";
import { is, parse } from "valibot";
import { describe, expect, test } from "vitest";
import { type TraceLine, withoutPayloads } from "../../src/run/trace.ts";
import { traceSchema } from "../../src/run/trace-schema.ts";
import { openWith } from "../laws/session.ts";

const SECRET = "the password is plum";

/** Returns a session's trace of two events with every kind of handler, as a reader gets it: through JSON. */
async function traced(payloads: boolean): Promise<TraceLine[]> {
  const lines: TraceLine[] = [];
  const { session } = await openWith({ trace: { write: (line) => lines.push(line), payloads } });
  session.on("tool.before", function looks() {});
  session.on("tool.before", function edits() {
    return { args: { command: SECRET } };
  });
  session.on("tool.before", function adds() {
    return { additionalContext: SECRET };
  });
  session.on("tool.before", function refuses() {
    return { decision: "deny" as const, reason: SECRET };
  });
  session.on("tool.before", function late() {});
  session.on("turn.start", function breaks() {
    throw new Error("broken");
  });
  await session.emit("tool.before", { toolCallId: "c", tool: "bash", args: { command: "ls" } });
  await session.emit("turn.start", { turnIndex: 0, timestamp: 0 });
  return lines.map((line) => JSON.parse(JSON.stringify(line)) as TraceLine);
}

describe.each([true, false])("with payloads: %s", (payloads) => {
  test("each line fits the published schema", async () => {
    const lines = await traced(payloads);
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(parse(traceSchema(), line)).toEqual(line);
  });

  test("values are in the lines only on request", async () => {
    expect(JSON.stringify(await traced(payloads)).includes(SECRET)).toBe(payloads);
  });

  test("every hook is named with its status, and every edit with its author", async () => {
    const [call, turn] = await traced(payloads);
    expect(call?.hooks.map(({ id, status }) => [id.replace(/^.*?:/, ""), status])).toEqual([
      ["looks#tool.before[0]", "no-answer"],
      ["edits#tool.before[1]", "answered"],
      ["adds#tool.before[2]", "answered"],
      ["refuses#tool.before[3]", "answered"],
      ["late#tool.before[4]", "not-reached"],
    ]);
    expect(call?.edits.map(({ hook, field }) => [hook.replace(/^.*?:/, ""), field])).toContainEqual([
      "edits#tool.before[1]",
      "args",
    ]);
    expect(turn?.hooks).toMatchObject([{ status: "failed", problem: "broken" }]);
    expect(turn?.diagnostics).toHaveLength(1);
  });
});

test("without payloads, a line keeps the words that decide, also within an answer", async () => {
  const [line] = await traced(false);
  expect(line?.outcome).toMatchObject({ decision: "deny", reason: { type: "string" } });
  const hook = {
    ...(line?.hooks[3] as TraceLine["hooks"][number]),
    answer: { ruling: { decision: "ask", reason: "x" } },
  };
  expect(withoutPayloads({ ...(line as TraceLine), hooks: [hook] }).hooks[0]?.answer).toMatchObject({
    ruling: { decision: "ask", reason: { chars: 3 } },
  });
});

test("the schema refuses anything that is not a line", async () => {
  const [line] = await traced(false);
  const schema = traceSchema();
  expect(is(schema, line)).toBe(true);
  for (const wrong of [{ ...line, v: 2 }, { ...line, more: 1 }, { ...line, pass: 3 }, { ...line, hooks: [{}] }, {}])
    expect(is(schema, wrong)).toBe(false);
});

test("the published file is the schema's", () => {
  const file = join(import.meta.dirname, "../../../../docs/reference/schemas/trace-line.json");
  const { properties, required, additionalProperties } = JSON.parse(readFileSync(file, "utf8"));
  const { entries } = traceSchema() as unknown as { entries: object };
  expect(Object.keys(properties)).toEqual(Object.keys(entries));
  expect(required).toEqual(Object.keys(entries).filter((name) => !["call", "agent", "host", "probe"].includes(name)));
  expect(additionalProperties).toBe(false);
});
