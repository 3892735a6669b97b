import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readRecording } from "@hookline/runtime";
import type { BenchCase } from "../case.ts";
import { recordSession } from "../programs/recorded-session.ts";
import { parsed, writeRecording } from "../programs/replaying.ts";

const SESSION_TURNS = 1000;
const MOMENTS = 50_000;

type Sizes = Awaited<ReturnType<typeof recordSession>>;

const TIMES = { counts: "× its session file", of: ({ recording, session }: Sizes) => recording / session };
const MORE = {
  counts: "bytes more than its session file",
  of: ({ recording, session }: Sizes) => Math.max(0, recording - session),
};

/** Makes a case that measures the size of a recording, compared with its session file's. */
function size(
  name: string,
  turns: number,
  maxCount: number,
  { counts, of }: typeof TIMES = TIMES,
  isLive = false,
): BenchCase {
  return {
    name,
    unit: `session of ${turns} turns${isLive ? ", still running" : ""}`,
    counts,
    budget: { maxCount },
    n: 1,
    rounds: 1,
    open: async () => ({ ours: async (n) => of(await recordSession(turns, isLive)) * n }),
  };
}

export const cases: readonly BenchCase[] = [
  size("record-size", SESSION_TURNS, 1),
  // A session of 35 turns has a session file of 100 kB.
  size("record-size-100k", 35, 1),
  size("record-size-short", 3, 20_000, MORE),
  // The recording of a running session, which is larger than after its end.
  size("record-size-live", SESSION_TURNS, 3, TIMES, true),
  {
    name: "record-read",
    unit: `recording of ${MOMENTS} moments, read`,
    budget: { toFloor: 2 },
    n: 1,
    rounds: 7,
    async open() {
      const folder = mkdtempSync(join(tmpdir(), "hookline-bench-"));
      const path = join(folder, "recording.jsonl");
      writeRecording(path, { moments: MOMENTS });
      return {
        async ours(n) {
          const started = process.hrtime.bigint();
          const reader = readRecording(path);
          let count = 0;
          for await (const { payload } of reader.moments()) if (payload !== undefined) count += 1;
          reader.close();
          if (count !== MOMENTS) throw new Error(`${count} moments were read`);
          return Number(process.hrtime.bigint() - started) * n;
        },
        floor: (n) => parsed(path) * n,
        close: async () => rmSync(folder, { recursive: true, force: true }),
      };
    },
  },
];
