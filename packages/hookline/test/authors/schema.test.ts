import { catalog } from "@hookline/runtime/engine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Desk } from "./desk.ts";

let desk: Desk;

beforeAll(() => {
  desk = new Desk();
});

afterAll(() => desk.remove());

test("an event of hookline's own: its fields, its answer, and an example that fits", async () => {
  const { json, code } = await desk.hookline(["schema", "tool.before"]);
  expect(code).toBe(0);
  expect(json).toMatchObject({
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "tool.before",
    type: "object",
    properties: {
      event: { required: ["toolCallId", "tool", "args"], examples: [{ tool: "bash", args: { command: "ls" } }] },
      answer: { properties: { decision: { enum: ["allow", "ask", "deny"] } } },
    },
  });
});

test("without a name all events, as one document", async () => {
  const { json } = await desk.hookline(["schema"]);
  expect(Object.keys(json.definitions)).toEqual([...catalog.keys()]);
});

test("a dialect's own event is described by a sample of it", async () => {
  const { json } = await desk.hookline(["schema", "chibi:pre_tool"]);
  expect(json.title).toBe("chibi:pre_tool");
  expect(json.properties.event.examples).toMatchObject([{ tool_name: "run_command" }]);
  expect(json.properties.event.properties.tool_name).toEqual({ type: "string" });
});

test("a line of --trace", async () => {
  const { json } = await desk.hookline(["schema", "trace"]);
  expect(json.required).toEqual(expect.arrayContaining(["v", "event", "hooks", "edits", "outcome", "ms"]));
});
