import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { BenchCase } from "../case.ts";
import { openGround } from "../programs/agents.ts";
import { TURNS } from "./agent.ts";

const FILES = 2000;
const source = join(import.meta.dirname, "../programs/slow-fsync.c");
const library = join(import.meta.dirname, "../../.cache/bench/slow-fsync.so");
const RESULT = "blocked.json";

/**
 * Writes how long the main thread was blocked at most, from the first turn to the last, in ns. The time for which it was
 * ready and other programs had the processor does not count (the second number of `schedstat`).
 */
const EXTENSION = `import { readFileSync, writeFileSync } from "node:fs";
const waited = (): number => Number(readFileSync("/proc/self/schedstat", "utf8").split(" ")[1]);
const now = (): number => Number(process.hrtime.bigint());
export default (pi: any) => {
  let max = 0;
  let last: { at: number; waited: number } | undefined;
  const look = (): void => {
    const next = { at: now(), waited: waited() };
    if (last !== undefined) max = Math.max(max, next.at - last.at - (next.waited - last.waited));
    last = next;
  };
  pi.on("turn_start", async () => {
    if (last === undefined) setInterval(look, 2).unref();
    look();
  });
  pi.on("agent_end", async () => writeFileSync("${RESULT}", JSON.stringify({ max })));
};
`;

/** A project whose hook is bound to a folder with many files, which are all looked at before each call. */
function bindFolder({ home, project, bin }: { readonly home: string; readonly project: string; readonly bin: string }) {
  for (const folder of [".git", ".jcli", "scripts"]) mkdirSync(join(project, folder));
  for (let at = 1; at < FILES; at++) writeFileSync(join(project, `scripts/file-${at}.txt`), `${at}\n`);
  writeFileSync(join(project, "scripts/guard.sh"), "cat >/dev/null\necho '{}'\n");
  writeFileSync(join(project, ".jcli/hooks.yaml"), "pre_tool_execution:\n  - command: sh scripts/guard.sh\n");
  const args = [bin, "trust", "approve", "--bind", "scripts", "--yes"];
  execFileSync(process.execPath, args, {
    cwd: project,
    env: { HOME: home, PATH: process.env["PATH"] },
    stdio: "ignore",
  });
}

export const cases: readonly BenchCase[] = [
  {
    name: "blocked",
    unit: `run of ${TURNS} turns with ${FILES} bound files, a sync takes 10 ms more`,
    counts: "ms at most in which the main thread does nothing else",
    budget: { maxCount: 50 },
    n: 1,
    rounds: 5,
    async open() {
      mkdirSync(dirname(library), { recursive: true });
      execFileSync("cc", ["-O2", "-Wall", "-shared", "-fPIC", "-o", library, source]);
      const ground = await openGround({ hooks: 1, extension: () => EXTENSION, prepare: bindFolder });
      return {
        async ours() {
          const { project } = ground;
          await ground.run("hookline", TURNS, { LD_PRELOAD: library });
          const { max } = JSON.parse(readFileSync(join(project, RESULT), "utf8")) as { readonly max: number };
          return max / 1e6;
        },
        close: () => ground.close(),
      };
    },
  },
];
