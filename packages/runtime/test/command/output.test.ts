import { expect, test } from "vitest";
import { loadReader } from "../../src/command/index.ts";
import type { Output } from "../../src/command/reading.ts";
import { knownOf } from "../../src/command/word.ts";

const reader = await loadReader();

/** Writes what takes an output: `pipe(sort -> file(x))`. */
function shown(output: Output | undefined): string {
  if (output === undefined) return "shown";
  const files = output.files?.map(({ text }) => text) ?? [];
  const takers = output.to.map(
    ({ words: [first], output: next }) => `${knownOf(first ?? { pieces: [] })} -> ${shown(next)}`,
  );
  return `${output.kind}(${[...files, ...takers].join(", ")})`;
}

test.each([
  ["cat x", "shown"],
  ["cat x 2>/dev/null", "shown"],
  ["cat x > y", "file(y)"],
  ["cat x &> y", "file(y)"],
  ["cat x 2>&1", "shown"],
  ["cat x | sort | head > y", "pipe(sort -> pipe(head -> file(y)))"],
  ["{ cat x; } | sort", "pipe(sort -> shown)"],
  ["{ cat x; } > y", "file(y)"],
  ["(cat x) | while read l; do echo; done", "pipe(read -> shown, echo -> shown)"],
  ["A=$(cat x)", "text()"],
  ["export A=$(cat x)", "text(export -> shown)"],
  ["echo $(cat x) | wc", "text(echo -> pipe(wc -> shown))"],
  ["diff <(cat x) y", "text(diff -> shown)"],
  ["sh -c 'cat x' | head", "pipe(head -> shown)"],
])("the output of cat in %s", (text, expected) => {
  const cat = reader.read(text).commands.find(({ words: [first] }) => first !== undefined && knownOf(first) === "cat");
  expect(shown(cat?.output)).toBe(expected);
});
