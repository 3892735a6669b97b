import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closureOf } from "../../src/config/closure.ts";
import { openPieces } from "../../src/config/open.ts";
import type { Candidate } from "../../src/dialect/dialect.ts";
import { systemFiles } from "../../src/host/files.ts";
import type { Files } from "../../src/port/files.ts";
import { composition, TARGET, TREE } from "./compositions.ts";

let cwd: string;
let files: Files;

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "hookline-compositions-"));
  for (const [path, text] of Object.entries(TREE)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  // Nothing of it changes, so each path is looked at once.
  files = once(systemFiles);
});

afterAll(() => rmSync(cwd, { recursive: true, force: true }));

function once(from: Files): Files {
  const keep = <T>(look: (path: string) => T): ((path: string) => T) => {
    const known = new Map<string, T>();
    return (path) => {
      if (!known.has(path)) known.set(path, look(path));
      return known.get(path) as T;
    };
  };
  return { read: keep(from.read), stat: keep(from.stat), list: keep(from.list), real: keep(from.real) };
}

function itemOf(command: string): Candidate {
  const source = { path: join(cwd, "hooks.yaml"), tier: "project", dialect: "jcli", line: 1 } as const;
  return { lane: "jcli", source, state: "runs", files: [], commands: [command], definition: command };
}

test("of 20,000 random compositions each is covered or open, and none is neither", async () => {
  const count = { covered: 0, open: 0 };
  await fc.assert(
    fc.asyncProperty(composition, async (command) => {
      const item = itemOf(command);
      const closure = closureOf(item, { cwd, files });
      const isCovered = closure.files.has(join(cwd, TARGET));
      const open = await openPieces(item, { cwd, files }, closure);
      if (isCovered) count.covered += 1;
      if (open.length > 0) count.open += 1;
      expect(isCovered || open.length > 0, command).toBe(true);
    }),
    { numRuns: 20_000, examples: [[`c='((echo tools/?.sh | xargs sh))'; sh -c "$c"`]] },
  );
  // Were everything open, nothing would be shown.
  expect(count.covered).toBeGreaterThan(12_000);
  expect(count.open).toBeLessThan(19_000);
}, 600_000);

test("most of them really start the file", () => {
  const samples = fc.sample(composition, { numRuns: 120, seed: 7 });
  const ran = samples.filter((command) => {
    try {
      return execFileSync("bash", ["-c", command], {
        cwd,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      }).includes("ran");
    } catch {
      return false;
    }
  });
  expect(ran.length).toBeGreaterThan(70);
});
