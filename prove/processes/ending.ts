import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { call, fixture, processesWith, token } from "../../packages/runtime/test/process/programs.ts";
import { ALL, type Experiment, type Path } from "./experiment.ts";
import { each, folder, ground, repeat, startHost, works } from "./ground.ts";

const SHAPES = ["nested.sh", "background.sh", "fork-wide.sh", "ignore-term.sh", "stopped.sh", "closed-stdout.sh"];
/** How far a call may exceed its time limit, in ms: the grace period of SIGTERM and a quarter of a second. */
const RETURN_MS = 1250;
/** Time in ms after which the survivors of a call are counted. */
const COUNTED_MS = 2000;

/** R1: a timeout ends the whole process group. */
const timeoutEndsTheGroup: Experiment = {
  id: "R1",
  paths: ALL,
  async run(tally, { path, full }) {
    const late: number[] = [];
    let survivors = 0;
    await using here = ground(path);
    await each(repeat(SHAPES, full ? 50 : 2), 4, async (shape) => {
      const mark = token();
      const timeoutMs = 150 + Math.floor(Math.random() * 450);
      const started = performance.now();
      const report = await here.transport.run(call(fixture(shape, mark), { timeoutMs }));
      late.push(performance.now() - started - timeoutMs);
      const alive = await leftOf(mark);
      survivors += alive.length;
      if (alive.length > 0) tally.trial(`${shape} left ${alive.length} processes`);
      else tally.trial(report.status === "timed-out" ? undefined : `${shape} was reported as ${report.status}`);
    });
    tally.figure(`survivors ${survivors}/${tally.n}`);
    tally.times("return after the limit", late, RETURN_MS);
  },
};

/** Returns the processes that are alive two seconds after the end; does not wait if a call left none. */
async function leftOf(mark: string): Promise<readonly number[]> {
  if (processesWith(mark).length === 0) return [];
  await pause(COUNTED_MS);
  return processesWith(mark);
}

/** Commands of processes that leave their group: with and without the marker, with and without a living parent. */
const ESCAPES: Readonly<Record<string, (mark: string) => string>> = {
  setsid: (mark) => `setsid sleep 86400 ${mark} & sleep 86400 ${mark}`,
  "double fork": (mark) => `(setsid sleep 86400 ${mark} >/dev/null 2>&1 &); sleep 86400 ${mark}`,
  "env -i setsid": (mark) => `env -i "$(command -v setsid)" sleep 86400 ${mark} & sleep 86400 ${mark}`,
};
/** Returns a command of a process that nothing visible ties to the call; only a container could end it. */
const UNTIED = (mark: string): string =>
  `(env -i "$(command -v setsid)" sleep 86400 ${mark} >/dev/null 2>&1 &); sleep 86400 ${mark}`;

/** R2: processes that escape from the group are ended anyway, or named. */
const escapesAreTold: Experiment = {
  id: "R2",
  paths: ALL,
  async run(tally, { path, full }) {
    const times = full ? 50 : 4;
    for (const [name, command] of Object.entries(ESCAPES)) {
      let unreported = 0;
      await each(repeat([command], times), 8, async (one) => {
        const { left, told } = await escapeOf(path, one);
        unreported += left.filter((pid) => !told.includes(pid)).length;
        tally.trial(left.every((pid) => told.includes(pid)) ? undefined : `${name}: ${left.length} escaped unseen`);
      });
      tally.figure(`${name}: ${unreported} unreported survivors in ${times}`);
    }
    const untied = await escapeOf(path, UNTIED);
    tally.figure(
      `env -i setsid with its parent gone: ${untied.left.length} of 1 escapes unseen, which is not promised`,
    );
    tally.skip("containment by pid namespace or cgroup: there is no such mode (docs/decisions/0008)");
  },
};

async function escapeOf(
  path: Path,
  command: (mark: string) => string,
): Promise<{ left: readonly number[]; told: readonly number[] }> {
  const mark = token();
  await using here = ground(path);
  const report = await here.transport.run(call(command(mark), { timeoutMs: 400 }));
  return { left: processesWith(mark), told: report.survivors };
}

/** R3: SIGKILL is sent only if SIGTERM was not enough; a tracer watches the host. */
const escalationLooks: Experiment = {
  id: "R3",
  paths: ALL,
  async run(tally, { path, full }) {
    if (!works("strace", "-qq", "-o", "/dev/null", "true")) {
      tally.skip("strace is not installed, or tracing is not permitted");
      return;
    }
    const half = full ? 50 : 10;
    using home = folder();
    const log = join(home.path, "kills");
    const mark = token();
    const commands = [fixture("ignore-term.sh", mark), fixture("die-politely.sh", mark)];
    const tracer = ["strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=kill", "-e", "signal=none", "-o", log];
    const { reports = [] } = await startHost({ path, commands, count: 2 * half, timeoutMs: full ? 3000 : 1500 }, tracer)
      .ended;
    const sent = killsIn(log);
    for (const [index, { pid = 0, status }] of reports.entries()) {
      const stubborn = index % 2 === 0;
      const killed = sent.has(`${-pid} SIGKILL`);
      if (status !== "timed-out" || !sent.has(`${-pid} SIGTERM`)) tally.trial(`call ${index} was not ended: ${status}`);
      else tally.trial(killed === stubborn ? undefined : `call ${index}: SIGKILL was ${killed ? "" : "not "}sent`);
    }
    for (let missing = reports.length; missing < 2 * half; missing++) tally.trial("a call has no report");
    tally.figure(`SIGKILL for ${half} that ignore SIGTERM and none of ${half} that obey it`);
  },
};

/** Returns targets and signals of the successful kills in a trace. */
function killsIn(log: string): Set<string> {
  const sent = readFileSync(log, "utf8").matchAll(/ kill\((-?\d+), (SIG[A-Z]+)\) += 0/g);
  return new Set([...sent].map(([, target, signal]) => `${target} ${signal}`));
}

/** R4: the result does not wait for processes that inherited the pipes. */
const resultDoesNotWait: Experiment = {
  id: "R4",
  paths: ALL,
  async run(tally, { path, full }) {
    const ms: number[] = [];
    await using here = ground(path);
    await each(repeat([0], full ? 100 : 12), 4, async () => {
      const started = performance.now();
      const report = await here.transport.run(call(`sleep 10 ${token()} & echo '{}'`));
      ms.push(performance.now() - started);
      tally.trial(problemOf(report.status, report.stdout));
    });
    tally.times("result", ms, 500);
  },
};

function problemOf(status: string, stdout: string): string | undefined {
  return status === "exited" && stdout === "{}\n" ? undefined : `the result was not used: ${status}`;
}

export const ending: readonly Experiment[] = [timeoutEndsTheGroup, escapesAreTold, escalationLooks, resultDoesNotWait];
