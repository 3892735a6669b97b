import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchCase } from "../case.ts";
import { peakOf } from "../programs/agents.ts";
import { installedBin } from "../programs/installed.ts";
import { GUARD, writeRecording } from "../programs/replaying.ts";

export const cases: readonly BenchCase[] = [
  {
    // Uses the installed command line in its own process, whose memory does not include what wrote the file.
    name: "replay-memory",
    unit: "replay of a recording of 2 GiB",
    counts: "MB",
    budget: {},
    n: 1,
    rounds: 1,
    async open() {
      const folder = mkdtempSync(join(tmpdir(), "hookline-bench-"));
      try {
        const path = join(folder, "recording.jsonl");
        writeRecording(path, { bytes: 2 * 1024 ** 3 });
        const peak = await peakOfReplay(folder, path);
        return { ours: (n) => (peak / 1e6) * n };
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  },
];

/** Returns the peak memory of a replay in its own process. */
async function peakOfReplay(home: string, path: string): Promise<number> {
  const guard = join(home, "guard.ts");
  writeFileSync(guard, GUARD);
  const child = spawn(process.execPath, [await installedBin(), "replay", path, "--with", guard], {
    cwd: home,
    env: { PATH: process.env["PATH"], HOME: home },
    stdio: "ignore",
  });
  let peak = 0;
  const timer = setInterval(() => (peak = Math.max(peak, peakOf(child.pid) ?? 0)), 200);
  const [code] = await once(child, "close");
  clearInterval(timer);
  if (code !== 0) throw new Error(`the replay ended with ${code}`);
  return peak;
}
