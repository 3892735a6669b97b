import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../step.ts";
import { type EntryResult, exerciseEntry } from "./exercise.ts";
import { type Entry, pathOf, readClaudeList } from "./list.ts";
import { claudePage } from "./page.ts";
import { unpack } from "./place.ts";

/** The number of entries that run at once; each mostly waits for processes. */
const AT_ONCE = 4;
const PAGE = "docs/reference/third-party-claude.md";

/** Exercises the listed hooks of Claude Code from a folder of clones; returns the exit code. */
export async function exerciseClaude(
  clones: string,
  {
    only,
    write,
    json,
  }: { readonly only?: string | undefined; readonly write?: boolean | undefined; readonly json?: boolean | undefined },
): Promise<number> {
  const list = readClaudeList();
  const results: EntryResult[] = [];
  const unpacked = mkdtempSync(join(tmpdir(), "hookline-third-party-"));
  try {
    for (const one of list) {
      const entries = one.entries.filter(
        (entry) => only === undefined || `${one.repository} ${pathOf(entry)}`.includes(only),
      );
      if (entries.length === 0) continue;
      const folder = unpack(one, clones, unpacked);
      const own: EntryResult[] = [];
      let next = 0;
      const work = async (): Promise<void> => {
        for (let at = next++; at < entries.length; at = next++) {
          const result = await exerciseEntry(entries[at] as Entry, one, folder);
          own[at] = result;
          if (json !== true) process.stdout.write(lineOf(result));
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      results.push(...own);
    }
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
  }
  const fine = results.filter(({ isFine }) => isFine).length;
  if (write === true) writeFileSync(join(root, PAGE), claudePage(list, results));
  process.stdout.write(
    json === true ? `${JSON.stringify({ results })}\n` : `${fine} of ${results.length} loaded whole and run\n`,
  );
  return fine === results.length ? 0 : 1;
}

function lineOf({ repository, path, defined, listed, running, events, isFine, lacks }: EntryResult): string {
  const did = events.map(({ event, ran, handlers, did }) => `${event} ${ran}/${handlers} ${JSON.stringify(did)}`);
  const without = lacks.length === 0 ? "" : ` without ${lacks.join(", ")}`;
  return `${isFine ? "ok    " : "FAILED"}  ${repository} ${path}: ${listed}/${defined} listed, ${running} run${without}\n${did.map((text) => `          ${text}\n`).join("")}`;
}
