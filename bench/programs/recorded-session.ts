import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installedBin } from "./installed.ts";

/**
 * Lengths of tool results in characters, one for each tenth of the 1,144 results in 25 public transcripts (mean 2,042).
 * The mean length of a call's arguments is 527 there; here every fifth call writes a file.
 */
const RESULTS = [20, 50, 80, 120, 180, 290, 500, 1300, 4500, 13_400];
const WRITTEN = 2200;

/** Returns text without repetitions. */
function text(length: number): string {
  const lines =
    randomBytes(length)
      .toString("base64")
      .match(/.{1,76}/g) ?? [];
  return lines.join("\n").slice(0, length);
}

/**
 * Plays and records a session of this many turns; returns the sizes of its two files in bytes. With `isLive`, the
 * recording's size is taken while the session runs.
 */
export async function recordSession(
  turns: number,
  isLive = false,
): Promise<{ readonly recording: number; readonly session: number }> {
  const bin = await installedBin();
  const top = mkdtempSync(join(tmpdir(), "hookline-bench-"));
  const [home, project] = [join(top, "home"), join(top, "project")];
  mkdirSync(home);
  mkdirSync(project);
  try {
    let reads = 0;
    const replies = Array.from({ length: turns }, (_, i) => {
      const isWrite = i % 5 === 4;
      if (!isWrite) writeFileSync(join(project, `file-${i}.txt`), text(RESULTS[reads++ % RESULTS.length] as number));
      const call = isWrite
        ? { name: "write", arguments: { path: `made-${i}.txt`, content: text(WRITTEN) } }
        : { name: "read", arguments: { path: `file-${i}.txt` } };
      return { text: `Step ${i}: ${text(150)}`, toolCalls: [call] };
    });
    writeFileSync(join(project, "script.yaml"), JSON.stringify({ replies: [...replies, { text: "Done." }] }));
    const recordings = isLive ? join(top, "recordings") : join(home, ".hookline/recordings");
    const record = isLive ? ["--record-dir", recordings] : ["--record"];
    execFileSync(process.execPath, [bin, ...record, "--script", "script.yaml", "-p", "go"], {
      cwd: project,
      env: { PATH: process.env["PATH"], HOME: home },
      stdio: ["ignore", "ignore", "inherit"],
    });
    return { recording: sizeIn(recordings), session: sizeIn(join(home, ".hookline/sessions")) };
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

function sizeIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"));
  return files.reduce((all, name) => all + statSync(join(folder, name)).size, 0);
}
