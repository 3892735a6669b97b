import { setTimeout as sleep } from "node:timers/promises";
import { type Verdict, writeVerdict } from "../packages/fleet/src/approval/message.ts";
import { writePresence } from "../packages/fleet/src/presence/presence.ts";
import { hasNats } from "../packages/fleet/test/support/fleet.ts";
import type { Claim } from "./claim.ts";
import { FORGERIES, IMPOSTURES, Office, type Open, presence, verdictOn } from "./fleet-approvals/office.ts";
import { type Experiment, findingOf } from "./processes/experiment.ts";
import type { Dice } from "./stage/dice.ts";
import { schedules } from "./stage/schedules.ts";

const FULL = 300;
const QUICK = 30;
/** How long a machine may take until it has heard of an answer, in ms. */
const PATIENCE_MS = 30_000;

/** What became of one question, as it must be. */
interface Fate {
  readonly open: Open;
  /** Answers that cannot count. */
  wrong: number;
  isAsleep: boolean;
  /** The first answer that counts. */
  taken: Verdict["answer"] | undefined;
}

/** Sends right and wrong answers to open questions in a random order, and says which counted that must not have. */
async function decide(office: Office, dice: Dice, seed: number): Promise<string | undefined> {
  const fates: Fate[] = [];
  for (let n = 0; n < 2; n++)
    fates.push({ open: await office.ask(dice, `${seed}-${n}`), wrong: 0, isAsleep: false, taken: undefined });
  const played: string[] = [];
  const boss = await office.fleet.creds("boss", "approver");
  try {
    for (let left = 4 + dice.below(8); left > 0; left--) {
      const at = dice.below(fates.length);
      const fate = fates[at] as Fate;
      const { asked } = fate.open;
      const answer = dice.pick(["allow", "deny"] as const);
      const good = verdictOn(asked, answer);
      if (dice.chance(0.1)) {
        // An answer that is still on its way would be late, too.
        if (fate.taken !== undefined) await decided(fate);
        played.push(`${at} sleeps`);
        fate.open.sleep(asked.expires - Date.now() + 1000);
        fate.isAsleep = true;
      }
      const isGood = dice.chance(0.2);
      const kind = dice.pick(Object.keys(FORGERIES));
      const other = verdictOn((fates[1 - at] as Fate).open.asked, "allow");
      const sent = isGood
        ? { data: writeVerdict(good, boss), token: boss.token }
        : await FORGERIES[kind]?.({ office, dice, good, other });
      if (sent === undefined) return "there is no such answer";
      played.push(`${at} gets ${isGood ? answer : `an answer ${kind}`}`);
      const isOver = fate.taken !== undefined;
      await office.send(asked, sent.data, sent.token);
      if (isGood && !fate.isAsleep) fate.taken ??= answer;
      else if (!isOver) fate.wrong += 1;
      if (isGood) office.old.push(sent);
    }
    for (const [at, fate] of fates.entries()) {
      const problem = await settled(fate);
      if (problem !== undefined) return `question ${at}: ${problem} (${played.join("; ")})`;
    }
    return undefined;
  } finally {
    for (const { open } of fates) await open.end();
  }
}

/** What was decided of a question; nothing if that takes too long. */
function decided({ open }: Pick<Fate, "open">): ReturnType<Open["end"]> {
  return Promise.race([open.said, sleep(PATIENCE_MS, undefined, { ref: false })]);
}

async function settled({ open, wrong, taken }: Fate): Promise<string | undefined> {
  if (taken === undefined) {
    // When it was told of the last wrong answer, none of them has counted.
    for (const until = performance.now() + PATIENCE_MS; open.refusals() < wrong; await sleep(5))
      if (performance.now() > until) return `${open.refusals()} of ${wrong} wrong answers were told of`;
    const said = await open.end();
    return said && `${said.approved ? "approved" : "denied"} by ${said.by} without an answer that counts`;
  }
  const said = await decided({ open });
  if (said === undefined) return "the right answer did not count";
  if (said.approved !== (taken === "allow") || said.by !== "boss")
    return `it was ${JSON.stringify(said)}, not ${taken}`;
  return open.refusals() === wrong ? undefined : `${open.refusals()} of ${wrong} wrong answers were told of`;
}

const approvals: Experiment = {
  id: "approvals from elsewhere",
  paths: [],
  async run(tally, { full }) {
    if (!hasNats) return tally.skip("nats-server is not installed");
    await using office = await Office.open();
    await schedules(tally, full ? FULL : QUICK, (dice, seed) => decide(office, dice, seed));
    tally.figure(`${office.old.length} right answers among the wrong ones`);
  },
};

const machines: Experiment = {
  id: "what machines tell of themselves",
  paths: [],
  async run(tally, { full }) {
    if (!hasNats) return tally.skip("nats-server is not installed");
    await using office = await Office.open();
    const victim = await office.fleet.creds("laptop-1", "agent");
    await schedules(tally, full ? FULL : QUICK, async (dice) => {
      const said = presence(victim.machine, dice.below(1000));
      for (let left = 3 + dice.below(4); left > 0; left--) {
        const kind = dice.pick(Object.keys(IMPOSTURES));
        const isOwn = dice.chance(0.3);
        const sent = isOwn
          ? { data: writePresence(said, victim), token: victim.token }
          : await IMPOSTURES[kind]?.({ office, dice, said });
        if (sent === undefined) return "there is no such presence";
        await office.present(victim.machine, sent.data, sent.token);
        const read = await office.presenceOf(victim.machine);
        if (read === undefined) return "nothing is there";
        if (!isOwn && read.ok) return `a presence ${kind} is believed`;
        if (isOwn && !(read.ok && JSON.stringify(read.presence) === JSON.stringify(said)))
          return `its own is not believed: ${JSON.stringify(read)}`;
      }
      return undefined;
    });
  },
};

export const claim: Claim = {
  name: "fleet-approvals",
  says: "an approval from elsewhere counts once, for its call, in time and from an approver; nobody speaks for another machine",
  run: (size) => findingOf([approvals, machines], size),
};
