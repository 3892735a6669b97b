import { describe, expect, test } from "vitest";
import { fillArguments, splitArguments } from "../../src/prompt/arguments.ts";
import { readFrontmatter } from "../../src/prompt/frontmatter.ts";
import { asksThePerson } from "../../src/todo/reminder.ts";

test.each([
  ["", []],
  ["a  b", ["a", "b"]],
  [`"a b" 'c d'e`, ["a b", "c de"]],
  [`it's`, ["its"]],
  [`""`, []],
])("%j splits into %j", (text, expected) => {
  expect(splitArguments(text)).toEqual(expected);
});

test.each([
  ["$1-$2-$3", "a-b-"],
  ["$@ and $ARGUMENTS", "a b and a b"],
  [`\${1:-x} \${9:-x y} \${@:-none}`, "a x y a b"],
  [`\${@:2} \${@:0} \${@:1:1}`, "b a b a"],
  ["$10 costs $$1", " costs $a"],
])("%j is filled to %j", (template, expected) => {
  expect(fillArguments(template, ["a", "b"])).toBe(expected);
});

test("what the arguments hold is not looked into again", () => {
  expect(fillArguments("$1 $2", ["$2", "$ARGUMENTS"])).toBe("$2 $ARGUMENTS");
});

describe("fields at the beginning of a file", () => {
  test.each([
    ["no fields", {}, "no fields"],
    ["---\n---\nbody", {}, "body"],
    [
      "---\nname: a b\non: true\nn: 3\nq: 'x y'\nhttp: http://x\n---\nbody",
      { name: "a b", on: true, n: 3, q: "x y", http: "http://x" },
      "body",
    ],
    ["---\r\nname: x\r\n---\r\nbody\r\n", { name: "x" }, "body"],
    ["\uFEFF---\nname: x\n---\nbody", { name: "x" }, "body"],
    ["---\nlist: [a, b]\nmore:\n  - c\n---\nbody", { list: ["a", "b"], more: ["c"] }, "body"],
    ['---\nempty:\nversion: 1.20\nquoted: "a \\"b\\""\n---\n', { empty: null, version: 1.2, quoted: 'a "b"' }, ""],
    ["---\n# a comment\nname: x # another\n---\n", { name: "x" }, ""],
    ["---\nmulti: >\n  one\n  two\n---\n", { multi: "one two\n" }, ""],
    ["---\n# guards ---\nname: x\n---\nbody", { name: "x" }, "body"],
    ["--- not fields\nname: x", {}, "--- not fields\nname: x"],
  ])("%j", async (text, fields, body) => {
    expect(await readFrontmatter(text)).toEqual({ fields, body });
  });

  test("what is no mapping is refused", async () => {
    await expect(readFrontmatter("---\n- a\n---\n")).rejects.toThrow("no mapping");
    await expect(readFrontmatter("---\na: [\n---\n")).rejects.toThrow();
  });
});

test.each([
  ["Shall I?", true],
  ['Do you mean "this?"', true],
  ["Is it **done?**\n", true],
  ["What? No.", false],
  ["", false],
])("%j asks the person: %j", (reply, expected) => {
  expect(asksThePerson(reply)).toBe(expected);
});
