import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchCase, Measured, Peer, Subjects } from "../case.ts";
import { numbersIn } from "../programs/asked.ts";
import { writeLongSession } from "../programs/session-file.ts";

const program = join(import.meta.dirname, "../programs/session-open.ts");

/** Measures opening one long session in different ways, each in its own processes. */
function opening(ours: string, floor: string, peer?: Omit<Peer, "measured"> & { readonly way: string }): Subjects {
  const folder = mkdtempSync(join(tmpdir(), "hookline-bench-"));
  const path = join(folder, "long.jsonl");
  const kept = writeLongSession(path);
  const peaks: Record<string, number> = {};
  const run =
    (name: string, way: string): Measured =>
    (n) => {
      const args = ["--conditions=hookline-source", program, way, path, String(kept)];
      const [ns = 0, rss = 0] = numbersIn(execFileSync(process.execPath, args, { encoding: "utf8" }));
      peaks[name] = Math.max(peaks[name] ?? 0, rss);
      return ns * n;
    };
  return {
    ours: run("ours", ours),
    ...(peer !== undefined && { peers: [{ ...peer, measured: run(peer.name, peer.way) }] }),
    floor: run("floor", floor),
    rss: () => peaks,
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

export const cases: readonly BenchCase[] = [
  {
    name: "session-open",
    unit: "compacted session of 100,000 entries",
    budget: { maxCount: 10e6 },
    n: 1,
    rounds: 9,
    open: async () => opening("ours", "tail", { name: "pi 0.87.1", way: "pi" }),
  },
  {
    name: "session-open-whole",
    unit: "session of 100,000 entries",
    budget: { toFloor: 1.1 },
    n: 1,
    rounds: 7,
    open: async () => opening("whole", "parse"),
  },
];
