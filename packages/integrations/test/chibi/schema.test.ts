import { describe, expect, test } from "vitest";
import { readSchema } from "../../src/chibi/hooks/schema.ts";

const source = { path: "/p/x", tier: "user", dialect: "chibi" } as const;
const read = (value: unknown) => readSchema(typeof value === "string" ? value : JSON.stringify(value), source);
const entries = (value: unknown) => {
  const reading = read(value);
  return reading.ok ? reading.entries : [];
};
const codes = (value: unknown) => read(value).diagnostics.map(({ code }) => code);
const entry = { name: "my_tool", description: "Tool description" };

describe("an answer to --schema", () => {
  test("may be the seed's example [chibi.register.1, chibi.register.2, chibi.register.3, chibi.register.4]", () => {
    const parameters = { type: "object", properties: {} };
    const hooks = ["on_start", "pre_message", "post_message"];
    expect(entries({ ...entry, parameters, hooks })).toEqual([{ ...entry, parameters, hooks, offered: true }]);
    expect(codes({ ...entry, parameters, hooks })).toEqual([]);
  });

  test("may be a list of tools", () => {
    expect(entries([entry, { ...entry, name: "b" }]).map(({ name }) => name)).toEqual(["my_tool", "b"]);
  });

  test("a tool without parameters takes none, and without hooks has none", () => {
    expect(entries(entry)).toMatchObject([{ parameters: { type: "object", properties: {} }, hooks: [] }]);
  });

  test.each([
    [{ name: "x" }, /:2: the tool "x" has no "description"/],
    [{ description: "x" }, /:2: the entry has no "name"/],
    [{ name: 1, description: "x" }, /:2: the entry has no "name"/],
    ["text", /:2: the entry has no "name"/],
  ])("the entry %j is left out and named, its neighbours stay", (bad, message) => {
    const reading = read([entry, bad, { ...entry, name: "c" }]);
    expect(reading).toMatchObject({ ok: true, entries: [{ name: "my_tool" }, { name: "c" }] });
    expect(reading.diagnostics).toMatchObject([{ code: "BAD_ENTRY", message: expect.stringMatching(message) }]);
  });

  test.each([["Usage: x"], [""], ["[]"], ["3"], ["{"], ["{} {}"]])("%j is no schema", (text) => {
    expect(read(text)).toMatchObject({ ok: false, problem: expect.stringContaining("--schema") });
  });

  test("a nesting bomb is refused by name", () => {
    expect(read("[".repeat(100_000))).toMatchObject({ ok: false, problem: expect.stringContaining("deeper than") });
  });

  test("an unknown point is reported with the nearest one, and dropped [chibi.edge.23]", () => {
    const reading = read({ ...entry, hooks: ["pre_tools", "pre_tool", 7] });
    expect(reading).toMatchObject({ entries: [{ hooks: ["pre_tool"] }] });
    expect(reading.diagnostics).toMatchObject([
      { code: "BAD_ENTRY" },
      { code: "UNKNOWN_HOOK_EVENT", hint: expect.stringContaining('"pre_tool"') },
    ]);
  });

  test("a point of a later release that never fires here is reported as such [chibi.edge.23]", () => {
    const never = ["pre_agentic_loop", "pre_fetch_url", "pre_vfs_write"];
    expect(codes({ ...entry, hooks: never })).toEqual(["NEVER_FIRES", "NEVER_FIRES", "NEVER_FIRES"]);
    expect(codes({ ...entry, hooks: ["pre_shell_exec", "pre_file_write"] })).toEqual([]);
  });

  test("a point that is named twice in an entry counts once", () => {
    expect(entries({ ...entry, hooks: ["on_end", "on_end"] })).toMatchObject([{ hooks: ["on_end"] }]);
  });

  test("a name that providers refuse keeps its hooks and is not offered", () => {
    const named = { ...entry, name: "my tool!", hooks: ["pre_tool"] };
    expect(entries(named)).toMatchObject([{ hooks: ["pre_tool"], offered: false }]);
    expect(codes(named)).toEqual(["BAD_ENTRY"]);
  });

  test("keys of later releases are ignored", () => {
    expect(codes({ ...entry, parallel: true, flow_control: true, ends_turn: true, summary_params: ["x"] })).toEqual([]);
  });

  test("hooks and parameters of the wrong type cost themselves only", () => {
    const wrong = { ...entry, hooks: "pre_tool", parameters: "x" };
    expect(entries(wrong)).toMatchObject([{ hooks: [], parameters: { type: "object", properties: {} } }]);
    expect(codes(wrong)).toEqual(["BAD_ENTRY", "BAD_ENTRY"]);
  });
});
