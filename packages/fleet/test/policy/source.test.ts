import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readSource } from "../../src/policy/source.ts";

const folder = mkdtempSync(join(tmpdir(), "hookline-source-"));
afterAll(() => rmSync(folder, { recursive: true }));

test.each<[object, object]>([
  [{}, { level: "decisions", required: false }],
  [{ audit: {} }, { level: "decisions", required: false }],
  [{ audit: { level: "payloads" } }, { level: "payloads", required: false }],
  [{ audit: { required: true } }, { level: "decisions", required: true }],
])("what %j leaves out of the log's settings has its default", (more, audit) => {
  writeFileSync(join(folder, "manifest.json"), JSON.stringify({ v: 1, hooks: [], ...more }));
  expect(readSource(folder).choices.audit).toEqual(audit);
});
