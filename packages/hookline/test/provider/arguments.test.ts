import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { argumentsLog, isJsonObject } from "../../src/provider/arguments.ts";
import { emptyMessage } from "../../src/provider/message.ts";
import { invalidArguments, refusedCalls, type StreamEvent } from "../../src/provider/provider.ts";
import { testModel } from "./collect.ts";

/** The log's view of calls whose argument texts arrive in the given pieces, one block after the other. */
function logged(
  calls: readonly { readonly pieces: readonly string[]; readonly arguments: unknown }[],
  repair?: (text: string) => unknown,
  id?: string,
) {
  const blocks = calls.map((call, index) => ({
    type: "toolCall" as const,
    id: id ?? `c${index}`,
    name: "x",
    arguments: call.arguments as Record<string, unknown>,
  }));
  const partial = { ...emptyMessage(testModel()), content: blocks };
  const log = argumentsLog(repair);
  for (const [contentIndex, { pieces }] of calls.entries()) {
    const events: StreamEvent[] = [
      { type: "toolcall_start", contentIndex, partial },
      ...pieces.map((delta) => ({ type: "toolcall_delta" as const, contentIndex, delta, partial })),
      { type: "toolcall_end", contentIndex, toolCall: blocks[contentIndex]!, partial },
    ];
    for (const event of events) log.see(event);
  }
  log.seal(partial);
  return partial;
}

const object = fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true });

test("valid objects are never marked, however they are cut", () => {
  fc.assert(
    fc.property(fc.array(object, { maxLength: 4 }), fc.integer({ min: 1, max: 9 }), (values, size) => {
      const calls = values.map((value) => {
        const text = JSON.stringify(value);
        return { pieces: text.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? [], arguments: JSON.parse(text) };
      });
      expect(invalidArguments(logged(calls)).size).toBe(0);
    }),
  );
});

test("a broken text is marked whole and leaves its neighbours alone", () => {
  const broken = fc.string({ minLength: 1 }).filter((text) => text.trim() !== "" && !isJsonObject(text));
  fc.assert(
    fc.property(broken, object, (text, value) => {
      const good = { pieces: [JSON.stringify(value)], arguments: value };
      const message = logged([good, { pieces: [...text], arguments: {} }, good]);
      expect([...invalidArguments(message)]).toEqual([["c1", text]]);
    }),
  );
});

test("calls with the same id, or none, are judged separately and get their own ids", () => {
  const broken = { pieces: ['{"a"'], arguments: {} };
  const good = { pieces: ["{}"], arguments: {} };
  for (const [id, ids] of [
    ["c", ["c", "c-2", "c-3"]],
    ["", ["", "call-2", "call-3"]],
  ] as const) {
    const message = logged([good, broken, good], undefined, id);
    expect(message.content.map((block) => block.id)).toEqual(ids);
    expect([...invalidArguments(message)]).toEqual([[ids[1], '{"a"']]);
  }
});

describe("where the client repairs", () => {
  const repair = () => ({ command: "rm" });

  test("its repair of a broken text is marked", () => {
    const message = logged([{ pieces: ['{"command": "rm'], arguments: { command: "rm" } }], repair);
    expect([...invalidArguments(message).values()]).toEqual(['{"command": "rm']);
  });

  test("arguments that come from another text are left alone", () => {
    const message = logged([{ pieces: [', "b": 2}'], arguments: { a: 1, b: 2 } }], repair);
    expect(invalidArguments(message).size).toBe(0);
  });
});

test("a call that is cut off by the end of the stream is marked", () => {
  const partial = {
    ...emptyMessage(testModel()),
    content: [{ type: "toolCall" as const, id: "c", name: "x", arguments: {} }],
  };
  const log = argumentsLog();
  log.see({ type: "toolcall_start", contentIndex: 0, partial });
  log.see({ type: "toolcall_delta", contentIndex: 0, delta: '{"a": ', partial });
  log.seal(partial);
  expect([...invalidArguments(partial)]).toEqual([["c", '{"a": ']]);
});

test("the marks survive a shallow copy and never reach JSON", () => {
  const message = logged([{ pieces: ["{"], arguments: {} }]);
  expect(invalidArguments({ ...message }).get("c0")).toBe("{");
  expect(JSON.stringify(message)).not.toContain("invalid");
});

describe("calls over a limit", () => {
  const deep = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);

  test.each([
    ["deep", { a: deep(247) }, undefined],
    ["too deep", { a: deep(248) }, "deep"],
    ["a long text", { a: "x".repeat((8 << 20) - 100) }, undefined],
    ["a text too long", { a: "x".repeat(8 << 20) }, "long"],
    ["many texts", { a: Array.from({ length: 9 }, () => "x".repeat(1 << 20)) }, "long"],
    ["a long list", { a: Array.from({ length: 5_000_000 }, () => 1) }, "long"],
    ["a long name", { ["x".repeat(9 << 20)]: 1 }, "long"],
  ] as const)("%s: what has not streamed is looked at", (_, args, fault) => {
    const message = logged([{ pieces: [], arguments: args }]);
    expect(refusedCalls(message).get("c0")).toBe(fault);
    expect(message.content[0]?.arguments).toEqual(fault === undefined ? args : {});
  });

  test("calls beyond the maximum are refused, in order", () => {
    const calls = Array.from({ length: 258 }, () => ({ pieces: ["{}"], arguments: {} }));
    expect([...refusedCalls(logged(calls))]).toEqual([
      ["c256", "many"],
      ["c257", "many"],
    ]);
  });
});
