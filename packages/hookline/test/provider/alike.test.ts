import { expect, test } from "vitest";
import { alike } from "../../src/provider/lookup.ts";

const names = ["claude-opus-4-8", "claude-opus-4-5", "claude-sonnet-4-5", "gpt-5.5", "gpt-4o", "openai/gpt-oss-120b"];

test.each([
  ["claude-opus-48", ["claude-opus-4-8", "claude-opus-4-5"]],
  ["gtp-4o", ["gpt-4o"]],
  ["GPT5.5", ["gpt-5.5"]],
  ["gpt-oss-120b", ["openai/gpt-oss-120b"]],
  ["mistral", []],
])("%s is most like %j", (name, expected) => {
  expect(alike(name, names, 2).slice(0, Math.max(1, expected.length))).toEqual(expected);
});
