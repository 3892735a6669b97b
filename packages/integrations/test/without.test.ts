import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withoutFolder } from "../../../scripts/without.ts";

test.each([
  ["hosts.ts", "gemini", /gemini/i],
  ["imports.ts", "gemini", /gemini/i],
  ["imports.ts", "qwen", /qwen/i],
  ["tools.ts", "cursor", /cursor/i],
  ["transcripts.ts", "codex", /codex/i],
  ["abouts.ts", "chibi", /chibi/i],
  ["index.ts", "chibi", /chibi/i],
  ["../../runtime/src/dialects.ts", "chibi", /chibi/i],
])("%s is whole without %s, and does not name it", (list, agent, named) => {
  const text = readFileSync(join(import.meta.dirname, "../src", list), "utf8");
  const left = withoutFolder(text, agent);
  expect(text).toMatch(named);
  expect(left).not.toMatch(named);
  expect(() => stripTypeScriptTypes(left)).not.toThrow();
  expect(text.length - left.length).toBeLessThan(200);
});
