import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jcli } from "@hookline/runtime/dialects";
import { HooklineError } from "../../packages/ground/src/error/error.ts";
import { systemFiles } from "../../packages/ground/src/file/system-files.ts";
import { MAX_MS } from "../../packages/ground/src/time/clock.ts";
import { call } from "../../packages/runtime/test/process/programs.ts";
import { ALL, type Experiment, type Path } from "./experiment.ts";
import { each, folder, ground } from "./ground.ts";

/**
 * The fate of a process: `timed` ends a sleeper, `runs` lets a short process finish, `refused` is an error for the
 * caller.
 */
type Fate = "timed" | "runs" | "refused";

const CALLS: readonly (readonly [timeoutMs: unknown, fate: Fate])[] = [
  [1, "timed"],
  [0.2, "timed"],
  [Number.MIN_VALUE, "timed"],
  [99.5, "timed"],
  [2000, "runs"],
  [MAX_MS, "runs"],
  [MAX_MS + 1, "runs"],
  [2 ** 32, "runs"],
  [2 ** 32 + 1, "runs"],
  [99_999_999_000, "runs"],
  [Number.MAX_SAFE_INTEGER, "runs"],
  [Number.MAX_VALUE, "runs"],
  [Number.POSITIVE_INFINITY, "runs"],
  [0, "refused"],
  [-0, "refused"],
  [-1, "refused"],
  [Number.NEGATIVE_INFINITY, "refused"],
  [Number.NaN, "refused"],
  ["500", "refused"],
  [null, "refused"],
];

/** Values of j-cli's `timeout` in seconds, with the resulting limit in ms; `undefined` if the entry is refused. */
const SECONDS: readonly (readonly [written: string, timeoutMs: number | undefined])[] = [
  ["1", 1000],
  ["10", 10_000],
  ["0x10", 16_000],
  ["2147483", 2_147_483_000],
  ["2147484", MAX_MS],
  ["99999999", MAX_MS],
  ["9007199254740991", MAX_MS],
  ["0", undefined],
  ["-1", undefined],
  ["1.5", undefined],
  ["1e3", undefined],
  [".inf", undefined],
  [".nan", undefined],
  ['"10"', undefined],
  ["true", undefined],
  ["[10]", undefined],
  ["10s", undefined],
  ["99999999999999999999", undefined],
];

/** R41: no value gives an instant or an endless timeout. */
export const time: Experiment = {
  id: "R41",
  paths: ALL,
  async run(tally, { path }) {
    await each(CALLS, 4, async ([timeoutMs, fate]) => {
      const found = await fateOf(path, timeoutMs as number);
      tally.trial(found === fate ? undefined : `${String(timeoutMs)} ms is ${found}, not ${fate}`);
    });
    using home = folder();
    for (const [written, expected] of SECONDS) {
      const found = await limitOf(home.path, written);
      tally.trial(found === expected ? undefined : `timeout: ${written} is ${found} ms, not ${expected}`);
    }
    tally.figure(`${CALLS.length} values of calls, ${SECONDS.length} of hooks.yaml`);
  },
};

async function fateOf(path: Path, timeoutMs: number): Promise<string> {
  await using here = ground(path);
  try {
    const short = await here.transport.run(call(timeoutMs < 100 ? "sleep 86400" : "sleep 0.15", { timeoutMs }));
    if (short.status === "timed-out") return "timed";
    const clamped = here.diagnostics.some(({ code }) => code === "LIMIT_CLAMPED");
    if (clamped !== timeoutMs > MAX_MS) return clamped ? "clamped without need" : "clamped and not told";
    return short.status === "exited" ? "runs" : short.status;
  } catch (thrown) {
    return HooklineError.isInstance(thrown) ? "refused" : String(thrown);
  }
}

async function limitOf(home: string, seconds: string): Promise<number | undefined> {
  const path = join(home, ".jdata/agent");
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, "hooks.yaml"), `pre_tool_execution:\n  - command: guard\n    timeout: ${seconds}\n`);
  const { candidates } = await jcli.discover({
    cwd: join(home, "project"),
    home,
    hooklineHome: join(home, ".hookline"),
    env: {},
    files: systemFiles,
    explicit: [],
    settings: {},
  });
  return candidates.find(({ state }) => state === "runs")?.timeoutMs;
}
