import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Disk, systemDisk } from "../../src/session/file.ts";

/** A folder of the test's own that goes away with it. */
export function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "hookline-session-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The parsed lines of a session file; throws for a line that is not JSON. */
export function linesOf(path: string): any[] {
  const text = readFileSync(path, "utf8");
  if (!text.endsWith("\n")) throw new Error(`${path} does not end in a line break`);
  return text
    .slice(0, -1)
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** A disk for tests of many small files, which need not survive a power cut. */
export const unsynced: Disk = { ...systemDisk, sync: () => {}, syncAside: async () => {} };
