import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CallArgs, callLens, sameCalls } from "../../src/lens/call.ts";

const calls = callLens({
  bash: { name: "Bash" },
  read: { name: "Read", args: { path: "file_path" } },
  edit: {
    name: "Edit",
    shape: {
      get: ({ edits, ...rest }) =>
        Array.isArray(edits) && edits.length === 1 ? { ...rest, ...(edits[0] as object) } : { ...rest, edits },
      put: ({ old, ...rest }) => (old === undefined ? rest : { ...rest, edits: [{ old }] }),
    },
  },
});

const args = fc.dictionary(fc.constantFrom("path", "file_path", "a", "__proto__"), fc.jsonValue());
const tool = fc.constantFrom("bash", "read", "mystery");

describe("laws of the call lens", () => {
  it("echoed arguments keep their identity, as an object and as text", () => {
    fc.assert(
      fc.property(tool, args, (name, own) => {
        const put = calls.putText(name, calls.text(name, own), own);
        return calls.putArgs(name, calls.args(name, own), own) === own && put.ok && put.args === own;
      }),
    );
  });

  it("what was put in the dialect's names is what is seen", () => {
    const theirs = fc.dictionary(fc.constantFrom("file_path", "a"), fc.jsonValue());
    fc.assert(
      fc.property(tool, theirs, args, (name, given, own) => {
        expect(calls.args(name, calls.putArgs(name, given, own))).toEqual(given);
      }),
    );
  });

  it("no argument is lost on the way", () => {
    fc.assert(
      fc.property(tool, args, (name, own) => Object.keys(calls.args(name, own)).length === Object.keys(own).length),
    );
  });
});

describe("callLens", () => {
  it("knows tools under both names and leaves the others as they are", () => {
    expect([
      calls.name("bash"),
      calls.name("mystery"),
      calls.tool("Read"),
      calls.tool("read"),
      calls.tool("x"),
    ]).toEqual(["Bash", "mystery", "read", "read", "x"]);
  });

  it("renames arguments both ways", () => {
    const own: CallArgs = { path: "a.txt", limit: 3 };
    expect(calls.text("read", own)).toBe('{"file_path":"a.txt","limit":3}');
    expect(calls.putText("read", '{"file_path":"b.txt","limit":3}', own)).toEqual({
      ok: true,
      args: { path: "b.txt", limit: 3 },
    });
  });

  it("shows the argument that the tool takes, where another one has its name in the dialect", () => {
    const own: CallArgs = { path: "real", file_path: "decoy" };
    expect(calls.args("read", own)).toEqual({ file_path: "real", path: "decoy" });
    expect(calls.putArgs("read", { file_path: "new", path: "decoy" }, own)).toEqual({
      path: "new",
      file_path: "decoy",
    });
  });

  it("understands the host's own argument names as well", () => {
    expect(calls.putArgs("read", { path: "b.txt" }, { path: "a.txt" })).toEqual({ path: "b.txt" });
  });

  it("converts arguments that differ in shape", () => {
    expect(calls.args("edit", { path: "p", edits: [{ old: "x" }] })).toEqual({ path: "p", old: "x" });
    expect(calls.putArgs("edit", { path: "p", old: "y" }, { path: "p", edits: [{ old: "x" }] })).toEqual({
      path: "p",
      edits: [{ old: "y" }],
    });
  });

  it("keeps the arguments' identity when only the spelling of the JSON changed", () => {
    const own: CallArgs = { a: 1, b: [2] };
    expect(sameCalls.putText("t", '{ "b": [2],\n "a": 1 }', own)).toEqual({ ok: true, args: own });
    const put = sameCalls.putText("t", '{ "b": [2],\n "a": 1 }', own);
    expect(put.ok && put.args).toBe(own);
  });

  it.each(["[]", "null", '"text"', "", "{", '{"a":1} {}'])("refuses %j as arguments", (text) => {
    expect(sameCalls.putText("t", text, {}).ok).toBe(false);
  });
});
