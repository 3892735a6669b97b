import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchCase } from "../case.ts";
import { peakOf } from "../programs/agents.ts";
import type { Inspecting } from "../programs/inspecting.ts";
import { installedBin } from "../programs/installed.ts";
import { parsed, writeRecording } from "../programs/replaying.ts";

const MOMENTS = 100_000;

function counted(
  name: string,
  counts: string,
  maxCount: number,
  count: (ground: Inspecting) => Promise<number>,
): BenchCase {
  return {
    name,
    unit: `session of ${MOMENTS} moments`,
    counts,
    budget: { maxCount },
    n: 1,
    rounds: 7,
    async open() {
      // The browser driver is large, and all case files are loaded before any is measured.
      const { Inspecting } = await import("../programs/inspecting.ts");
      const ground = await Inspecting.open();
      return { ours: async (n) => (await count(ground)) * n, close: () => ground.close() };
    },
  };
}

export const cases: readonly BenchCase[] = [
  counted("inspector-open", "ms from its address to its first steps", 1000, (ground) => ground.firstView()),
  counted("inspector-scroll", "ms of processor of the longest task while it is scrolled", 50, (ground) =>
    ground.longestTask(),
  ),
  {
    // The floor reads the recording's lines.
    name: "inspector-export",
    unit: `export of ${MOMENTS} moments`,
    budget: { maxCount: 5e9, maxRss: 300e6 },
    n: 1,
    rounds: 3,
    async open() {
      const folder = mkdtempSync(join(tmpdir(), "hookline-bench-"));
      const path = join(folder, "recording.jsonl");
      writeRecording(path, { moments: MOMENTS });
      const bin = await installedBin();
      let peak = 0;
      return {
        async ours() {
          const started = process.hrtime.bigint();
          const args = [bin, "inspect", path, "--export", join(folder, "out.html")];
          const child = spawn(process.execPath, args, { env: { HOME: folder }, stdio: "ignore" });
          const timer = setInterval(() => (peak = Math.max(peak, peakOf(child.pid) ?? 0)), 20);
          const [code] = await once(child, "close");
          clearInterval(timer);
          if (code !== 0) throw new Error(`the export ended with ${code}`);
          return Number(process.hrtime.bigint() - started);
        },
        floor: () => parsed(path),
        rss: () => ({ ours: peak }),
        close: async () => rmSync(folder, { recursive: true, force: true }),
      };
    },
  },
];
