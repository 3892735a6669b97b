import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { privateFiles } from "../../src/session/private-files.ts";

let top: string;

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "hookline-private-files-"));
});

afterEach(() => rmSync(top, { recursive: true, force: true }));

test("a file is written and appended to, and only its owner may read it", () => {
  const path = join(top, "own", "transcripts", "s.jsonl");
  privateFiles.write(path, "a\n");
  privateFiles.append(path, "b\n");
  expect(privateFiles.read(path)).toBe("a\nb\n");
  expect(statSync(path).mode & 0o077).toBe(0);
  expect(statSync(join(top, "own")).mode & 0o077).toBe(0);
  privateFiles.remove(path);
  expect(privateFiles.read(path)).toBeUndefined();
});

test.each(["own/transcripts", "own"])("nothing is written where others may write to %s", (open) => {
  mkdirSync(join(top, "own", "transcripts"), { recursive: true });
  chmodSync(join(top, open), 0o777);
  const path = join(top, "own", "transcripts", "s.jsonl");
  expect(() => privateFiles.write(path, "a")).toThrow("other users can write");
  expect(() => privateFiles.append(path, "a")).toThrow("other users can write");
});

test("a link in the place of the file is not followed", () => {
  const target = join(top, "elsewhere", "target");
  privateFiles.write(target, "kept");
  mkdirSync(join(top, "own"), { mode: 0o700 });
  const path = join(top, "own", "s.jsonl");
  symlinkSync(target, path);
  expect(() => privateFiles.append(path, "lost")).toThrow();
  expect(() => privateFiles.write(path, "lost")).toThrow();
  expect(readFileSync(target, "utf8")).toBe("kept");
});
