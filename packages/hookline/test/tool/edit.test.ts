import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createEditTool, type EditInput } from "../../src/tool/edit.ts";
import { replaceAll } from "../../src/tool/replace.ts";
import { validateArguments } from "../../src/tool/schema.ts";
import { filesIn, makeFolder, run, textFrom } from "./folder.ts";

const edit = (oldText: string, newText: string) => ({ oldText, newText });

describe("replaces", () => {
  test.each([
    ["one text", "one\ntwo\n", [edit("two", "2")], "one\n2\n"],
    ["several, in any order", "one\ntwo\nthree\n", [edit("three", "3"), edit("one", "1")], "1\ntwo\n3\n"],
    ["all against the original", "ab", [edit("a", "b"), edit("b", "c")], "bc"],
    ["neighbours", "ab", [edit("a", ""), edit("b", "x")], "x"],
    ["with nothing", "ab", [edit("b", "")], "a"],
    ["characters that patterns know", "a.*b", [edit(".*", "$& $1")], "a$& $1b"],
    ["over CRLF lines, with CRLF", "a\r\nb\r\nc", [edit("a\nb", "1\n2\n3")], "1\r\n2\r\n3\r\nc"],
    ["where the model wrote CRLF", "a\nb\n", [edit("a\r\nb", "1\r\n2")], "1\n2\n"],
    ["and leaves other line breaks as they are", "a\r\nb\nc\rd", [edit("b", "x\ny")], "a\r\nx\r\ny\nc\rd"],
    ["behind a byte order mark", "\uFEFFab", [edit("a", "x")], "\uFEFFxb"],
    ["in spite of spaces at line ends", "a  \nb\t\nc  \n", [edit("a\nb\nc", "x")], "x  \n"],
    ["in spite of curly quotes and dashes", "say \u201chi\u201d \u2014 ok", [edit('"hi" - ok', "bye")], "say bye"],
    ["in spite of unusual spaces", "a\u00a0b", [edit("a b", "c")], "c"],
    ["in spite of composed letters", "caf\u0065\u0301!", [edit("caf\u00e9", "tea")], "tea!"],
    [
      "and leaves the rest of such a line as it is",
      "\u201ca\u201d \u201cb\u201d  \n",
      [edit('"b"', "c")],
      "\u201ca\u201d c  \n",
    ],
    ["exactly, before anything looks alike", 'x "q"\nx \u201cq\u201d', [edit('"q"', "1")], "x 1\nx \u201cq\u201d"],
  ])("%s", async (_name, before, edits, after) => {
    const root = makeFolder({ f: before });
    expect(await textFrom(createEditTool(root), { path: "f", edits })).toBe(
      `Successfully replaced ${edits.length} block(s) in f.`,
    );
    expect(readFileSync(join(root, "f"), "utf8")).toBe(after);
  });
});

describe("refuses, and changes nothing", () => {
  const once =
    "Could not find the exact text in f. The old text must match exactly including all whitespace and newlines.";
  const twice = (count: number) =>
    `Found ${count} occurrences of the text in f. The text must be unique. Please provide more context to make it unique.`;
  const both = [edit("one", "1")];
  test.each<[string, string, EditInput["edits"], string]>([
    ["a text that is not there", "one", [edit("two", "2")], once],
    [
      "one of several that is not there",
      "one",
      [...both, edit("two", "2")],
      "Could not find edits[1] in f. The oldText must match exactly including all whitespace and newlines.",
    ],
    ["a text that is there twice", "a b a", [edit("a", "2")], twice(2)],
    ["a text that is there twice, one over the other", "aaa", [edit("aa", "2")], twice(2)],
    ["a text that only looks alike, twice", "\u201ca\u201d \u2018\u201ca\u201d", [edit('"a"', "2")], twice(2)],
    [
      "one of several that is there twice",
      "one a a",
      [...both, edit("a", "2")],
      "Found 2 occurrences of edits[1] in f. Each oldText must be unique. Please provide more context to make it unique.",
    ],
    ["an empty text", "one", [edit("", "2")], "oldText must not be empty in f."],
    ["an empty one of several", "one", [...both, edit("", "2")], "edits[1].oldText must not be empty in f."],
    ["a text of line ends and spaces that is not there", "one\ntwo", [edit("  ", "2")], once],
    [
      "edits that overlap",
      "one two three",
      [edit("two three", "2"), edit("one two", "1")],
      "edits[1] and edits[0] overlap in f. Merge them into one edit or target disjoint regions.",
    ],
    [
      "an edit inside of another",
      "one two three",
      [edit("one two three", "2"), edit("two", "1")],
      "edits[0] and edits[1] overlap in f. Merge them into one edit or target disjoint regions.",
    ],
    [
      "an edit that changes nothing",
      "one",
      [edit("one", "one")],
      "No changes made to f. The replacement produced identical content. This might indicate an issue with special characters or the text not existing as expected.",
    ],
    [
      "edits that change nothing",
      "one two",
      [edit("one", "one"), edit("two", "two")],
      "No changes made to f. The replacements produced identical content.",
    ],
    ["no edits", "one", [], "Edit tool input is invalid. edits must contain at least one replacement."],
    ["half of a character", "\ufb01x", [edit("f", "2")], once],
  ])("%s", async (_name, before, edits, message) => {
    const root = makeFolder({ f: before });
    expect(await textFrom(createEditTool(root), { path: "f", edits })).toBe(`Error: ${message}`);
    expect(readFileSync(join(root, "f"), "utf8")).toBe(before);
  });

  test.each([
    ["a missing file", {}, "Error: Could not edit file: f. Error code: ENOENT."],
    ["a folder", { "f/": "" }, "Error: EISDIR: illegal operation on a directory, read"],
    [
      "bytes that are no UTF-8, which writing back would lose",
      { f: Buffer.from("one \xe9", "latin1") },
      "Error: Could not edit file: f. It is not UTF-8 text; change it with bash.",
    ],
  ])("%s", async (_name, files, message) => {
    const root = makeFolder(files);
    const before = filesIn(root);
    expect(await textFrom(createEditTool(root), { path: "f", edits: both })).toBe(message);
    expect(filesIn(root)).toEqual(before);
  });

  test("an error of access without a code", async () => {
    const operations = { access: () => Promise.reject(new Error("gone")) };
    const tool = createEditTool("/far", { operations });
    expect(await textFrom(tool, { path: "f", edits: both })).toBe("Error: Could not edit file: f. Error: gone.");
  });

  test("an abort, up to the moment of the write", async () => {
    const root = makeFolder({ f: "one" });
    const controller = new AbortController();
    const operations = {
      readFile: async (path: string) => {
        controller.abort();
        return readFileSync(path);
      },
    };
    for (const [tool, signal] of [
      [createEditTool(root), AbortSignal.abort()],
      [createEditTool(root, { operations }), controller.signal],
    ] as const) {
      expect(await textFrom(tool, { path: "f", edits: both }, { signal })).toBe("Error: Operation aborted");
    }
    expect(filesIn(root)).toEqual({ f: "one" });
  });
});

test("when writing fails, the old content is put back", async () => {
  const stored = { text: "\uFEFFone two" };
  let attempts = 0;
  const operations = {
    readFile: async () => Buffer.from(stored.text),
    writeFile: async (_path: string, content: string) => {
      attempts++;
      stored.text = attempts === 1 ? content.slice(0, 2) : content;
      if (attempts === 1) throw new Error("ENOSPC: no space left on device, write");
    },
  };
  const tool = createEditTool("/far", { operations });
  expect(await textFrom(tool, { path: "f", edits: [edit("one", "1")] })).toBe(
    "Error: ENOSPC: no space left on device, write",
  );
  expect(stored.text).toBe("\uFEFFone two");
});

test("parallel edits of one file are all kept", async () => {
  const names = Array.from({ length: 30 }, (_, index) => `<${index}>`);
  const root = makeFolder({ f: names.join("\n") });
  const tool = createEditTool(root);
  await Promise.all(names.map((name) => run(tool, { path: "f", edits: [edit(name, `${name} done`)] })));
  expect(readFileSync(join(root, "f"), "utf8")).toBe(names.map((name) => `${name} done`).join("\n"));
});

describe("arguments as models send them", () => {
  const wanted = { path: "f", edits: [edit("a", "b")] };
  test.each([
    ["as the schema asks", wanted, wanted],
    ["one edit at the top", { path: "f", oldText: "a", newText: "b" }, wanted],
    ["one edit in place of the list", { path: "f", edits: edit("a", "b") }, wanted],
    ["the list as JSON text", { path: "f", edits: JSON.stringify([edit("a", "b")]) }, wanted],
    ["one edit as JSON text", { path: "f", edits: JSON.stringify(edit("a", "b")) }, wanted],
    [
      "a list and one at the top",
      { ...wanted, oldText: "c", newText: "d" },
      { path: "f", edits: [edit("a", "b"), edit("c", "d")] },
    ],
    ["something else in place of the list", { path: "f", edits: "nonsense" }, { path: "f", edits: "nonsense" }],
    ["half an edit at the top", { path: "f", oldText: "a" }, { path: "f", oldText: "a" }],
    ["no object", "text", "text"],
  ])("%s", (_name, raw, prepared) => {
    const given = structuredClone(raw);
    const tool = createEditTool("/");
    expect(tool.prepareArguments?.(given)).toEqual(prepared);
    expect(given).toEqual(raw);
  });

  test("prepared arguments pass the schema", () => {
    const tool = createEditTool("/");
    const prepared = tool.prepareArguments?.({ path: "f", oldText: "a", newText: "b" });
    expect(validateArguments(tool, prepared)).toEqual(wanted);
    expect(() => validateArguments(tool, { path: "f", edits: [{ oldText: 1 }] })).toThrow(
      "  - edits.0.newText: must have required properties newText",
    );
  });
});

test("disjoint edits give what replacing each range gives, whatever the characters", () => {
  const unit = fc.constantFrom("a", "b", "\n", "\r\n", "é", "e\u0301", "\u201c", "👍", " ", "\ufb01");
  const doc = fc.array(fc.tuple(fc.uuid(), fc.string({ unit, maxLength: 6 })), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(doc, fc.string({ unit, maxLength: 4 }), (parts, addition) => {
      const source = parts.map(([id, filling]) => id + filling).join("");
      const lineBreak = /^[^\n]*\r\n/.test(source) ? "\r\n" : "\n";
      const edits = parts.map(([id]) => edit(id, `<${addition}>`));
      const shown = addition.replace(/\r\n?|\n/g, lineBreak);
      const expected = parts.map(([, filling]) => `<${shown}>${filling}`).join("");
      expect(replaceAll(source, edits, "f")).toBe(expected);
    }),
  );
});
