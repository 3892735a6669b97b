import { expect, test } from "vitest";
import { readFrontmatter } from "../../src/prompt/frontmatter.ts";

/** Scalars of YAML, plain and quoted, valid and not. */
const SCALARS = [
  ...["true", "True", "TRUE", "false", "False", "yes", "Yes", "no", "on", "off", "y", "n", "null", "NULL", "Null", "~"],
  ...["1", "01", "0", "00", "-0", "-1", "+1", "1.0", "1.", "0.10", ".5", "1.2.3", "0x1f", "0o17", "0b1", "1e3", "1e"],
  ...["1_000", ".inf", "-.inf", ".nan", "NaN", "Infinity", "2024-01-01", "12:30", "-", "--", "---", "...", "=", "<<"],
  ...["''", '""', "'1'", '"true"', "'a''b'", '"a\\nb"', '"a" b', "'a' b", '"a', "'a", "a'", `'a"`, `"a'`, "'a' 'b'"],
  ...["- a", "? a", "?a", "!a", "!!str 1", "&x a", "*x", "@a", "`a`", "%a", "|", ">", "[a]", "{a}", "a,b", ",a"],
  ...[
    "",
    "a b",
    "a: b",
    "a:",
    ": a",
    ":a",
    "a :b",
    "http://x/y",
    "#c",
    "a #c",
    "a#c",
    "true # yes",
    "a\\b",
    "é",
    "\t1",
  ],
];

async function fieldA(source: string): Promise<unknown> {
  try {
    return (await readFrontmatter(`---\n${source}\n---\nbody`)).fields["a"];
  } catch {
    return "an error";
  }
}

test.each(SCALARS)(
  "the value %j is the same in a file of simple fields and in one for the YAML parser",
  async (value) => {
    expect(await fieldA(`a: ${value}`)).toEqual(await fieldA(`a: ${value}\nb: [1]`));
  },
);

test("a boolean may have capitals", async () => {
  const { fields } = await readFrontmatter("---\ndisable-model-invocation: True\nalwaysApply: FALSE\n---\n");
  expect(fields).toEqual({ "disable-model-invocation": true, alwaysApply: false });
});
