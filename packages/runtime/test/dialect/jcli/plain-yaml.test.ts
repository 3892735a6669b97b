import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readPlainYaml } from "../../../src/dialect/jcli/plain-yaml.ts";
import { parseFully } from "../../../src/dialect/jcli/yaml.ts";
import { RUNS } from "../../laws/seed.ts";

/** What both readers make of a text; `undefined` where it is left to the full parser. */
async function both(text: string, shift = 0): Promise<{ quick: unknown; full: unknown } | undefined> {
  const quick = readPlainYaml(text, shift);
  if (quick === undefined) return undefined;
  return { quick: { root: quick, problems: [] }, full: await parseFully(text, shift) };
}

const word = fc.constantFrom(
  ..."a b 1 0x1 -1 ~ null true - -- : :: ? ! & * | > % @ ` # #a a#b ' '' \" \"\" \\ , [ ] { } [] {} << = $x ~/x ./x ( ^ < a:b 钩子 é".split(
    " ",
  ),
  "\\n",
  "---",
  "...",
);
const text = fc
  .array(fc.tuple(word, fc.constantFrom(" ", "", "  ", ": ", ":", " #", "\t")), { maxLength: 4 })
  .map((parts) => parts.flat().join(""));
const value = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom("x", "sh ~/hooks/a.sh --b", "10", "'it''s'", '"a \\"b\\" \\\\"', "null", ""),
  },
  { weight: 1, arbitrary: text },
  { weight: 1, arbitrary: text.map((one) => `"${one}"`) },
  { weight: 1, arbitrary: text.map((one) => `'${one}'`) },
);
const line = fc
  .tuple(
    fc.integer({ min: 0, max: 3 }),
    fc.constantFrom("", "", "", "- ", "-   ", "-", "- - "),
    fc.constantFrom("k", "filter", "a-b", "null", "my key", '"q"', "<<", ""),
    fc.constantFrom(": ", ":", ":  ", " : ", "", " "),
    value,
    fc.constantFrom("", "", "", " ", " # note", "\n# note", "\n", "\r"),
  )
  .map(([depth, dash, key, colon, of, end]) => `${"  ".repeat(depth)}${dash}${key}${colon}${of}${end}`);
/** Well-formed and nested, in the layouts that people use. */
type Block = { readonly head: string; readonly rest: readonly string[] };
const deeper = (by: string, { head, rest }: Block): string[] =>
  [head, ...rest].map((one) => (one === "" ? one : by + one));
const { block } = fc.letrec<{ block: Block; inner: Block }>((tie) => {
  const indent = fc.constantFrom("  ", "    ", " ");
  const between = fc.constantFrom<string[]>([], [], [], [""], ["# note"], ["        # note"]);
  const key = fc.constantFrom("k", "l", "tool_name", "a-b");
  const pair = fc.oneof(
    fc.tuple(key, value, between).map(([name, of, gap]) => [`${name}: ${of}`, ...gap]),
    fc.tuple(key, indent, tie("inner"), between).map(([name, by, of, gap]) => [`${name}:`, ...gap, ...deeper(by, of)]),
    fc.tuple(key, tie("inner")).map(([name, of]) => [`${name}:`, ...deeper(of.head.startsWith("-") ? "" : "  ", of)]),
  );
  const item = fc.oneof(
    fc.tuple(value, between).map(([of, gap]) => [`- ${of}`, ...gap]),
    fc
      .tuple(fc.constantFrom("- ", "-   "), tie("inner"))
      .map(([dash, { head, rest }]) => [
        dash + head,
        ...rest.map((one) => (one === "" ? one : " ".repeat(dash.length) + one)),
      ]),
  );
  const some = (of: fc.Arbitrary<string[]>): fc.Arbitrary<Block> =>
    fc.array(of, { minLength: 1, maxLength: 4 }).map((all) => {
      const [head = "", ...rest] = all.flat();
      return { head, rest };
    });
  return {
    block: fc.oneof(some(pair), some(item)),
    inner: fc.oneof({ maxDepth: 3, depthIdentifier: "yaml" }, some(fc.constant(["k: v"])), tie("block")),
  };
});

describe("YAML of the plain kind", () => {
  it("is read exactly as the full parser reads it, or left to it", async () => {
    let taken = 0;
    const check = async (given: string): Promise<void> => {
      const read = await both(given, 3);
      if (read === undefined) return;
      taken += 1;
      expect(read.quick).toEqual(read.full);
    };
    const lines = fc.array(line, { maxLength: 8 }).map((all) => all.join("\n"));
    const tree = block.map(({ head, rest }) => [head, ...rest].join("\n"));
    await fc.assert(fc.asyncProperty(lines, check), { ...RUNS, numRuns: 3000 });
    await fc.assert(fc.asyncProperty(tree, check), { ...RUNS, numRuns: 3000 });
    expect(taken).toBeGreaterThan(300);
  });

  it("is what nearly all hooks are written in", async () => {
    const hooks = `# Hooks.
pre_tool_execution:
  # One of them.
  - type: bash
    command: "sh ~/hooks/guard.sh --check \\"x\\""
    timeout: 5
    filter:
      tool_name: Bash
  - {}
stop:
- command: echo done
`;
    expect(await both(hooks)).toBeUndefined();
    const read = await both(hooks.replace("  - {}\n", ""));
    expect(read?.quick).toEqual(read?.full);
    expect(read).toBeDefined();
  });

  it.each([
    ["a text of several lines", "a: b\n  c"],
    ["a block text", "a: |\n  b"],
    ["a flow list", "a: [b]"],
    ["an anchor", "a: &b c"],
    ["a tag", "a: !!str c"],
    ["a second document", "a: b\n---\nc: d"],
    ["a comment behind a value", "a: b # c"],
    ["a tab", "a:\tb"],
    ["a key without a value", "a:\nb: c"],
    ["an escape of a character", 'a: "\\u0041"'],
    ["a carriage return", "a: b\r\nc: d"],
    ["nothing", "# only a comment\n"],
    ["a wrong indentation", "a:\n    b: c\n  d: e"],
  ])("leaves %s to the full parser", (_, given) => {
    expect(readPlainYaml(given, 0)).toBeUndefined();
  });

  it("reads the fixtures as the full parser does", async () => {
    const folder = join(import.meta.dirname, "fixtures");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.ya?ml$/.test(name));
    expect(files.length).toBeGreaterThan(0);
    for (const name of files) {
      const read = await both(readFileSync(join(folder, name), "utf8"));
      expect(read?.quick).toEqual(read?.full);
    }
  });
});
