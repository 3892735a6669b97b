import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { peerFolder } from "../../../../../bench/peer.ts";
import type { Question } from "./drive.ts";

/** The release of oh-my-pi that is compared with, and the engine it needs. */
export const OMP = { name: "@oh-my-pi/pi-coding-agent", version: "18.2.3" } as const;
const BUN = { name: `@oven/bun-linux-${process.arch === "arm64" ? "aarch64" : "x64"}`, version: "1.4.5" } as const;

/** The folder of the real program, or the reason why it is missing. */
export const peer: { readonly folder: string; readonly bun: string } | { readonly absent: string } = (() => {
  if (process.platform !== "linux") return { absent: `${process.platform} has no engine for it here` };
  try {
    const bun = join(peerFolder(BUN.name, BUN.version), "bin/bun");
    return { folder: peerFolder(OMP.name, OMP.version), bun };
  } catch (thrown) {
    return { absent: (thrown as Error).message };
  }
})();

/** Asks the real program all questions, in one process with a home of its own; gives what it writes down. */
export function askReal<T>(program: "real-hooks.ts" | "real-extensions.ts", questions: readonly Question[]): T {
  if ("absent" in peer) throw new Error(peer.absent);
  const work = mkdtempSync(join(tmpdir(), "hookline-omp-"));
  try {
    writeFileSync(join(work, "questions.json"), JSON.stringify(questions));
    const ran = spawnSync(peer.bun, ["run", join(import.meta.dirname, program), peer.folder, work], {
      encoding: "utf8",
      cwd: work,
      env: { PATH: process.env["PATH"] ?? "", HOME: work },
    });
    if (ran.status !== 0) throw new Error(`oh-my-pi ended with ${ran.status ?? ran.signal}: ${ran.stderr}`);
    return JSON.parse(readFileSync(join(work, "told.json"), "utf8"));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
