import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openUndo } from "../packages/guards/src/undo/undo.ts";
import { commandLine } from "./command-line.ts";

commandLine({
  name: "dev -- undo-cost",
  says: "Measures a checkpoint of 3,000 files as a ratio to `sh -c true`, the median of 21 of each, interleaved.",
});

const FOLDERS = 300;
const FILES = 10;
const ROUNDS = 21;

const place = realpathSync.native(mkdtempSync(join(tmpdir(), "hookline-undo-cost-")));
const project = join(place, "project");
const git = (...args: string[]): void => {
  const own = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
  execFileSync("git", [...own, ...args], { cwd: project, stdio: "ignore" });
};
try {
  for (let folder = 0; folder < FOLDERS; folder += 1) {
    const path = join(project, `d${folder % 10}`, `e${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < FILES; file += 1)
      writeFileSync(join(path, `f${file}.ts`), `${folder} ${file}\n`.repeat(200));
  }
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "one");
  const undo = openUndo({ project, home: join(place, "home"), personHome: join(place, "person"), timeLimitMs: 60_000 });
  const timed = async (work: () => unknown): Promise<number> => {
    const started = performance.now();
    await work();
    return performance.now() - started;
  };
  const first = await timed(() => undo.checkpoint("first"));
  const [shell, unchanged, changed]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    shell.push(await timed(() => spawnSync("sh", ["-c", "true"])));
    unchanged.push(await timed(() => undo.checkpoint("unchanged")));
    writeFileSync(join(project, "d1", "e1", "f1.ts"), `${round}`);
    changed.push(await timed(() => undo.checkpoint("changed")));
  }
  const base = median(shell);
  const row = (name: string, ms: number): string =>
    `${name.padEnd(22)} ${ms.toFixed(1)} ms  ${(ms / base).toFixed(1)}\n`;
  process.stdout.write(row("sh -c true", base) + row("first checkpoint", first));
  process.stdout.write(row("nothing changed", median(unchanged)) + row("one file changed", median(changed)));
} finally {
  rmSync(place, { recursive: true, force: true });
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}
