import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemProcesses } from "../packages/ground/src/process/owner.ts";
import { lockFolder } from "../packages/hookline/src/session/lock.ts";
import { openSession, SessionManager } from "../packages/hookline/src/session/session.ts";
import { assistant } from "../packages/hookline/test/session/talk.ts";
import { Place, runAgent } from "./agent/program.ts";
import type { Claim } from "./claim.ts";
import { startFixture } from "./sessions/fixture.ts";
import { wallClock } from "./soak/clock.ts";
import { type Experiment, findingOf } from "./stage/experiment.ts";
import { folder } from "./stage/ground.ts";

function stored(top: string): string {
  const session = SessionManager.create("/project", top);
  session.appendMessage(assistant("one"));
  session.close();
  return session.getSessionFile() ?? "";
}

/** Large lines of several processes never mix, even if no lock can be made. */
const linesStayWhole: Experiment = {
  id: "R50, lines",
  async run(tally, { full }) {
    for (const writers of full ? [2, 3, 4, 5, 6, 7, 8] : [3]) {
      using top = folder();
      const path = stored(top.path);
      writeFileSync(lockFolder(path), "no lock can be made here");
      const each = full ? "20" : "6";
      const running = Array.from({ length: writers }, (_, i) =>
        startFixture("append", [path, each, "2000000", `${i}`]),
      );
      const told = (await Promise.all(running.map(({ ended }) => ended))).flatMap((text) => text.trim().split("\n"));
      const ids = readFileSync(path, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map(idOf);
      for (const id of told) tally.trial(ids.includes(id) ? undefined : `${writers} writers: a line is lost or mixed`);
      tally.trial(ids.includes(undefined) ? `${writers} writers: a line is no entry` : undefined);
    }
  },
};

function idOf(line: string): string | undefined {
  try {
    return (JSON.parse(line) as { id?: string }).id;
  } catch {
    return undefined;
  }
}

/** At most one of several contenders is inside. */
const oneIsInside: Experiment = {
  id: "R50, contenders",
  async run(tally, { full }) {
    using top = folder();
    const path = join(top.path, "s.jsonl");
    const rounds = full ? "200" : "30";
    const running = Array.from({ length: full ? 8 : 3 }, () => startFixture("compete", [path, rounds]));
    let won = 0;
    for (const text of await Promise.all(running.map(({ ended }) => ended))) {
      const said = JSON.parse(text) as { won: number; held: number; wrong: readonly string[] };
      won += said.won;
      for (let round = 0; round < said.won + said.held; round++) tally.trial(said.wrong[round]);
    }
    tally.figure(`${won} times somebody was inside, ${tally.n - won} times somebody was turned away`);
  },
};

/** The lock of a killed owner is taken over; a living owner keeps it, whatever the wall clock says. */
const ownersAreKnown: Experiment = {
  id: "R50, owners",
  async run(tally, { full }) {
    using top = folder();
    const clock = wallClock(join(top.path, "clock"));
    if (clock === undefined) tally.skip("other wall clocks: libfaketime is not installed");
    const times: number[] = [];
    for (let round = 0; round < (full ? 30 : 4); round++) {
      const path = stored(join(top.path, `${round}`));
      const offset = clock === undefined ? undefined : (["+0", "+1d", "-1d", "-10y"] as const)[round % 4];
      if (offset !== undefined) clock?.set(offset);
      const owner = startFixture("hold", [path, "held"], clock?.env);
      await owner.said;
      const second = openSession({ kind: "file", path }, { cwd: "/project" });
      const turnedAway = second.state === "held" && second.owner.pid === owner.child.pid;
      tally.trial(turnedAway ? undefined : `a living owner (clock ${offset}) lost its session: ${second.state}`);
      owner.child.kill("SIGKILL");
      await owner.ended;
      const began = performance.now();
      const third = openSession({ kind: "file", path }, { cwd: "/project" });
      times.push(performance.now() - began);
      tally.trial(third.state === "open" ? undefined : `a dead owner (clock ${offset}) still holds: ${third.state}`);
      if (third.state === "open") third.session.close();
    }
    tally.times("a dead owner's lock taken over in", times, 2000);
    const self = systemProcesses.self();
    const reused = [
      { ...self, pid: 1, started: "1" },
      { ...self, started: "1" },
      { ...self, boot: "00000000-0000-0000-0000-000000000000" },
    ];
    for (const [index, { pid, started, boot }] of reused.entries()) {
      const path = stored(join(top.path, `reused-${index}`));
      mkdirSync(lockFolder(path));
      writeFileSync(join(lockFolder(path), [pid, started, boot, "abcdef"].join(".")), "");
      const opened = openSession({ kind: "file", path }, { cwd: "/project" });
      tally.trial(opened.state === "open" ? undefined : "a process id that was given away again holds a session");
      if (opened.state === "open") opened.session.close();
    }
  },
};

/** The command line refuses a second writer, names the owner, and lets the second read. */
const secondIsTold: Experiment = {
  id: "R50, command line",
  async run(tally) {
    using place = new Place();
    const script = place.write("script.yaml", "replies:\n  - text: answer\n    repeat: true\n");
    const path = stored(join(place.hookline, "sessions/--tmp--"));
    const owner = startFixture("hold", [path, "held"]);
    await owner.said;
    const second = await runAgent(place, ["--script", script, "--session", path, "-p", "more"]);
    const turnedAway = second.code === 1 && second.err.includes(`in use by process ${owner.child.pid}`);
    tally.trial(turnedAway ? undefined : `a second writer ended with ${second.code}: ${second.err}`);
    const shown = await runAgent(place, ["sessions", "show", path]);
    tally.trial(shown.code === 0 && shown.out.includes("one") ? undefined : `reading it failed: ${shown.err}`);
    owner.child.kill("SIGKILL");
    await owner.ended;
    const third = await runAgent(place, ["--script", script, "--session", path, "-p", "more"]);
    tally.trial(third.code === 0 ? undefined : `after its owner's death it ended with ${third.code}: ${third.err}`);
  },
};

export const claim: Claim = {
  name: "writers",
  says: "of two writers of a session, one is refused with the other's name, a dead one's lock is taken over, and no lines mix",
  run: (size) => findingOf([linesStayWhole, oneIsInside, ownersAreKnown, secondIsTold], size),
};
