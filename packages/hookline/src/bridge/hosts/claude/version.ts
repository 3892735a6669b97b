import { spawnSync } from "node:child_process";
import type { At } from "../../install/adapter.ts";

/** The first version that knows `onFailure`; older ones may reject the entry. Source: spec/claude.md. */
const KNOWS_ON_FAILURE = [2, 1, 295];

/** Longest that it may take to say its version, in ms. */
const LIMIT_MS = 10_000;

/** Whether the Claude Code on a person's path is known to know `onFailure`. */
export function knowsOnFailure({ cwd, env }: At): boolean {
  const { stdout, status } = spawnSync("claude", ["--version"], { cwd, env, encoding: "utf8", timeout: LIMIT_MS });
  const found = status === 0 ? /^(\d+)\.(\d+)\.(\d+)\b/.exec(stdout.trim()) : null;
  if (found === null) return false;
  const parts = found.slice(1).map(Number);
  const differs = KNOWS_ON_FAILURE.findIndex((part, index) => part !== parts[index]);
  return differs < 0 || (parts[differs] as number) > (KNOWS_ON_FAILURE[differs] as number);
}
