import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readRecording } from "@hookline/runtime";
import type { BenchCase } from "../case.ts";
import { type AgentRun, openGround } from "../programs/agents.ts";
import { recordSession } from "../programs/recorded-session.ts";
import { parsed, writeRecording } from "../programs/replaying.ts";

const TURNS = 200;
const HOOKS = 10;
const SESSION_TURNS = 1000;
const MOMENTS = 50_000;

/** The mean turn without the first quarter, in which everything is compiled. */
function mean({ turns }: AgentRun): number {
  const steady = turns.slice(turns.length >> 2);
  return steady.reduce((sum, ns) => sum + ns, 0) / steady.length;
}

type Sizes = Awaited<ReturnType<typeof recordSession>>;

const TIMES = { counts: "× its session file", of: ({ recording, session }: Sizes) => recording / session };
const MORE = {
  counts: "bytes more than its session file",
  of: ({ recording, session }: Sizes) => Math.max(0, recording - session),
};

/** The size of a recording, compared with its session file's. */
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
  {
    // The floor is the same turn without a recording.
    name: "record-turn",
    unit: `end of a reply to the next request with ${HOOKS} hooks, recording`,
    budget: { toFloor: 1.1 },
    n: 1,
    rounds: 11,
    async open() {
      const [recording, bare] = [
        await openGround({ memory: true, hooks: HOOKS, record: true }),
        await openGround({ memory: true, hooks: HOOKS }),
      ];
      return {
        ours: async (n) => mean(await recording.run("hookline", TURNS)) * n,
        floor: async (n) => mean(await bare.run("hookline", TURNS)) * n,
        close: async () => void (await Promise.all([recording.close(), bare.close()])),
      };
    },
  },
  size("record-size", SESSION_TURNS, 1),
  // Its session file has 100 kB.
  size("record-size-100k", 35, 1),
  size("record-size-short", 3, 20_000, MORE),
  // In a folder of one's own, a recording stays as it was while the session ran.
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
