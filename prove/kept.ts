import { rmSync } from "node:fs";
import { openSession } from "../packages/hookline/src/session/session.ts";
import { assistant } from "../packages/hookline/test/session/talk.ts";
import { Place, runAgent } from "./agent/program.ts";
import type { Claim } from "./claim.ts";
import { chance } from "./sessions/chance.ts";
import { lacking, SCRIPT, toldMessages } from "./sessions/scripted.ts";
import { type Experiment, findingOf } from "./stage/experiment.ts";
import { each, works } from "./stage/ground.ts";

const WRITES = "write,writev,pwrite64,fsync,fdatasync";
/** Kills the agent some time after it has printed a text for the nth time. */
interface KillPoint {
  readonly text: string;
  readonly times: number;
  readonly afterMs: number;
}

/** The most system calls that a turn may make, since it is killed at each of them. */
const MOST = 400;

/**
 * Runs a turn that is killed, and checks that everything it reported is stored; also returns whether the turn was
 * completed.
 */
async function killed(place: Place, name: string, wrapper: readonly string[], at?: KillPoint) {
  const session = place.path(`${name}.jsonl`);
  let sent = false;
  const ran = await runAgent(
    place,
    ["--script", place.path("script.json"), "--session", session, "--mode", "json", "go"],
    {
      wrapper: wrapper.map((word) => word.replace("SESSION", session)),
      // All syncs run in one thread, so that strace counts them together.
      env: { UV_THREADPOOL_SIZE: "1" },
      ...(at !== undefined && {
        watch(child, out) {
          if (out.split(at.text).length <= at.times || sent) return;
          sent = true;
          if (at.afterMs === 0) child.kill("SIGKILL");
          else setTimeout(() => child.kill("SIGKILL"), at.afterMs);
        },
      }),
    },
  );
  const problem = lacking(session, toldMessages(ran.out)) ?? goesOn(session);
  for (const end of ["", ".bak", ".lock"]) rmSync(`${session}${end}`, { recursive: true, force: true });
  return { problem, whole: ran.code === 0 };
}

/** Returns the fault that shows when the remaining file is opened again and written to. */
function goesOn(path: string): string | undefined {
  const opened = openSession({ kind: "file", path }, { cwd: "/project" });
  if (opened.state !== "open") return `it does not open again: ${opened.state}`;
  const { session } = opened;
  const { badLines, headerMissing } = session.getDamage();
  session.appendMessage(assistant("after"));
  session.close();
  const again = openSession({ kind: "file", path }, { cwd: "/project" });
  if (again.state !== "open") return `it does not open a second time: ${again.state}`;
  const damage = again.session.getDamage();
  again.session.close();
  if (badLines > 0 || headerMissing || damage.badLines > 0 || damage.torn) return "a line in it is torn";
  return undefined;
}

/** Kills with SIGKILL at every system call of the scripted turn that writes or syncs. */
const everyWrite: Experiment = {
  id: "R45, every write",
  async run(tally, { full }) {
    if (!works("strace", "-V")) {
      tally.skip("strace is not installed");
      return;
    }
    using place = new Place();
    place.write("script.json", SCRIPT);
    // The quick size only tests calls on the session's file.
    const only = full ? [] : ["-P", "SESSION"];
    const strace = (when: number): string[] => [
      ...["strace", "-f", "-qq", "-o", "/dev/null", ...only, "-e", `trace=${WRITES}`],
      ...["-e", `inject=${WRITES}:signal=KILL:when=${when}`],
    ];
    let last = MOST;
    const points = Array.from({ length: MOST }, (_, index) => index + 1);
    await each(points, 2, async (when) => {
      if (when > last) return;
      const { problem, whole } = await killed(place, `at-${when}`, strace(when));
      if (whole) last = Math.min(last, when);
      tally.trial(problem && `killed at write ${when}: ${problem}`);
    });
    tally.trial(last < MOST ? undefined : `the turn makes more than ${MOST} writes`);
    tally.figure(`all ${last - 1} kill points of the turn${full ? "" : " on the session's file"}`);
  },
};

const underStrace = (...inject: readonly string[]): string[] => [
  "strace",
  "-f",
  "-qq",
  "-o",
  "/dev/null",
  "-e",
  "trace=fsync,fdatasync",
  "-e",
  `inject=${inject.join(":")}`,
];

/**
 * Kills with SIGKILL between a write and the end of its sync, which runs while the model answers, and before a tool
 * call.
 */
const everySync: Experiment = {
  id: "R45, every sync",
  async run(tally) {
    if (!works("strace", "-V")) {
      tally.skip("strace is not installed");
      return;
    }
    using place = new Place();
    place.write("script.json", SCRIPT);
    let syncs = 0;
    for (let isOver = false; !isOver; syncs++) {
      const { problem, whole } = await killed(
        place,
        `sync-${syncs}`,
        underStrace("fsync,fdatasync", "signal=KILL", `when=${syncs + 1}`),
      );
      isOver = whole;
      if (!whole) tally.trial(problem && `killed at sync ${syncs + 1}: ${problem}`);
    }
    // Each sync is slow, so that an agent which did not wait for it would already have reported the call.
    const slow = underStrace("fsync,fdatasync", "delay_exit=20000");
    for (const times of [1, 2, 3, 4]) {
      const at = { text: '"type":"tool_execution_start"', times, afterMs: 0 };
      const { problem } = await killed(place, `call-${times}`, slow, at);
      tally.trial(problem && `killed before tool call ${times}: ${problem}`);
    }
    tally.figure(`${syncs - 1} syncs, and 4 tool calls`);
  },
};

/** Kills with SIGKILL at a random moment after the turn has started to report. */
const anyMoment: Experiment = {
  id: "R45, any moment",
  async run(tally, { full }) {
    using place = new Place();
    place.write("script.json", SCRIPT);
    const dice = chance();
    let whole = 0;
    await each(Array.from({ length: full ? 3000 : 16 }), 2, async () => {
      const lines = 1 + dice.below(90);
      const at = { text: "\n", times: lines, afterMs: dice.below(6) };
      const run = await killed(place, `any-${lines}-${tally.n}-${Math.random()}`, [], at);
      if (run.whole) whole += 1;
      tally.trial(run.problem && `killed after line ${lines}: ${run.problem}`);
    });
    tally.figure(`${whole} came to their end before`);
  },
};

export const claim: Claim = {
  name: "kept",
  says: "from its first reply on, a session keeps every reported entry, whenever the agent is killed",
  run: (size) => findingOf([everyWrite, everySync, anyMoment], size),
};
