import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { judge } from "../../packages/guards/src/commands/judge.ts";
import { loadSecrets } from "../../packages/guards/src/secrets/secrets.ts";
import { openUndo } from "../../packages/guards/src/undo/undo.ts";
import type { BenchCase, Measured, Subjects } from "../case.ts";

const FILES = 3000;

/** Runs a program that does nothing: the cost of a command that is not judged. */
const nothing: Measured = (n) => {
  const from = process.hrtime.bigint();
  for (let at = 0; at < n; at++) spawnSync("sh", ["-c", "true"]);
  return Number(process.hrtime.bigint() - from);
};

const timedEach =
  (work: (at: number) => unknown): Measured =>
  async (n) => {
    const from = process.hrtime.bigint();
    for (let at = 0; at < n; at++) await work(at);
    return Number(process.hrtime.bigint() - from);
  };

/** Creates a repository of 3,000 files in 100 folders, with one file that is not in git. */
function place(): { readonly top: string; readonly project: string; readonly home: string } {
  const top = mkdtempSync(join(tmpdir(), "hookline-bench-guards-"));
  const [project, home] = [join(top, "project"), join(top, "home")];
  for (const folder of [project, home]) mkdirSync(folder);
  for (let at = 0; at < FILES; at++) {
    const folder = join(project, `src/${at % 100}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `file-${at}.ts`), `export const value = ${at};\n`);
  }
  const git = (...args: readonly string[]): unknown => execFileSync("git", ["-C", project, ...args]);
  git("init", "-q");
  git("add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "all");
  writeFileSync(join(project, "notes.txt"), "draft\n");
  return { top, project, home };
}

async function judging(command: string): Promise<Subjects> {
  const { top, project, home } = place();
  await judge(command, { project, home });
  return {
    ours: timedEach(() => judge(command, { project, home })),
    floor: nothing,
    close: async () => rmSync(top, { recursive: true, force: true }),
  };
}

async function checkpoints(change: (project: string, at: number) => void): Promise<Subjects> {
  const { top, project, home } = place();
  const undo = openUndo({ project, home });
  await undo.checkpoint("first");
  let made = 0;
  return {
    ours: timedEach(async () => {
      change(project, made++);
      const { because } = (await undo.checkpoint("next")) as { readonly because?: string };
      if (because !== undefined) throw new Error(because);
    }),
    floor: nothing,
    close: async () => rmSync(top, { recursive: true, force: true }),
  };
}

/** A log of 50 kB with a key in it. */
const LOG = `${"2026-11-30 12:00:00 GET /users/42 200 13ms token expired, retrying with session\n".repeat(640)}AKIAIOSFODNN7EXAMPLF\n`;

/** Measures what a guard adds to a call, beside a program that does nothing. */
export const cases: readonly BenchCase[] = [
  {
    name: "guard-commands-plain",
    unit: "command that loses nothing, judged",
    budget: { toFloor: 1 },
    n: 50,
    rounds: 9,
    open: () => judging("npm test -- --watch=false"),
  },
  {
    name: "guard-commands-state",
    unit: "command that deletes a folder of a repository of 3,000 files, judged",
    budget: { toFloor: 8 },
    n: 20,
    rounds: 9,
    open: () => judging("rm -rf src/1"),
  },
  {
    name: "guard-secrets",
    unit: "result of 50 kB, redacted",
    budget: { toFloor: 1 },
    n: 50,
    rounds: 9,
    async open() {
      const secrets = await loadSecrets();
      return { ours: timedEach(() => secrets.redact(LOG)), floor: nothing };
    },
  },
  {
    name: "guard-undo-idle",
    unit: "checkpoint of 3,000 files of which none has changed",
    budget: { toFloor: 21 },
    n: 10,
    rounds: 9,
    open: () => checkpoints(() => {}),
  },
  {
    name: "guard-undo",
    unit: "checkpoint of 3,000 files after a change of one",
    budget: { toFloor: 53 },
    n: 10,
    rounds: 9,
    open: () => checkpoints((project, at) => writeFileSync(join(project, "notes.txt"), `draft ${at}\n`)),
  },
];
